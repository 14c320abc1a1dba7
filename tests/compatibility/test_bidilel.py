"""BiDiLEL: the graph's sums against the graph, LDA as a special case, the Sammon map."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from zslib.arrays import unit_rows
from zslib.compatibility import BiDiLEL
from zslib.compatibility.bidilel import (
    place_among_landmarks,
    sammon_objective,
    slpp_directions,
    slpp_sums,
)


def graph_of(X, codes, n_neighbors):
    """The graph as a whole, pair by pair."""
    joined, places = [], range(len(X))
    for x, c in zip(X, codes, strict=True):
        own = np.flatnonzero(codes == c)
        nearest = own[np.argsort(np.linalg.norm(X[own] - x, axis=1))]
        joined.append(nearest[: None if n_neighbors is None else n_neighbors + 1])
    return np.array([[float(j in joined[i] or i in joined[j]) for j in places] for i in places])


@pytest.mark.parametrize("n_neighbors", [None, 1, 3, 50])
def test_sums_are_those_of_the_graph(backend, n_neighbors):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((20, 4)), rng.integers(0, 3, 20)
    found = slpp_sums(backend.asarray(X), backend.asarray(codes), 3, n_neighbors)
    w = graph_of(X, codes, n_neighbors)
    D = np.diag(w.sum(axis=1))
    backend.assert_allclose(found[0], X.T @ D @ X, atol=1e-10)
    backend.assert_allclose(found[1], X.T @ (D - w) @ X, atol=1e-10)


def test_directions_solve_the_generalised_problem(backend):
    rng = np.random.default_rng(0)
    A, B = (M @ M.T for M in rng.standard_normal((2, 5, 7)))
    found = slpp_directions(backend.asarray(A), backend.asarray(B), 0.3, 3)
    values, P = map(backend.to_numpy, found)
    B = B + 0.3 * np.eye(5)
    np.testing.assert_allclose(values, eigh(A, B, eigvals_only=True)[::-1][:3])
    np.testing.assert_allclose(A @ P, B @ P * values, atol=1e-10)
    np.testing.assert_allclose(P.T @ B @ P, np.eye(3), atol=1e-12)


def test_balanced_classes_give_discriminant_analysis():
    """All joined, centred, no penalty: the eigenvalues of LDA + 1, and its subspace."""
    rng = np.random.default_rng(0)
    k, m, p = 4, 15, 6
    codes = np.repeat(np.arange(k), m)
    X = rng.standard_normal((k, p))[codes] + rng.standard_normal((k * m, p))
    X -= X.mean(axis=0)
    total, within = slpp_sums(X, codes, k)
    np.testing.assert_allclose(total, m * X.T @ X)
    values, P = slpp_directions(total, within, 0.0, k - 1)
    scatter = sum(np.cov(X[codes == c].T, bias=True) * m for c in range(k))
    lda = eigh(X.T @ X - scatter, scatter, eigvals_only=True)[::-1][: k - 1]
    np.testing.assert_allclose(values, lda + 1)
    other = LinearDiscriminantAnalysis(solver="eigen").fit(X, codes).scalings_[:, : k - 1]
    Q, R = np.linalg.qr(P)[0], np.linalg.qr(other)[0]
    np.testing.assert_allclose(Q @ Q.T, R @ R.T, atol=1e-8)


def stress(B, landmarks, to_landmarks, among):
    u, k = to_landmarks.shape
    total = 0.0
    for i, b in enumerate(B):
        for j, landmark in enumerate(landmarks):
            wanted = to_landmarks[i, j]
            total += (np.linalg.norm(b - landmark) - wanted) ** 2 / wanted / (k * u)
        for j in range(i):
            if among[i, j]:
                error = np.linalg.norm(b - B[j]) - among[i, j]
                total += 2 / (u * (u - 1)) * error**2 / among[i, j]
    return total


@pytest.mark.parametrize("u", [1, 4])
def test_sammon_objective_and_gradient(check_objective, u):
    rng = np.random.default_rng(0)
    landmarks, B = rng.standard_normal((5, 3)), rng.standard_normal((u, 3))
    S = rng.standard_normal((5 + u, 4))
    S[-1] = S[-2] if u > 1 else S[-1]  # two classes that coincide
    arguments = B, landmarks, cdist(S[5:], S[:5]), cdist(S[5:], S[5:])
    check_objective(sammon_objective, stress, arguments, rel=1e-10, rtol=1e-5, atol=1e-8)


def test_distances_that_fit_are_recovered():
    rng = np.random.default_rng(0)
    places = rng.standard_normal((12, 3))
    landmarks, B = places[:8], places[8:]
    wanted = cdist(B, landmarks), cdist(B, B)
    found = place_among_landmarks(landmarks, *wanted, max_iter=500, tol=1e-12)
    np.testing.assert_allclose(found, B, atol=1e-5)


def fitted(problem):
    return BiDiLEL(n_components=5).fit(problem.X, problem.y, problem.S)


def test_seen_classes_have_their_landmarks(problem):
    model, seen = fitted(problem), np.unique(problem.y)
    places = model.place(problem.S[::-1])[::-1]
    np.testing.assert_allclose(places[seen], model.landmarks_)
    projected = problem.X @ model.coef_
    projected = unit_rows(projected - projected.mean(axis=0))
    means = unit_rows(np.array([projected[problem.y == c].mean(axis=0) for c in seen]))
    np.testing.assert_allclose(model.landmarks_, means)
    found = model.decision_function(problem.X)
    np.testing.assert_allclose(found, -cdist(projected, places), atol=1e-7)


def test_new_classes_place_each_other(problem):
    model = fitted(problem)
    all_of_them = model.place(problem.S_unseen)
    np.testing.assert_allclose(model.place(problem.S)[problem.unseen], all_of_them, atol=1e-12)
    backwards = model.place(problem.S_unseen[::-1])[::-1]
    np.testing.assert_allclose(backwards, all_of_them, atol=1e-3)
    assert not np.allclose(model.place(problem.S_unseen[:2]), all_of_them[:2], atol=1e-2)
    twins = model.place(problem.S_unseen[[0, 0, 1]])
    np.testing.assert_allclose(twins[0], twins[1], atol=1e-6)
