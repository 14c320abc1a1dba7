"""Intervals of zero-shot measures over seeds and test images, also of differences."""

from __future__ import annotations

import numpy as np

from zslib.arrays import random_generator
from zslib.protocols.attributes.outcome import MEASURES
from zslib.protocols.intervals import Estimate, mean_estimate
from zslib.validation import check_choice, check_integer, check_real

__all__ = ["outcome_at", "zero_shot_estimate", "zero_shot_measures"]


def zero_shot_measures(names=MEASURES, *, calibration="chosen", **options):
    """Measures of runs or outcomes for `zslib.book.Chapter.measure`, by name.

    Off the scores of seen classes, for "seen", "unseen" and "H", is taken what each run chose on
    validation classes (``calibration="chosen"``), nothing ("none"), or a number. ``options`` are
    those of `zero_shot_estimate`.
    """

    def measure(name):
        point = "none" if name in ("ACC", "AUSUC") else calibration

        def estimate(runs, minus=None):
            found = [outcome_at(run, point) for run in runs]
            others = None if minus is None else [outcome_at(run, point) for run in minus]
            if others is not None and len(others) == 1:  # a closed form serves all seeds
                others *= len(found)
            return zero_shot_estimate(found, name, minus=others, **options)

        return estimate

    return {name: measure(name) for name in names}


def outcome_at(run, calibration):
    """The outcome of a run, or an outcome, under "none", the "chosen" gamma or a number."""
    found = getattr(run, "outcome", run)
    if calibration == "none":
        return found
    return found.at(run.gamma if calibration == "chosen" else calibration)


def zero_shot_estimate(
    outcomes, measure, *, minus=None, level=0.95, n_resamples=1000, random_state=0
) -> Estimate:
    """Mean of a measure over seeds, or of a paired difference, with its interval, in percent.

    Where all seeds have the same problem, the interval is a percentile bootstrap that
    resamples the images within each class, common to all seeds, and seeds. It speaks of other
    images of the same classes, not of other classes. Where the seeds have data or splits of
    their own, it is Student's t over the seeds, as in `mean_estimate`.

    Parameters
    ----------
    outcomes : sequence of ZeroShotOutcome
        One per seed. H is the mean of the seeds' H.
    measure : {"ACC", "seen", "unseen", "H", "AUSUC"}
    minus : sequence of ZeroShotOutcome, optional
        Another method on the same seeds and test images; the estimate is then of the difference.
    level, n_resamples, random_state
        As in `mean_estimate`.
    """
    check_choice(measure, "measure", MEASURES)
    level = check_real(level, "level", low=0, high=1, inclusive=False)
    check_integer(n_resamples, "n_resamples", low=100)
    methods = [list(outcomes)] + ([] if minus is None else [list(minus)])
    if not methods[0] or len({len(method) for method in methods}) > 1:
        raise ValueError(
            "outcomes must hold at least one outcome, and minus, where given, as many: one per "
            f"seed; got {' and '.join(str(len(method)) for method in methods)}"
        )
    images = [[_images(outcome, measure) for outcome in method] for method in methods]
    pairs = [
        pair
        for seed in zip(images[0], images[-1], strict=True)
        for pair in zip(*seed, strict=True)
    ]
    if not all(np.array_equal(*pair) for pair in pairs):
        raise ValueError("minus was tested on other images: compare methods on the same problem")
    scorers = [[outcome.scorer(measure) for outcome in method] for method in methods]

    def values(*weights):
        scores = np.array([[scorer(*weights) for scorer in method] for method in scorers])
        return scores[0] - (scores[1] if minus is not None else 0.0)

    n, exact = len(methods[0]), np.array([outcome.value(measure) for outcome in methods[0]])
    if minus is not None:
        exact = exact - [outcome.value(measure) for outcome in methods[1]]
    if len({outcome.checksum for outcome in methods[0]}) > 1:
        return mean_estimate(exact, level=level)
    rng = random_generator(random_state)
    draw = [_resampler(labels, rng) for labels in images[0][0]]
    draws = np.empty(n_resamples)
    for i in range(n_resamples):
        draws[i] = values(*(weights() for weights in draw))[rng.integers(n, size=n)].mean()
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(exact.mean()), float(low), float(high), n)


def _images(outcome, measure):
    """True classes of the images behind a measure."""
    sides = ("seen", "unseen") if measure in ("H", "AUSUC") else (measure,)
    return [outcome.labels(side) for side in sides]


def _resampler(labels, rng):
    """A function that draws each class's images anew, as weights of per-class accuracy."""
    _, where, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(where, kind="stable")
    start = np.cumsum(counts) - counts
    first, size = start[where], counts[where]

    def weights():
        times = np.empty(labels.size)
        times[order] = np.bincount(first + rng.integers(size), minlength=labels.size)
        return times / (counts.size * size)

    return weights
