"""Gaussians of autoencoders: values against loops, gradients by finite differences, PPCA."""

import numpy as np
import pytest

from zslib.arrays import namespace
from zslib.compatibility.generative.gaussians import (
    NOISES,
    GaussianEncoder,
    distances,
    divergences,
    draw,
    draw_gradient,
)


def arrays(n=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n, d)) for _ in range(4)]


def divergence(mean, log_variance):
    return sum(
        0.5 * (m**2 + np.exp(v) - 1.0 - v)
        for m, v in zip(mean.ravel(), log_variance.ravel(), strict=True)
    )


def distance(m1, v1, m2, v2):
    squares = (m1 - m2) ** 2 + (np.exp(v1 / 2) - np.exp(v2 / 2)) ** 2
    return sum(np.sqrt(row.sum()) for row in squares)


def summed(function):
    """The sum over rows, with its gradients."""

    def total(*arguments):
        values, gradients = function(*arguments)
        return namespace(values).sum(values), gradients

    return total


def test_divergences(check_objective):
    check_objective(summed(divergences), divergence, arrays()[:2], by=(0, 1))
    values, gradients = divergences(np.zeros((2, 3)), np.zeros((2, 3)))
    assert not np.any(values)
    assert not np.any(gradients)


def test_distances(check_objective):
    def of_pairs(*given):
        values, gradients = distances(given[:2], given[2:])
        return values, [*gradients[0], *gradients[1]]

    check_objective(summed(of_pairs), distance, arrays(), by=range(4))


def test_gaussians_that_coincide_pull_nowhere():
    mean, log_variance, *_ = arrays()
    values, gradients = distances((mean, log_variance), (mean, log_variance))
    assert not np.any(values)
    assert not np.any(gradients)


@pytest.mark.parametrize("noise", NOISES)
def test_draws(backend, numerical_gradient, noise):
    mean, log_variance, pull, _ = arrays()
    point, offset = draw(
        backend.asarray(mean), backend.asarray(log_variance), np.random.default_rng(5), noise
    )
    rng = np.random.default_rng(5)
    if noise == "textbook":
        drawn, deviation = rng.standard_normal((4, 3)), np.exp(log_variance / 2)
    else:  # one number for each row, and the variance in the place of the deviation
        drawn, deviation = rng.standard_normal((4, 1)), np.exp(log_variance)
    backend.assert_allclose(point, mean + deviation * drawn)
    by_mean, by_log = draw_gradient(backend.asarray(pull), offset, noise)
    backend.assert_equal(by_mean, pull)

    def loss(v):
        return np.sum(pull * (mean + np.exp(v / (2 if noise == "textbook" else 1)) * drawn))

    slopes = numerical_gradient(loss, log_variance)
    backend.assert_allclose(by_log, slopes, atol=1e-7)


def test_encoder(backend, numerical_gradient):
    rng = np.random.default_rng(0)
    encoder = GaussianEncoder(3, 5, 2, rng, scale=0.5, like=backend.asarray(np.zeros(1)))
    x, pulls = rng.standard_normal((4, 3)), rng.standard_normal((2, 4, 2))
    made = encoder.forward(backend.asarray(x), train=True)
    by_x = encoder.backward([backend.asarray(pull) for pull in pulls])
    p = {name: backend.to_numpy(value.value) for name, value in encoder.parameters().items()}
    assert list(p) == [
        f"{part}.{kind}"
        for part in ("body.hidden", "mean", "log_variance")
        for kind in ("weight", "bias")
    ]

    def heads(x, p=p):
        hidden = np.maximum(x @ p["body.hidden.weight"] + p["body.hidden.bias"], 0.0)
        return [hidden @ p[f"{h}.weight"] + p[f"{h}.bias"] for h in ("mean", "log_variance")]

    for ours, expected in zip(made, heads(x), strict=True):
        backend.assert_allclose(ours, expected, atol=1e-12)

    def loss(x, p=p):
        return sum(np.sum(pull * head) for pull, head in zip(pulls, heads(x, p), strict=True))

    backend.assert_allclose(by_x, numerical_gradient(loss, x), atol=1e-7)
    for name, parameter in encoder.parameters().items():
        slopes = numerical_gradient(lambda w, name=name: loss(x, p | {name: w}), p[name])
        backend.assert_allclose(parameter.gradient, slopes, atol=1e-7)
