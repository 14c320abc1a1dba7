"""CNZSL: the network against plain matrices, its objective against finite differences."""

import numpy as np
import pytest

from zslib.arrays import unit_rows
from zslib.compatibility import CNZSL
from zslib.compatibility.cnzsl import scaled_cosine_objective


def loop(prototypes, images, codes, scale=1.7):
    total = 0.0
    for x, own in zip(images, codes, strict=True):
        scores = [scale**2 * (x @ p) / np.linalg.norm(p) / np.linalg.norm(x) for p in prototypes]
        total += np.log(np.sum(np.exp(scores))) - scores[own]
    return total / len(images)


def test_objective_and_gradient(check_objective):
    rng = np.random.default_rng(0)
    prototypes, images = rng.standard_normal((4, 3)), rng.standard_normal((6, 3))
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    arguments = prototypes, images, rng.integers(0, 4, 6)
    check_objective(lambda *given: scaled_cosine_objective(*given, 1.7), loop, arguments)


def test_a_prototype_of_length_zero_stays():
    images, codes = np.eye(3), np.array([0, 1, 1])
    prototypes = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    value, gradient = scaled_cosine_objective(prototypes, images, codes, 5.0)
    assert np.isfinite(value)
    np.testing.assert_array_equal(gradient[1], 0.0)


def test_prototypes_and_scores(problem):
    parameters = {"scale": 5.0, "n_epochs": 3, "random_state": 0}
    model = CNZSL(16, **parameters).fit(problem.X, problem.y, problem.S)
    layers = model.network_.layers

    def linear(x, name):
        return x @ layers[name].weight.value + layers[name].bias.value

    def norm(x, name):
        layer = layers[name]
        assert np.all(layer.gamma.value == 1.0) and np.all(layer.beta.value == 0.0)
        return (x - layer.running_mean) / np.sqrt(layer.running_variance + 1e-5)

    S = problem.S * 8**0.5  # they have length one
    hidden = np.maximum(linear(S, "first"), 0.0)
    hidden = np.maximum(norm(linear(hidden, "second"), "norm1"), 0.0)
    expected = linear(norm(hidden, "norm2"), "last")
    found = model.prototypes(3.0 * problem.S)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    scores = model.decision_function(0.1 * problem.X, problem.S)
    cosines = unit_rows(problem.X) @ unit_rows(expected).T
    np.testing.assert_allclose(scores, 25.0 * cosines, atol=1e-10)


def test_start_of_the_last_layer(problem):
    network = CNZSL(400)._network(problem.S, 12, np.random.default_rng(0))
    found = network.layers["last"].weight.value.std()
    assert found == pytest.approx((400 * 12) ** -0.5, rel=0.05)
