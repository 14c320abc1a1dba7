"""SAE against its objective, its Sylvester equation and SciPy's solver."""

import numpy as np
import pytest
from scipy.linalg import solve_sylvester

from zslib.arrays import unit_rows
from zslib.compatibility import SAE


def equation(W, X, rows, lam):
    """Left less right side of the Sylvester equation."""
    return rows.T @ rows @ W + lam * W @ X.T @ X - (1 + lam) * rows.T @ X


@pytest.mark.parametrize("lam", [0.01, 1.0, 300.0])
def test_solves_its_sylvester_equation(backend, problem, lam):
    X, y, S = problem.X, problem.y, problem.S
    model, rows = SAE(lam).fit(*map(backend.asarray, (X, y, S))), S[y]
    expected = solve_sylvester(rows.T @ rows, lam * X.T @ X, (1 + lam) * rows.T @ X)
    backend.assert_allclose(model.coef_, expected, rtol=1e-7, atol=1e-9)


def test_objective_is_at_its_minimum(problem, numerical_gradient):
    X, rows, lam = problem.X, problem.S[problem.y], 2.5

    def objective(W):
        return np.sum((X - rows @ W) ** 2) + lam * np.sum((X @ W.T - rows) ** 2)

    W = SAE(lam).fit(X, problem.y, problem.S).coef_
    slopes, elsewhere = (numerical_gradient(objective, V) for V in (W, W + 0.1))
    assert np.abs(slopes).max() < 1e-6 * np.abs(elsewhere).max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dead_features_and_dependent_attributes(dtype, problem):
    X, S = problem.X.copy(), problem.S
    X[:, 3], X[:, 7] = 0.0, X[:, 2]
    S = np.concatenate([S, S[:, :2] - S[:, 1:3], 0 * S[:, :1]], axis=1)
    model = SAE(0.5).fit(X.astype(dtype), problem.y, S.astype(dtype))
    residual = equation(model.coef_.astype("float64"), X, S[problem.y], 0.5)
    size = np.abs(1.5 * S[problem.y].T @ X).max()
    assert np.abs(residual).max() < size * (1e-10 if dtype == "float64" else 1e-4)
    assert np.abs(model.coef_).max() < 10
    # A dead feature is decoded to zero; copies of a feature get the same.
    np.testing.assert_allclose(model.coef_[:, 3], 0.0, atol=1e-4)
    np.testing.assert_allclose(model.coef_[:, 7], model.coef_[:, 2], atol=1e-3)


def test_more_attributes_than_classes_and_features_than_samples(problem):
    few = np.flatnonzero(np.isin(problem.y, np.unique(problem.y)[:3]))[::10]
    X, y, S = problem.X[few], problem.y[few], problem.S
    W = SAE().fit(X, y, S).coef_
    assert X.shape[0] < X.shape[1]
    np.testing.assert_allclose(equation(W, X, S[y], 1.0), 0, atol=1e-9)


@pytest.mark.parametrize("direction", ["semantic_to_feature", "feature_to_semantic"])
def test_scores_are_cosines(backend, problem, direction):
    X, S = problem.X[::10], problem.S
    model = SAE(direction=direction).fit(*map(backend.asarray, (problem.X, problem.y, S)))
    W = backend.to_numpy(model.coef_)
    A, B = (X, S @ W) if direction == "semantic_to_feature" else (X @ W.T, S)
    scores = model.decision_function(backend.asarray(X), backend.asarray(S))
    backend.assert_allclose(scores, unit_rows(A) @ unit_rows(B).T, rtol=1e-9, atol=1e-12)
