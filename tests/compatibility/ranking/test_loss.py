"""The ranking core: weights by hand and in loops, the loss's derivative, a slow trainer."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from zslib.compatibility import ALE, DARK, SJE, DeViSE, LatEm
from zslib.compatibility.ranking.loss import (
    drawn_violation,
    every_violation,
    hardness,
    largest_violation,
    rank_weights,
    violations,
)

CHOICES = {
    "every": lambda R, keys: every_violation(R),
    "rank": lambda R, keys: rank_weights(R),
    "largest": lambda R, keys: largest_violation(R),
    "drawn": drawn_violation,
}


def slow_residuals(scores, own, margin):
    R = np.zeros_like(scores)
    for i, row in enumerate(scores):
        for y, score in enumerate(row):
            if y != own[i]:
                R[i, y] = margin + score - row[own[i]]
    return R


def slow_weights(R, own, choice, keys):
    """Eq. 2's weight of each triplet, from its definition in words."""
    weights = np.zeros_like(R)
    for i, row in enumerate(R):
        bad = [y for y in range(len(row)) if y != own[i] and row[y] > 0]
        if not bad:
            continue
        if choice == "every":
            weights[i, bad] = 1
        elif choice == "rank":
            weights[i, bad] = sum(1 / j for j in range(1, len(bad) + 1)) / len(bad)
        elif choice == "largest":
            weights[i, max(bad, key=lambda y: (row[y], -y))] = 1
        elif choice == "drawn":
            weights[i, max(bad, key=lambda y: keys[i, y])] = 1
    return weights


@st.composite
def score_tables(draw):
    """Scores on a coarse grid, so that ties and scores right on the margin are common."""
    n, n_labels = draw(st.integers(1, 5)), draw(st.integers(2, 6))
    cells = st.lists(st.integers(-4, 4), min_size=n_labels, max_size=n_labels)
    scores = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float) / 2
    own = draw(st.lists(st.integers(0, n_labels - 1), min_size=n, max_size=n))
    return scores, np.array(own)


@given(score_tables(), st.sampled_from([0.5, 1.0]), st.sampled_from(sorted(CHOICES)))
def test_weights_in_loops(table, margin, choice):
    scores, own = table
    R, keys = violations(scores, own, margin), np.random.default_rng(0).random(scores.shape)
    np.testing.assert_array_equal(R, slow_residuals(scores, own, margin))
    expected = slow_weights(R, own, choice, keys)
    np.testing.assert_allclose(CHOICES[choice](R, keys), expected, rtol=1e-14)


def test_hardness_is_the_sigmoid_and_does_not_overflow():
    R = np.array([[0.0, -1e4, -3.0, 0.0, 3.0, 1e4]])
    found = hardness(R, np.array([0]))[0]
    expected = [0.0, 0.0, 1 / (1 + math.exp(3)), 0.5, 1 / (1 + math.exp(-3)), 1.0]
    np.testing.assert_allclose(found, expected, atol=1e-15)


def slow_fit(model, X, y, S, choice):
    """Per-sample SGD in the full space, one outer product for each triplet."""
    rng = np.random.default_rng(model.random_state)
    W, curve = np.zeros((X.shape[1], S.shape[1])), []
    for _ in range(model.n_epochs):
        order, total = rng.permutation(len(X)), 0.0
        for start in range(0, len(X), model.batch_size):
            gradient, items = np.zeros_like(W), order[start : start + model.batch_size]
            R = slow_residuals(X[items] @ W @ S.T, y[items], model.margin)
            keys = rng.random(R.shape) if choice == "drawn" else None
            weights = slow_weights(R, y[items], choice, keys)
            total += np.sum(weights * R)
            for row, i in zip(weights, items, strict=True):
                for c, weight in enumerate(row):
                    gradient += weight * np.outer(X[i], S[c] - S[y[i]])
            gradient = gradient / len(items) + 2 * model.regularization * W
            W = W - model.learning_rate * gradient
        curve.append(total / len(X))
    return W, curve


def samples(q, dtype="float64"):
    """Samples of four classes, and two classes without a sample."""
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, q))
    y = np.concatenate([np.arange(4), rng.integers(4, size=20)])
    X = S[y] @ rng.standard_normal((q, 5)) + 0.3 * rng.standard_normal((len(y), 5))
    return X.astype(dtype), y, S.astype(dtype)


@pytest.mark.parametrize(
    ("system", "choice"),
    [
        (DeViSE, "every"),
        (partial(DeViSE, first_violating=True), "drawn"),
        (ALE, "rank"),
        (SJE, "largest"),
    ],
)
@pytest.mark.parametrize("q", [3, 8], ids=["more classes", "more attributes"])
@pytest.mark.parametrize("size", [1, 7])
def test_training_step_by_step(system, choice, q, size):
    X, y, S = samples(q)
    options = {"learning_rate": 0.05, "n_epochs": 3, "regularization": 0.01, "random_state": 4}
    model = system(margin=0.7, batch_size=size, **options).fit(X, y, S)
    W, curve = slow_fit(model, X, y, S[:4], choice)
    np.testing.assert_allclose(model.coef_, W, atol=1e-12)
    np.testing.assert_allclose(model.learning_curve_, curve, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X, S), X @ W @ S.T, atol=1e-10)


def test_one_step_by_hand():
    """At W = 0 both rivals violate by the margin: ALE weighs each (1 + 1/2) / 2, SJE one by 1."""
    X, y, S = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), np.array([0, 1, 2]), np.eye(3)
    for system, weights, loss in ((ALE, [1.5, -0.75, -0.75], 3.0), (SJE, [1.0, -1.0, 0.0], 2.0)):
        model = system(2.0, learning_rate=3.0, n_epochs=1, batch_size=3, random_state=0)
        model.fit(X, y, S)
        np.testing.assert_allclose(model.coef_, np.outer([1, 2], weights))
        assert model.learning_curve_ == [loss]


RATE = {"learning_rate": 0.1, "batch_size": 8, "random_state": 1}
TRAINED = [
    *(system(**RATE, n_epochs=2) for system in (DeViSE, ALE, SJE)),
    DeViSE(**RATE, n_epochs=2, first_violating=True),
    LatEm(2, **RATE, n_epochs=2),
    DARK(3, **RATE, n_iter=4, label_view=False),
    DARK(3, **RATE, n_iter=4, hardness=False),
    *(DARK(3, **RATE, n_iter=4, gradient=way) for way in ("fixed", "margin", "objective")),
]


def learned(model):
    """Matrices, and the loss as training went on."""
    names = ("coef_", "coefs_", "U_", "V_", "learning_curve_", "objective_")
    return [vars(model)[name] for name in names if name in vars(model)]


@pytest.mark.parametrize("model", TRAINED, ids=str)
@pytest.mark.parametrize(("dtype", "q"), [("float32", 3), ("float64", 8)])
def test_every_library_learns_the_same(backend, model, dtype, q):
    X, y, S = samples(q, dtype)
    expected = clone(model).fit(X, y, S)
    found = clone(model).fit(*map(backend.asarray, (X, y, S)))
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    for one, other in zip(learned(found), learned(expected), strict=True):
        if not isinstance(other, list):
            one = backend.to_numpy(one)
            assert one.dtype == other.dtype == dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
    scores = backend.to_numpy(found.decision_function(backend.asarray(X), backend.asarray(S)))
    assert scores.dtype == dtype
    np.testing.assert_allclose(scores, expected.decision_function(X, S), rtol=1e-4, atol=1e-4)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(3, 9),
    p=st.integers(1, 4),
    q=st.integers(1, 4),
    n_classes=st.integers(2, 4),
    size=st.integers(1, 12),
    system=st.sampled_from([DeViSE, ALE, SJE, DARK]),
)
def test_any_shape(seed, n, p, q, n_classes, size, system):
    """Finite, and the same again; also for images and classes that occur twice."""
    rng = np.random.default_rng(seed)
    X, S = rng.standard_normal((n, p)), rng.standard_normal((n_classes, q))
    X[1] = X[0]
    S[1] = S[0] if n_classes > 2 and seed % 2 else S[1]
    y = np.concatenate([[0, n_classes - 1], rng.integers(n_classes, size=n - 2)])
    options = {"rank": 2, "n_iter": 5, "refresh_every": 2} if system is DARK else {"n_epochs": 2}
    model = system(learning_rate=0.1, batch_size=size, random_state=seed, **options)
    first = learned(model.fit(X, y, S))[0]
    assert first.shape == (p, 2 if system is DARK else q)
    assert np.all(np.isfinite(first))
    np.testing.assert_array_equal(learned(model.fit(X, y, S))[0], first)
