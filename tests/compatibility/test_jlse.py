"""JLSE: the objective against a loop, and what its codes are."""

from functools import partial

import numpy as np

from zslib.compatibility import JLSE
from zslib.compatibility.jlse import match_objective, ridge_encoder
from zslib.compatibility.sse import simplex_mixtures


def loop(W, latent, codes, mixtures, regularization):
    k, total = len(mixtures), 0.0
    for z, own in zip(latent, codes, strict=True):
        for c, mixture in enumerate(mixtures):
            gap = max(1 - (1 if c == own else -1) * (z @ W @ mixture), 0)
            total += gap**2 * (1 if c == own else 1 / (k - 1))
    return total / (4 * len(latent)) + regularization / 2 * np.sum(W**2)


def draw(seed=0, n=9, d=4, k=5):
    rng = np.random.default_rng(seed)
    mixtures = rng.dirichlet(np.ones(k), k)
    return rng.standard_normal((d, k)), rng.standard_normal((n, d)), np.arange(n) % k, mixtures


def test_objective_and_gradient(check_objective):
    gradient = partial(match_objective, regularization=0.3)
    check_objective(gradient, partial(loop, regularization=0.3), draw())


def test_codes_are_ridge_codes(backend):
    rng = np.random.default_rng(0)
    D, x = rng.standard_normal((3, 6)), rng.standard_normal(6)
    code = x @ backend.to_numpy(ridge_encoder(backend.asarray(D), 0.4))
    # The gradient of half the squared error and penalty vanishes.
    np.testing.assert_allclose((code @ D - x) @ D.T + 0.4 * code, 0.0, atol=1e-10)


def test_scores_are_of_codes_on_the_class_means(problem):
    model = JLSE().fit(problem.X, problem.y, problem.S)
    means = [problem.X[problem.y == c].mean(axis=0) for c in model.classes_]
    np.testing.assert_allclose(model.dictionary_, means)
    assert model.objective_[-1] < model.objective_[0]
    latent = problem.X @ model.encoder_
    mixtures = simplex_mixtures(problem.S, model.seen_embeddings_, 1.0)
    expected = latent @ model.coef_ @ mixtures.T
    np.testing.assert_allclose(model.decision_function(problem.X), expected, rtol=1e-9)
