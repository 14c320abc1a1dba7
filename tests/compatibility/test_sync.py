"""SynC: the objectives against loops and finite differences; how phantom classifiers combine."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import pdist
from sklearn.svm import LinearSVC

from zslib import arrays
from zslib.compatibility import SynC
from zslib.compatibility.sync import class_margins, similarities, squared_hinge_objective


def one_vs_other(W, X, codes, lam=0.3):
    total = 0.0
    for x, own in zip(X, codes, strict=True):
        for c, w in enumerate(W.T):
            total += max(0.0, 1.0 - (1.0 if c == own else -1.0) * (x @ w)) ** 2
    return total / len(X) / W.shape[1] + 0.5 * lam * np.sum(W**2)


def crammer_singer(W, X, codes, margins, lam=0.3):
    total = 0.0
    for x, own in zip(X, codes, strict=True):
        total += max(margins[own, c] + x @ (w - W[:, own]) for c, w in enumerate(W.T)) ** 2
    return total / len(X) + 0.5 * lam * np.sum(W**2)


def random_case():
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((9, 3)), rng.integers(0, 4, 9)
    return rng.standard_normal((3, 4)), X, codes, rng.standard_normal((4, 2))


@pytest.mark.parametrize("loss", ["one_vs_other", "crammer_singer", "structured"])
def test_objective_and_gradient(backend, check_objective, loss, monkeypatch):
    monkeypatch.setattr(arrays, "ENTRIES", 20)
    W, X, codes, S = random_case()
    margins = class_margins(backend.asarray(S), loss)
    if loss == "one_vs_other":
        assert margins is None
        loop = one_vs_other
    else:
        table = np.array([[np.linalg.norm(a - b) for b in S] for a in S])
        if loss == "crammer_singer":
            table = 1.0 * (table > 0)
        backend.assert_allclose(margins, table, atol=1e-7)
        loop = partial(crammer_singer, margins=table)

    def objective(*given):
        return squared_hinge_objective(*given, 0.3, margins)

    check_objective(objective, loop, (W, X, codes), rel=1e-7, atol=1e-6)


def test_far_from_all_phantom_classes_the_nearest_takes_all():
    far = similarities(np.array([[1e3, 0.0]]), np.array([[0.0, 0.0], [1.0, 0.0]]), 0.1)
    np.testing.assert_allclose(far, [[0.0, 1.0]])


def test_classifiers_of_seen_classes_are_support_vector_machines(problem):
    X, y, S = problem.X, problem.y, problem.S
    lam, k = 1e-2, 12
    model = SynC(regularization=lam, tol=1e-7, max_iter=1000).fit(X, y, S)
    options = {"dual": False, "fit_intercept": False, "tol": 1e-10, "max_iter": 10000}
    peer = LinearSVC(C=1 / (lam * len(X) * k), **options).fit(X, y)
    found = model.decision_function(X, S[model.classes_])
    np.testing.assert_allclose(found, peer.decision_function(X), atol=1e-4)
    assert all(a >= b for a, b in pairwise(model.objective_))
    assert model.n_iter_ == len(model.objective_) - 1


def test_any_class_mixes_the_phantom_classifiers(backend, problem):
    S = 3.0 * problem.S
    inputs = (backend.asarray(array) for array in (problem.X, problem.y, S))
    model = SynC(0.4, regularization=1e-2).fit(*inputs)
    V, phantoms = backend.to_numpy(model.coef_).T, backend.to_numpy(model.phantom_embeddings_)
    # The median distance of two seen classes is the unit of sigma.
    unit = np.median(pdist(problem.S[np.unique(problem.y)]))
    assert model.distance_ == pytest.approx(unit)
    np.testing.assert_allclose(phantoms, problem.S[np.unique(problem.y)], rtol=1e-12)
    X = problem.X_unseen[::9]
    scores = model.decision_function(backend.asarray(X), backend.asarray(S))
    for s, column in zip(problem.S, backend.to_numpy(scores).T, strict=True):
        weights = np.exp(-np.sum((s - phantoms) ** 2, axis=1) / (0.4 * unit) ** 2)
        np.testing.assert_allclose(column, X @ (weights / weights.sum() @ V), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("loss", ["crammer_singer", "structured"])
def test_losses_with_kinks_come_near_their_minimum(problem, loss):
    X, y, S = problem.X, problem.y, problem.S
    model = SynC(loss=loss, regularization=1e-2).fit(X, y, S)
    classes, codes = np.unique(y, return_inverse=True)
    margins = class_margins(S[classes] / model.distance_, loss)

    def objective(flat):
        value, gradient = squared_hinge_objective(flat.reshape(12, 12), X, codes, 1e-2, margins)
        return value, gradient.ravel()

    start = 0.01 * np.random.default_rng(0).standard_normal(144)
    best = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).fun
    assert model.objective_[-1] < 1.01 * best


@pytest.mark.parametrize("sigma", [0.5, 1.0])
@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-8])
def test_coincident_class_vectors(problem, sigma, apart):
    # Nearly coincident ones, as in Caltech-101, once gave classifiers of length 1e12.
    S = problem.S.copy()
    twins = np.unique(problem.y)[:2]
    S[twins[1]] = S[twins[0]] + apart * S[twins[0], ::-1]
    scores = SynC(sigma, regularization=1e-2).fit(problem.X, problem.y, S).decision_function
    np.testing.assert_allclose(*scores(problem.X, S)[:, twins].T, atol=1e-5)
    # They share the mean of their classifiers; all others keep their own.
    alone = SynC(0.2, regularization=1e-2).fit(problem.X, problem.y, problem.S)
    expected = alone.decision_function(problem.X, problem.S)
    expected[:, twins] = expected[:, twins].mean(axis=1, keepdims=True)
    seen = alone.classes_
    np.testing.assert_allclose(scores(problem.X, S)[:, seen], expected[:, seen], atol=1e-4)


def test_classes_most_of_which_coincide_have_no_unit(problem):
    S = problem.S.copy()
    S[np.unique(problem.y)[2:]] = S[np.unique(problem.y)[1]]
    with pytest.raises(ValueError, match="class_embeddings coincide for half of the pairs"):
        SynC().fit(problem.X, problem.y, S)
