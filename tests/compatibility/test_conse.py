"""ConSE against a plain loop; its classifier against finite differences and scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from zslib import arrays
from zslib.compatibility import ConSE
from zslib.compatibility.conse import softmax_objective


def loop(weights, X, y, lam=0.3):
    """The objective, sample by sample."""
    total = 0.0
    for x, c in zip(X, y, strict=True):
        logits = x @ weights[:-1] + weights[-1]
        total -= np.log(np.exp(logits[c]) / np.exp(logits).sum())
    return total / len(X) + 0.5 * lam * np.sum(weights[:-1] ** 2)


def training_data(k=4):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((15, 3)), np.concatenate([np.arange(k), rng.integers(0, k, 15 - k)])
    return rng.standard_normal((4, k)), X, y


def test_objective_and_gradient(check_objective, monkeypatch):
    monkeypatch.setattr(arrays, "ENTRIES", 20)
    check_objective(lambda *data: softmax_objective(*data, 0.3), loop, training_data(), atol=1e-8)


def test_large_features_do_not_overflow():
    weights, X, y = training_data()
    value, gradient = softmax_objective(1e6 * weights, X, y, 0.0)
    assert np.isfinite(value) and np.all(np.isfinite(gradient))


def test_classifier_is_the_penalised_minimum(problem):
    X, y, S = problem.X, problem.y, problem.S
    lam = 1e-2
    model = ConSE(regularization=lam, tol=1e-8, max_iter=500).fit(X, y, S)
    peer = LogisticRegression(C=1 / (lam * len(X)), tol=1e-10, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_.T, atol=1e-4)
    shift = model.intercept_.mean() - peer.intercept_.mean()
    np.testing.assert_allclose(model.intercept_ - shift, peer.intercept_, atol=1e-3)
    assert model.objective_[0] == pytest.approx(np.log(12))
    assert model.n_iter_ == len(model.objective_) - 1


@pytest.mark.parametrize("T", [1, 3, 10, 1000])
def test_scores_against_a_loop(backend, problem, T, monkeypatch):
    X, y, S = problem.X, problem.y, problem.S
    model = ConSE(T, regularization=1e-2, max_iter=20).fit(*map(backend.asarray, (X, y, S)))
    coef, intercept = backend.to_numpy(model.coef_), backend.to_numpy(model.intercept_)
    monkeypatch.setattr(arrays, "ENTRIES", 100)
    queries = problem.X_unseen[::7]
    scores = model.decision_function(backend.asarray(queries), backend.asarray(S))
    seen = S[np.unique(y)]
    for x, got in zip(queries, backend.to_numpy(scores), strict=True):
        likely = np.exp(x @ coef + intercept)
        likely /= likely.sum()
        f = sum(likely[t] * seen[t] for t in np.argsort(-likely)[:T])
        cosine = [f @ s / np.linalg.norm(f) / np.linalg.norm(s) for s in S]
        np.testing.assert_allclose(got, cosine, rtol=1e-9)
