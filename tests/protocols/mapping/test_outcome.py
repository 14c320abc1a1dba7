"""Outcomes against a slow search, one query at a time."""

import numpy as np
import pytest

from chapters.hubness.distractors import random_distractors, related_words
from zslib.protocols import evaluate, repeat
from zslib.protocols.mapping.outcome import gold_queries


def slow(problem, queries, rows, k):
    """Neighbour rows and rank of the best acceptable answer, by sorting every cosine."""
    neighbours, ranks = [], []
    for query, gold in zip(queries, problem.test_gold, strict=True):
        cosines = [float(query @ problem.targets[r] / np.linalg.norm(query)) for r in rows]
        order = [rows[i] for i in np.argsort(-np.array(cosines), kind="stable")]
        neighbours.append(order[:k])
        ranks.append(min(order.index(g) for g in gold if g in order))
    return np.array(neighbours), np.array(ranks)


@pytest.mark.parametrize("space", ["full", "labels", "test"])
def test_neighbours_ranks_and_measures(images, space):
    queries = np.random.default_rng(0).normal(size=(len(images.test_gold), 24)).astype("f4")
    outcome = evaluate(images, queries, space=space, k=5)
    rows = images.space(space)
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
    for correction in (None, {"none": None, "csls": "csls"}):
        whole, bare = (evaluate(images, queries, k=k, correction=correction) for k in (3, 0))
        for with_lists, without in zip(
            *(o.values() if correction else [o] for o in (whole, bare)), strict=True
        ):
            assert np.array_equal(with_lists.ranks, without.ranks)
            assert without.neighbours.shape == (len(queries), 0)


def test_no_query_is_polluted_where_training_targets_are_not_searched(images):
    outcome = evaluate(images, gold_queries(images), space="test")
    assert not outcome.polluted(1).any()
    assert outcome.hits(1).all()


def test_a_space_given_by_rows(images):
    rows = np.union1d(images.labels, [0, 1, 2])
    outcome = evaluate(images, gold_queries(images), space=rows)
    np.testing.assert_array_equal(outcome.rows, rows)
    assert np.isin(outcome.neighbours, rows).all()


def test_bad_input(images):
    queries = gold_queries(images)
    with pytest.raises(ValueError, match="one mapped vector per test item"):
        evaluate(images, queries[:-1])
    with pytest.raises(ValueError, match="no acceptable answer in this search space"):
        evaluate(images, queries, space=np.unique(images.train_gold))
    with pytest.raises(TypeError, match=r"space .* must hold integers, got bool"):
        evaluate(images, queries, space=np.ones(len(images.targets), dtype=bool))
    with pytest.raises(TypeError, match="problem must be of the class MappingProblem"):
        evaluate(queries, images)
    outcome = evaluate(images, queries, k=5)
    with pytest.raises(ValueError, match="k=6, but 5 neighbours were kept: call evaluate with k"):
        outcome.polluted(6)
    with pytest.raises(ValueError, match="setting must be one of 'cross-linguistic', 'cross-mod"):
        repeat("attributes", "digits")


def test_random_distractors_are_no_labels_and_repeat_with_the_seed(images):
    rows = random_distractors(images, 40, random_state=1)
    assert len(set(rows.tolist())) == 40
    assert not np.isin(rows, images.labels).any()
    np.testing.assert_array_equal(rows, random_distractors(images, 40, random_state=1))


def test_related_words_are_near_a_training_label(images):
    cosines = images.targets @ images.targets.T
    allowed = set()
    for row in np.unique(images.train_gold):
        order = [i for i in np.argsort(-cosines[row], kind="stable") if i != row]
        allowed |= set(order[:3])
    allowed -= set(images.labels.tolist())
    assert set(related_words(images, k=3).tolist()) == allowed


def test_too_many_distractors(images):
    with pytest.raises(
        ValueError, match="offers only 240: ask for fewer, or use a larger vocabulary"
    ):
        random_distractors(images, 300, random_state=0)


def test_what_an_outcome_shows_of_itself(images):
    outcome = evaluate(images, gold_queries(images), k=5)
    assert repr(outcome) == (
        f"Outcome({images.name!r}: {len(images.test_gold)} queries among {len(images.targets)} "
        f"targets, 5 neighbours of each, P@1 {outcome.hits(1).mean():.1f})"
    )
