"""Measures of searches against their definitions, over two seeds that share their test items."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from zslib.arrays import unit_rows as unit
from zslib.datasets import load_problem
from zslib.metrics import hub_correlations
from zslib.protocols import Repeated, repeat
from zslib.protocols.mapping import measures, repeated
from zslib.protocols.mapping.measures import over_queries, search_measures
from zslib.protocols.mapping.outcome import CrossFittedOutcome, gold_queries


@pytest.fixture(scope="module")
def found(languages):
    runs = Repeated([languages, languages], [0, 1])
    return runs.outcomes({"gold": "gold", "plain": "least squares", "ridge": "ridge (GCV)"})


def test_largest_hubs_are_named_with_their_counts(found):
    outcome = found["plain"][0]
    hubs = outcome.hubs(5)
    counts = outcome.counts[np.searchsorted(outcome.rows, hubs)]
    np.testing.assert_array_equal(counts, np.sort(outcome.counts)[:-6:-1])
    words = outcome.problem.target_words
    assert outcome.named_hubs(1) == [f"{words[hubs[0]]} ({outcome.largest_hub})"]


def test_variances_and_correlations(found, languages):
    outcome = found["plain"][0]
    ranks, mapped, gold = outcome.ranks, outcome.queries, gold_queries(languages)
    directions = unit(mapped)
    cosines = unit(languages.targets) @ directions.mean(axis=0)
    expected = {
        "P@5": 100 * np.mean(ranks < 5),
        "P@1 - P@10": -100 * np.mean((ranks >= 1) & (ranks < 10)),
        "elements with N_k of 10 or more": np.sum(outcome.counts >= 10),
        "test variance ratio": np.trace(np.cov(mapped.T)) / np.trace(np.cov(gold.T)),
        # Directions have length one, so that variance and squared mean add up to one.
        "variance of directions": 1 - np.sum(directions.mean(axis=0) ** 2),
        "rho with the mean of the mapped": stats.spearmanr(outcome.counts, cosines).statistic,
    }
    for name, estimate in search_measures(expected).items():
        assert estimate(found["plain"]).mean == pytest.approx(expected[name], rel=1e-4), name


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


def test_labels_and_partitions_are_drawn_anew():
    """One photograph a label, each partition in an order of its own: labels, then partitions."""
    rng = np.random.default_rng(0)
    n, n_partitions = 60, 8
    of_label, of_partition = rng.normal(0, 3.0, n), rng.normal(0, 1.0, n_partitions)
    values, runs = [], []
    for number, shift in enumerate(of_partition):
        order = rng.permutation(n)
        values.append(of_label[order] + shift)
        part = partial(SimpleNamespace, checksum=str(number), unit="labels")
        runs.append(CrossFittedOutcome((part(labels=order[:40]), part(labels=order[40:]))))
    found = over_queries(values, runs)
    assert found.mean == pytest.approx(of_label.mean() + of_partition.mean())
    half = 1.96 * np.sqrt(of_label.var() / n + of_partition.var() / n_partitions)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.06)
    assert (found.unit, found.n_units, found.n_seeds) == ("labels in 8 partitions", n, 8)
    # Where they test other labels, nothing is common to them but their number.
    runs[0].parts[0].labels[0] = 99
    assert over_queries(values, runs).unit == "runs"


def test_partitions_of_the_labels(monkeypatch):
    monkeypatch.setattr(repeated, "load_problem", partial(load_problem, test_images=500))
    for draws in ("_RESAMPLES", "_MOST"):
        monkeypatch.setattr(measures, draws, 100)
    options = {"n_seeds": 3, "folds": 4, "partitions": 2, "quick": True}
    (images,) = repeat("cross-modal", "tiny_imagenet", **options)
    assert [fold.seeds for fold in images.folds] == [[0, 1]] * 4
    for partition in range(2):
        tested = [fold.problems[partition].space("test") for fold in images.folds]
        assert sorted(np.concatenate(tested)) == sorted(images.problem.labels)
    outcomes = images.outcomes(("least squares", "gold"), "labels")
    assert len({outcome.checksum for outcome in outcomes["gold"]}) == 2
    for name in ("P@1", "test variance ratio"):
        measure, plain = search_measures([name])[name], outcomes["least squares"]
        of_all = measure(plain)
        assert of_all.mean == pytest.approx(np.mean([measure([run]).mean for run in plain]))
        assert (of_all.unit, of_all.n_units) == ("labels in 2 partitions", 190)
        assert measure(outcomes["gold"], outcomes["gold"]).mean == 0
