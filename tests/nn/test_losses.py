"""Cross-entropies: the definitions in loops, large logits, bad targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.nn import softmax_cross_entropy


def loop(logits, labels):
    rows = zip(np.exp(logits), labels, strict=True)
    return -np.mean([np.log(row[label] / sum(row)) for row, label in rows])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loss_and_gradient(backend, numerical_gradient, dtype):
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(5, 4)), rng.integers(0, 4, 5)
    given = backend.asarray(logits.astype(dtype)), backend.asarray(labels)
    loss, gradient = softmax_cross_entropy(*given)
    gradient = backend.to_numpy(gradient)
    assert gradient.dtype == dtype
    assert float(loss) == pytest.approx(loop(logits, labels), rel=1e-6)
    slopes = numerical_gradient(lambda z: loop(z, labels), logits)
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
