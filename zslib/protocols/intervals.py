"""Means with 95% intervals, and paired differences and ratios, over seeds and test items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from zslib.arrays import random_generator, row_blocks
from zslib.validation import check_integer, check_real

__all__ = [
    "Estimate",
    "Spread",
    "independent_difference",
    "independent_mean",
    "mean_estimate",
    "over_runs",
    "paired_difference",
    "paired_ratio",
    "spread_over_runs",
]


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval.

    Attributes
    ----------
    mean, low, high : float
        ``low`` and ``high`` are NaN where no spread was seen: one number alone, or one that no
        seed changes on the same test items.
    n_seeds : int
        Number of runs behind the mean.
    """

    mean: float
    low: float
    high: float
    n_seeds: int

    def __sub__(self, number):
        """The estimate less a known number."""
        ends = (self.mean - number, self.low - number, self.high - number)
        return Estimate(*ends, self.n_seeds)

    def __format__(self, spec):
        spec = spec or ".1f"
        if np.isnan(self.low):
            return format(self.mean, spec)
        return f"{self.mean:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"

    def __str__(self):
        return format(self)


@dataclass(frozen=True)
class Spread:
    """A mean with the standard deviation of the runs behind it, as papers print it.

    It says how much runs differ, not how well the mean is known: that is an `Estimate`. ``std`` is
    None for one run, or a method without randomness.
    """

    mean: float
    std: float | None = None

    def __format__(self, spec):
        spec = spec or ".1f"
        if self.std is None:
            return format(self.mean, spec)
        return f"{self.mean:{spec}} ± {self.std:{spec}}"

    def __str__(self):
        return format(self)


def spread_over_runs(values) -> Spread:
    """Mean and standard deviation (divided by n - 1) of one number per run."""
    rows = _rows(values, "values")
    if any(row.size > 1 for row in rows):
        raise ValueError("values must hold one number for each run")
    found = np.concatenate(rows)
    std = float(found.std(ddof=1)) if np.ptp(found) else None
    return Spread(float(found.mean()), std)


def _rows(values, name):
    rows = [np.atleast_1d(np.asarray(row, dtype=np.float64)) for row in values]
    if not rows or any(row.ndim != 1 or row.size == 0 for row in rows):
        raise ValueError(f"{name} must hold at least one seed, each a number or a 1-d array")
    if not all(np.all(np.isfinite(row)) for row in rows):
        raise ValueError(f"{name} holds NaN or infinity: remove these items before averaging")
    return rows


def mean_estimate(
    values, *, same_items=False, level=0.95, n_resamples=2000, random_state=0
) -> Estimate:
    """Mean over seeds and test items, with an interval that fits how the seeds differ.

    Parameters
    ----------
    values : sequence of float or of (n_items,) arrays
        One entry per seed: a number, or one value per test item (a hit is 1, a miss is 0).
    same_items : bool
        Whether all seeds were tested on the very same items. If not (every seed draws its own
        split), the interval is Student's t over the seeds' means. That takes them for independent;
        where seeds split one set of labels anew they overlap, and the interval is somewhat too
        narrow.
        If so, seeds alone would hide the spread of the test set, and the interval is a percentile
        bootstrap that resamples items, common to all seeds, and seeds.
    level : float
        Coverage.
    n_resamples, random_state
        Of the bootstrap.

    Examples
    --------
    >>> print(mean_estimate([10.0, 12.0, 14.0]))
    12.0 [7.0, 17.0]
    >>> print(mean_estimate([[1, 0, 1, 1] * 25], same_items=True))
    0.8 [0.7, 0.8]
    """
    rows = _rows(values, "values")
    level = check_real(level, "level", low=0, high=1, inclusive=False)
    means = np.array([row.mean() for row in rows])
    mean, n = float(means.mean()), len(rows)
    if same_items and len({row.size for row in rows}) > 1:
        raise ValueError("same_items=True needs as many items in every seed: pass the same items")
    if all(row.size == 1 for row in rows) or (not same_items and n > 1):
        if n == 1 or (same_items and np.ptp(means) == 0):
            # One run, or the same run again and again, has shown no spread.
            return Estimate(mean, np.nan, np.nan, n)
        half = stats.t.ppf((1 + level) / 2, n - 1) * means.std(ddof=1) / np.sqrt(n)
        return Estimate(mean, float(mean - half), float(mean + half), n)
    check_integer(n_resamples, "n_resamples", low=100)
    rng = random_generator(random_state)
    draws = resampled_runs(resampled_items(np.stack(rows), n_resamples, rng), rng)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(mean, float(low), float(high), n)


def resampled_items(values, n_resamples, rng):
    """Means of ``values`` (k, m) over m items drawn with replacement, (n_resamples, k).

    Items whose values agree are of one kind, and the numbers drawn of each kind multinomial.
    """
    kinds, counts = np.unique(values, axis=1, return_counts=True)
    m = values.shape[1]
    blocks = row_blocks(n_resamples, counts.size)
    drawn = (rng.multinomial(m, counts / m, size=rows.stop - rows.start) for rows in blocks)
    return np.concatenate([numbers @ kinds.T for numbers in drawn]) / m


def resampled_runs(values, rng):
    """Mean of each row of ``values`` (n_resamples, n) over n runs drawn with replacement."""
    n = values.shape[1]
    return (rng.multinomial(n, np.full(n, 1 / n), size=len(values)) * values).sum(axis=1) / n


def paired_difference(a, b, **options) -> Estimate:
    """Mean of ``a - b`` for two methods run on the same seeds and test items, with its interval.

    Parameters
    ----------
    a, b, **options
        Values in the same order, and options, as in `mean_estimate`.

    Examples
    --------
    >>> print(paired_difference([10.0, 12.0, 14.0], [9.0, 11.0, 12.5]))
    1.2 [0.4, 1.9]
    """
    rows_a, rows_b = _rows(a, "a"), _rows(b, "b")
    if [row.size for row in rows_a] != [row.size for row in rows_b]:
        raise ValueError("a and b must have the same seeds and, in each, the same number of items")
    return mean_estimate([x - y for x, y in zip(rows_a, rows_b, strict=True)], **options)


def over_runs(value, *, same_items=None):
    """A measure for `zslib.book.Chapter.measure`: ``value`` of each run, estimated over the runs.

    ``value(run)`` is a number, or an array of one per test item. With ``same_items=None`` runs
    have the same items if they have the same ``checksum``. ``estimate(runs, minus=None)`` is of
    the paired difference where ``minus`` has the runs of another method.
    """

    def estimate(runs, minus=None):
        same = same_items
        if same is None:
            same = len({run.checksum for run in runs}) == 1
        values = [value(run) for run in runs]
        if minus is None:
            return mean_estimate(values, same_items=same)
        return paired_difference(values, [value(run) for run in minus], same_items=same)

    return estimate


def paired_ratio(a, b, *, level=0.95) -> Estimate:
    """Geometric mean of ``a / b`` over runs that share their seeds, with its interval.

    The interval is Student's t on the logarithms: a doubling and a halving count alike.
    """
    logs = []
    for values, name in ((a, "a"), (b, "b")):
        values = np.asarray(values, dtype=np.float64)
        if not np.all(values > 0):
            raise ValueError(f"{name} must be positive: a ratio needs positive numbers")
        logs.append(np.log(values))
    found = paired_difference(*logs, level=level)
    ends = (float(np.exp(end)) for end in (found.mean, found.low, found.high))
    return Estimate(*ends, found.n_seeds)


def independent_difference(a, b) -> Estimate:
    """Difference ``a - b`` of two estimates that share neither seeds nor items.

    Half-widths add in quadrature, as for the difference of independent normal means.
    """
    mean = a.mean - b.mean
    below = np.hypot(a.mean - a.low, b.high - b.mean)
    above = np.hypot(a.high - a.mean, b.mean - b.low)
    return Estimate(mean, float(mean - below), float(mean + above), min(a.n_seeds, b.n_seeds))


def independent_mean(estimates) -> Estimate:
    """Mean of estimates that share neither seeds nor items, such as those of several data sets.

    Half-widths add in quadrature, as for the mean of independent normal means. The interval
    speaks of these data sets alone, not of others.
    """
    estimates = list(estimates)
    if not estimates:
        raise ValueError("estimates is empty: give at least one")
    n, mean = len(estimates), float(np.mean([e.mean for e in estimates]))
    below = np.linalg.norm([e.mean - e.low for e in estimates]) / n
    above = np.linalg.norm([e.high - e.mean for e in estimates]) / n
    return Estimate(
        mean, float(mean - below), float(mean + above), min(e.n_seeds for e in estimates)
    )
