"""Intervals of zero-shot measures over classes, images and seeds, also of differences."""

from functools import partial
from itertools import product

import numpy as np

from zslib.arrays import row_blocks
from zslib.metrics.zero_shot import harmonic_mean
from zslib.protocols.attributes.outcome import MEASURES
from zslib.protocols.intervals import (
    Estimate,
    item_kinds,
    mean_estimate,
    resampled_estimate,
    resampled_items,
    resampled_runs,
    resampled_weights,
)
from zslib.validation import check_choice


def zero_shot_measures(names=MEASURES, *, calibration="chosen", **options):
    """A dict of functions ``estimate(runs, minus=None)``, by the names of measures.

    Each gives the `Estimate` of its measure over runs or outcomes, or of the paired difference to
    those of ``minus``. For "seen", "unseen" and "H", ``calibration`` says which gamma is
    subtracted from the scores of seen classes: what each run chose on validation classes
    ("chosen"), 0 ("none"), or a number. ``options`` are those of `zero_shot_estimate`.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> from zslib.protocols import run_table, unit_length
    >>> table = run_table(["ESZSL"], unit_length(digits_segments()), quick=True)
    >>> for name, estimate in zero_shot_measures(["ACC", "H"]).items():
    ...     print(name, estimate(table["ESZSL"]))
    ACC 68.1 [18.1, 94.9]
    H 44.3 [19.5, 65.5]
    """

    def estimate(name, runs, minus=None):
        point = "none" if name in ("ACC", "AUSUC") else calibration
        outcomes = [outcome_at(run, point) for run in runs]
        others = None if minus is None else [outcome_at(run, point) for run in minus]
        if others is not None and len(others) == 1:  # a closed form serves all seeds
            others *= len(outcomes)
        return zero_shot_estimate(outcomes, name, minus=others, **options)

    return {name: partial(estimate, name) for name in names}


def outcome_at(run, calibration):
    """The outcome of a run, or an outcome, under "none", the "chosen" gamma or a number."""
    outcome = getattr(run, "outcome", run)
    if calibration == "none":
        return outcome
    return outcome.at(run.gamma if calibration == "chosen" else calibration)


def zero_shot_estimate(outcomes, measure, *, minus=None, n_resamples=1000) -> Estimate:
    """Mean of a measure over seeds, or of a paired difference, with its 95% interval, in percent.

    Where all seeds have the same problem, the interval is a percentile bootstrap that resamples
    test classes, then the images of each, common to all seeds, then seeds. Where the seeds have
    data of their own, it is Student's t over the seeds, as in `mean_estimate`.

    Parameters
    ----------
    outcomes : sequence of ZeroShotOutcome
        One per seed. H is the mean of the seeds' H.
    measure : {"ACC", "seen", "unseen", "H", "AUSUC"}
    minus : sequence of ZeroShotOutcome, optional
        Another method on the same seeds and test images; the estimate is then of the difference.
    n_resamples : int
        As in `mean_estimate`.

    Examples
    --------
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> from zslib.protocols import run_table, unit_length
    >>> table = run_table(["ESZSL", "SAE"], unit_length(digits_segments()), quick=True)
    >>> eszsl, sae = ([run.outcome for run in runs] for runs in table.values())
    >>> print(zero_shot_estimate(eszsl, "ACC"))
    68.1 [18.1, 94.9]
    >>> print(zero_shot_estimate(eszsl, "ACC", minus=sae))  # three classes are few
    33.9 [-6.9, 91.0]
    """
    check_choice(measure, "measure", MEASURES)
    given = [outcomes] if minus is None else [outcomes, minus]
    methods = [list(part) if np.iterable(part) else [part] for part in given]
    counts = [len(method) for method in methods]
    if 0 in counts or len(set(counts)) > 1:
        raise ValueError(f"give at least one outcome per seed, and as many in minus, got {counts}")
    if not all(hasattr(outcome, "labels") for method in methods for outcome in method):
        raise TypeError("outcomes and minus must hold ZeroShotOutcome: of a run pass run.outcome")
    sides = ("seen", "unseen") if measure in ("H", "AUSUC") else (measure,)
    for (a, b), side in product(zip(methods[0], methods[-1], strict=True), sides):
        if not np.array_equal(a.labels(side), b.labels(side)):
            raise ValueError("minus was tested on other images: compare on the same problem")

    def difference(values):
        return values[0] - (values[1] if minus is not None else 0.0)

    n = len(methods[0])
    exact = difference(np.array([[outcome.value(measure) for outcome in m] for m in methods]))
    if len({outcome.checksum for outcome in methods[0]}) > 1:
        return mean_estimate(exact)
    rng = np.random.default_rng(0)
    draws_of = _area_draws if measure == "AUSUC" else _accuracy_draws
    resample = draws_of([outcome for m in methods for outcome in m], sides)

    def draw(k):
        values = resample(k, rng)
        by_run = difference(values.T.reshape(len(methods), n, k))
        return resampled_runs(by_run.T, rng)

    n_classes = min(np.unique(methods[0][0].labels(side)).size for side in sides)
    return resampled_estimate(exact.mean(), draw, n_resamples, n, "classes", n_classes)


def _accuracy_draws(outcomes, sides):
    """What draws classes and images anew: percent per outcome, H where ``sides`` are two."""
    right = {side: np.stack([outcome.right(side) for outcome in outcomes]) for side in sides}
    kinds = [item_kinds(right[side], outcomes[0].labels(side)) for side in sides]

    def draw(n_resamples, rng):
        accuracies = [resampled_items(of_side, n_resamples, rng) for of_side in kinds]
        return 100.0 * (accuracies[0] if len(accuracies) == 1 else harmonic_mean(*accuracies))

    return draw


def _area_draws(outcomes, sides):
    """What draws classes and images anew: AUSUC in percent per outcome."""
    areas = [outcome.areas() for outcome in outcomes]
    labels = [outcomes[0].labels(side) for side in sides]

    def draw(n_resamples, rng):
        shares = []
        for rows in row_blocks(n_resamples, sum(map(len, labels))):
            weights = [resampled_weights(side, rows.stop - rows.start, rng) for side in labels]
            shares.append(100.0 * np.stack([area(*weights) for area in areas], axis=1))
        return np.concatenate(shares)

    return draw
