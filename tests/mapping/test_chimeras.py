"""Chimeras against a loop over sorted cosines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.mapping import chimeras


def slow(X, Y, Y_new, k):
    """The definition: group rows by label, sort the labels by cosine, average."""
    groups = {}
    for i, y in enumerate(Y):
        groups.setdefault(tuple(y), []).append(i)
    made, rows = [], []
    for new in Y_new:
        cosine = {
            y: float(new @ np.array(y)) / np.linalg.norm(new) / np.linalg.norm(y) for y in groups
        }
        nearest = sorted(groups, key=lambda y, c=cosine: -c[y])[:k]
        made.append(np.mean([X[groups[y]].mean(axis=0) for y in nearest], axis=0))
        rows.append([groups[y][0] for y in nearest])
    return np.array(made), np.array(rows)


def problem(n=12, n_labels=5, seed=0, dtype="float64"):
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((n_labels, 4))[rng.permutation(np.arange(n) % n_labels)]
    X, Y_new = rng.standard_normal((n, 3)), rng.standard_normal((7, 4))
    arrays = [array.astype(dtype) for array in (X, Y, Y_new)]
    for array in arrays:
        array.flags.writeable = False
    return arrays


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_definition(backend, dtype):
    arrays = problem(dtype=dtype)
    made, rows = chimeras(*map(backend.asarray, arrays), k=2, return_neighbours=True)
    expected, expected_rows = slow(*arrays, 2)
    assert backend.to_numpy(made).dtype == dtype
    backend.assert_allclose(made, expected, rtol=1e-5 if dtype == "float32" else 1e-12)
    backend.assert_equal(rows, expected_rows)


@given(
    n=st.integers(1, 15), n_labels=st.integers(1, 15), k=st.integers(1, 6), seed=st.integers(0, 99)
)
def test_any_grouping(n, n_labels, k, seed):
    n_labels = min(n, n_labels)
    arrays, k = problem(n, n_labels, seed), min(k, n_labels)
    found = chimeras(*arrays, k=k, return_neighbours=True)
    for ours, definition in zip(found, slow(*arrays, k), strict=True):
        np.testing.assert_allclose(ours, definition, rtol=1e-9, atol=1e-12)


def test_other_metrics():
    X, Y = np.array([[1.0], [2.0]]), np.array([[1.0, 0.0], [9.0, 9.0]])
    for metric, expected in (("euclidean", 1.0), ("dot", 2.0)):
        assert chimeras(X, Y, np.array([[1.0, 0.5]]), k=1, metric=metric) == expected


def test_chimeras_are_no_view_of_what_is_given():
    chimeras(*problem(), k=1)[...] = 0
