"""Batch normalisation: over tokens only; running averages; what a start gives."""

import numpy as np

from zslib.nn import BatchNorm


def test_layer(check_layer, loops, texts):
    x, mask = texts()
    check_layer(lambda like: BatchNorm(3, like=like), loops.normalisation, x, mask)
    check_layer(lambda like: BatchNorm(3, like=like), loops.normalisation, x / 50)


def test_vectors(check_layer, loops):
    x = np.random.default_rng(0).normal(2.0, 3.0, (6, 2))
    check_layer(lambda like: BatchNorm(2, like=like), loops.normalisation, x)


def test_running_averages(backend, texts):
    x, mask = texts()
    layer = BatchNorm(3, momentum=0.75, like=backend.asarray(np.zeros(1)))
    mean, variance = np.zeros(3), np.ones(3)
    for scale in (1.0, 2.0):
        layer.forward(backend.asarray(scale * x), backend.asarray(mask), train=True)
        tokens = scale * x[mask]
        mean = 0.75 * mean + 0.25 * tokens.mean(axis=0)
        variance = 0.75 * variance + 0.25 * tokens.var(axis=0)
    kept = {name: backend.to_numpy(array) for name, array in layer.buffers().items()}
    np.testing.assert_allclose(kept["running_mean"], mean)
    np.testing.assert_allclose(kept["running_variance"], variance)
    out = backend.to_numpy(layer.forward(backend.asarray(x), backend.asarray(mask)))
    expected = (x - mean) / np.sqrt(variance + 1e-5) * mask[:, :, None]
    np.testing.assert_allclose(out, expected)
    backend.assert_allclose(layer.running_mean, mean)


def test_a_constant_column_gives_beta():
    layer = BatchNorm(1)
    layer.beta.value[:] = 3.0
    out = layer.forward(np.full((1, 4, 1), 7.0, np.float32), train=True)
    np.testing.assert_array_equal(out, np.full((1, 4, 1), 3.0))
    assert np.all(np.isfinite(layer.backward(np.ones((1, 4, 1), np.float32))))


def test_parameters():
    layer = BatchNorm(2, penalty=0.5)
    penalties = {name: p.penalty for name, p in layer.parameters().items()}
    assert penalties == {"gamma": 0.5, "beta": 0.5}
