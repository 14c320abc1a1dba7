"""Ranks of the leaderboard's systems, what tells them apart, and what explains their numbers.

References
----------
Demšar (2006): Statistical comparisons of classifiers over multiple data sets, JMLR 7.
"""

import numpy as np
from scipy import stats

from zslib.protocols.attributes.methods import origin
from zslib.protocols.intervals import mean_estimate


def with_origins(rows):
    """The rows with ``family`` and ``year`` of their methods; of each data set best H first."""
    rows = list(rows)
    sets = list(dict.fromkeys(row["dataset"] for row in rows))
    best = {
        (row["dataset"], row["method"]): -row["value"].mean for row in rows if row["metric"] == "H"
    }
    for row in sorted(
        rows, key=lambda row: (sets.index(row["dataset"]), best[row["dataset"], row["method"]])
    ):
        year, family = origin(row["method"])
        yield row | {"family": family, "year": year}


def with_published(rows, published):
    """The rows, then those of a published run for other systems and data; ``run`` says which."""
    rows = list(rows)
    ours = {(row["dataset"], row["method"]) for row in rows}
    metrics = {row["metric"] for row in rows}
    for row in rows:
        yield row | {"run": "this"}
    for row in published:
        pair = row.get("dataset"), row.get("method")
        if row["metric"] in metrics and all(pair) and pair not in ours:
            yield row | {"run": "published"}


def not_trained(failed):
    """In words: which systems no setting could train, where and why; of `run_board`."""
    failures = [
        f"{name} on {problem.name} ({why})"
        for problem, by_method in failed.items()
        for name, why in by_method.items()
    ]
    if not failures:
        return "Every training of this run succeeded."
    return f"Not trained: {'; '.join(failures)}."


def paired(rows, x, y):
    """Means of two metrics of each system on each data set: ``{dataset: {method: (x, y)}}``."""
    values = {(row["dataset"], row["method"], row["metric"]): row["value"].mean for row in rows}
    pairs = {}
    for dataset, method, metric in values:
        if metric == x and (dataset, method, y) in values:
            place = values[dataset, method, x], values[dataset, method, y]
            pairs.setdefault(dataset, {})[method] = place
    return pairs


def rank_correlation(x, y):
    """Spearman's correlation of two numbers of each system; 0 where one is the same for all."""
    return float(stats.spearmanr(x, y).statistic) if np.ptp(x) and np.ptp(y) else 0.0


def correlations(rows, x, y):
    """Rows of Spearman's correlation of two metrics over the systems of each data set."""
    metric = f"rank correlation of {x} and {y}"
    for dataset, places in paired(rows, x, y).items():
        value = rank_correlation(*np.transpose(list(places.values())))
        yield {"metric": metric, "method": "all", "dataset": dataset, "value": value}


def mean_ranks(rows, metric):
    """Rows of each method's mean rank over the data sets by a metric, 1 for the largest.

    A method without a number on some data set comes last there. Intervals are over data sets.
    """
    rows = [row for row in rows if row["metric"] == metric]
    sets, methods = (
        list(dict.fromkeys(row[column] for row in rows)) for column in ("dataset", "method")
    )
    values = np.full((len(sets), len(methods)), -np.inf)
    for row in rows:
        values[sets.index(row["dataset"]), methods.index(row["method"])] = row["value"].mean
    ranks = stats.rankdata(-values, axis=1)
    means = {
        method: mean_estimate(places, unit="data sets")
        for method, places in zip(methods, ranks.T, strict=True)
    }
    for method in sorted(methods, key=lambda m: means[m].mean):
        yield {"metric": f"rank by {metric}", "method": method, "value": means[method]}


def critical_difference(n_methods, n_datasets):
    """Nemenyi's: mean ranks nearer than it are not told apart (Demšar 2006, section 3.2.2).

    Its level is 0.05.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # the example of the paper
    1.25
    """
    q = stats.studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def leading(ranks, difference):
    """Names of the methods whose mean rank is within ``difference`` of the best one's."""
    best = min(row["value"].mean for row in ranks)
    return [row["method"] for row in ranks if row["value"].mean - best <= difference]


def explained(rows, factors):
    r"""Rows of the share of the variance of some values that each factor explains.

    Of each data set its mean is taken off. With W the sum of squares about the means of the g
    groups of a factor, and T that of all n values, the share is Kelley's :math:`\epsilon^2 = 1 -
    \frac{W / (n - g)}{T / (n - 1)}`: factors of many groups gain nothing by their number. At
    least 0.

    Parameters
    ----------
    rows : sequence of dict
        Of one metric.
    factors : dict of str to callable
        ``factor(row)`` names the row's group.
    """
    rows = list(rows)
    means = _group_means(rows, [row["value"].mean for row in rows], lambda row: row["dataset"])
    values = np.array([row["value"].mean for row in rows]) - means
    n, total = len(rows), float(values @ values)
    for name, factor in factors.items():
        groups = len({factor(row) for row in rows})
        within = values - _group_means(rows, values, factor)
        share = 0.0
        if total and n > groups:
            share = max(0.0, 1 - float(within @ within) / (n - groups) * (n - 1) / total)
        yield {"metric": "share of variance explained", "method": name, "value": share}


def _group_means(rows, values, group):
    """For each row the mean value of its group."""
    groups = np.array([str(group(row)) for row in rows])
    values = np.asarray(values, dtype=np.float64)
    return np.array([values[groups == own].mean() for own in groups])


FACTORS = {
    "calibration": lambda row: row["calibration"],
    "family": lambda row: origin(row["method"])[1],
    "year": lambda row: origin(row["method"])[0],
    "system": lambda row: row["method"],
}
"""What may explain a number of the leaderboard: see `explained`."""


def teaches(ranks, correlations, n_datasets):
    """What the leaderboard teaches, in words, from `mean_ranks` and `correlations` of hubs."""
    ranks, n = list(ranks), n_datasets
    difference = critical_difference(len(ranks), n)
    first, *near = leading(ranks, difference)
    few = f": {', '.join(near)}" if 0 < len(near) < 6 else ""
    rho = [row["value"] for row in correlations]
    negative = sum(r < 0 for r in rho)
    hubs = {
        0: "The more accurate systems do not have the smaller hubs",
        n: "The more accurate systems have the smaller hubs",
    }.get(negative, "Whether the more accurate systems have the smaller hubs depends on the data")
    return (
        f"By mean rank {first} leads {len(ranks)} systems in zero-shot accuracy. Ranks over {n} "
        f"data sets must differ by {difference:.1f} to be told apart, and {len(near)} others are "
        f"nearer than that{few}. {hubs}: the rank correlation of accuracy and largest hub "
        f"is {min(rho):.2f} to {max(rho):.2f}, negative on {negative} of {n} data sets."
    )
