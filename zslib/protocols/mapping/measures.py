"""Measures of searches, for `book.Chapter.measure`."""

from functools import cache, partial
from itertools import product, repeat

import numpy as np
from scipy.stats import rankdata

from zslib.arrays import unit_rows
from zslib.metrics import effective_dimension, hubness_contingency, k_skewness, robin_hood_index
from zslib.protocols.intervals import (
    class_draws,
    class_means,
    independent_difference,
    mean_estimate,
    over_runs,
    resampled_estimate,
)
from zslib.protocols.mapping.outcome import CrossFittedOutcome, gold_queries
from zslib.protocols.tidy import row

# A count over the whole vocabulary for each draw, which is slow.
_RESAMPLES, _MOST = 200, 2000


def _occurrences(outcome, times):
    """N_k of the search space where each query counts so many times; None: once."""
    if times is None:
        return outcome.counts
    weights = np.repeat(times, outcome.neighbours.shape[1])
    n = outcome.problem.targets.shape[0]
    return np.bincount(outcome.neighbours.ravel(), weights, n)[outcome.rows].astype(np.int64)


def _variance(vectors, times):
    """Total variance of vectors, each of them so many times."""
    vectors = vectors.astype(np.float64)
    mean = np.average(vectors, axis=0, weights=times)
    return np.average(np.sum((vectors - mean) ** 2, axis=1), weights=times)


def _variance_ratio(outcome, times):
    """Total variance of the queries over that of the gold queries."""
    return _variance(outcome.queries, times) / _variance(gold_queries(outcome.problem), times)


def _cross_tab(outcome, other, times):
    """Log10 of p of the cross-tab test between two methods; None for one alone."""
    if other is None:
        return None
    p = hubness_contingency(_occurrences(outcome, times), _occurrences(other, times)).p_value
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


def _rho(which, outcome, times):
    """Spearman's rho of N_k, over the whole vocabulary, with what `_ranked_cosines` ranks."""
    ranks = _ranked_cosines(outcome.problem, which)
    return np.corrcoef(_ranks(_occurrences(outcome, times)), ranks)[0, 1]


def _rho_with_queries(outcome):
    """Spearman's rho of N_k with the cosine to the queries' mean direction."""
    cosines = unit_rows(outcome.problem.targets) @ outcome.directions.mean(axis=0)
    return np.corrcoef(_ranks(outcome.counts), rankdata(cosines))[0, 1]


def _difference(statistic):
    """``value(outcome, other, times)``: the statistic of one, or how much more than another's."""

    def value(outcome, other, times):
        one = statistic(outcome, times)
        return one if other is None else one - statistic(other, times)

    return value


_OF_EACH_QUERY = {
    "hub answers": lambda outcome: outcome.hub_answers(),
    "pollution at 1": lambda outcome: outcome.polluted(1),
    "P@1 - P@10": lambda outcome: outcome.hits(1) - outcome.hits(10),
}

# Of all queries together; ``times`` says how often each of them counts.
_RESAMPLED = {
    "largest hub": _difference(lambda outcome, times: float(_occurrences(outcome, times).max())),
    "elements with N_k of 10 or more": _difference(
        lambda outcome, times: float((_occurrences(outcome, times) >= 10).sum())
    ),
    "test variance ratio": _difference(_variance_ratio),
    "rho with the mean": _difference(partial(_rho, 0)),
    "rho with training items": _difference(partial(_rho, 1)),
    "cross-tab log10 p": _cross_tab,
}

_OF_A_SEARCH = {
    "skewness": lambda outcome: k_skewness(outcome.counts),
    "Robin Hood index": lambda outcome: 100 * robin_hood_index(outcome.counts),
    # Where a vocabulary is sorted by frequency: 0 is the most frequent word, 1 the rarest.
    "median frequency rank of the 20 largest hubs": lambda outcome: (
        np.median(outcome.hubs(20)) / outcome.problem.target_words.size
    ),
    # What answers drawn at random would be polluted by.
    "training share": lambda outcome: (
        100.0 * outcome.problem.is_training_target[outcome.rows].mean()
    ),
    "variance of directions": lambda outcome: outcome.directions.var(axis=0).sum(),
    "effective dimension": lambda outcome: effective_dimension(outcome.directions),
    "rho with the mean of the mapped": _rho_with_queries,
}


def search_measures(names=("P@1", "P@5", "P@10")):
    """Measures of `Outcome` by name: "P@k" for any k, "hub answers", "pollution at 1", ….

    Shares of queries have intervals over words or labels and trainings, and so have "largest hub",
    "elements with N_k of 10 or more", "test variance ratio", "cross-tab log10 p" and the
    correlations of Table 5, which are computed again from resampled queries; their interval has
    the spread of these draws about their own mean, since a largest count is larger where queries
    count twice. Of a cross-fitted search they are means over the folds.

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
        return _resampled(_RESAMPLED[name])
    if name in _OF_A_SEARCH:
        value = _OF_A_SEARCH[name]
        return over_runs(lambda run: np.mean([value(part) for part in run.parts]))
    value = _OF_EACH_QUERY.get(name) or (lambda run: run.hits(int(name[2:])))

    def estimate(runs, minus=None):
        values = [value(run) for run in runs]
        if minus is not None:
            values = [a - value(run) for a, run in zip(values, minus, strict=True)]
        return over_queries(values, runs)

    return estimate


def over_queries(values, runs):
    """Mean of one value a query for each of the ``runs``, with its interval over their units.

    Of several partitions of the same labels it draws labels, common to all, then partitions.
    """
    if len({run.checksum for run in runs}) == 1:
        return mean_estimate(values, same_items=True, classes=runs[0].units, unit=runs[0].unit)
    if not _partitions(runs):
        return mean_estimate(values)
    means = [class_means(one, run.labels) for one, run in zip(values, runs, strict=True)]
    return mean_estimate(means, same_items=True, unit=f"labels in {len(runs)} partitions")


def _partitions(runs):
    """Whether the runs are of several partitions of labels that each tests all of."""
    if not isinstance(runs[0], CrossFittedOutcome):
        return False
    first, *others = (np.unique(run.labels) for run in runs)
    return all(np.array_equal(labels, first) for labels in others)


def _resampled(statistic):
    """An estimate of ``statistic(outcome, other or None, times)`` of all queries together."""

    def value(run, other, times):
        others = other.parts if other else repeat(None)
        values = [statistic(*fold) for fold in zip(run.parts, others, times, strict=False)]
        return None if None in values else float(np.mean(values))

    def estimate(runs, minus=None):
        pairs = list(zip(runs, minus or repeat(None, len(runs)), strict=True))
        values = [value(*pair, repeat(None)) for pair in pairs]
        if None in values:
            return None
        partitions = len({run.checksum for run in runs}) > 1
        if partitions and not _partitions(runs):
            return mean_estimate(values)
        rng = np.random.default_rng(0)
        labels = np.unique(runs[0].labels) if partitions else None

        def one():
            if partitions:
                counts = np.zeros(labels.max() + 1, dtype=np.int64)
                counts[labels] = class_draws(labels.size, 1, rng)[0]
                times = [[counts[part.labels] for part in run.parts] for run in runs]
            else:
                times = [[_times(part, rng) for part in runs[0].parts]] * len(runs)
            seeds = rng.integers(len(pairs), size=len(pairs))
            # A closed form has one outcome for all seeds.
            drawn = {pairs[i]: value(*pairs[i], times[i]) for i in set(seeds.tolist())}
            return np.mean([drawn[pairs[i]] for i in seeds])

        def draw(n):
            return np.array([one() for _ in range(n)])

        n_units = sum(_units(part)[0].size for part in runs[0].parts)
        unit = f"labels in {len(runs)} partitions" if partitions else runs[0].unit
        of = len(runs), unit, n_units
        return resampled_estimate(np.mean(values), draw, _RESAMPLES, *of, moved=True, most=_MOST)

    return estimate


def _units(part):
    """The units of a search's queries, and the place of each query's among them."""
    queries = np.arange(len(part.ranks)) if part.units is None else part.units
    return np.unique(queries, return_inverse=True)


def _times(part, rng):
    """How often each query counts where units are drawn with replacement."""
    units, places = _units(part)
    return class_draws(units.size, 1, rng)[0, places]


def modes_less_languages(results, metric, method):
    """Rows: a result of each cross-modal set minus that of each cross-linguistic one."""
    full = results.only(metric=metric, method=method, space="full")
    settings = (full.only(setting=name) for name in ("cross-modal", "cross-linguistic"))
    for modes, words in product(*settings):
        data = f"{modes['dataset']} and {words['dataset']}"
        name = f"{method}: cross-modal - cross-linguistic"
        value = independent_difference(modes["value"], words["value"])
        yield row(data, metric, name, value, space="full", synthetic="synthetic" in data)


def hubs_beside(printed, outcomes):
    """Places, the paper's largest hubs, ``{setting: {word: N_20}}``, and each outcome's."""
    lists = {"place": range(1, 1 + min(map(len, printed.values())))}
    for outcome in (outcome.parts[0] for outcome in outcomes):
        setting, hubs = outcome.problem.setting, printed[outcome.problem.setting]
        lists[f"{setting}, paper"] = [f"{word} ({n})" for word, n in hubs.items()]
        lists[f"{setting}, ours"] = outcome.named_hubs(len(hubs))
    return lists
