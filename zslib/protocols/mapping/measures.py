"""Measures of searches, for `zslib.book.Chapter.measure`."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from zslib.metrics import effective_dimension, hubness_contingency, k_skewness, robin_hood_index
from zslib.protocols.intervals import mean_estimate, over_runs
from zslib.protocols.mapping.outcome import gold_queries

__all__ = ["search_measures"]


def _variance_ratio(found):
    """Total variance of the queries over that of the gold queries."""
    return found.queries.var(axis=0).sum() / gold_queries(found.problem).var(axis=0).sum()


def _rho_with_queries(found):
    """Spearman's rho of N_k with the cosine to the queries' mean direction."""
    targets = found.problem.targets
    targets = targets / np.linalg.norm(targets, axis=1, keepdims=True)
    cosines = targets @ found.directions.mean(axis=0)
    return float(spearmanr(found.counts, cosines).statistic)


def _cross_tab(runs, minus=None):
    """Mean log10 of p of the cross-tab test between two methods; None for one alone."""
    if minus is None:
        return None
    p = [hubness_contingency(a.counts, b.counts).p_value for a, b in zip(runs, minus, strict=True)]
    same = len({run.checksum for run in runs}) == 1
    return mean_estimate(np.log10(np.maximum(p, 1e-300)), same_items=same)


_OF_A_SEARCH = {
    "hub answers": lambda found: found.hub_answers(),
    "pollution at 1": lambda found: found.polluted(1),
    "largest hub": lambda found: found.largest_hub,
    "skewness": lambda found: k_skewness(found.counts),
    "Robin Hood index": lambda found: 100 * robin_hood_index(found.counts),
    # Where a vocabulary is sorted by frequency: 0 is the most frequent word, 1 the rarest.
    "median frequency rank of the 20 largest hubs": lambda found: (
        np.median(found.hubs(20)) / found.problem.target_words.size
    ),
    "test variance ratio": _variance_ratio,
    "variance of directions": lambda found: found.directions.var(axis=0).sum(),
    "effective dimension": lambda found: effective_dimension(found.directions),
    "rho with the mean": lambda found: found.correlations.mean_rho,
    "rho with training items": lambda found: found.correlations.training_rho,
    "rho with the mean of the mapped": _rho_with_queries,
}


def search_measures(names=("P@1", "P@5", "P@10")):
    """Measures of `Outcome` by name: "P@k" for any k, "hub answers", "pollution at 1", ….

    Examples
    --------
    >>> from zslib.protocols import repeat
    >>> images = repeat("cross-modal", "synthetic", quick=True)
    >>> gold = images.outcomes(["gold"], "labels")["gold"]
    >>> {name: estimate(gold).mean for name, estimate in search_measures(["P@1"]).items()}
    {'P@1': 100.0}
    """
    return {name: _measure(name) for name in names}


def _measure(name):
    if name == "cross-tab log10 p":
        return _cross_tab
    if name.startswith("P@"):
        return over_runs(lambda found: found.hits(int(name[2:])))
    return over_runs(_OF_A_SEARCH[name])
