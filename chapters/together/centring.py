"""Scorers on centred features and class embeddings, and the trap of centring too early."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np

from zslib.compatibility.base import directions
from zslib.protocols.attributes.comparison import hub_measures
from zslib.protocols.attributes.intervals import zero_shot_measures
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, resolve_method
from zslib.protocols.attributes.runs import run_table, run_zero_shot
from zslib.protocols.tidy import row

CENTRED = ", centred"
HUB = "largest hub over the mean, unseen"
_INSIDE, _BEFORE = "the classes of each fit", "all seen classes, before"

_LEARNER = ZERO_SHOT_METHODS["hard negatives"]
NEGATIVES = [
    replace(_LEARNER, name=kind, fixed={**_LEARNER.fixed, "negatives": kind})
    for kind in ("random", "uncertainty")
]
"""The metric learner with as many negatives drawn at random, and chosen by uncertainty."""


def plain_and_centred(methods, problem, seeds, **options):
    """``{name: runs}`` of each method as it is, and on centred vectors; without failed ones."""
    runs = {}
    for method in map(resolve_method, methods):
        for one in (method, method.on_centred()):
            with suppress(ValueError):  # no setting could be trained
                runs |= run_table([one], problem, seeds, **options)
    return runs


def centring_measures(**options):
    """Accuracy, both measures of the generalised task, and the largest hub."""
    hubs = {HUB: hub_measures()[HUB]}
    return zero_shot_measures(["ACC", "H", "AUSUC"], **options) | hubs


def before_and_after(results):
    """``{(metric, data): {method: (plain, centred)}}`` of accuracy and the largest hub."""
    heads = {"ACC": "accuracy, %", HUB: "largest hub over the mean"}
    panels = {}
    for metric, data in product(heads, results.of("dataset")):
        values = {r["method"]: r["value"].mean for r in results.only(dataset=data, metric=metric)}
        panels[heads[metric], data] = {
            name: (value, values[name + CENTRED])
            for name, value in values.items()
            if name + CENTRED in values
        }
    return panels


def centred_before(problem):
    """The problem centred on *all* its seen classes: what one is not to do before validation."""
    X, S = problem.features, problem.class_embeddings
    return replace(
        problem,
        features=directions(X - X[problem.trainval].mean(axis=0)),
        class_embeddings=directions(S - S[problem.seen_classes].mean(axis=0)),
        feature_scaling=f"{problem.feature_scaling}, centred on all seen classes",
    )


def trap_rows(method, problem, seed, **options):
    """Rows: accuracy on validation and on test classes, by what vectors were centred on."""
    method = resolve_method(method)
    ways = {
        "nothing": (method, problem),
        _INSIDE: (method.on_centred(), problem),
        _BEFORE: (method, centred_before(problem)),
    }
    for name, (scorer, data) in ways.items():
        run = run_zero_shot(scorer, data, seed=seed, **options)
        yield row(problem, "validation ACC", method.name, run.validation_accuracy, centred=name)
        yield row(problem, "test ACC", method.name, float(run.outcome.accuracy), centred=name)


def found_by_centring(results):
    """What centring adds to accuracy and takes from hubs, in a sentence for each data set."""
    for data in results.of("dataset"):
        by_method = results.only(dataset=data)
        methods = by_method.of("method")
        changes = [name for name in methods if " - " in name]
        gains, hubs = (
            [by_method.value(metric=metric, method=name) for name in changes]
            for metric in ("ACC", HUB)
        )
        middle = np.median([gain.mean for gain in gains])
        sentence = (
            f"**{data}**: the median gain in accuracy is {middle:+.1f} points. Of {len(changes)} "
            f"systems {sum(g.low > 0 for g in gains)} gain and {sum(g.high < 0 for g in gains)} "
            f"lose beyond their interval; in {sum(h.mean < 0 for h in hubs)} the largest hub came "
            "out smaller, a maximum without an interval."
        )
        lost = sorted(m for m in methods if CENTRED not in m and m + CENTRED not in methods)
        yield sentence + (f" Centred they cannot be trained: {', '.join(lost)}." if lost else "")
