"""DeViSE: the hinge sum as an objective, and the original's first violating label."""

import numpy as np
import pytest

from zslib.compatibility import DeViSE
from zslib.compatibility.ranking.loss import every_violation
from zslib.compatibility.ranking.training import train_by_ranking


def hinge_sum(W, X, y, S, margin):
    total = 0.0
    for i in range(len(X)):
        scores = X[i] @ W @ S.T
        for c in range(len(S)):
            if c != y[i]:
                total += max(0.0, margin + scores[c] - scores[y[i]])
    return total / len(X)


def test_step_follows_finite_differences_of_the_hinge_sum(numerical_gradient):
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((9, 3)), rng.standard_normal((5, 4)), np.arange(9) % 5
    W = rng.standard_normal((3, 4))
    numeric = numerical_gradient(lambda w: hinge_sum(w, X, y, S, 0.8), W)
    moved = W.copy()
    options = {"learning_rate": 1.0, "n_epochs": 1, "batch_size": 9, "regularization": 0.25}
    options |= {"margin": 0.8, "rng": np.random.default_rng(0)}
    curve = train_by_ranking(moved, X, y, S, lambda R, own: every_violation(R), **options)
    np.testing.assert_allclose(W - moved, numeric + 0.5 * W, atol=1e-7)
    assert curve == [pytest.approx(hinge_sum(W, X, y, S, 0.8))]


def test_learning_curve_is_the_hinge_sum(problem):
    model = DeViSE(0.4, learning_rate=0.1, n_epochs=30, random_state=0)
    model.fit(problem.X, problem.y, problem.S)
    codes = np.searchsorted(model.classes_, problem.y)
    final = hinge_sum(model.coef_, problem.X, codes, problem.S[model.classes_], 0.4)
    assert model.learning_curve_[0] > model.learning_curve_[-1]
    assert final == pytest.approx(model.learning_curve_[-1], rel=0.1)


def slow_first_violating(X, y, S, *, margin, rate, n_epochs, seed):
    """Labels are tried one after the other, in the order of the model's random keys."""
    rng = np.random.default_rng(seed)
    W = np.zeros((X.shape[1], S.shape[1]))
    for _ in range(n_epochs):
        for i in rng.permutation(len(X)):
            scores = X[i] @ W @ S.T
            for c in np.argsort(-rng.random(len(S))):
                if c != y[i] and margin + scores[c] - scores[y[i]] > 0:
                    W = W - rate * np.outer(X[i], S[c] - S[y[i]])
                    break
    return W


def test_first_violating_label_step_by_step():
    rng = np.random.default_rng(3)
    X, S, y = rng.standard_normal((12, 3)), rng.standard_normal((5, 4)), np.arange(12) % 5
    model = DeViSE(
        learning_rate=0.1, n_epochs=3, first_violating=True, batch_size=1, random_state=8
    ).fit(X, y, S)
    expected = slow_first_violating(X, y, S, margin=1.0, rate=0.1, n_epochs=3, seed=8)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)
