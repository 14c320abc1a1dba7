"""The critic: scores against a loop, gradients against finite differences, closed cases."""

import numpy as np
import pytest

from zslib.arrays import like
from zslib.compatibility.generative.critic import Critic

P, Q = 4, 3
DEPTHS = pytest.mark.parametrize("hidden", [(), (5, 3), (4, 5, 3)])


def make(hidden, array=None):
    """A critic with biases, whose units are far from their kinks on the small batch."""
    rng = np.random.default_rng(0)
    array = np.zeros(1) if array is None else array
    critic = Critic(P, Q, hidden, rng, init="normal", scale=0.7, like=array)
    for layer in critic.layers:
        noise = 0.3 * rng.standard_normal(layer.bias.value.shape)
        layer.bias.value += like(noise.astype("float32"), array)
    return critic


def batch(n=6):
    rng = np.random.default_rng(1)
    return (rng.standard_normal((n, width)) for width in (P, P, Q))


def loop(layers, x, a, slope=0.2):
    """Score of one pair."""
    values = np.concatenate([x, a])
    for layer in layers:
        units = [
            values @ w + b for w, b in zip(layer.weight.value.T, layer.bias.value, strict=True)
        ]
        values = np.array([u if u > 0 else slope * u for u in units])
    return units[0]


@DEPTHS
def test_scores_and_slopes(hidden, numerical_gradient):
    critic = make(hidden)
    x, _, a = batch()
    scores, slopes = critic.scores(x, a), critic.slopes(x, a)
    for i in range(len(x)):
        assert scores[i] == pytest.approx(loop(critic.layers, x[i], a[i]), abs=1e-12)
        by_x = numerical_gradient(lambda v, i=i: loop(critic.layers, v, a[i]), x[i])
        np.testing.assert_allclose(slopes[i], by_x, atol=1e-8)


@DEPTHS
def test_gradients_by_finite_differences(hidden, check_gradients):
    critic = make(hidden)
    real, fake, a = batch()

    def gap():
        return float(np.mean(critic.scores(fake, a)) - np.mean(critic.scores(real, a)))

    def penalty():
        lengths = np.linalg.norm(critic.slopes(real, a), axis=1)
        return float(10.0 * np.mean((lengths - 1) ** 2))

    for value, add in (
        (gap, lambda: critic.add_gap(real, fake, a)),
        (penalty, lambda: critic.add_penalty(real, a, 10.0)),
    ):
        assert float(add()) == pytest.approx(value(), rel=1e-12)
        check_gradients(critic.parameters(), value, atol=2e-7)
        for parameter in critic.parameters().values():
            parameter.zero_gradient()


def test_no_penalty_at_slope_one_and_no_gradient_at_slope_zero():
    critic = make(())
    weight = critic.layers[0].weight
    x, _, a = batch()
    weight.value[:P, 0] = [0.6, 0.0, 0.8, 0.0]
    assert float(critic.add_penalty(x, a, 10.0)) == pytest.approx(0.0, abs=1e-25)
    np.testing.assert_allclose(weight.gradient, 0.0, atol=1e-14)
    weight.zero_gradient()
    weight.value[:P, 0] = 0.0
    assert float(critic.add_penalty(x, a, 10.0)) == 10.0
    assert not np.any(weight.gradient)


def test_every_library_in_single_precision(backend):
    critics = []
    for send in (np.asarray, backend.asarray):
        real, fake, a = (send(part.astype("float32")) for part in batch())
        critics.append(make((5, 3), real))
        critics[-1].add_gap(real, fake, a)
        critics[-1].add_penalty(real, a, 10.0)
    host, there = (critic.parameters() for critic in critics)
    for name, parameter in there.items():
        assert backend.to_numpy(parameter.gradient).dtype == np.float32
        backend.assert_allclose(parameter.gradient, host[name].gradient, atol=1e-5)
