"""Measures of searches against their definitions, over two seeds that share their test items."""

import numpy as np
import pytest
from scipy import stats

from zslib.metrics import hub_correlations
from zslib.protocols import Repeated
from zslib.protocols.mapping import measures
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
    of = search_measures(
        ["P@5", "test variance ratio", "variance of directions", "rho with the mean of the mapped"]
    )
    values = {name: estimate(found["plain"]).mean for name, estimate in of.items()}
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


def test_ranks_and_weighted_counts_against_slow_ones(found, languages):
    outcome = found["plain"][0]
    np.testing.assert_array_equal(measures._ranks(outcome.counts), stats.rankdata(outcome.counts))
    times = np.random.default_rng(1).integers(3, size=len(outcome.ranks))
    slow = np.zeros(len(languages.targets), int)
    for often, near in zip(times, outcome.neighbours, strict=True):
        for row in near:
            slow[row] += often
    np.testing.assert_array_equal(measures._occurrences(outcome, times), slow[outcome.rows])
    twice = np.repeat(outcome.queries, times, axis=0)
    again = np.repeat(gold_queries(languages), times, axis=0)
    ratio = np.trace(np.cov(twice.T)) / np.trace(np.cov(again.T))
    assert measures._variance_ratio(outcome, times) == pytest.approx(ratio, rel=1e-5)


def test_correlations_are_those_of_table_5(found, languages):
    of = search_measures(["rho with the mean", "rho with training items"])
    counts, training = found["plain"][0].counts, languages.is_training_target
    known = hub_correlations(counts, languages.targets, training)
    for name, rho in (("the mean", known.mean_rho), ("training items", known.training_rho)):
        estimate = of[f"rho with {name}"](found["plain"])
        assert estimate.mean == pytest.approx(rho, abs=1e-9)
        assert estimate.low < rho < estimate.high
        assert (estimate.unit, estimate.n_units) == ("words", len(found["plain"][0].ranks))


def test_a_difference_of_equals_is_zero_in_every_resample(found):
    estimate = search_measures(["largest hub"])["largest hub"]
    same = estimate(found["plain"], found["plain"])
    assert (same.mean, same.low, same.high) == (0, 0, 0)
    apart = estimate(found["plain"], found["gold"])
    assert apart.mean == found["plain"][0].largest_hub - found["gold"][0].largest_hub
    assert apart.low < apart.mean < apart.high


def test_units_are_drawn_with_all_their_queries(images):
    (outcome,) = Repeated([images], [0]).search("gold")
    times = measures._times(outcome, np.random.default_rng(0))
    for label in np.unique(outcome.units):
        assert np.unique(times[outcome.units == label]).size == 1


def test_the_cross_tab_test_needs_two_methods(found):
    estimate = search_measures(["cross-tab log10 p"])["cross-tab log10 p"]
    assert estimate(found["ridge"]) is None
    assert estimate(found["gold"], found["gold"]).mean == 0
    assert estimate(found["plain"], found["gold"]).mean < 0
