"""Outcomes against a slow search, one query at a time."""

import numpy as np
import pytest

from zslib.protocols import evaluate
from zslib.protocols.mapping.outcome import gold_queries


def slow(problem, queries, rows, k):
    """Neighbour rows and rank of the best acceptable answer, by sorting every cosine."""
    neighbours, ranks = [], []
    for query, gold in zip(queries, problem.test_gold, strict=True):
        cosines = problem.targets[rows] @ query / np.linalg.norm(query)
        order = rows[np.argsort(-cosines, kind="stable")].tolist()
        neighbours.append(order[:k])
        ranks.append(min(order.index(g) for g in gold if g in order))
    return np.array(neighbours), np.array(ranks)


@pytest.mark.parametrize("space", ["full", "labels", "test", "rows"])
def test_neighbours_ranks_and_measures(images, space):
    rows = images.space(space) if space != "rows" else np.union1d(images.labels, [0, 1, 2])
    space = rows if space == "rows" else space
    queries = np.random.default_rng(0).normal(size=(len(images.test_gold), 24)).astype("f4")
    outcome = evaluate(images, queries, space=space, k=5)
    np.testing.assert_array_equal(outcome.rows, rows)
    neighbours, ranks = slow(images, queries, rows, 5)
    np.testing.assert_array_equal(outcome.neighbours, neighbours)
    np.testing.assert_array_equal(outcome.ranks, ranks)

    counts = np.array([(neighbours == r).sum() for r in rows])
    np.testing.assert_array_equal(outcome.counts, counts)
    assert outcome.largest_hub == counts.max()
    of_row = dict(zip(rows.tolist(), counts, strict=True))
    hubs = [100.0 * (of_row[first] > 1) for first in neighbours[:, 0]]
    np.testing.assert_array_equal(outcome.hub_answers(threshold=1), hubs)
    training = set(images.train_gold.tolist())
    for k in (1, 3):
        polluted = [100.0 * bool(training & set(row[:k].tolist())) for row in neighbours]
        np.testing.assert_array_equal(outcome.polluted(k), polluted)
        np.testing.assert_array_equal(outcome.hits(k), 100.0 * (ranks < k))


def test_without_neighbours_the_ranks_are_the_same(images):
    queries = np.random.default_rng(0).normal(size=(len(images.test_gold), 24)).astype("f4")
    several = {"none": None, "csls": "csls"}
    whole, bare = (evaluate(images, queries, k=k, correction=several) for k in (3, 0))
    bare["plain"], whole["plain"] = evaluate(images, queries, k=0), whole["none"]
    for name, outcome in bare.items():
        np.testing.assert_array_equal(outcome.ranks, whole[name].ranks)
        assert outcome.neighbours.shape == (len(queries), 0)


def test_no_query_is_polluted_where_training_targets_are_not_searched(images):
    outcome = evaluate(images, gold_queries(images), space="test")
    assert not outcome.polluted(1).any()
    assert outcome.hits(1).all()
