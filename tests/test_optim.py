"""Optimisers against their definition, on every array library."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der

from zslib.optim import SGD, Adagrad, minibatches, minimize


def gradients(dtype, steps=5):
    rng = np.random.default_rng(1)
    return [rng.standard_normal((3, 4)).astype(dtype) for _ in range(steps)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adagrad_is_its_formula(backend, dtype):
    start = np.random.default_rng(0).standard_normal((3, 4)).astype(dtype)
    optimiser = Adagrad(0.3, epsilon=1e-6)
    parameter = backend.asarray(start.copy())
    expected, total = start.astype("float64"), np.zeros((3, 4))
    for gradient in gradients(dtype):
        result = optimiser.step(parameter, backend.asarray(gradient))
        assert result is parameter
        for i in range(3):
            for j in range(4):
                total[i, j] += float(gradient[i, j]) ** 2
                expected[i, j] -= 0.3 * gradient[i, j] / (np.sqrt(total[i, j]) + 1e-6)
    found = backend.to_numpy(parameter)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adagrad_gives_the_same_numbers_on_every_library(backend, dtype):
    """The NumPy path without temporaries is the generic one, bit for bit."""
    ours, reference = np.ones((3, 4), dtype=dtype), Adagrad(0.1)
    theirs, optimiser = backend.asarray(ours.copy()), Adagrad(0.1)
    for gradient in gradients(dtype):
        reference.step(ours, gradient)
        optimiser.step(theirs, backend.asarray(gradient))
    found = backend.to_numpy(theirs)
    if backend.name == "cupy":  # its division and root may round differently
        np.testing.assert_allclose(found, ours, rtol=1e-6)
    else:
        np.testing.assert_array_equal(found, ours)


def test_adagrad_leaves_parameters_without_gradient(backend):
    parameter = backend.asarray(np.ones(3))
    Adagrad(1.0).step(parameter, backend.asarray(np.array([0.0, 1.0, 0.0])))
    np.testing.assert_allclose(backend.to_numpy(parameter), [1.0, 0.0, 1.0], atol=1e-9)


@given(st.floats(1e-6, 1e6))
def test_adagrad_ignores_the_scale_of_gradients(scale):
    one, other = np.ones((3, 4)), np.ones((3, 4))
    first, second = Adagrad(0.1, epsilon=1e-30), Adagrad(0.1, epsilon=1e-30)
    for gradient in gradients("float64", 3):
        first.step(one, gradient)
        second.step(other, scale * gradient)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_adagrad_goes_on_after_a_pickle():
    parameter, copy = np.ones((3, 4)), np.ones((3, 4))
    optimiser = Adagrad(0.1)
    first, second = gradients("float64", 2)
    optimiser.step(parameter, first)
    copy[...] = parameter
    twin = pickle.loads(pickle.dumps(optimiser))
    np.testing.assert_array_equal(optimiser.step(parameter, second), twin.step(copy, second))


def test_sgd_is_its_formula(backend):
    parameter = backend.asarray(np.array([1.0, 2.0]))
    optimiser = SGD(0.5)
    assert optimiser.step(parameter, backend.asarray(np.array([2.0, -2.0]))) is parameter
    np.testing.assert_array_equal(backend.to_numpy(parameter), [0.0, 3.0])
    optimiser.learning_rate = 1.0
    optimiser.step(parameter, backend.asarray(np.array([1.0, 1.0])))
    np.testing.assert_array_equal(backend.to_numpy(parameter), [-1.0, 2.0])


@pytest.mark.parametrize("optimiser", [SGD(0.1), Adagrad(0.1)])
def test_gradient_must_fit_the_parameter(optimiser):
    with pytest.raises(ValueError, match="gradient has shape"):
        optimiser.step(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="must be the same"):
        optimiser.step(np.ones(3), np.ones(3, dtype="float32"))


def test_adagrad_belongs_to_one_parameter():
    optimiser = Adagrad(0.1)
    optimiser.step(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="must be the same"):
        optimiser.step(np.ones(4), np.ones(4))


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("kind", [SGD, Adagrad])
def test_learning_rate_must_be_above_zero(kind, rate):
    with pytest.raises(ValueError, match="learning_rate"):
        kind(rate)


def test_epsilon_must_be_above_zero():
    with pytest.raises(ValueError, match="epsilon"):
        Adagrad(0.1, epsilon=0.0)


@given(n=st.integers(1, 60), size=st.integers(1, 70), seed=st.integers(0, 5))
def test_minibatches_hold_every_item_once(n, size, seed):
    batches = minibatches(n, size, np.random.default_rng(seed))
    assert sorted(np.concatenate(batches).tolist()) == list(range(n))
    assert [len(b) for b in batches[:-1]] == [size] * (len(batches) - 1)
    assert 1 <= len(batches[-1]) <= size


def test_minibatches_differ_between_epochs_but_not_between_runs():
    rng, again = np.random.default_rng(3), np.random.default_rng(3)
    first, second = minibatches(20, 20, rng)[0], minibatches(20, 20, rng)[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, minibatches(20, 20, again)[0])


@pytest.mark.parametrize(("n", "size", "name"), [(0, 1, "n must"), (3, 0, "batch_size must")])
def test_minibatches_refuse_empty_requests(n, size, name):
    with pytest.raises(ValueError, match=name):
        minibatches(n, size, np.random.default_rng(0))


def test_minimize_finds_the_minimum_of_a_quadratic(backend):
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 6))
    matrix, shift = root @ root.T + np.eye(6), rng.standard_normal((6, 1))
    A, b = backend.asarray(matrix), backend.asarray(shift)

    def objective(w):
        slope = A @ w - b
        return 0.5 * float((w.T @ (slope - b))[0, 0]), slope

    start = backend.asarray(np.zeros((6, 1)))
    w, values = minimize(objective, start, max_iter=100, tol=1e-10)
    np.testing.assert_allclose(backend.to_numpy(w), np.linalg.solve(matrix, shift), atol=1e-8)
    assert len(values) < 60
    assert all(a >= b for a, b in pairwise(values))
    assert not np.any(backend.to_numpy(start))


def test_minimize_follows_a_curved_valley():
    def objective(w):
        return float(rosen(w)), rosen_der(w)

    start = np.array([-1.2, 1.0, 0.5, -0.3])
    w, _ = minimize(objective, start, max_iter=200, tol=1e-9)
    np.testing.assert_allclose(w, 1.0, atol=1e-6)
    _, values = minimize(objective, start, max_iter=3, tol=0.0)
    assert len(values) == 4


def test_minimize_stops_at_a_kink_or_where_it_stands():
    w, values = minimize(
        lambda w: (float(np.abs(w).sum()), np.sign(w)), np.array([3.3, -0.7]), max_iter=99, tol=0.0
    )
    assert values[-1] < 1e-6
    w, values = minimize(lambda w: (0.0, 0.0 * w), np.ones(2), max_iter=9, tol=0.0)
    np.testing.assert_array_equal(w, 1.0)
    assert values == [0.0]


def test_minimize_reports_a_gradient_out_of_range():
    steep = np.full(2, 1e30, dtype="float32")
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="scale the features down"):
        minimize(lambda w: (1.0, steep), np.zeros(2, dtype="float32"), max_iter=9, tol=0.0)


def logistic(dtype, condition):
    """A logistic regression whose features differ in size, as a function of its weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 30)) * np.logspace(0, -np.log10(condition), 30)
    signs = np.where(X @ rng.standard_normal(30) + 0.1 * rng.standard_normal(400) > 0, 1.0, -1.0)
    X, signs = X.astype(dtype), signs.astype(dtype)

    def objective(w):
        reach = signs * (X @ w)
        losses = np.logaddexp(np.zeros_like(reach), -reach)
        slope = -signs / (1 + np.exp(reach)) / len(X)
        penalty = 0.5e-4 * float(np.sum(w * w, dtype="float64"))
        return float(np.mean(losses, dtype="float64")) + penalty, X.T @ slope + w * w.dtype.type(
            1e-4
        )

    return objective


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_minimize_ends_where_rounding_hides_the_descent(condition):
    """Asked for more than float32 can tell, it stops at the minimum that float32 can tell."""
    start = np.zeros(30)
    _, best = minimize(logistic("float64", condition), start, max_iter=2000, tol=1e-9)
    evaluations = []
    rounded = logistic("float32", condition)

    def objective(w):
        assert w.dtype == np.float32
        evaluations.append(w)
        return rounded(w)

    w, values = minimize(objective, start.astype("float32"), max_iter=2000, tol=0.0)
    assert w.dtype == np.float32
    assert len(evaluations) < 250
    assert values[-1] == pytest.approx(best[-1], rel=1e-5)
    assert logistic("float64", condition)(w.astype("float64"))[0] < best[-1] * (1 + 1e-5)
    assert values[-1] == min(values)


def test_minimize_hands_the_objective_arrays_of_its_own_device(backend):
    def objective(w):
        backend.check(w)
        return float(backend.to_numpy(w * w).sum()), 2.0 * w

    w, _ = minimize(objective, backend.asarray(np.ones((2, 3))), max_iter=9, tol=1e-9)
    assert backend.to_numpy(w).shape == (2, 3)
