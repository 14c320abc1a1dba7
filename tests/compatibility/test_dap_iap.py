"""DAP and IAP: class scores against loops over attributes, a worked example, sure classifiers."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from zslib import arrays
from zslib.compatibility import DAP, IAP, dap

both = pytest.mark.parametrize("Model", [DAP, IAP])


def training_data(q=5, k=3):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((15, 4)), np.concatenate([np.arange(k), rng.integers(0, k, 15 - k)])
    binary = (rng.random((k, q)) > 0.5).astype(float)
    return rng.standard_normal((5, q)), X, y, binary


def objective(weights, X, y, binary, lam=0.3):
    """The objective of DAP, image by image and attribute by attribute."""
    total = 0.0
    for x, c in zip(X, y, strict=True):
        for m in range(binary.shape[1]):
            likely = 1 / (1 + np.exp(-(x @ weights[:-1, m] + weights[-1, m])))
            total -= np.log(likely if binary[c, m] else 1 - likely)
    return total / len(X) + 0.5 * lam * np.sum(weights[:-1] ** 2)


def class_scores(likely, S, seen, threshold):
    """Eq. 2: the product over attributes, for one image."""
    on = [[value > t for value, t in zip(s, threshold, strict=True)] for s in S]
    scores = []
    for own in on:
        product = 1.0
        for m, present in enumerate(own):
            prior = sum(on[c][m] for c in seen) / len(seen)
            if 0 < prior < 1:
                product *= likely[m] / prior if present else (1 - likely[m]) / (1 - prior)
        scores.append(np.log(product))
    return scores


def test_objective_and_gradient(check_objective, monkeypatch):
    monkeypatch.setattr(arrays, "ENTRIES", 20)
    gradient = partial(dap.attribute_objective, regularization=0.3)
    check_objective(gradient, objective, training_data(), atol=1e-8)


def test_large_features_do_not_overflow():
    weights, X, y, binary = training_data()
    value, gradient = dap.attribute_objective(1e6 * weights, X, y, binary, 0.0)
    assert np.isfinite(value) and np.all(np.isfinite(gradient))


def test_classifiers_are_the_penalised_minima(problem):
    lam = 1e-2
    model = DAP(regularization=lam, tol=1e-7, max_iter=500).fit(problem.X, problem.y, problem.S)
    binary = dap.binary_attributes(problem.S, model.threshold_)
    for m in range(problem.S.shape[1]):
        peer = LogisticRegression(C=1 / (lam * len(problem.X)), tol=1e-10, max_iter=5000)
        peer.fit(problem.X, binary[problem.y, m])
        np.testing.assert_allclose(model.coef_[:, m], peer.coef_[0], atol=1e-3)
        assert model.intercept_[m] == pytest.approx(peer.intercept_[0], abs=1e-2)
    assert model.objective_[0] == pytest.approx(8 * np.log(2))
    assert model.n_iter_ == len(model.objective_) - 1


@both
def test_scores_against_a_loop(Model, backend, problem, monkeypatch):
    X, y, S = problem.X, problem.y, problem.S.copy()
    seen = np.unique(y)
    S[seen, 2] = 0.25  # no seen class differs here: the attribute says nothing
    model = Model(regularization=1e-2, max_iter=15).fit(*map(backend.asarray, (X, y, S)))
    assert backend.to_numpy(model.kept_).tolist() == [0, 1, 3, 4, 5, 6, 7]
    monkeypatch.setattr(arrays, "ENTRIES", 100)
    queries = problem.X_unseen[::7]
    scores = backend.to_numpy(model.decision_function(*map(backend.asarray, (queries, S))))
    coef, intercept = backend.to_numpy(model.coef_), backend.to_numpy(model.intercept_)
    threshold = S[seen].mean(axis=0)
    backend.assert_allclose(model.threshold_, threshold, rtol=1e-12)
    for x, got in zip(queries, scores, strict=True):
        logits = x @ coef + intercept
        if Model is DAP:
            likely = np.insert(1 / (1 + np.exp(-logits)), 2, 0.5)
        else:
            p = np.exp(logits) / np.exp(logits).sum()
            likely = [sum(p[S[seen, m] > threshold[m]]) for m in range(8)]
        np.testing.assert_allclose(got, class_scores(likely, S, seen, threshold), rtol=1e-8)


def test_a_worked_example():
    """Two attributes; the numbers by hand: p(a|x) = 0.9 and 0.2, priors 2/3 and 1/3."""
    S = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    X, y = np.array([[0.0], [1.0], [2.0]]), np.arange(3)
    model = DAP(0.5, max_iter=1).fit(X, y, S)
    np.testing.assert_allclose(model.prior_, [2 / 3, 1 / 3])
    model.coef_ = np.zeros((1, 2))
    model.intercept_ = np.log([0.9 / 0.1, 0.2 / 0.8])
    on, off = (0.9 * 3 / 2, 0.2 * 3), (0.1 * 3, 0.8 * 3 / 2)
    expected = [on[0] * on[1], on[0] * off[1], off[0] * off[1], off[0] * on[1]]
    np.testing.assert_allclose(np.exp(model.decision_function(X[:1], S)[0]), expected)
    assert model.predict(X[:1], S) == 1
    # IAP with a sure classifier of the second class: exactly that class's attributes.
    model = IAP(0.5, max_iter=1).fit(X, y, S)
    model.coef_, model.intercept_ = np.zeros((1, 3)), np.array([0.0, 700.0, 0.0])
    scores = model.decision_function(X[:1], S)[0]
    assert np.all(np.isfinite(scores))
    assert scores.argmax() == 1
    assert np.exp(scores[1]) == pytest.approx(3 / 2 * 3 / 2)
    # Lost in exp, kept in logarithms: -700 for each attribute that the class has not.
    np.testing.assert_allclose(scores[[0, 2]] - scores[1], [-699.3, -699.3], atol=1.5)


@both
def test_number_as_threshold(Model, problem):
    half = Model(0.35).fit(problem.X, problem.y, problem.S)
    np.testing.assert_array_equal(half.threshold_, 0.35)
    binary = (problem.S > 0.35).astype(float)
    as_binary = Model(0.5).fit(problem.X, problem.y, binary)
    expected = as_binary.decision_function(problem.X, binary)
    np.testing.assert_array_equal(half.decision_function(problem.X, problem.S), expected)


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6), st.randoms())
def test_sums_of_logarithms(values, random):
    logs = np.array([values])
    members = np.array([[random.random() < 0.5 for _ in range(3)] for _ in values], dtype=float)
    members[random.randrange(len(values)), members.sum(axis=0) == 0] = 1
    got = dap.log_add_exp_of_classes(logs, members)[0]
    for j in range(3):
        expected = np.logaddexp.reduce(logs[0, members[:, j] == 1])
        assert got[j] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_log_sigmoid(backend):
    x = np.array([-1e5, -30.0, -1e-3, 0.0, 2.0, 1e5])
    backend.assert_allclose(
        dap.log_sigmoid(backend.asarray(x)), -np.logaddexp(0.0, -x), rtol=1e-14
    )
