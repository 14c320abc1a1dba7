"""Stacking of scores beside rescaling of distances, over systems and data sets."""

from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
from scipy.stats import spearmanr

from chapters.clarel.calibrations import CALIBRATIONS, from_common_zero, run_calibrations
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.training import trainings
from zslib.protocols.attributes.tuning import tune_zero_shot
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.sweep import best_that_trains
from zslib.protocols.tidy import row


def calibrated_runs(methods, problem, seeds, *, device, quick):
    """`CalibratedRun` by method, one per seed, with the parameters that DARK's comparison chose.

    In quick mode they are the first of the grid. Also why others cannot be trained.
    """

    def runs_of(name):
        method = resolve_method(name)
        drawn = seeds if method.seeds_matter else [seeds[0]] * len(seeds)

        def train(parameters):
            options = {"parameters": parameters, "device": device}
            return [run_calibrations(name, problem, seed=s, **options) for s in drawn]

        if quick:
            return train({key: values[0] for key, values in method.grid.items()})
        trials = tune_zero_shot(method, problem).trials
        _, runs, _ = best_that_trains(trials, "score", train, f"{name} on {problem.name}")
        return runs

    return trainings({name: partial(runs_of, name) for name in methods})


def by_calibration(runs, *, chosen=False):
    """Outcomes of `calibrated_runs` by name: "ALE" of the scores, "ALE: surprisal" of a distance.

    Each calibrated as was ``chosen`` on validation classes, or not at all.
    """
    return {
        method if way == "stacking" else f"{method}: {way}": [
            run.chosen(way) if chosen else run.outcomes[way] for run in fits
        ]
        for method, fits in runs.items()
        for way in fits[0].outcomes
    }


def flip_correlation(runs, minus):
    """Measure: rank correlation of the flips of all test images, under two calibrations."""
    flips = (
        [np.concatenate([o.test_seen.flips, o.test_unseen.flips]) for o in pair]
        for pair in zip(runs, minus, strict=True)
    )
    return float(np.mean([spearmanr(*pair).statistic for pair in flips]))


def mean_alpha(runs, minus=None):
    """Measure: the alpha under which outcomes of distances are."""
    return float(np.mean(np.expm1([outcome.gamma for outcome in runs])))


def size_rows(gains):
    """Mean size of AUSUC's differences from stacking, and the largest, by distance.

    The mean has one number for each system, as systems share the test images of a data set; its
    interval is over systems.
    """
    for way in CALIBRATIONS[1:]:
        rows = [gain for gain in gains if gain["method"].endswith(f": {way} - stacking")]
        if not rows:
            continue
        sizes = {}
        for gain in rows:
            sizes.setdefault(gain["method"], []).append(abs(gain["value"].mean))
        size = mean_estimate([np.mean(values) for values in sizes.values()], unit="systems")
        # No absolute value is below zero; of one system there is no interval.
        size = replace(size, low=float(np.maximum(0.0, size.low)))
        named = {"method": f"{way} and stacking", "over": "all systems and sets"}
        yield {"metric": "AUSUC, mean absolute difference", "value": size} | named
        largest = max(rows, key=lambda gain: abs(gain["value"].mean))
        where = {"system": largest["method"].split(":")[0], "on": largest["dataset"]}
        named |= {"over": "all sets"} | where
        yield {"metric": "AUSUC, largest difference", "value": largest["value"]} | named


def zero_rows(problem, runs, reach):
    """AUSUC of distances to a common zero less that of stacking, first seed, by its place."""
    for method, (run, *_) in runs.items():
        plain = run.outcomes["stacking"]
        for t in reach:
            moved = from_common_zero(plain, run.largest + t * run.unit).ausuc - plain.ausuc
            name = f"{method}: common zero - stacking"
            yield row(problem, "AUSUC", name, moved, distance_of_zero=float(t))


def lift_rows(runs):
    """What a chosen calibration adds to H: mean over systems of their means over data sets.

    ``runs`` is {problem: {method: runs}}; intervals are over the systems that all problems have.
    """
    every = next(iter(runs.values()))
    systems = [name for name in every if all(name in by_method for by_method in runs.values())]
    pooled = [list(chain(*(by_method[name] for by_method in runs.values()))) for name in systems]
    for way in CALIBRATIONS:
        lifts = [
            float(np.mean([r.chosen(way).value("H") - r.outcomes[way].value("H") for r in fits]))
            for fits in pooled
            if way in fits[0].outcomes
        ]
        if lifts:
            named = {"method": f"{way}: chosen - none", "over": "all systems"}
            yield {"metric": "H", "value": mean_estimate(lifts, unit="systems")} | named
