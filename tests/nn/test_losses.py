"""Cross-entropies: the definitions in loops, large logits, bad targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.nn import sigmoid_cross_entropy, softmax_cross_entropy


def loop(logits, labels):
    total = 0.0
    for row, label in zip(logits, labels, strict=True):
        total -= np.log(np.exp(row[label]) / sum(np.exp(value) for value in row))
    return total / len(labels)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loss_and_gradient(backend, numerical_gradient, dtype):
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(5, 4)), rng.integers(0, 4, 5)
    loss, gradient = softmax_cross_entropy(
        backend.asarray(logits.astype(dtype)), backend.asarray(labels)
    )
    gradient = backend.to_numpy(gradient)
    assert gradient.dtype == dtype
    assert float(loss) == pytest.approx(loop(logits, labels), rel=1e-6)
    slopes = numerical_gradient(lambda z: loop(z, labels), logits)
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)


@given(st.floats(-1e30, 1e30), st.integers(0, 2))
def test_large_logits(shift, label):
    logits = np.array([[0.0, 1.0, 2.0]])
    loss, gradient = softmax_cross_entropy(1e4 * logits + shift, np.array([label]))
    assert np.isfinite(loss)
    assert np.all(np.isfinite(gradient))
    assert abs(gradient.sum()) < 1e-12
    assert loss >= 0.0


def test_small_types_of_labels_hold_more_classes_than_they_count():
    logits, labels = np.random.default_rng(0).standard_normal((2, 300)), np.array([3, 5], np.uint8)
    loss, gradient = softmax_cross_entropy(logits, labels)
    assert loss == pytest.approx(loop(logits, labels))
    assert gradient[0, 3 + 256] > 0


def sigmoid_loop(logits, targets):
    total = 0.0
    for z, t in zip(logits.ravel(), targets.ravel(), strict=True):
        p = 1.0 / (1.0 + np.exp(-z))
        total -= t * np.log(p) + (1.0 - t) * np.log(1.0 - p)
    return total / len(logits)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sigmoid_loss_and_gradient(backend, numerical_gradient, dtype):
    rng = np.random.default_rng(0)
    logits, targets = rng.normal(size=(5, 4)), rng.random((5, 4))
    targets[0] = [0.0, 1.0, 0.0, 1.0]
    loss, gradient = sigmoid_cross_entropy(
        backend.asarray(logits.astype(dtype)), backend.asarray(targets.astype(dtype))
    )
    gradient = backend.to_numpy(gradient)
    assert gradient.dtype == dtype
    assert float(loss) == pytest.approx(sigmoid_loop(logits, targets), rel=1e-6)
    expected = numerical_gradient(lambda z: sigmoid_loop(z, targets), logits)
    np.testing.assert_allclose(gradient, expected, atol=1e-7)


@given(st.floats(-1e30, 1e30))
def test_large_sigmoid_logits(z):
    loss, gradient = sigmoid_cross_entropy(np.array([[z]]), np.array([[1.0]]))
    assert 0.0 <= loss <= max(-z, 0.0) + 1.0
    assert -1.0 <= gradient[0, 0] <= 0.0
