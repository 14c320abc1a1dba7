"""CMT: the network's objective against a loop and finite differences; training and distances."""

import numpy as np
import pytest
from sklearn.base import clone

from zslib import arrays
from zslib.calibration import OutlierProbability, mix_experts
from zslib.compatibility import CMT, ConSE
from zslib.compatibility.cmt import two_layer_objective


def loop(hidden, output, X, targets):
    errors = [
        np.sum((t - np.tanh(x @ hidden) @ output) ** 2) for x, t in zip(X, targets, strict=True)
    ]
    return np.mean(errors)


def test_objective_and_gradients(check_objective):
    rng = np.random.default_rng(0)
    X, targets = rng.standard_normal((7, 3)), rng.standard_normal((7, 2))
    hidden, output = rng.standard_normal((3, 4)), rng.standard_normal((4, 2))
    check_objective(
        lambda hidden, output, *data: two_layer_objective((hidden, output), *data),
        loop,
        (hidden, output, X, targets),
        by=(0, 1),
    )


def test_scores_are_distances(backend, problem, monkeypatch):
    inputs = (backend.asarray(array) for array in (problem.X, problem.y, problem.S))
    model = CMT(5, n_epochs=1, random_state=0).fit(*inputs)
    monkeypatch.setattr(arrays, "ENTRIES", 50)
    X, S = problem.X[::9], problem.S + 100.0
    scores = model.decision_function(backend.asarray(X), backend.asarray(S))
    mapped = np.tanh(X @ backend.to_numpy(model.hidden_coef_))
    mapped = mapped @ backend.to_numpy(model.output_coef_)
    expected = [[-np.linalg.norm(m - s) for s in S] for m in mapped]
    backend.assert_allclose(scores, expected, rtol=1e-10)


def fitted(problem, novelty=None, **parameters):
    model = CMT(10, n_epochs=5, novelty=novelty, random_state=0, **parameters)
    return model.fit(problem.X, problem.y, problem.S)


def test_novelty_mixes_two_classifiers(problem):
    """CMT* is the law of total probability, class by class."""
    novelty = OutlierProbability()
    model = fitted(problem, novelty, regularization=1e-3)
    X = np.concatenate([problem.X[::9], problem.X_unseen[::9]])
    is_seen = np.isin(np.arange(len(problem.S)), problem.unseen, invert=True)
    logits = ConSE(regularization=1e-3).fit(problem.X, problem.y, problem.S).logits(X)
    mapped = np.tanh(X @ model.hidden_coef_) @ model.output_coef_
    known = np.tanh(problem.X @ model.hidden_coef_) @ model.output_coef_
    variance = np.mean((known - problem.S[problem.y]) ** 2)
    likelihood = [[-np.sum((m - s) ** 2) / 2 / variance for s in problem.S_unseen] for m in mapped]
    experts = np.empty((len(X), len(problem.S)))
    for part, scores in ((is_seen, logits), (~is_seen, np.array(likelihood))):
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        experts[:, part] = exps / exps.sum(axis=1, keepdims=True)
    u = clone(novelty).fit(known).unseen(mapped)
    mixed = mix_experts(experts, is_seen, np.clip(u, 1e-12, 1 - 1e-12), mixture="total")
    found = model.decision_function(X, problem.S)
    np.testing.assert_allclose(np.exp(found), mixed, atol=1e-9)
    assert {0.0, 1.0} & set(u.round(3))


def test_novelty_changes_nothing_among_unseen_candidates(backend, problem):
    plain = fitted(problem)
    arrays = (backend.asarray(a) for a in (problem.X, problem.y, problem.S))
    model = CMT(10, n_epochs=5, novelty=OutlierProbability(), random_state=0).fit(*arrays)
    X, S = backend.asarray(problem.X_unseen), backend.asarray(problem.S_unseen)
    found = backend.to_numpy(model.predict(X, S))
    np.testing.assert_array_equal(found, plain.predict(problem.X_unseen, problem.S_unseen))
    # Among seen candidates alone the softmax regression answers.
    seen = backend.asarray(problem.S[plain.classes_])
    found = backend.to_numpy(model.predict(X, seen))
    logits = backend.to_numpy(model.classifier_.logits(X))
    np.testing.assert_array_equal(found, logits.argmax(axis=1))


def test_errors_of_the_network_are_in_the_unit_of_the_embeddings(problem):
    """Those of vectors of length 1e-9 are far below 1, and no rounding."""
    X, S = 1e-9 * problem.X, 1e-9 * problem.S
    model = CMT(10, n_epochs=1, novelty=OutlierProbability(), random_state=0).fit(X, problem.y, S)
    missed = model.embed(X) - S[problem.y]
    assert model.variance_ == pytest.approx(np.mean(missed**2))


def test_novelty_in_float32(problem, problem32):
    narrow, wide = (fitted(p, OutlierProbability()) for p in (problem32, problem))
    found = narrow.decision_function(problem32.X, problem32.S)
    wider = narrow.decision_function(problem.X, problem.S)
    assert (found.dtype, wider.dtype) == (np.float32, np.float64)
    assert np.isfinite(wider).all()
    expected = wide.decision_function(problem.X, problem.S)
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.99
