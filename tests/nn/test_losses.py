"""Cross-entropies: the definitions in loops, large logits, bad targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.nn import sigmoid_cross_entropy, softmax_cross_entropy


def loop(logits, labels):
    rows = zip(np.exp(logits), labels, strict=True)
    return -np.mean([np.log(row[label] / sum(row)) for row, label in rows])


def sigmoid_loop(logits, targets):
    total = 0.0
    for z, t in zip(logits.ravel(), targets.ravel(), strict=True):
        p = 1.0 / (1.0 + np.exp(-z))
        total -= t * np.log(p) + (1.0 - t) * np.log(1.0 - p)
    return total / len(logits)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("function", "slow"), [(softmax_cross_entropy, loop), (sigmoid_cross_entropy, sigmoid_loop)]
)
def test_loss_and_gradient(backend, numerical_gradient, function, slow, dtype):
    rng = np.random.default_rng(0)
    logits, labels, targets = rng.normal(size=(5, 4)), rng.integers(0, 4, 5), rng.random((5, 4))
    targets[0] = [0.0, 1.0, 0.0, 1.0]
    right = labels if slow is loop else targets.astype(dtype)
    loss, gradient = function(backend.asarray(logits.astype(dtype)), backend.asarray(right))
    gradient = backend.to_numpy(gradient)
    assert gradient.dtype == dtype
    assert float(loss) == pytest.approx(slow(logits, right), rel=1e-6)
    slopes = numerical_gradient(lambda z: slow(z, right), logits)
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)


@given(st.floats(-1e30, 1e30), st.integers(0, 2))
def test_large_logits(shift, label):
    logits = 1e4 * np.array([[0.0, 1.0, 2.0]]) + shift
    loss, gradient = softmax_cross_entropy(logits, np.array([label]))
    assert 0.0 <= loss < np.inf
    assert abs(gradient.sum()) < 1e-12


def test_small_types_of_labels_hold_more_classes_than_they_count():
    logits, labels = np.random.default_rng(0).standard_normal((2, 300)), np.array([3, 5], np.uint8)
    loss, gradient = softmax_cross_entropy(logits, labels)
    assert loss == pytest.approx(loop(logits, labels))
    assert gradient[0, 3 + 256] > 0


@given(st.floats(-1e30, 1e30))
def test_large_sigmoid_logits(z):
    loss, gradient = sigmoid_cross_entropy(np.array([[z]]), np.array([[1.0]]))
    assert 0.0 <= loss <= max(-z, 0.0) + 1.0
    assert -1.0 <= gradient[0, 0] <= 0.0
