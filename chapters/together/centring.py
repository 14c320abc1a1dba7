"""Scorers on centred features and class embeddings, and the trap of centring too early."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np
from scipy import stats

from book.names import called
from zslib.compatibility.base import directions
from zslib.protocols.attributes.intervals import zero_shot_measures
from zslib.protocols.attributes.leaderboard import agreement_measure
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, named, resolve_method
from zslib.protocols.attributes.runs import run_table, run_zero_shot
from zslib.protocols.tidy import row

CENTRED = ", centred"
HUB = "agreement of errors"
ALL = "all systems"

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


def with_all(runs):
    """The runs, and as `ALL` the first run of each system that could be trained both ways."""
    both = [name for name in runs if name + CENTRED in runs]
    return runs | {ALL + end: [runs[name + end][0] for name in both] for end in ("", CENTRED)}


def centring_measures(**options):
    """Accuracy, both measures of the generalised task, and how far errors agree."""
    return zero_shot_measures(["ACC", "H", "AUSUC"], **options) | {
        HUB: agreement_measure(**options)
    }


def before_and_after(results):
    """``{(metric, data): {method: (plain, centred)}}`` of accuracy and agreement of errors."""
    heads, panels = {"ACC": "accuracy, %", HUB: HUB}, {}
    for metric, data in product(heads, results.of("dataset")):
        values = {r["method"]: r["value"].mean for r in results.only(dataset=data, metric=metric)}
        both = [name for name in values if name + CENTRED in values]
        panels[heads[metric], data] = {one: (values[one], values[one + CENTRED]) for one in both}
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
    for on, scorer, data in (
        ("nothing", method, problem),
        ("the classes of each fit", method.on_centred(), problem),
        ("all seen classes, before", method, centred_before(problem)),
    ):
        run = run_zero_shot(scorer, data, seed=seed, **options)
        yield row(problem, "validation ACC", method.name, run.validation_accuracy, centred=on)
        yield row(problem, "test ACC", method.name, float(run.outcome.accuracy), centred=on)


def changes_of_accuracy(results):
    """Rows of each system's change of ACC by centring, with ``p`` under control of all of them.

    Two-sided p, of an interval taken for a normal distribution's, times what the procedure of
    Benjamini and Hochberg (1995) asks of it: below 0.05 a change survives beside the others.
    """
    rows = [r for r in results.only(metric="ACC") if " - " in r["method"]]
    rows = [r for r in rows if not r["method"].startswith(ALL)]
    values = [r["value"] for r in rows]
    towards = [v.mean - v.low if v.mean > 0 else v.high - v.mean for v in values]
    scores = [abs(v.mean) / max(width, 1e-9) for v, width in zip(values, towards, strict=True)]
    p = stats.false_discovery_control(2 * stats.norm.sf(stats.norm.ppf(0.975) * np.array(scores)))
    return [r | {"p": float(one)} for r, one in zip(rows, p, strict=True)]


_SIDES = {"gain": lambda value: value.low > 0, "lose": lambda value: value.high < 0}


def change_counts(changes):
    """Rows: how many changes there are, how many lie on a side of zero, and survive the others."""
    for side, beyond in {"are there": lambda _: True, **_SIDES}.items():
        there = [row for row in changes if beyond(row["value"])]
        for when, n in (("alone", len(there)), ("all", sum(one["p"] < 0.05 for one in there))):
            yield {"metric": f"changes of ACC that {side}", "method": when, "value": n}


def changes_told(changes):
    """Which systems gain or lose by centring, where, and which of these survive, in words."""
    sentences = []
    for side, beyond in _SIDES.items():
        there = [row for row in changes if beyond(row["value"])]
        names = [
            f"{named(row['method'].partition(CENTRED)[0])} on {called(row['dataset'])}"
            + " (which survives control for all of them)" * (row["p"] < 0.05)
            for row in there
        ]
        whom = f": {', '.join(names)}" * bool(names)
        sentences.append(f"{len(names)} of {len(changes)} {side} beyond their interval{whom}.")
    return " ".join(sentences)
