"""Measures of searches against their definitions, over two seeds that share their test items."""

import numpy as np
import pytest
from scipy import stats

from zslib.protocols import Repeated
from zslib.protocols.mapping.measures import search_measures
from zslib.protocols.mapping.outcome import gold_queries


@pytest.fixture(scope="module")
def found(languages):
    runs = Repeated([languages, languages], [0, 1])
    return runs.outcomes({"gold": "gold", "plain": "least squares", "ridge": "ridge (GCV)"})


def test_largest_hubs_are_named_with_their_counts(found):
    outcome = found["plain"][0]
    hubs = outcome.hubs(5)
    assert (
        outcome.counts[np.searchsorted(outcome.rows, hubs)].tolist()
        == sorted(outcome.counts.tolist(), reverse=True)[:5]
    )
    words = outcome.problem.target_words
    assert outcome.named_hubs(1) == [f"{words[hubs[0]]} ({outcome.largest_hub})"]


def test_variances_and_correlations(found, languages):
    measures = search_measures(
        ["P@5", "test variance ratio", "variance of directions", "rho with the mean of the mapped"]
    )
    values = {name: estimate(found["plain"]).mean for name, estimate in measures.items()}
    outcome = found["plain"][0]
    mapped, gold = outcome.queries, gold_queries(languages)
    assert values["P@5"] == 100 * np.mean(outcome.ranks < 5)
    ratio = np.trace(np.cov(mapped.T)) / np.trace(np.cov(gold.T))
    assert values["test variance ratio"] == pytest.approx(ratio, rel=1e-5)
    # Directions have length one, so that variance and squared mean add up to one.
    unit = mapped / np.linalg.norm(mapped, axis=1, keepdims=True)
    assert values["variance of directions"] == pytest.approx(
        1 - np.sum(unit.mean(0) ** 2), rel=1e-5
    )
    cosines = [t @ unit.mean(0) / np.linalg.norm(t) for t in languages.targets]
    rho = stats.spearmanr(outcome.counts, cosines).statistic
    assert values["rho with the mean of the mapped"] == pytest.approx(rho, abs=1e-4)


def test_the_cross_tab_test_needs_two_methods(found):
    estimate = search_measures(["cross-tab log10 p"])["cross-tab log10 p"]
    assert estimate(found["ridge"]) is None
    assert estimate(found["gold"], found["gold"]).mean == 0
    assert estimate(found["plain"], found["gold"]).mean < 0
