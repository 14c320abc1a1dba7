"""The ranking core: weights by hand and in loops, the loss's derivative, a slow trainer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from zslib.compatibility import ALE, DARK, SJE, DeViSE, LatEm
from zslib.compatibility.ranking.loss import (
    drawn_violation,
    every_violation,
    hardness,
    largest_violation,
    one_violation,
    rank_weights,
    score_gradient,
    violations,
)

CHOICES = {
    "every": every_violation,
    "rank": rank_weights,
    "largest": largest_violation,
}


def slow_residuals(scores, own, margin):
    R = np.zeros_like(scores)
    for i, row in enumerate(scores):
        for y, score in enumerate(row):
            if y != own[i]:
                R[i, y] = margin + score - row[own[i]]
    return R


def slow_weights(R, own, choice):
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
    R = violations(scores, own, margin)
    np.testing.assert_array_equal(R, slow_residuals(scores, own, margin))
    found = CHOICES[choice](R)
    np.testing.assert_allclose(found, slow_weights(R, own, choice), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_library_weighs_alike(backend, dtype):
    rng = np.random.default_rng(0)
    scores = np.round(rng.standard_normal((7, 5)), 1).astype(dtype)
    own, keys = rng.integers(5, size=7), rng.random((7, 5))
    R = violations(scores, own, 1.0)
    found = violations(backend.asarray(scores), backend.asarray(own), 1.0)
    assert backend.to_numpy(found).dtype == dtype
    backend.assert_allclose(found, R, rtol=1e-6)
    triplets = [(pick, R) for pick in CHOICES.values()]
    triplets += [(drawn_violation, R, keys), (hardness, R, own)]
    triplets += [(score_gradient, rank_weights(R), own)]
    for function, *inputs in triplets:
        weights = backend.to_numpy(function(*map(backend.asarray, inputs)))
        assert weights.dtype == dtype
        np.testing.assert_allclose(weights, function(*inputs), rtol=1e-6)


def test_drawn_violations_are_violations_each_as_often_as_the_others():
    R = np.tile([[0.0, 1.0, -1.0, 2.0, 0.5, 0.0]], (6000, 1))
    keys = np.random.default_rng(0).random(R.shape)
    weights = drawn_violation(R, keys)
    np.testing.assert_array_equal(weights.sum(axis=1), 1)
    share = weights.mean(axis=0)
    np.testing.assert_array_equal(share[[0, 2, 5]], 0)
    np.testing.assert_allclose(share[[1, 3, 4]], 1 / 3, atol=0.03)
    assert not drawn_violation(-R, keys)[:, [1, 3, 4]].any()
    assert not drawn_violation(np.zeros((1, 3)), np.zeros((1, 3))).any()


def test_one_violation_takes_the_given_label_only_if_it_violates():
    R = np.array([[0.0, 1.0, 2.0], [0.0, 1.0, -2.0]])
    np.testing.assert_array_equal(
        one_violation(R, np.array([2, 2])), [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    )


def test_hardness_is_the_sigmoid_and_does_not_overflow():
    R = np.array([[0.0, -1e4, -3.0, 0.0, 3.0, 1e4]])
    found = hardness(R, np.array([0]))[0]
    expected = [0.0, 0.0, 1 / (1 + math.exp(3)), 0.5, 1 / (1 + math.exp(-3)), 1.0]
    np.testing.assert_allclose(found, expected, atol=1e-15)


@given(score_tables(), st.integers(0, 1000))
def test_derivative_of_the_loss_for_fixed_weights(table, seed):
    """The loss is linear in the scores, so one difference is exact."""
    scores, own = table
    rng = np.random.default_rng(seed)
    weights = rng.random(scores.shape)
    weights[np.arange(len(own)), own] = 0
    step = rng.standard_normal(scores.shape)

    def loss(scores):
        return np.sum(weights * violations(scores, own, 1.0))

    found = np.sum(score_gradient(weights, own) * step)
    assert found == pytest.approx(loss(scores + step) - loss(scores), abs=1e-10)


def slow_fit(model, X, y, S, choice):
    """Per-sample SGD in the full space, one outer product for each triplet."""
    rng = np.random.default_rng(model.random_state)
    W, curve = np.zeros((X.shape[1], S.shape[1])), []
    for _ in range(model.n_epochs):
        order, total = rng.permutation(len(X)), 0.0
        for start in range(0, len(X), model.batch_size):
            gradient = np.zeros_like(W)
            items = order[start : start + model.batch_size]
            for i in items:
                R = slow_residuals((X[i] @ W @ S.T)[None], y[[i]], model.margin)
                weights = slow_weights(R, y[[i]], choice)[0]
                for c in range(len(S)):
                    if weights[c]:
                        total += weights[c] * R[0, c]
                        gradient += weights[c] * np.outer(X[i], S[c] - S[y[i]])
            gradient = gradient / len(items) + 2 * model.regularization * W
            W = W - model.learning_rate * gradient
        curve.append(total / len(X))
    return W, curve


def samples(dtype="float64", q=4, n_classes=6, seed=0):
    """Samples of ``n_classes`` classes, two of them without a sample."""
    rng = np.random.default_rng(seed)
    S = rng.standard_normal((n_classes, q))
    y = np.concatenate([np.arange(n_classes - 2), rng.integers(n_classes - 2, size=20)])
    X = S[y] @ rng.standard_normal((q, 5)) + 0.3 * rng.standard_normal((len(y), 5))
    return X.astype(dtype), y, S.astype(dtype)


SYSTEMS = [(DeViSE, "every"), (ALE, "rank"), (SJE, "largest")]


@pytest.mark.parametrize(("system", "choice"), SYSTEMS)
@pytest.mark.parametrize("q", [3, 8], ids=["more classes", "more attributes"])
@pytest.mark.parametrize("size", [1, 7])
def test_training_step_by_step(system, choice, q, size):
    X, y, S = samples(q=q)
    options = {"learning_rate": 0.05, "n_epochs": 3, "regularization": 0.01, "random_state": 4}
    model = system(0.7, batch_size=size, **options).fit(X, y, S)
    W, curve = slow_fit(model, X, y, S[:4], choice)
    np.testing.assert_allclose(model.coef_, W, atol=1e-12)
    np.testing.assert_allclose(model.learning_curve_, curve, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X, S), X @ W @ S.T, atol=1e-10)


RATE = {"learning_rate": 0.1, "batch_size": 8, "random_state": 1}
TRAINED = [
    *(system(**RATE, n_epochs=2) for system in (DeViSE, ALE, SJE)),
    DeViSE(**RATE, n_epochs=2, first_violating=True),
    *(LatEm(2, **RATE, n_epochs=2, draw=draw) for draw in ("any", "violating")),
    DARK(3, **RATE, n_iter=12),
    DARK(3, **RATE, n_iter=12, label_view=False),
    DARK(3, **RATE, n_iter=12, hardness=False),
    *(DARK(3, **RATE, n_iter=12, gradient=follow) for follow in ("margin", "objective")),
]


def learned(model):
    """Matrices, and the loss as training went on."""
    names = ("coef_", "coefs_", "U_", "V_", "learning_curve_", "objective_")
    return [vars(model)[name] for name in names if name in vars(model)]


@pytest.mark.parametrize("model", TRAINED, ids=str)
@pytest.mark.parametrize(("dtype", "q"), [("float32", 3), ("float64", 8)])
def test_every_library_learns_the_same(backend, model, dtype, q):
    X, y, S = samples(dtype, q=q)
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


@given(
    seed=st.integers(0, 1000),
    n=st.integers(3, 9),
    p=st.integers(1, 4),
    q=st.integers(1, 4),
    n_classes=st.integers(2, 4),
    size=st.integers(1, 12),
    system=st.sampled_from([DeViSE, ALE, SJE, DARK]),
    repeated=st.booleans(),
)
def test_any_shape(seed, n, p, q, n_classes, size, system, repeated):
    """Finite, and the same again; also for images and classes that occur twice."""
    rng = np.random.default_rng(seed)
    X, S = rng.standard_normal((n, p)), rng.standard_normal((n_classes, q))
    if repeated:
        X[1] = X[0]
        S[1] = S[0] if n_classes > 2 else S[1]
    y = np.concatenate([[0, n_classes - 1], rng.integers(n_classes, size=n - 2)])
    options = {"rank": 2, "n_iter": 5, "refresh_every": 2} if system is DARK else {"n_epochs": 2}
    model = system(learning_rate=0.1, batch_size=size, random_state=seed, **options)
    first, *others = learned(model.fit(X, y, S))
    if system is DARK:
        assert (first.shape, others[0].shape) == ((p, 2), (q, 2))
        assert model.objective_steps_ == [0, 5 * math.ceil(n / size)]
    else:
        assert first.shape == (p, q)
        assert all(loss >= 0 for loss in model.learning_curve_)
    assert np.all(np.isfinite(first))
    np.testing.assert_array_equal(learned(model.fit(X, y, S))[0], first)
