"""Ranks of the leaderboard's systems, what tells them apart, and what explains their numbers."""

import numpy as np
from scipy import stats

from book.results import Results
from zslib.protocols.attributes.leaderboard import agreement_of_errors, error_shares
from zslib.protocols.attributes.methods import named, origin
from zslib.protocols.intervals import Estimate, class_draws, item_kinds, resampled_items

_RESAMPLES = 1000
_FEW = 6  # with fewer systems there is nothing to draw from


def with_origins(rows):
    """The rows with ``family`` and ``year`` of their methods; of each data set best H first."""
    rows = list(rows)
    sets = list(dict.fromkeys(row["dataset"] for row in rows))
    best = {
        (row["dataset"], row["method"]): (sets.index(row["dataset"]), -row["value"].mean)
        for row in rows
        if row["metric"] == "H"
    }
    for row in sorted(rows, key=lambda row: best[row["dataset"], row["method"]]):
        year, family = origin(row["method"])
        yield row | {"family": family, "year": year}


def with_published(rows, published):
    """The rows, then those of a published run for other systems and data; ``run`` says which."""
    rows = list(rows)
    ours = {(row["dataset"], row["method"]) for row in rows}
    metrics = {row["metric"] for row in rows}
    yield from (row | {"run": "this"} for row in rows)
    for row in published:
        pair = row.get("dataset"), row.get("method")
        if row["metric"] in metrics and all(pair) and pair not in ours:
            yield row | {"run": "published"}


def not_trained(failed):
    """In words: which systems no setting could train, where and why; of `run_board`."""
    told = "; ".join(
        f"{name} on {problem.name} ({why})"
        for problem, by_method in failed.items()
        for name, why in by_method.items()
    )
    return f"Not trained: {told}." if told else "Every training of this run succeeded."


def paired(rows, x, y):
    """Means of two metrics of each system on each data set: ``{dataset: {method: (x, y)}}``."""
    values = {(row["dataset"], row["method"], row["metric"]): row["value"].mean for row in rows}
    pairs = {}
    for (dataset, method, metric), value in values.items():
        if metric == x and (dataset, method, y) in values:
            pairs.setdefault(dataset, {})[method] = value, values[dataset, method, y]
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


def _estimated(metric, method, values, unit, n_units):
    """A row: the first value and the middle 95% of the others, its draws, if there are any."""
    value = Estimate.of_draws(values[0], values[1:], 1, unit, n_units)
    return {"metric": metric, "method": method, "value": value}


def agreement_correlations(runs):
    """Rows: Spearman's correlation of ACC with `agreement_of_errors`, by data set and their mean.

    Of the systems that ran on all data sets. Intervals draw systems, the same for all sets, and
    the test classes of each; with fewer than six systems there are none.

    Parameters
    ----------
    runs : dict
        ``{problem: {method: [ZeroShotRun]}}``, of which the first run counts.
    """
    first, *others = runs.values()
    names = [name for name in first if all(name in by_method for by_method in others)]
    rng = np.random.default_rng(0)
    systems = rng.integers(len(names), size=(_RESAMPLES, len(names)))
    found = {}
    for problem, by_method in runs.items():
        outcomes = [by_method[name][0].outcome for name in names]
        shares = [error_shares(outcome) for outcome in outcomes]
        right = np.stack([outcome.class_accuracies("ACC") for outcome in outcomes])
        tested = np.isin(np.flatnonzero(~problem.is_seen), outcomes[0].labels("ACC"))

        def correlation(take, times, right=right, shares=shares, tested=tested):
            agreements = [agreement_of_errors(shares[s], times) for s in take]
            return rank_correlation(agreements, right[take] @ times[tested])

        draws = class_draws(tested.size, _RESAMPLES if len(names) >= _FEW else 0, rng)
        spread = [correlation(*drawn) for drawn in zip(systems, draws, strict=False)]
        found[problem] = correlation(np.arange(len(names)), np.ones(tested.size)), spread
    rows = [({"dataset": problem.name}, *numbers) for problem, numbers in found.items()]
    if len(rows) > 1:
        values, spreads = zip(*found.values(), strict=True)
        over = {"dataset": " and ".join(p.name for p in runs), "over": "all sets"}
        rows.append((over, np.mean(values), np.mean(spreads, axis=0)))
    metric = "rank correlation of agreement of errors and ACC"
    for where, value, spread in rows:
        yield where | _estimated(metric, "all", [value, *spread], "systems", len(names))


def mean_ranks(runs):
    """Rows: each system's mean rank by ACC over the data sets, and the first one's lead.

    Rank 1 is the best, and a system that failed on a set comes last there. The lead is in points
    of ACC, averaged over the sets, of the systems that ran on all. Intervals draw the test classes
    of each set and their images, the same for all systems, and rank these anew each time.

    Parameters
    ----------
    runs : dict
        ``{problem: {method: [ZeroShotRun]}}``; of several runs accuracies are averaged.
    """
    names = list(dict.fromkeys(m for by_method in runs.values() for m in by_method))
    rng, tables = np.random.default_rng(0), []
    for by_method in runs.values():
        labels = next(iter(by_method.values()))[0].outcome.labels("ACC")
        answers = [[run.outcome.right("ACC") for run in of] for of in by_method.values()]
        right = np.stack([np.mean(of, axis=0) for of in answers])
        exact = np.mean([right[:, labels == c].mean(axis=1) for c in np.unique(labels)], axis=0)
        table = np.full((1 + _RESAMPLES, len(names)), -np.inf)
        drawn = resampled_items(item_kinds(right, labels), _RESAMPLES, rng)
        drawn = np.vstack([exact, drawn])
        table[:, [names.index(name) for name in by_method]] = 100.0 * drawn
        tables.append(table)
    ranks = np.mean([stats.rankdata(-table, axis=1) for table in tables], axis=0)
    accuracies = np.mean(tables, axis=0)
    first, *others = np.argsort(ranks[0], kind="stable")
    over = "classes", min(np.sum(~problem.is_seen) for problem in runs)
    for place in (first, *others):
        yield _estimated("rank by ACC", names[place], ranks[:, place], *over)
    for place in others:
        if np.isfinite(accuracies[0, place]):
            lead = accuracies[:, first] - accuracies[:, place]
            pair = f"{names[first]} - {names[place]}"
            yield _estimated("ACC, mean over data sets", pair, lead, *over)


def explained(rows, factors):
    r"""Rows of the share of the variance of some values that each factor explains.

    Of each data set its mean is taken off. With W the sum of squares about the means of the g
    groups of a factor, and T that of all n values, the share is Kelley's :math:`\epsilon^2 = 1 -
    \frac{W / (n - g)}{T / (n - 1)}`: factors of many groups gain nothing by their number. At
    least 0. Then by how much the first factor's share is above each other's. Intervals draw
    systems, each with all its values, a copy for a system of its own; with fewer than six systems
    there are none.

    Parameters
    ----------
    rows : sequence of dict
        Of one metric.
    factors : dict of str to callable
        ``factor(row)`` names the row's group.
    """
    rows = list(rows)
    values = np.array([row["value"].mean for row in rows])
    systems, sets = (_codes(row[column] for row in rows) for column in ("method", "dataset"))
    groups = {name: _codes(map(factor, rows)) for name, factor in factors.items()}
    members = [np.flatnonzero(systems == s) for s in range(systems.max() + 1)]

    def shares(drawn):
        take = np.concatenate([members[s] for s in drawn])
        copies = np.repeat(np.arange(len(drawn)), [members[s].size for s in drawn])
        left = values[take] - _group_means(values[take], sets[take])
        return [
            _share(left, copies if np.array_equal(codes, systems) else codes[take])
            for codes in groups.values()
        ]

    n_draws = _RESAMPLES if len(members) >= _FEW else 0
    draws = np.random.default_rng(0).integers(len(members), size=(n_draws, len(members)))
    # Of all systems as they are, then of those drawn: (1 + n_draws, factors).
    found = np.array([shares(drawn) for drawn in (range(len(members)), *draws)])
    first, *others = groups
    over = "systems", len(members)
    for name, share in zip(groups, found.T, strict=True):
        yield _estimated("share of variance explained", name, share, *over)
    for name, share in zip(others, found.T[1:], strict=True):
        pair = f"{first} - {name}"
        yield _estimated("shares of variance, difference", pair, found[:, 0] - share, *over)


def _codes(values):
    """A number for each different value, in the order in which they come."""
    known = {}
    return np.array([known.setdefault(str(value), len(known)) for value in values])


def _group_means(values, codes):
    """For each value the mean of its group."""
    return (np.bincount(codes, values) / np.maximum(np.bincount(codes), 1))[codes]


def _share(values, codes):
    """Kelley's share of the variance of ``values`` that groups explain."""
    n, groups, total = values.size, np.unique(codes).size, float(values @ values)
    within = values - _group_means(values, codes)
    if not total or n <= groups:
        return 0.0
    return max(0.0, 1 - float(within @ within) / (n - groups) * (n - 1) / total)


FACTORS = {
    "calibration": lambda row: row["calibration"],
    "family": lambda row: origin(row["method"])[1],
    "year": lambda row: origin(row["method"])[0],
    "system": lambda row: row["method"],
}
"""What may explain a number of the leaderboard: see `explained`."""


def leads_told(ranking):
    """Whom the first by mean rank leads beyond the interval of the difference, in words."""
    n_ranked = sum(row["metric"] == "rank by ACC" for row in ranking)
    first, ahead, level = ranking[0]["method"], [], []
    for row in ranking[n_ranked:]:
        other = named(row["method"].removeprefix(f"{first} - "))
        (ahead if Results([row]).clear(1) else level).append(other)
    told = f"it is ahead of {', '.join(ahead) or 'none'}"
    if len(ahead) > len(level):
        told = f"it is ahead of all but {', '.join(level) or 'itself'}"
    return (
        f"By mean rank {named(first)} is first of {n_ranked} systems. In accuracy averaged over "
        f"the data sets {told} beyond the interval of the difference."
    )
