"""Samplers of negatives: their definitions in loops, and their distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from zslib.arrays import unit_rows as unit
from zslib.mapping.negatives import IntruderSearch, distinct_labels, first_of_row, random_negatives


def slow_intruders(mapped, labels, own, k):
    """Section 5 as printed, one cosine at a time."""
    chosen = []
    for y, gold in zip(mapped, own, strict=True):
        others = (j for j in range(len(labels)) if j != gold)
        s = {j: float(y @ labels[j]) - float(labels[gold] @ labels[j]) for j in others}
        chosen.append(sorted(s, key=lambda j: -s[j])[:k])
    return np.array(chosen)


def batch(n_labels, dtype="float64"):
    rng = np.random.default_rng(0)
    labels, mapped = (unit(rng.standard_normal((n, 4))).astype(dtype) for n in (n_labels, 6))
    return labels, mapped, rng.integers(n_labels, size=6)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_intruders_are_the_printed_formula(backend, k, dtype):
    labels, mapped, own = batch(9, dtype)
    send = backend.asarray
    found = IntruderSearch(send(labels))(send(mapped), send(labels[own]), send(own), k)
    backend.assert_equal(found, slow_intruders(mapped, labels, own, k))


@given(
    n=st.integers(1, 6), n_labels=st.integers(2, 9), k=st.integers(1, 8), seed=st.integers(0, 99)
)
def test_intruders_with_ties(n, n_labels, k, seed):
    """On a coarse grid many scores are equal: the lower label comes first, the own one never."""
    rng = np.random.default_rng(seed)
    k = min(k, n_labels - 1)
    labels, mapped = (rng.integers(-1, 2, size=(m, 2)).astype(float) for m in (n_labels, n))
    own = rng.integers(n_labels, size=n)
    found = IntruderSearch(labels)(mapped, labels[own], own, k)
    np.testing.assert_array_equal(found, slow_intruders(mapped, labels, own, k))


def test_intruders_leave_their_input_alone():
    labels, mapped = np.eye(3), np.ones((1, 3)) / np.sqrt(3)
    search = IntruderSearch(labels)
    for _ in range(2):  # nor is anything crossed out for good
        found = search(mapped, labels[:1], np.array([0]), 2)
        np.testing.assert_array_equal(found, [[1, 2]])
    np.testing.assert_array_equal(labels, np.eye(3))


@pytest.mark.parametrize("own", [0, 2, 4])
def test_random_negatives_are_the_other_labels_alike(own):
    drawn = random_negatives(np.random.default_rng(0), np.full(2000, own), 5, 5)
    assert drawn.shape == (2000, 5)
    counts = np.bincount(drawn.ravel(), minlength=5)
    assert counts[own] == 0
    assert counts.size == 5
    assert chisquare(np.delete(counts, own)).pvalue > 0.001


def test_first_of_row(backend):
    violates = np.random.default_rng(0).random((40, 5)) < 0.3
    found = backend.to_numpy(first_of_row(backend.asarray(violates)))
    for row, kept in zip(violates, found, strict=True):
        assert np.flatnonzero(kept).tolist() == np.flatnonzero(row)[:1].tolist()


def test_distinct_labels(backend):
    Y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0], [0.0, 1.0], [2.0, 0.0]])
    first_rows, labels = distinct_labels(backend.asarray(Y))
    np.testing.assert_array_equal(first_rows, [0, 1, 4])
    np.testing.assert_array_equal(labels, [0, 1, 0, 1, 2])
