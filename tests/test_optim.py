"""Optimisers against their definition, on every array library."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.optim import SGD, Adagrad, minibatches


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
