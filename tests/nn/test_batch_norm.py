"""Batch normalisation: over tokens only; running averages; what a start gives."""

import numpy as np

from zslib.nn import BatchNorm


def test_layer(check_layer, loops, texts):
    x, mask = texts()
    for given in ((x, mask), (x / 50,), (x[2] / 50,)):
        check_layer(lambda like: BatchNorm(3, like=like), loops.normalisation, *given)


def test_running_averages(backend, texts):
    x, mask = texts()
    layer = BatchNorm(3, momentum=0.75, like=backend.asarray(np.zeros(1)))
    mean, variance = np.zeros(3), np.ones(3)
    for scale in (1.0, 2.0):
        layer.forward(backend.asarray(scale * x), backend.asarray(mask), train=True)
        tokens = scale * x[mask]
        mean = 0.75 * mean + 0.25 * tokens.mean(axis=0)
        variance = 0.75 * variance + 0.25 * tokens.var(axis=0)
    kept = layer.buffers()
    backend.assert_allclose(kept["running_mean"], mean)
    backend.assert_allclose(kept["running_variance"], variance)
    out = layer.forward(backend.asarray(x), backend.asarray(mask))
    expected = (x - mean) / np.sqrt(variance + 1e-5) * mask[:, :, None]
    backend.assert_allclose(out, expected)


def test_a_constant_column_gives_beta():
    layer = BatchNorm(1)
    layer.beta.value[:] = 3.0
    out = layer.forward(np.full((1, 4, 1), 7.0, np.float32), train=True)
    np.testing.assert_array_equal(out, np.full((1, 4, 1), 3.0))
    assert np.all(np.isfinite(layer.backward(np.ones((1, 4, 1), np.float32))))
