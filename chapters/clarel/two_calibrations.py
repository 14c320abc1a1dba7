"""Stacking of scores beside rescaling of distances, over systems and data sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import spearmanr

from chapters.clarel.calibrations import from_common_zero, run_calibrations
from zslib.protocols.attributes.intervals import zero_shot_estimate
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.tuning import tune_zero_shot
from zslib.protocols.intervals import mean_estimate
from zslib.protocols.sweep import best_that_trains
from zslib.protocols.tidy import row

__all__ = [
    "area_rows",
    "calibrated_runs",
    "flip_rows",
    "lift_rows",
    "mean_size_rows",
    "point_rows",
    "zero_rows",
]


def calibrated_runs(methods, problem, seeds, *, device, quick):
    """`CalibratedRun` by method, one per seed, with the parameters that DARK's comparison chose.

    In quick mode they are the first of the grid.
    """
    found = {}
    for name in methods:
        method = resolve_method(name)
        drawn = seeds if method.seeds_matter else [seeds[0]] * len(seeds)

        def train(parameters, name=name, drawn=drawn):
            how = {"parameters": parameters, "device": device}
            return [run_calibrations(name, problem, seed=s, **how) for s in drawn]

        if quick:
            found[name] = train({key: values[0] for key, values in method.grid.items()})
        else:
            trials = tune_zero_shot(method, problem).trials
            what = f"{name} on {problem.name}"
            _, found[name], _ = best_that_trains(trials, "score", train, what)
    return found


def ways(own):
    """The distances of a system: its own, where it has one, and the surprisal."""
    return [way for way in ("own distance", "surprisal") if way in own[0].outcomes]


def area_rows(problem, runs, n_resamples):
    """AUSUC of stacking, and what each distance adds to it."""
    for method, own in runs.items():
        plain = [run.outcomes["stacking"] for run in own]
        value = zero_shot_estimate(plain, "AUSUC", n_resamples=n_resamples)
        yield row(problem, "AUSUC", method, value, calibration="stacking")
        for way in ways(own):
            moved = [run.outcomes[way] for run in own]
            gain = zero_shot_estimate(moved, "AUSUC", minus=plain, n_resamples=n_resamples)
            yield row(problem, "AUSUC", f"{method}: {way} - stacking", gain)


def flip_rows(problem, runs):
    """Rank correlation of the flips of all test images under stacking and under each distance."""
    for method, own in runs.items():
        for way in ways(own):
            rho = [
                spearmanr(*(_flips(run.outcomes[name]) for name in ("stacking", way))).statistic
                for run in own
            ]
            which = f"{method}: {way} and stacking"
            yield row(problem, "rank correlation of flips", which, float(np.mean(rho)))


def _flips(outcome):
    return np.concatenate([outcome.test_seen.flips, outcome.test_unseen.flips])


def mean_size_rows(gains):
    """Mean size of AUSUC's differences, and the largest, by distance.

    ``gains`` are rows of `area_rows`. The mean has one number for each system, as systems share
    the test images of a data set; its interval is over systems.
    """
    for way in ("own distance", "surprisal"):
        own = [row for row in gains if row["method"].endswith(f": {way} - stacking")]
        if not own:
            continue
        systems = list(dict.fromkeys(row["method"] for row in own))
        sizes = [
            np.mean([abs(row["value"].mean) for row in own if row["method"] == system])
            for system in systems
        ]
        size = mean_estimate(sizes, unit="systems")
        size = replace(size, low=max(0.0, size.low))  # as no absolute value is below zero
        named = {"method": f"{way} and stacking", "over": "all systems and sets"}
        yield {"metric": "AUSUC, mean absolute difference", "value": size} | named
        largest = max(own, key=lambda row: abs(row["value"].mean))
        where = {"system": largest["method"].split(":")[0], "on": largest["dataset"]}
        named = {"method": f"{way} and stacking", "over": "all sets"}
        yield {"metric": "AUSUC, largest difference", "value": largest["value"]} | named | where


def zero_rows(problem, runs, reach):
    """AUSUC of distances to a common zero less that of stacking, first seed, by its place."""
    for method, (run, *_) in runs.items():
        plain = run.outcomes["stacking"]
        for t in reach:
            moved = from_common_zero(plain, run.largest + t * run.unit).ausuc - plain.ausuc
            name = f"{method}: common zero - stacking"
            yield row(problem, "AUSUC", name, moved, distance_of_zero=float(t))


def point_rows(problem, runs, n_resamples):
    """H under what validation chose: of stacking, and of each distance less stacking."""
    for method, own in runs.items():
        plain = [run.chosen("stacking") for run in own]
        value = zero_shot_estimate(plain, "H", n_resamples=n_resamples)
        yield row(problem, "H", method, value, calibration="chosen")
        for way in ways(own):
            chosen = [run.chosen(way) for run in own]
            gain = zero_shot_estimate(chosen, "H", minus=plain, n_resamples=n_resamples)
            yield row(problem, "H", f"{method}: {way} - stacking", gain, calibration="chosen")


def alpha_rows(problem, runs):
    """The chosen alpha of each distance, mean over seeds."""
    for method, own in runs.items():
        for way in ways(own):
            alpha = float(np.mean([run.alpha(way) for run in own]))
            yield row(problem, "chosen alpha", f"{method}: {way}", alpha)


def lift_rows(runs):
    """What a chosen calibration adds to H: mean over systems of their means over data sets.

    ``runs`` is {problem: {method: runs}}; intervals are over systems.
    """
    problems = list(runs)
    for way in ("stacking", "own distance", "surprisal"):
        lifts = []
        for method in runs[problems[0]]:
            own = [run for p in problems for run in runs[p][method]]
            if way in own[0].outcomes:
                lifts.append(
                    float(
                        np.mean(
                            [r.chosen(way).value("H") - r.outcomes[way].value("H") for r in own]
                        )
                    )
                )
        if lifts:
            named = {"method": f"{way}: chosen - none", "over": "all systems"}
            yield {"metric": "H", "value": mean_estimate(lifts, unit="systems")} | named
