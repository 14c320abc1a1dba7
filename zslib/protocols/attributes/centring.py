"""Scorers on centred features and class embeddings, and the trap of centring too early."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zslib.compatibility.base import directions
from zslib.protocols.attributes.comparison import hub_measures
from zslib.protocols.attributes.intervals import zero_shot_measures
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.runs import run_table, run_zero_shot
from zslib.protocols.tidy import row

__all__ = [
    "CENTRED",
    "HUB",
    "centred_before",
    "centring_measures",
    "found_by_centring",
    "plain_and_centred",
    "trap_rows",
]

CENTRED = ", centred"
HUB = "largest hub over the mean, unseen"


def plain_and_centred(methods, problem, seeds, **options):
    """``{name: runs}`` of each method as it is, and on centred vectors."""
    plain = [resolve_method(method) for method in methods]
    both = [one for method in plain for one in (method, method.on_centred())]
    return run_table(both, problem, seeds, **options)


def centring_measures(**options):
    """Accuracy, both measures of the generalised task, and the largest hub."""
    hubs = {HUB: hub_measures()[HUB]}
    return zero_shot_measures(["ACC", "H", "AUSUC"], **options) | hubs


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
        "the classes of each fit": (method.on_centred(), problem),
        "all seen classes, before": (method, centred_before(problem)),
    }
    for name, (of, made) in ways.items():
        run = run_zero_shot(of, made, seed=seed, **options)
        score = next(t["score"] for t in run.tuned.trials if t["parameters"] == run.parameters)
        yield row(problem, "validation ACC", method.name, float(score), centred=name)
        yield row(problem, "test ACC", method.name, float(run.outcome.accuracy), centred=name)


def found_by_centring(results):
    """What centring adds to accuracy and takes from hubs, in a sentence for each data set."""
    names = [name for name in results.of("method") if " - " in name]
    for data in results.of("dataset"):
        here = results.only(dataset=data)
        gains = {name: here.value(metric="ACC", method=name) for name in names}
        hubs = [here.value(metric=HUB, method=name).mean for name in names]
        told = [name for name, gain in gains.items() if gain.low > 0]
        lost = [name for name, gain in gains.items() if gain.high < 0]
        middle = np.median([gain.mean for gain in gains.values()])
        yield (
            f"**{data}**: the median gain in accuracy is {middle:+.1f} points. Of {len(names)} "
            f"systems {len(told)} gain and {len(lost)} lose beyond their interval; in "
            f"{sum(h < 0 for h in hubs)} the largest hub is smaller."
        )
