"""GMMN: the discrepancy against a loop and finite differences; what the generator learns."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from zslib.compatibility import GMMN
from zslib.compatibility.generative.gmmn import discrepancy


def loop(made, images, widths):
    """With the signs and weights of the two samples, as in the authors' code."""
    rows = [(g, 1 / len(made)) for g in made] + [(x, -1 / len(images)) for x in images]
    total = 0.0
    for a, s in rows:
        for b, t in rows:
            for width in widths:
                total += s * t * np.exp(-np.sum((a - b) ** 2) / (2 * width))
    return total**0.5


def test_discrepancy_and_gradient(check_objective):
    rng, widths = np.random.default_rng(0), [0.5, 2.0]
    check_objective(
        lambda *samples: discrepancy(*samples, widths),
        lambda *samples: loop(*samples, widths),
        (rng.standard_normal((4, 3)), rng.standard_normal((5, 3))),
    )


def test_a_sample_does_not_differ_from_itself():
    images = np.random.default_rng(0).standard_normal((5, 3))
    value, gradient = discrepancy(images + 0.0, images[::-1], [1.0])
    assert value == pytest.approx(0.0, abs=1e-7)
    assert np.all(np.isfinite(gradient))


def fitted(problem, n_hidden=(16,), n_steps=1, **parameters):
    model = GMMN(n_hidden, n_noise=4, n_steps=n_steps, random_state=0, **parameters)
    return model.fit(problem.X, problem.y, problem.S)


def test_unit_of_the_bandwidths(problem):
    model = fitted(problem)
    squares = pdist(model.scale_ * problem.X, "sqeuclidean")
    assert model.bandwidth_ == pytest.approx(np.mean(squares))


def test_generated_features_come_to_resemble_images(problem):
    model = fitted(problem, (64,), 200, learning_rate=5e-3)
    curve = model.learning_curve_
    assert len(curve) == 100
    assert np.mean(curve[-10:]) < 0.5 * curve[0]
    classes = np.unique(problem.y)
    made = model._generate(problem.S[classes], 200, np.random.default_rng(0))
    made = made.reshape(len(classes), 200, -1)
    means = np.array([model.scale_ * problem.X[problem.y == c].mean(axis=0) for c in classes])
    missed = np.linalg.norm(made.mean(axis=1) - means) / np.linalg.norm(means - means.mean(axis=0))
    assert missed < 0.5


def test_generator_is_its_layers(problem):
    model = fitted(problem, (16, 8), 30)
    S = problem.S[:3]
    made = model._generate(3.0 * S, 2, np.random.default_rng(5))
    noise = np.random.default_rng(5).standard_normal((6, 4))
    x = np.hstack([8**0.5 * np.repeat(S, 2, axis=0), noise])  # they have length one
    layers = model.network_.layers
    for name in ("linear1", "linear2", "linear3"):
        x = np.where(x > 0, x, 0.2 * x) if name != "linear1" else x
        x = x @ layers[name].weight.value + layers[name].bias.value
    np.testing.assert_allclose(made, x)
