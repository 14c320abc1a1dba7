"""Means with 95% intervals, and paired differences, over seeds and test items."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from zslib.arrays import row_blocks
from zslib.validation import check_integer, check_length, check_paired

_ENDS = np.array([(1 - 0.95) / 2, (1 + 0.95) / 2])


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
    unit : str
        What the interval is over: "runs" for Student's t; of a bootstrap what it resamples first,
        such as "items", "classes" or "words". Empty where there is no interval.
    n_units : int
        How many of them there are; of several kinds, such as seen and unseen, the fewest.
    n_draws : int
        Draws of a bootstrap that went on because an end lay near what decides; else 0.
    """

    mean: float
    low: float
    high: float
    n_seeds: int
    unit: str = ""
    n_units: int = 0
    n_draws: int = 0

    @classmethod
    def of(cls, record):
        """The estimate that a record keeps, a dict; without its ends it is a number alone.

        Examples
        --------
        >>> print(Estimate.of({"metric": "P@1", "value": 29.7, "low": 28.1, "high": 31.2}))
        29.7 [28.1, 31.2]
        """
        low, high = (record.get(end, np.nan) for end in ("low", "high"))
        counts = {name: record[name] for name in ("unit", "n_units", "n_draws") if name in record}
        return cls(record["value"], low, high, record.get("n_seeds", 1), **counts)

    @classmethod
    def of_draws(cls, value, draws, n_seeds, unit, n_units):
        """A number with the middle 95% of its ``draws``, (n,); without these, no interval."""
        ends = np.quantile(draws, [0.025, 0.975]) if len(draws) else (np.nan, np.nan)
        return cls(float(value), *map(float, ends), n_seeds, unit, int(n_units))

    def side(self, above, below, between):
        """Which of three texts fits: the interval lies above zero, below it, or on both sides."""
        return above if self.low > 0 else below if self.high < 0 else between

    def __sub__(self, number):
        """The estimate minus a known number."""
        return self.changed(lambda end: end - number)

    def changed(self, change):
        """The estimate with an increasing function of its mean and of both ends."""
        ends = {end: float(change(getattr(self, end))) for end in ("mean", "low", "high")}
        return replace(self, **ends)

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

    It says how much runs differ, not how well the mean is known. ``std`` is None for one run, or a
    method without randomness.
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
    numbers = np.concatenate(rows)
    if numbers.size > len(rows):
        raise ValueError("values must hold one number for each run")
    std = float(numbers.std(ddof=1)) if np.ptp(numbers) else None
    return Spread(float(numbers.mean()), std)


def _rows(values, name):
    keyed = isinstance(values, str | Mapping) or hasattr(values, "columns")
    if keyed or not np.iterable(values):
        raise TypeError(
            f"{name} must be a sequence with an entry for each seed, got {type(values).__name__}: "
            "of a data frame with a seed in each row pass .to_numpy()"
        )
    rows = [np.atleast_1d(np.asarray(row, dtype=np.float64)) for row in values]
    if not rows or any(row.ndim != 1 or row.size == 0 for row in rows):
        raise ValueError(f"{name} must hold at least one seed, each a number or a 1-d array")
    if not all(np.all(np.isfinite(row)) for row in rows):
        raise ValueError(f"{name} holds NaN or infinity: remove these items before averaging")
    return rows


def mean_estimate(
    values, *, same_items=False, classes=None, unit=None, n_resamples=2000
) -> Estimate:
    """Mean over seeds and test items, with a 95% interval over what a new study would change.

    Parameters
    ----------
    values : sequence of float or of (n_items,) arrays
        One entry per seed: a number, or one value per test item (a hit is 1, a miss is 0).
    same_items : bool
        Whether all seeds were tested on the very same items; one seed always was. Seeds alone
        would then hide the spread of the test set, and the interval is a percentile bootstrap
        that resamples items, common to all seeds, and seeds. If not, or where a seed has one
        number alone, it is Student's t over the seeds' means: for seeds whose data have nothing
        in common.
    classes : (n_items,) array, optional
        Of items that all seeds have in common: the mean is of the classes' means, and classes are
        resampled before the items in them.
    unit : str, optional
        What the items are, such as "words".
    n_resamples : int
        Of the bootstrap, at least 100; ten times as many, up to 20,000, where an end lies too near
        zero to decide.

    Examples
    --------
    >>> print(mean_estimate([10.0, 12.0, 14.0]))
    12.0 [7.0, 17.0]
    >>> print(mean_estimate([[1, 0, 1, 1] * 25], same_items=True))
    0.8 [0.7, 0.8]
    >>> print(mean_estimate([[1, 0, 1, 1] * 25], classes=[0, 1, 2, 3] * 25))
    0.8 [0.2, 1.0]
    """
    rows = _rows(values, "values")
    if (same_items or classes is not None) and len({row.size for row in rows}) > 1:
        raise ValueError("same_items=True and classes need as many items in each seed's values")
    if classes is not None:
        classes = np.asarray(classes)
        check_length(classes, "classes", rows[0].size, "values")
        if any(c is None or c != c for c in classes.tolist()):
            raise ValueError("classes holds NaN or None: leave out items without a class")
    n = len(rows)
    if all(row.size == 1 for row in rows) or (not same_items and classes is None and n > 1):
        means = np.array([row.mean() for row in rows])
        mean = float(means.mean())
        if n == 1 or (same_items and np.ptp(means) == 0):
            # One run, or the same run again and again, has shown no spread.
            return Estimate(mean, np.nan, np.nan, n)
        half = stats.t.ppf(_ENDS[1], n - 1) * means.std(ddof=1) / np.sqrt(n)
        return Estimate(mean, float(mean - half), float(mean + half), n, unit or "runs", n)
    rng = np.random.default_rng(0)
    values = np.stack(rows)
    means = values.mean(axis=0)
    if classes is not None:
        means = class_means(means, classes)
    unit = unit or ("items" if classes is None else "classes")

    kinds = item_kinds(values, classes)

    def draw(k):
        return resampled_runs(resampled_items(kinds, k, rng), rng)

    return resampled_estimate(means.mean(), draw, n_resamples, n, unit, means.size)


def class_means(values, classes):
    """Mean of the ``values`` (n,) of each class, (n_classes,), in the order of the classes."""
    _, codes, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    return np.bincount(codes, weights=values) / sizes


def resampled_estimate(
    value, draw, n_resamples, n_seeds, unit, n_units, *, moved=False, most=20_000
):
    r"""`Estimate` with a 95% interval from ``n_resamples`` draws, or more where that may decide.

    An end that is the quantile :math:`p` of :math:`n` draws has a Monte Carlo error: it lies
    between the quantiles :math:`p \pm 2\sqrt{p(1 - p)/n}` of endless draws, as a rule. While zero,
    which decides, lies between these too, there are ten times as many draws, up to ``most``.
    ``draw(n)`` gives n resampled values, (n,); it is called for blocks of ``n_resamples``. If
    ``moved``, the draws are moved so that ``value`` is their mean.
    """
    check_integer(n_resamples, "n_resamples", low=100)
    draws, n_draws = draw(n_resamples), 0

    def ends(shares):
        about = draws + (value - np.mean(draws)) if moved else draws
        return np.quantile(about, np.clip(shares, 0, 1))

    while draws.size < most:
        error = 2 * np.sqrt(_ENDS * (1 - _ENDS) / draws.size)
        lower, upper = ends(_ENDS - error), ends(_ENDS + error)
        # Draws that are all alike have no error.
        if not np.any((lower < upper) & (lower <= 0) & (upper >= 0)):
            break
        n_draws = min(10 * draws.size, most)
        starts = range(draws.size, n_draws, n_resamples)
        further = [draw(min(n_resamples, n_draws - start)) for start in starts]
        draws = np.concatenate([draws, *further])
    return Estimate(float(value), *map(float, ends(_ENDS)), n_seeds, unit, n_units, n_draws)


def item_kinds(values, classes=None):
    """Of each class the columns of ``values`` (k, m) that differ, and how many items have each."""
    classes = np.zeros(values.shape[1], dtype=np.int64) if classes is None else classes
    parts = (values[:, classes == c] for c in np.unique(classes))
    return [np.unique(part, axis=1, return_counts=True) for part in parts]


def resampled_items(kinds, n_resamples, rng):
    """Means of k values with classes, then their items, resampled: (n_resamples, k).

    A mean is of the classes' means. Of `item_kinds` the numbers drawn are multinomial.
    """
    total = np.zeros((n_resamples, len(kinds[0][0])))
    times = class_draws(len(kinds), n_resamples, rng)
    for (values, counts), drawn in zip(kinds, times.T, strict=True):
        m = counts.sum()
        for rows in row_blocks(n_resamples, counts.size):
            total[rows] += rng.multinomial(drawn[rows] * m, counts / m) @ values.T / m
    return total / len(kinds)


def class_draws(n_classes, n_resamples, rng):
    """How often each class is drawn, with replacement, in each resample: (n_resamples, n)."""
    return rng.multinomial(n_classes, np.full(n_classes, 1 / n_classes), size=n_resamples)


def resampled_weights(classes, n_resamples, rng):
    """Weights of items in a mean of class means, resampled: (n_resamples, m); rows sum to 1."""
    weights = np.empty((n_resamples, len(classes)))
    names = np.unique(classes)
    times = class_draws(names.size, n_resamples, rng)
    for name, drawn in zip(names, times.T, strict=True):
        where = np.flatnonzero(classes == name)
        share = np.full(where.size, 1 / where.size)
        weights[:, where] = rng.multinomial(drawn * where.size, share) / where.size
    return weights / names.size


def resampled_runs(values, rng):
    """Mean of each row of ``values`` (n_resamples, n) over n runs drawn with replacement."""
    n = values.shape[1]
    return (class_draws(n, len(values), rng) * values).sum(axis=1) / n


def statistic_over_classes(statistic, n_runs, n_classes, *, n_resamples=1000) -> Estimate:
    """Mean over runs of ``statistic(run, classes)``, and a 95% interval: classes, then runs drawn.

    ``run`` counts from 0, and ``classes`` (n_classes,) are the numbers of those that count, the
    same for all runs. One run of one class has no interval.
    """
    rng = np.random.default_rng(0)
    exact = np.mean([statistic(run, np.arange(n_classes)) for run in range(n_runs)])

    def draw(n):
        draws = rng.integers(n_classes, size=(n, n_classes))
        values = np.array([[statistic(run, drawn) for run in range(n_runs)] for drawn in draws])
        return resampled_runs(values, rng)

    found = resampled_estimate(exact, draw, n_resamples, n_runs, "classes", n_classes)
    return replace(found, low=np.nan, high=np.nan) if n_runs == n_classes == 1 else found


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
    check_paired(a, b, "a", "b")
    rows_a, rows_b = _rows(a, "a"), _rows(b, "b")
    if [row.size for row in rows_a] != [row.size for row in rows_b]:
        raise ValueError("a and b must have the same seeds and, in each, the same number of items")
    return mean_estimate([x - y for x, y in zip(rows_a, rows_b, strict=True)], **options)


def over_runs(value, *, same_items=None, classes=None, unit=None):
    """A function ``estimate(runs, minus=None)``: the `Estimate` of ``value`` over some runs.

    ``value(run)`` is a number, or an array of one per test item, ``classes(run)`` their classes.
    With ``same_items=None`` runs have the same items if they have the same ``checksum``. Where
    ``minus`` has the runs of another method, the estimate is of the paired difference. ``unit`` is
    of `mean_estimate`.

    Examples
    --------
    >>> longer = over_runs(len, same_items=False)
    >>> longer([[1, 2, 3], [4, 5, 6, 7]], minus=[[1], [2]]).mean
    2.5
    """

    def estimate(runs, minus=None):
        same = len({run.checksum for run in runs}) == 1 if same_items is None else same_items
        values = [value(run) for run in runs]
        options = {"same_items": same, "unit": unit}
        if classes is not None and same:
            options["classes"] = classes(runs[0])
        if minus is None:
            return mean_estimate(values, **options)
        return paired_difference(values, [value(run) for run in minus], **options)

    return estimate


def independent_difference(a, b) -> Estimate:
    """``a - b`` of estimates that share neither seeds nor items: widths add in quadrature."""
    mean = a.mean - b.mean
    below = np.hypot(a.mean - a.low, b.high - b.mean)
    above = np.hypot(a.high - a.mean, b.mean - b.low)
    return Estimate(mean, float(mean - below), float(mean + above), *_shared([a, b]))


def _shared(estimates):
    """Fewest runs, the unit where it is common to all, and the fewest units."""
    unit, *others = {e.unit for e in estimates}
    of_unit = ("", 0) if others else (unit, min(e.n_units for e in estimates))
    return min(e.n_seeds for e in estimates), *of_unit


def independent_mean(estimates) -> Estimate:
    """Mean of estimates that share neither seeds nor items, such as those of several data sets.

    Half-widths add in quadrature, as for the mean of independent normal means. The interval
    speaks of these data sets alone, not of others.

    Examples
    --------
    >>> print(independent_mean([Estimate(50.0, 47.0, 53.0, 3), Estimate(60.0, 56.0, 64.0, 3)]))
    55.0 [52.5, 57.5]
    """
    estimates = list(estimates)
    if not estimates:
        raise ValueError("estimates is empty: give at least one")
    n, mean = len(estimates), float(np.mean([e.mean for e in estimates]))
    below = np.linalg.norm([e.mean - e.low for e in estimates]) / n
    above = np.linalg.norm([e.high - e.mean for e in estimates]) / n
    return Estimate(mean, float(mean - below), float(mean + above), *_shared(estimates))
