"""Hard negatives: weights against loops over images, draws against the laws that they follow."""

import math
import tracemalloc
from collections import Counter
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib import arrays
from zslib.compatibility.metric.negatives import (
    NegativeSet,
    distinct_candidates,
    draw_negatives,
    log_correlation,
    log_uncertainty,
    random_negatives,
    shares,
)


def attributes_of(rng, n, q, n_classes):
    """Binary attributes with many repetitions, and classes that all occur."""
    codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    return codes, rng.integers(0, 2, (n, q)).astype(float)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(3, 25), st.integers(1, 4), st.integers(1, 3))
def test_candidates_are_the_distinct_vectors_of_each_class(seed, n, q, n_classes):
    codes, A = attributes_of(np.random.default_rng(seed), n, q, n_classes)
    found = distinct_candidates(codes, np.zeros((n_classes, q)), A)
    counted = Counter((c, *row) for c, row in zip(codes, A, strict=True))
    listed = [(c, *row) for c, row in zip(found.classes, found.vectors, strict=True)]
    assert len(set(listed)) == len(listed)
    assert dict(zip(listed, found.counts, strict=True)) == counted
    assert np.all(np.diff(found.classes) >= 0)
    np.testing.assert_array_equal(found.vectors[found.own], A)
    np.testing.assert_array_equal(found.labels, codes)
    others = [len({key for key in counted if key[0] != c}) for c in codes]
    assert found.fewest == min(others)


def test_candidates_of_classes(backend):
    codes, S = np.array([1, 0, 1, 2]), np.arange(6.0).reshape(3, 2)
    found = distinct_candidates(backend.asarray(codes), backend.asarray(S))
    backend.assert_equal(found.vectors, S)
    np.testing.assert_array_equal(found.counts, [1, 2, 1])
    np.testing.assert_array_equal(found.labels, codes)
    each = distinct_candidates(*map(backend.asarray, (codes, S, S[codes])))
    backend.assert_equal(each.vectors, S)
    np.testing.assert_array_equal(each.own, found.own)
    np.testing.assert_array_equal(each.counts, found.counts)


def test_uncertainty_is_eq_8():
    found = log_uncertainty(np.array([[0.0, 1e5], [1.0, 3.0]]), np.array([5e4, 2.0]))
    np.testing.assert_array_equal(found, [[5e4, -5e4], [1.0, -1.0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_correlation_is_eq_9(backend, dtype, monkeypatch):
    rng = np.random.default_rng(1)
    codes, A = attributes_of(rng, 40, 5, 3)
    A = (A * rng.uniform(0.1, 1.0, 5) + 100.0).astype(dtype)
    found = distinct_candidates(backend.asarray(codes), backend.asarray(A[:3]), backend.asarray(A))
    monkeypatch.setattr(arrays, "ENTRIES", 30)
    log_q = backend.to_numpy(log_correlation(found))
    for i, row in enumerate(A.astype(float)):
        mates = A[codes == codes[i]].astype(float)
        q = math.exp(-sum(np.linalg.norm(row - mate) for mate in mates) / len(mates))
        assert math.exp(log_q[found.own[i]]) == pytest.approx(q, rel=1e-9)


def chances_of_pairs(weights):
    """Probability of each set of two, drawn one after the other."""
    total, chances = sum(weights), Counter()
    for i, j in permutations(range(len(weights)), 2):
        chances[min(i, j), max(i, j)] += weights[i] / total * weights[j] / (total - weights[i])
    return chances


def assert_shares(drawn, chances):
    """Shares of the sets drawn are within five standard deviations of their chances."""
    n, sets = len(drawn), Counter(map(tuple, np.sort(drawn, axis=1).tolist()))
    assert sets.keys() <= chances.keys()
    for pair, chance in chances.items():
        spread = math.sqrt(chance * (1 - chance) / n)
        assert sets[pair] / n == pytest.approx(chance, abs=5 * spread + 1e-12), pair


@pytest.mark.parametrize("shift", [0.0, 3000.0, -3000.0])
def test_draws_follow_the_weights(shift):
    weights = np.array([1.0, 2.0, 5.0, 0.5])
    log_weights = np.full((20000, 5), -np.inf)
    log_weights[:, :4] = np.log(weights) + shift
    rng = np.random.default_rng(0)
    assert_shares(draw_negatives(log_weights, 2, rng), chances_of_pairs(weights))
    singles = {(i,): w for i, w in enumerate(weights / weights.sum())}
    assert_shares(draw_negatives(log_weights, 1, rng), singles)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 9))
def test_draws_are_distinct_and_allowed(seed, n, width):
    rng = np.random.default_rng(seed)
    log_weights = 1e4 * rng.standard_normal((n, width))
    log_weights[:, 0] = -np.inf
    for dtype in ("float32", "float64"):
        for k in (1, width - 1):
            drawn = draw_negatives(log_weights.astype(dtype), k, rng)
            assert drawn.shape == (n, k)
            assert drawn.min() >= 1
            assert all(len(set(row)) == k for row in drawn.tolist())


@pytest.mark.parametrize("k", [1, 3])
def test_draws_are_the_same_in_every_library(backend, k):
    log_weights = np.random.default_rng(0).standard_normal((50, 8))
    found = draw_negatives(backend.asarray(log_weights), k, np.random.default_rng(3))
    expected = draw_negatives(log_weights, k, np.random.default_rng(3))
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(np.sort(found), np.sort(expected))


def test_noise_of_zero_never_lets_a_forbidden_column_in():
    """Single precision allows noise of 0."""
    zero = SimpleNamespace(standard_exponential=lambda _, dtype: np.array([[1, 0, 1]], dtype))
    assert set(draw_negatives(np.array([[0.0, -np.inf, -1.0]]), 2, zero)[0]) == {0, 2}


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(2, 9))
def test_the_largest_are_drawn_also_among_equals(seed, n, width):
    rng = np.random.default_rng(seed)
    log_weights = rng.integers(0, 3, (n, width)).astype(float)
    k = int(rng.integers(1, width))
    drawn = draw_negatives(log_weights, k, SimpleNamespace(standard_exponential=np.ones))
    assert all(len(set(row)) == k for row in drawn.tolist())
    found = np.sort(np.take_along_axis(log_weights, drawn, axis=1))
    np.testing.assert_array_equal(found, np.sort(log_weights)[:, -k:])


@pytest.mark.parametrize("n_vectors", [2, 9])  # nearly all candidates at once, or few of many
def test_random_negatives_are_vectors_of_images_of_other_classes(n_vectors):
    """Class 0 is large, so that its draws meet only the pairs of the others."""
    counts = np.arange(1, n_vectors + 1)
    A = np.concatenate([np.zeros(8000), np.repeat(np.arange(n_vectors), counts), [-1.0]])[:, None]
    codes = np.concatenate([np.zeros(8000), np.ones(counts.sum()), [2]]).astype(int)
    found = distinct_candidates(codes, np.zeros((3, 1)), A)
    drawn = random_negatives(found, 2, np.random.default_rng(0))
    assert np.all(found.classes[drawn] != codes[:, None])
    assert np.all(drawn[:, 0] != drawn[:, 1])
    pairs = chances_of_pairs([*counts, 1])
    shifted = {(i + 1, j + 1): chance for (i, j), chance in pairs.items()}
    assert_shares(drawn[:8000], shifted)


FOUR = distinct_candidates(np.array([0, 1, 2, 2]), np.eye(3))


def test_random_negatives_can_be_all():
    drawn = random_negatives(FOUR, 2, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(drawn), [[1, 2], [0, 2], [0, 1], [0, 1]])


REFUSALS = {
    random_negatives: [((FOUR, 3, None), "some images have only 2 different attribute")],
    draw_negatives: [((np.zeros((1, 2)), 3, None), "k must be between 1 and 2")],
}


def test_refusals(refusal):
    refusal()


@pytest.mark.parametrize("n_candidates", [6, 500])
@pytest.mark.parametrize("grows", [True, False])
def test_the_set_keeps_every_pair(backend, n_candidates, grows):
    """Whether pairs are listed or counted, and when the one becomes the other."""
    rng = np.random.default_rng(0)
    pairs = NegativeSet(4, n_candidates, grows=grows)
    counts = np.zeros((4, n_candidates))
    reference, forms = backend.asarray(np.zeros((1, 1), dtype="float32")), set()
    for epoch in range(1, 9):
        drawn = np.stack([rng.permutation(n_candidates)[:3] for _ in range(4)])
        pairs.add(drawn)
        if not grows:
            counts[:] = 0
        np.add.at(counts, (np.arange(4)[:, None], drawn), 1)
        assert pairs.per_image == (3 * epoch if grows else 3)
        found = backend.to_numpy(pairs.of(np.array([2, 0]), reference))
        forms.add(found.dtype.kind)
        if found.dtype.kind == "i":
            found = np.stack([np.bincount(row, minlength=n_candidates) for row in found])
        else:
            assert found.dtype == np.float32
        np.testing.assert_array_equal(found, counts[[2, 0]])
    assert forms == ({"f"} if n_candidates == 6 else {"i", "f"} if grows else {"i"})


def test_the_set_takes_no_more_memory_than_its_pairs():
    """Where each image has its own vector, counts would take n times n numbers."""
    n, rng = 2000, np.random.default_rng(0)
    pairs, columns = NegativeSet(n, n, grows=True), np.arange(10) * 7
    tracemalloc.start()
    for _ in range(10):
        pairs.add((rng.integers(n, size=(n, 1)) + columns) % n)
        pairs.of(np.arange(8), np.zeros((1, 1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The old lists and the new ones, and a little for the draw and the minibatch.
    assert peak < 2.3 * 8 * n * pairs.per_image
    assert peak < 2 * n * n


def test_every_image_gets_all_candidates_where_there_are_few():
    codes, A = attributes_of(np.random.default_rng(0), 30, 3, 4)
    candidates = distinct_candidates(codes, np.zeros((4, 3)), A)
    M = len(candidates.counts)
    for most in (None, M):
        ((images, scored, share),) = shares(candidates, most, 2, None)
        np.testing.assert_array_equal(images, np.arange(30))
        assert len(scored) == M and not share.any()


def test_a_sample_of_images_stands_for_all():
    """Each image once in an epoch; what is drawn from many samples follows the counts."""
    rng = np.random.default_rng(0)
    codes, A = attributes_of(rng, 60, 4, 3)
    candidates = distinct_candidates(codes, np.zeros((3, 4)), A)
    seen, epochs = np.zeros(len(candidates.counts)), 300
    for _ in range(epochs):
        done = []
        for images, scored, share in shares(candidates, 10, 1, rng):
            done.append(images)
            assert np.all(np.diff(scored) > 0)
            weights = candidates.counts[scored] * np.exp(share)
            assert weights.sum() == pytest.approx(10)
            seen[scored] += weights
        np.testing.assert_array_equal(np.sort(np.concatenate(done)), np.arange(60))
    expected = epochs * candidates.counts  # six samples of ten for sixty images
    assert np.all(np.abs(seen - expected) < 5 * np.sqrt(expected))


def test_a_sample_without_enough_rivals_gives_way_to_all():
    codes, A = np.repeat([0, 1], [58, 2]), np.arange(60.0)[:, None]
    candidates = distinct_candidates(codes, np.zeros((2, 1)), A)
    for _, scored, _ in shares(candidates, 5, 2, np.random.default_rng(0)):
        assert np.count_nonzero(candidates.classes[scored] != 0) >= 2
