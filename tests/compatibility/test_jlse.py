"""JLSE: the objective against loops, ESZSL on fixed codes, and what its codes are."""

import numpy as np
import pytest

from zslib.compatibility import ESZSL, JLSE
from zslib.compatibility.jlse import LOSSES, match_objective, ridge_encoder
from zslib.compatibility.sse import simplex_mixtures


def loop(W, latent, codes, mixtures, regularization, loss):
    k, total = len(mixtures), 0.0
    for z, own in zip(latent, codes, strict=True):
        for c, mixture in enumerate(mixtures):
            gap = 1 - (1 if c == own else -1) * (z @ W @ mixture)
            if loss == "squared_hinge":
                gap = max(gap, 0)
            total += gap**2 * (1 if c == own else 1 / (k - 1))
    return total / (4 * len(latent)) + regularization / 2 * np.sum(W**2)


def draw(seed=0, n=9, d=4, k=5):
    rng = np.random.default_rng(seed)
    mixtures = rng.dirichlet(np.ones(k), k)
    return rng.standard_normal((d, k)), rng.standard_normal((n, d)), np.arange(n) % k, mixtures


@pytest.mark.parametrize("loss", LOSSES)
def test_objective_and_gradients(check_objective, loss):
    def objective(*arguments):
        value, *gradients = match_objective(*arguments, regularization=0.3, loss=loss)
        return value, gradients

    check_objective(objective, lambda *given: loop(*given, 0.3, loss), draw(), by=(0, 1))


def test_codes_are_ridge_codes(backend):
    rng = np.random.default_rng(0)
    D, x = rng.standard_normal((3, 6)), rng.standard_normal(6)
    code = x @ backend.to_numpy(ridge_encoder(backend.asarray(D), 0.4))
    # The gradient of half the squared error and penalty vanishes.
    np.testing.assert_allclose((code @ D - x) @ D.T + 0.4 * code, 0.0, atol=1e-10)


def test_squared_losses_make_it_eszsl_on_codes(problem):
    """With two classes own and other pairs weigh the same, as in ESZSL."""
    two = np.flatnonzero(problem.y < np.sort(np.unique(problem.y))[2])
    X, y = problem.X[two], np.unique(problem.y[two], return_inverse=True)[1]
    S = problem.S[np.unique(problem.y[two])]
    model = JLSE(1e-3, regularization=0.0, loss="squared", tol=1e-10, max_iter=500).fit(X, y, S)
    mixtures = simplex_mixtures(S, S, 1e-3)
    twin = ESZSL(1e-9, 1e-9, other_target=-1.0).fit(X @ model.encoder_, y, mixtures)
    np.testing.assert_allclose(model.coef_, twin.coef_, rtol=1e-4)


def test_more_rounds_lower_the_matches_of_their_own_codes(problem):
    one, three = (JLSE(n_rounds=n).fit(problem.X, problem.y, problem.S) for n in (1, 3))
    means = [problem.X[problem.y == c].mean(axis=0) for c in one.classes_]
    np.testing.assert_allclose(one.dictionary_, means)
    assert not np.allclose(three.dictionary_, one.dictionary_)
    assert (np.linalg.norm(three.dictionary_, axis=1) < 1 + 1e-9).all()
    for model in (one, three):
        assert model.objective_[-1] < model.objective_[0]
        latent = problem.X @ model.encoder_
        mixtures = simplex_mixtures(problem.S, model.seen_embeddings_, 1.0)
        expected = latent @ model.coef_ @ mixtures.T
        np.testing.assert_allclose(model.decision_function(problem.X), expected, rtol=1e-9)
