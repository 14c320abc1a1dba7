"""Does hubness explain accuracy? Rank correlations over systems, maps, data sets and cures."""

from itertools import product

import numpy as np
from scipy.stats import rankdata

from zslib.protocols.attributes.methods import origin
from zslib.protocols.intervals import Estimate
from zslib.protocols.tidy import row

_SAME = ("dataset", "method", "correction")
_FEW = 10  # too few systems to draw from
_RESAMPLES = 1000


def points(records, hubs, accuracy, *, difference=False, per_error=False):
    """What records say of the same data set, method and correction, as points.

    Each is a dict of these, the method's ``family``, and ``hubs`` and ``accuracy``, the values of
    the two metrics. With ``difference`` the methods are "a - b". With ``per_error``, where both
    are in percent, hubs are divided by the share of wrong answers: right ones are hardly ever
    hubs, and more of them leave less room for hubs whatever the errors are.
    """
    records = [r for r in records if (" - " in str(r.get("method"))) == difference]
    sizes = {tuple(map(r.get, _SAME)): r["value"] for r in records if r["metric"] == hubs}
    return [
        {name: r.get(name) for name in _SAME}
        | {"family": origin(r["method"])[1], "accuracy": r["value"]}
        | {"hubs": sizes[tuple(map(r.get, _SAME))] / (1 - r["value"] / 100 if per_error else 1)}
        for r in records
        if r["metric"] == accuracy and tuple(map(r.get, _SAME)) in sizes
    ]


def marks(searches):
    """The ``hubs`` and the ``accuracy`` of each point as rows, to be drawn."""
    for p, metric in product(searches, ("hubs", "accuracy")):
        data = p["dataset"].replace("_", "-")
        yield row(data, metric, p["method"], p[metric], correction=p["correction"])


def partial_correlation(x, y, given):
    r"""Spearman's correlation of two numbers, given some factors.

    Numbers are ranked within the groups of the first factor, as shares of their size. Of both
    ranks is taken what the indicators of all factors' groups explain by least squares; Pearson's
    correlation of what is left is the result, 0 where nothing is left.

    Parameters
    ----------
    x, y : (n,) array
    given : sequence of (n,) arrays
        The group of each point, for each factor.

    Examples
    --------
    >>> size, score = [1, 2, 3, 10, 20, 30], [3, 2, 1, 33, 32, 31]
    >>> partial_correlation(size, score, [list("aaabbb")])
    -1.0
    """
    groups = [np.unique(np.asarray(f), return_inverse=True)[1] for f in given]
    columns = np.concatenate([np.eye(g.max() + 1)[g] for g in groups], axis=1)
    left = []
    for values in (np.asarray(x, dtype=float), np.asarray(y, dtype=float)):
        ranks = np.empty(values.size)
        for group in np.unique(groups[0]):
            inside = groups[0] == group
            ranks[inside] = rankdata(values[inside]) / inside.sum()
        left.append(ranks - columns @ np.linalg.lstsq(columns, ranks, rcond=None)[0])
    lengths = [np.linalg.norm(rest) for rest in left]
    return float(round(left[0] @ left[1] / np.prod(lengths), 12)) if min(lengths) > 1e-9 else 0.0


def correlation_rows(searches, givens):
    """Rows: the partial rank correlation of ``hubs`` and ``accuracy`` of points, by data set.

    And its mean over the sets. ``givens`` are tuples of the points' columns that are held fixed.
    Intervals draw methods anew, the same for all sets; with fewer than ten there are none.
    """
    sets = list(dict.fromkeys(p["dataset"] for p in searches))
    units = sorted({p["method"] for p in searches})
    n_draws = _RESAMPLES if len(units) >= _FEW else 0
    draws = np.random.default_rng(0).integers(max(len(units), 1), size=(n_draws, len(units)))
    for columns in givens:
        found = [_correlations(searches, data, columns, units, draws) for data in sets]
        names = [(data.removesuffix("_classes").replace("_", "-"), {}) for data in sets]
        if len(sets) > 1:
            found.append(np.mean(found, axis=0))
            names.append((" and ".join(name for name, _ in names), {"over": "all sets"}))
        for (name, over), (value, *around) in zip(names, found, strict=True):
            if n_draws:
                value = Estimate.of_draws(value, around, 1, "systems", len(units))
            method = ", ".join(columns) or "nothing"
            yield row(name, "rank correlation", method, value, **over)


def mean_named(rows):
    """The rows, with "mean" in place of the names of several data sets."""
    return [row | {"dataset": "mean"} if row.get("over") else row for row in rows]


def _correlations(searches, data, columns, units, draws):
    """The correlation of the points of one data set, then of those of the methods of each draw."""
    own = [p for p in searches if p["dataset"] == data]
    x, y = (np.array([p[name] for p in own]) for name in ("hubs", "accuracy"))
    given = [np.zeros(len(own)), *(np.array([str(p[c]) for p in own]) for c in columns)]
    members = [np.flatnonzero([p["method"] == unit for p in own]) for unit in units]
    takes = [np.arange(len(own)), *(np.concatenate([members[u] for u in d]) for d in draws)]
    return [partial_correlation(x[t], y[t], [g[t] for g in given]) for t in takes]
