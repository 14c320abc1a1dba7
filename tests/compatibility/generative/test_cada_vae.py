"""CADA-VAE: the objective against a loop and finite differences; what the definition implies."""

import numpy as np
import pytest

from zslib.compatibility import CADAVAE
from zslib.compatibility.generative.cada_vae import RAMPS, AlignedVAEs, ramp

SMALL = {"n_hidden": (30, 30, 20, 20), "random_state": 0}
WEIGHTS = {"divergence": 0.3, "cross": 0.7, "distance": 1.3}


def loop(p, x, a, rng, *, divergence, cross, distance):
    """The objective of each row by its definition, from the dictionary of parameters."""

    def layer(name, v):
        return v @ p[f"{name}.weight"] + p[f"{name}.bias"]

    def encode(side, v):
        hidden = np.maximum(layer(f"{side}_encoder.body.hidden", v), 0.0)
        return [layer(f"{side}_encoder.{head}", hidden) for head in ("mean", "log_variance")]

    def decode(side, z):
        hidden = np.maximum(layer(f"{side}_decoder.linear1", z), 0.0)
        return layer(f"{side}_decoder.linear2", hidden)

    n = len(x)
    noises = rng.standard_normal((n, 1)), rng.standard_normal((n, 1))
    total = 0.0
    for i in range(n):
        z, gaussians = {}, {}
        for side, row, epsilon in (("image", x[i], noises[0][i]), ("class", a[i], noises[1][i])):
            mean, log_variance = gaussians[side] = encode(side, row)
            z[side] = mean + np.exp(log_variance) * epsilon
            total += divergence * 0.5 * np.sum(mean**2 + np.exp(log_variance) - 1 - log_variance)
        for side, other, row in (("image", "class", x[i]), ("class", "image", a[i])):
            total += np.abs(row - decode(side, z[side])).sum()
            total += cross * np.abs(row - decode(side, z[other])).sum()
        (m1, v1), (m2, v2) = gaussians["image"], gaussians["class"]
        squares = (m1 - m2) ** 2 + (np.exp(v1 / 2) - np.exp(v2 / 2)) ** 2
        total += distance * np.sqrt(squares.sum())
    return total / n


def test_objective_and_gradients(backend, numerical_gradient):
    rng = np.random.default_rng(0)
    vaes = AlignedVAEs((3, 2), (4, 5, 3, 4), 2, rng, like=backend.asarray(np.zeros(1)))
    x, a = rng.standard_normal((4, 3)), rng.standard_normal((4, 2))
    value = vaes.step(*map(backend.asarray, (x, a)), np.random.default_rng(3), **WEIGHTS)
    p = {name: backend.to_numpy(part.value) for name, part in vaes.parameters().items()}

    def expected(**moved):
        return loop(p | moved, x, a, np.random.default_rng(3), **WEIGHTS)

    assert float(value) == pytest.approx(expected(), rel=1e-12)
    for name, parameter in vaes.parameters().items():
        slopes = numerical_gradient(lambda w, name=name: expected(**{name: w}), p[name])
        backend.assert_allclose(parameter.gradient, slopes, atol=1e-6, err_msg=name)


def test_weights_grow_along_their_ramps(problem, monkeypatch):
    given, step = [], AlignedVAEs.step

    def watched(self, *arrays, **weights):
        given.append(weights)
        return step(self, *arrays, **weights)

    monkeypatch.setattr(AlignedVAEs, "step", watched)
    ends = {f"{name}_weight": end for name, end in WEIGHTS.items()}
    CADAVAE(3, n_steps=10, **ends, **SMALL).fit(problem.X, problem.y, problem.S)
    for i, weights in enumerate(given):
        assert weights == {n: end * ramp(i / 10, *RAMPS[n]) for n, end in WEIGHTS.items()}


def test_ramps():
    found = [ramp(share, 0.2, 0.6) for share in (0.0, 0.2, 0.4, 0.6, 1.0)]
    assert found == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])
    # The authors' rates, in an epoch of 100.
    rates = {"divergence": 0.0026, "cross": 0.044, "distance": 0.54}
    ends = {"divergence": 0.25, "cross": 2.37, "distance": 8.13}
    for name, (start, end) in RAMPS.items():
        assert ends[name] / (100 * (end - start)) == pytest.approx(rates[name], rel=0.07)


def test_points_of_the_classifier(problem):
    """Draws from images for seen classes, repeated where few; from vectors for others."""
    model = CADAVAE(3, n_steps=5, n_seen=7, **SMALL).fit(problem.X, problem.y, problem.S)
    codes, images = np.array([4, 4, 4, 1, 1]), model.scale_ * problem.X
    means = model._represent(images)
    assert means.var(axis=0).mean() == pytest.approx(1.0)
    points, labels = model._represent_seen(images[:5], codes, np.random.default_rng(0))
    np.testing.assert_array_equal(labels, [1] * 7 + [4] * 7)
    # The scalar noise moves a point along one direction from its image's mean.
    _, log_variance = model._vaes.image_encoder.forward(images)
    rows = [3, 4, 3, 4, 3, 4, 3, 0, 1, 2, 0, 1, 2, 0]
    moved = (points - means[rows]) * model._unit / np.exp(log_variance[rows])
    np.testing.assert_allclose(moved, np.tile(moved[:, :1], 3), atol=1e-10)
    made = model._generate(problem.S[:2], 4000, np.random.default_rng(0))
    centres = model._vaes.class_encoder.forward(problem.S[:2])[0] / model._unit
    spread = made.std(axis=0).max() / 4000**0.5
    np.testing.assert_allclose(made.reshape(2, 4000, 3).mean(axis=1), centres, atol=6 * spread)
