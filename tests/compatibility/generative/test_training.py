"""Training of generators: gradients by finite differences, and what the recipes have in common."""

from dataclasses import replace

import numpy as np
import pytest

from zslib.compatibility.generative.recipes import RECIPES, settings_of
from zslib.compatibility.generative.terms import least_squares
from zslib.compatibility.generative.training import Training

N, P, Q, K = 30, 5, 3, 4


def make(settings, **more):
    rng = np.random.default_rng(1)
    X, S = rng.uniform(0, 1, (N, P)), rng.standard_normal((K + 2, Q))
    codes = rng.integers(K, size=N)
    classifier = rng.standard_normal((P, K)), rng.standard_normal(K)
    settings = replace(settings, **{"n_hidden": 6, "n_steps": 6, "batch_size": 7, **more})
    regressor = least_squares(X, S[codes])
    rng = np.random.default_rng(0)
    return Training(X, codes, S[:K], S[K:], classifier, regressor, settings, rng)


def weights(training):
    return [p.value for p in training.generator.parameters().values()]


@pytest.mark.parametrize("name", RECIPES)
def test_generators_gradient_by_finite_differences(name, check_gradients):
    training = make(settings_of(name), n_noise=Q)
    batch = *training._draw(), *training._draw_unseen()
    parameters = dict(training.generator.parameters())
    if training.encoder:
        parameters |= {f"encoder.{n}": p for n, p in training.encoder.parameters().items()}

    def value():
        for parameter in parameters.values():
            parameter.zero_gradient()
        return float(training.add_gradient(*batch))

    value()
    check_gradients(parameters, value, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["f-CLSWGAN", "cycle-WGAN", "cycle-CLSWGAN", "cycle-UWGAN"])
def test_without_its_terms_a_recipe_is_the_wgan(name):
    nothing = {"classification_weight": 0.0, "cycle_weight": 0.0, "unseen_cycle_weight": 0.0}
    plain, full = (make(settings_of(recipe)) for recipe in ("WGAN", name))
    bare = make(settings_of(name, **nothing))
    assert plain.run() == bare.run() != full.run()
    for one, other in zip(weights(plain), weights(bare), strict=True):
        np.testing.assert_array_equal(one, other)


def test_without_its_critic_the_variational_recipe_is_a_cvae():
    """The critic, whatever it says, moves nothing."""
    settings = settings_of("f-VAEGAN-D2", adversarial_weight=0.0)
    one, other = make(settings), make(settings)
    for layer in other.critic.layers:
        layer.weight.value *= -3.0
    one.run()
    other.run()
    for a, b in zip(weights(one), weights(other), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_linear_gaussian_cvae_finds_least_squares():
    """Residuals vary less than the decoder says: the noise is unused, the mean least squares."""
    settings = settings_of("f-VAEGAN-D2", adversarial_weight=0.0, decoder_variance=1.0)
    training = make(settings, n_steps=500, n_hidden=0, critic_steps=1, learning_rate=0.03)
    training.run()
    A = training.embeddings[training.codes]
    coef, intercept = least_squares(A, training.X)
    (weight, bias), n_noise = weights(training), training.n_noise
    np.testing.assert_allclose(A @ weight[n_noise:] + bias, A @ coef + intercept, atol=0.05)
    assert np.max(np.abs(weight[:n_noise])) < 0.05
