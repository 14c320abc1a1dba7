"""Linear layers with activations between them, composed by hand."""

import numpy as np

from zslib.nn import LeakyReLU, Linear, dense_layers


def test_layers_are_drawn_and_applied_in_order(backend):
    like = backend.asarray(np.zeros(1))
    options = {"activation": lambda: LeakyReLU(0.1), "like": like}
    network = dense_layers((3, 4, 2, 1), np.random.default_rng(0), **options)
    rng = np.random.default_rng(0)
    x = expected = np.random.default_rng(1).standard_normal((5, 3))
    for j, (a, b) in enumerate(((3, 4), (4, 2), (2, 1))):
        layer = Linear(a, b, rng, like=np.zeros(1))
        expected = expected @ layer.weight.value + layer.bias.value
        if j < 2:
            expected = np.where(expected > 0, expected, 0.1 * expected)
    backend.assert_allclose(network.forward(backend.asarray(x)), expected, rtol=1e-6)
