"""Measures of searches, for `book.Chapter.measure`."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.stats import rankdata

from zslib.metrics import effective_dimension, hubness_contingency, k_skewness, robin_hood_index
from zslib.protocols.intervals import (
    Estimate,
    independent_difference,
    mean_estimate,
    over_runs,
)
from zslib.protocols.mapping.outcome import gold_queries

__all__ = ["hubs_beside", "modes_less_languages", "over_queries", "search_measures"]

_RESAMPLES = 200


def _occurrences(found, times):
    """N_k of the search space where each query counts so many times; None: once."""
    if times is None:
        return found.counts
    weights = np.repeat(times, found.neighbours.shape[1])
    n = found.problem.targets.shape[0]
    return np.bincount(found.neighbours.ravel(), weights, n)[found.rows].astype(np.int64)


def _variance(vectors, times):
    """Total variance of vectors, each of them so many times."""
    vectors = vectors.astype(np.float64)
    mean = np.average(vectors, axis=0, weights=times)
    return np.average(np.sum((vectors - mean) ** 2, axis=1), weights=times)


def _variance_ratio(found, times=None):
    """Total variance of the queries over that of the gold queries."""
    return _variance(found.queries, times) / _variance(gold_queries(found.problem), times)


def _cross_tab(found, times=None, minus=None):
    """Log10 of p of the cross-tab test between two methods; None for one alone."""
    if minus is None:
        return None
    p = hubness_contingency(_occurrences(found, times), _occurrences(minus, times)).p_value
    return np.log10(max(p, 1e-300))


@cache
def _ranked_cosines(problem, which):
    """Ranks of the targets' cosines to their mean (0) or to the nearest training target (1)."""
    # Rounded as in `hub_correlations`, so that ties stay ties.
    cosines = problem.hub_cosines[which]
    return rankdata(np.round(cosines, 6 if cosines.dtype == np.float32 else 12))


def _ranks(counts):
    """Ranks of whole numbers, ties sharing their mean: `rankdata`, without sorting."""
    sizes = np.bincount(counts)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[counts]


def _rho(ranks, found, times):
    """Spearman's rho of N_k, over the whole vocabulary, with what has these ranks."""
    return np.corrcoef(_ranks(_occurrences(found, times)), ranks)[0, 1]


def _rho_with_queries(found, times=None):
    """Spearman's rho of N_k with the cosine to the queries' mean direction."""
    targets = found.problem.targets
    targets = targets / np.linalg.norm(targets, axis=1, keepdims=True)
    return _rho(rankdata(targets @ found.directions.mean(axis=0)), found, times)


_OF_EACH_QUERY = {
    "hub answers": lambda found: found.hub_answers(),
    "pollution at 1": lambda found: found.polluted(1),
}

# Of all queries together; ``times`` says how often each of them counts.
_RESAMPLED = {
    "largest hub": lambda found, times=None: float(_occurrences(found, times).max()),
    "test variance ratio": _variance_ratio,
    "rho with the mean": lambda found, times=None: _rho(
        _ranked_cosines(found.problem, 0), found, times
    ),
    "rho with training items": lambda found, times=None: _rho(
        _ranked_cosines(found.problem, 1), found, times
    ),
    "cross-tab log10 p": _cross_tab,
}

_OF_A_SEARCH = {
    "skewness": lambda found: k_skewness(found.counts),
    "Robin Hood index": lambda found: 100 * robin_hood_index(found.counts),
    # Where a vocabulary is sorted by frequency: 0 is the most frequent word, 1 the rarest.
    "median frequency rank of the 20 largest hubs": lambda found: (
        np.median(found.hubs(20)) / found.problem.target_words.size
    ),
    # What answers drawn at random would be polluted by.
    "training share": lambda found: 100.0 * found.problem.is_training_target[found.rows].mean(),
    "variance of directions": lambda found: found.directions.var(axis=0).sum(),
    "effective dimension": lambda found: effective_dimension(found.directions),
    "rho with the mean of the mapped": _rho_with_queries,
    # Of the elements as if they were independent, which neighbours are not.
    "p of rho with the mean": lambda found: found.correlations.mean_p,
    "p of rho with training items": lambda found: found.correlations.training_p,
}


def search_measures(names=("P@1", "P@5", "P@10")):
    """Measures of `Outcome` by name: "P@k" for any k, "hub answers", "pollution at 1", ….

    Shares of queries have intervals over words or labels and trainings, and so have "largest hub",
    "test variance ratio", "cross-tab log10 p" and the correlations of Table 5, which are computed
    again from queries drawn anew; their interval has the spread of these draws about their own
    mean, since a largest count is larger where queries count twice. Of a cross-fitted search they
    are means over the folds.

    Examples
    --------
    >>> from zslib.protocols import repeat
    >>> images, = repeat("cross-modal", "synthetic", quick=True)
    >>> gold = images.outcomes(["gold"], "labels")["gold"]
    >>> {name: estimate(gold).mean for name, estimate in search_measures(["P@1"]).items()}
    {'P@1': 100.0}
    """
    return {name: _measure(name) for name in names}


def _measure(name):
    if name in _RESAMPLED:
        return _resampled(_RESAMPLED[name], paired=name == "cross-tab log10 p")
    if name in _OF_A_SEARCH:
        value = _OF_A_SEARCH[name]
        return over_runs(lambda found: np.mean([value(part) for part in found.parts]))
    value = _OF_EACH_QUERY.get(name) or (lambda found: found.hits(int(name[2:])))

    def estimate(runs, minus=None):
        values = [value(run) for run in runs]
        if minus is not None:
            values = [a - value(run) for a, run in zip(values, minus, strict=True)]
        return over_queries(values, runs)

    return estimate


def over_queries(values, runs):
    """Mean of one value a query for each of the ``runs``, with its interval over their units."""
    if len({run.checksum for run in runs}) > 1:
        return mean_estimate(values)
    return mean_estimate(values, same_items=True, classes=runs[0].units, unit=runs[0].unit)


def _resampled(statistic, paired=False):
    """An estimate of a statistic of all queries; ``paired``: of two methods, not a difference."""

    def value(run, other, draws=None):
        found = []
        others = other.parts if other else [None] * len(run.parts)
        for i, (part, against) in enumerate(zip(run.parts, others, strict=True)):
            times = None if draws is None else draws[i]
            if paired:
                found.append(statistic(part, times, against))
                continue
            found.append(statistic(part, times))
            if against is not None:
                found[-1] -= statistic(against, times)
        return None if None in found else float(np.mean(found))

    def estimate(runs, minus=None):
        pairs = list(zip(runs, minus or [None] * len(runs), strict=True))
        exact = [value(*pair) for pair in pairs]
        if None in exact:
            return None
        if len({run.checksum for run in runs}) > 1:
            return mean_estimate(exact)
        # A closed form has one outcome for all seeds.
        known = {tuple(map(id, pair)): pair for pair in pairs}
        rng, spread = np.random.default_rng(0), []
        for _ in range(_RESAMPLES):
            draws = [_times(part, rng) for part in runs[0].parts]
            drawn = {key: value(*pair, draws) for key, pair in known.items()}
            chosen = rng.integers(len(pairs), size=len(pairs))
            spread.append(np.mean([drawn[tuple(map(id, pairs[i]))] for i in chosen]))
        low, high = np.quantile(spread, [0.025, 0.975]) - np.mean(spread) + np.mean(exact)
        n_units = sum(_units(part)[0].size for part in runs[0].parts)
        mean, unit = float(np.mean(exact)), runs[0].unit
        return Estimate(mean, float(low), float(high), len(runs), unit, n_units)

    return estimate


def _units(part):
    """The units of a search's queries, and the place of each query's among them."""
    queries = np.arange(len(part.ranks)) if part.units is None else part.units
    return np.unique(queries, return_inverse=True)


def _times(part, rng):
    """How often each query counts where units are drawn with replacement."""
    units, of = _units(part)
    return rng.multinomial(units.size, np.full(units.size, 1 / units.size))[of]


def modes_less_languages(results, metric, method):
    """Rows: a result of each cross-modal set less that of each cross-linguistic one."""
    found = results.only(metric=metric, method=method, space="full")
    for modes in found.only(setting="cross-modal"):
        for words in found.only(setting="cross-linguistic"):
            data = f"{modes['dataset']} and {words['dataset']}"
            yield {
                "dataset": data,
                "metric": metric,
                "method": f"{method}: cross-modal - cross-linguistic",
                "space": "full",
                "value": independent_difference(modes["value"], words["value"]),
                "synthetic": "synthetic" in data,
            }


def hubs_beside(theirs, outcomes):
    """Places, the paper's largest hubs, ``{setting: {word: N_20}}``, and each outcome's."""
    lists = {"place": range(1, 1 + min(map(len, theirs.values())))}
    for outcome in outcomes:
        problem, of_paper = outcome.parts[0].problem, theirs[outcome.parts[0].problem.setting]
        lists[f"{problem.setting}, paper"] = [f"{word} ({n})" for word, n in of_paper.items()]
        lists[f"{problem.setting}, ours"] = outcome.parts[0].named_hubs(len(of_paper))
    return lists
