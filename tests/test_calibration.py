"""Calibrated stacking, one score at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from zslib.calibration import CalibratedStacking


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("gamma", [0.2, -1.5, 0, 1e6])
def test_gamma_is_taken_off_seen_columns(backend, dtype, gamma):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(9, 5)).astype(dtype)
    is_seen = np.array([True, False, True, True, False])
    expected = [[s - gamma * m for s, m in zip(row, is_seen, strict=True)] for row in scores]
    given_scores = backend.asarray(scores)
    found = CalibratedStacking(gamma).transform(given_scores, backend.asarray(is_seen))
    assert backend.to_numpy(found).dtype == scores.dtype
    np.testing.assert_allclose(backend.to_numpy(found), expected, rtol=1e-6)
    np.testing.assert_array_equal(backend.to_numpy(given_scores), scores)
    host_mask = CalibratedStacking(gamma).transform(given_scores, is_seen)
    np.testing.assert_array_equal(backend.to_numpy(host_mask), backend.to_numpy(found))


@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(0, 3))
def test_a_larger_gamma_moves_samples_to_unseen_classes_only(seed, gamma, more):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(20, 6))
    is_seen = rng.permutation(np.arange(6) < 3)
    before = CalibratedStacking(gamma).transform(scores, is_seen).argmax(axis=1)
    after = CalibratedStacking(gamma + more).transform(scores, is_seen).argmax(axis=1)
    moved = before != after
    assert is_seen[before[moved]].all()
    assert not is_seen[after[moved]].any()


def test_it_is_a_scikit_learn_object():
    stacking = CalibratedStacking(0.7)
    assert clone(stacking).get_params() == {"gamma": 0.7}
    assert CalibratedStacking().gamma == 0.2
    assert repr(stacking) == "CalibratedStacking(gamma=0.7)"


@pytest.mark.parametrize(
    ("gamma", "scores", "is_seen", "error", "message"),
    [
        ("a", np.zeros((2, 2)), [True, False], TypeError, "gamma must be a number"),
        (np.nan, np.zeros((2, 2)), [True, False], ValueError, "gamma must be a finite number"),
        (0.2, np.zeros(2), [True, False], ValueError, "scores must be a 2-d array"),
        (0.2, np.zeros((2, 2), int), [True, False], TypeError, "scores must be float32"),
        (0.2, np.full((2, 2), np.inf), [True, False], ValueError, "scores holds NaN or inf"),
        (0.2, np.zeros((2, 2)), [True], TypeError, "mask over the 2 classes"),
        (0.2, np.zeros((2, 2)), [1, 0], TypeError, "is_seen must be a boolean mask"),
        (0.2, np.zeros((2, 2)), [True, True], ValueError, "marks all of the classes"),
        (0.2, np.zeros((2, 2)), [False, False], ValueError, "marks none of the classes"),
    ],
)
def test_refusals(gamma, scores, is_seen, error, message):
    with pytest.raises(error, match=message):
        CalibratedStacking(gamma).transform(scores, np.array(is_seen))
