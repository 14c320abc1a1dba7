"""Equal rows are found, wherever they stand."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.search import rows as _rows


@pytest.mark.parametrize("keys", ["sums", "all alike"])
@pytest.mark.parametrize("d", [1, 3, 8])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_first_equal(backend, monkeypatch, dtype, d, keys):
    monkeypatch.setattr(_rows, "PIECE", 50)
    monkeypatch.setattr(_rows, "FIRST", 2)
    if keys == "all alike":
        monkeypatch.setattr(_rows, "_keys", lambda block: np.zeros(block.shape[0]))
    rng = np.random.default_rng(0)
    vectors = rng.integers(-1, 2, (90, d)) * rng.choice([1.0, 1e-20], (90, 1))
    vectors = np.append(vectors, rng.standard_normal((20, d)), axis=0).astype(dtype)
    vectors[3], vectors[40:43] = -0.0, 0.0
    vectors[[5, 50, 100]] = np.nan  # refused elsewhere
    expected = [
        next((j for j in range(i) if (vectors[j] == vectors[i]).all()), i) for i in range(110)
    ]
    found = _rows.first_equal(backend.asarray(vectors))
    np.testing.assert_array_equal(found, expected)
    if backend.name == "numpy":
        for view in (np.asfortranarray(vectors), vectors.repeat(2, axis=1)[:, ::2]):
            np.testing.assert_array_equal(_rows.first_equal(view), expected)


def test_memory_where_all_differ():
    vectors = np.arange(400_000.0)[:, None] + np.zeros(3)
    tracemalloc.start()
    assert _rows.copies_of(vectors) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 17 * 400_000 + 8 * 2**20  # and what is looked at, at once


@pytest.mark.parametrize("k", [1, 4, 30])
def test_copies(k):
    """Scores with ties also between rows that differ."""
    rng = np.random.default_rng(1)
    first = _rows.first_equal(rng.integers(0, 12, (30, 1)).astype(float))
    copies = _rows.Copies(first)
    scores = rng.integers(0, 4, (5, 30))[:, first].astype(float)
    order = np.argsort(-scores, axis=1, kind="stable")
    standing = np.where(copies.count > 0, scores, -np.inf)
    best = np.argsort(-standing, axis=1, kind="stable")[:, :k]
    found = copies.spread(np.take_along_axis(standing, best, axis=1), best, k)
    np.testing.assert_array_equal(found[1], order[:, :k])
    np.testing.assert_array_equal(found[0], np.take_along_axis(scores, order[:, :k], axis=1))
    heads, bounds = rng.choice(first, 40), rng.integers(0, 30, 40)
    expected = ((first == heads[:, None]) & (np.arange(30) < bounds[:, None])).sum(axis=1)
    np.testing.assert_array_equal(copies.below(heads, bounds), expected)


@given(st.lists(st.integers(-9, 90), min_size=1, max_size=20))
def test_distinct_is_unique(values):
    values = np.array(values)
    found = zip(_rows.distinct(values), np.unique(values, return_inverse=True), strict=True)
    for ours, expected in found:
        np.testing.assert_array_equal(ours, expected)
