"""ESZSL against its printed objective and the dense formula."""

import numpy as np
import pytest

from zslib.compatibility import ESZSL


def one_against_all(y, classes, other=0.0):
    return np.where(y[:, None] == classes[None, :], 1.0, other)


def objective(W, X, Y, S, gamma, lam):
    """The paper's, norm by norm."""
    norm = np.linalg.norm
    fit = norm(X @ W @ S.T - Y) ** 2
    return fit + gamma * norm(W @ S.T) ** 2 + lam * norm(X @ W) ** 2 + gamma * lam * norm(W) ** 2


@pytest.mark.parametrize(
    ("gamma", "lam", "other"), [(1.0, 1.0, -1.0), (0.01, 10.0, 0.0), (100.0, 0.1, -0.3)]
)
def test_closed_form(backend, problem, gamma, lam, other):
    X, y, S = problem.X, problem.y, problem.S
    model = ESZSL(gamma, lam, other_target=other)
    model.fit(*map(backend.asarray, (X, y, S)))
    classes = np.unique(y)
    Y, seen = one_against_all(y, classes, other), S[classes]
    left = np.linalg.inv(X.T @ X + gamma * np.eye(X.shape[1]))
    right = np.linalg.inv(seen.T @ seen + lam * np.eye(S.shape[1]))
    expected = left @ X.T @ Y @ seen @ right
    backend.assert_allclose(model.coef_, expected, rtol=1e-8, atol=1e-12)
    backend.assert_equal(model.classes_, classes)


def test_objective_is_at_its_minimum(problem, numerical_gradient):
    X, y, S = problem.X[::5], problem.y[::5], problem.S
    classes = np.unique(y)
    W = ESZSL(0.7, 0.3, other_target=-1.0).fit(X, y, S).coef_
    data = X, one_against_all(y, classes, -1.0), S[classes], 0.7, 0.3
    slopes = numerical_gradient(lambda W: objective(W, *data), W)
    elsewhere = numerical_gradient(lambda W: objective(W, *data), W + 0.1)
    assert np.abs(slopes).max() < 1e-6 * np.abs(elsewhere).max()


def test_under_unequal_lengths(problem):
    X, y, S = problem.X, problem.y, problem.S
    lengths = np.random.default_rng(0).uniform(0.2, 5.0, (len(S), 1))
    unit = S / np.linalg.norm(S, axis=1, keepdims=True)
    plain = ESZSL().fit(X, y, unit)
    expected = plain.decision_function(X, unit)
    model = ESZSL(unit_embeddings=True).fit(X, y, lengths * S)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X, S[2:] / 7), expected[:, 2:], atol=1e-9)
    longer = np.linspace(1.0, 100.0, len(S))[:, None] * unit
    assert np.any(plain.predict(X, longer) != plain.predict(X, unit))
    assert np.all(model.predict(X, longer) == model.predict(X, unit))
    with pytest.raises(ValueError, match="class_embeddings has 1 zero row"):
        model.decision_function(X, np.concatenate([S[:1], 0 * S[:1]]))
