"""Gaussians of autoencoders: values against loops, gradients by finite differences."""

import numpy as np

from zslib.arrays import namespace
from zslib.compatibility.generative.gaussians import GaussianEncoder, distances, divergences


def arrays(n=4, d=3):
    return list(np.random.default_rng(0).standard_normal((4, n, d)))


def divergence(mean, log_variance):
    pairs = zip(mean.ravel(), log_variance.ravel(), strict=True)
    return sum(0.5 * (m**2 + np.exp(v) - 1.0 - v) for m, v in pairs)


def distance(m1, v1, m2, v2):
    squares = (m1 - m2) ** 2 + (np.exp(v1 / 2) - np.exp(v2 / 2)) ** 2
    return sum(np.sqrt(row.sum()) for row in squares)


def test_divergences(check_objective):
    def summed(*given):
        values, gradients = divergences(*given)
        return namespace(values).sum(values), gradients

    check_objective(summed, divergence, arrays()[:2], by=(0, 1))


def test_distances(check_objective):
    def summed(*given):
        values, (one, other) = distances(given[:2], given[2:])
        return namespace(values).sum(values), [*one, *other]

    check_objective(summed, distance, arrays(), by=range(4))


def test_gaussians_that_coincide_pull_nowhere():
    same = arrays()[:2]
    values, gradients = distances(same, same)
    assert not np.any(values)
    assert not np.any(gradients)


def test_the_encoders_gradient_by_its_input(numerical_gradient):
    """Those by its parameters are part of the objective of CADA-VAE."""
    rng = np.random.default_rng(0)
    encoder = GaussianEncoder(3, 5, 2, rng, scale=0.5, like=np.zeros(1))
    x, pulls = rng.standard_normal((4, 3)), rng.standard_normal((2, 4, 2))
    encoder.forward(x, train=True)
    slopes = numerical_gradient(lambda x: np.sum(pulls * encoder.forward(x)), x)
    np.testing.assert_allclose(encoder.backward(pulls), slopes, atol=1e-7)
