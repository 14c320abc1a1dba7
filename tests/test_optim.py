"""Optimisers against their definition, on every array library."""

import pickle
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der

from zslib.optim import SGD, Adagrad, Adam, RMSProp, minibatches, minimize


def gradients(dtype, steps=5):
    rng = np.random.default_rng(1)
    return [rng.standard_normal((3, 4)).astype(dtype) for _ in range(steps)]


def adagrad(w, gradients):
    total = 0.0
    for g in gradients:
        total += g**2
        w -= 0.3 * g / (total**0.5 + 1e-6)
    return w


def adam(w, gradients, amsgrad=False):
    m = v = largest = 0.0
    for t, g in enumerate(gradients, start=1):
        m = 0.5 * m + 0.5 * g
        v = 0.6 * v + 0.4 * g**2
        largest = max(largest, v) if amsgrad else v
        mean, square = m / (1 - 0.5**t), largest / (1 - 0.6**t)
        w -= 0.3 * mean / (square**0.5 + 1e-3)
    return w


def rmsprop(w, gradients):
    v = 0.0
    for g in gradients:
        v = 0.9 * v + 0.1 * g**2
        w -= 0.3 * g / (v**0.5 + 1e-2)
    return w


def sgd(w, gradients):
    return w - 0.3 * sum(gradients)


_ADAM = {"beta1": 0.5, "beta2": 0.6, "epsilon": 1e-3}
FORMULAS = {
    "sgd": (lambda: SGD(0.3), sgd),
    "adagrad": (lambda: Adagrad(0.3, epsilon=1e-6), adagrad),
    "adam": (lambda: Adam(0.3, **_ADAM), adam),
    "amsgrad": (lambda: Adam(0.3, amsgrad=True, **_ADAM), lambda w, g: adam(w, g, amsgrad=True)),
    "rmsprop": (lambda: RMSProp(0.3, decay=0.9, epsilon=1e-2), rmsprop),
}
each_kind = pytest.mark.parametrize(("make", "loop"), FORMULAS.values(), ids=FORMULAS)


@each_kind
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_are_the_formula(make, loop, backend, dtype):
    start, *steps = gradients(dtype, 6)
    optimiser, parameter = make(), backend.asarray(start.copy())
    for gradient in steps:
        given = backend.asarray(gradient)
        assert optimiser.step(parameter, given) is parameter
        backend.assert_equal(given, gradient)
    found = backend.to_numpy(parameter)
    assert found.dtype == dtype
    expected, reference = np.empty((3, 4)), make()
    for place in np.ndindex(expected.shape):
        expected[place] = loop(float(start[place]), [float(g[place]) for g in steps])
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 if dtype == "float32" else 1e-14)
    for gradient in steps:
        reference.step(start, gradient)
    # Bit for bit what NumPy gives; CuPy may round otherwise.
    np.testing.assert_allclose(found, start, rtol=1e-5 if backend.name == "cupy" else 0)


def test_amsgrad_remembers_the_largest_gradient():
    """Adam forgets one large gradient; AMSGrad's steps stay short, but for the corrections."""
    steps = {}
    for amsgrad in (False, True):
        optimiser, w = Adam(1.0, beta1=0.0, beta2=0.5, amsgrad=amsgrad), np.zeros(1)
        for g in [8.0] + 30 * [1.0]:
            optimiser.step(w, np.array([g]))
        before = w.copy()
        steps[amsgrad] = float((before - optimiser.step(w, np.ones(1)))[0])
    assert steps[False] == pytest.approx(1.0, rel=1e-6)
    assert steps[True] == pytest.approx(1.0 / 32.0**0.5, rel=1e-6)  # v was 0.5 * 8**2


def test_adagrad_leaves_parameters_without_gradient(backend):
    parameter = backend.asarray(np.ones(3))
    Adagrad(1.0).step(parameter, backend.asarray(np.array([0.0, 1.0, 0.0])))
    backend.assert_allclose(parameter, [1.0, 0.0, 1.0], atol=1e-9)


@each_kind
def test_training_goes_on_after_a_pickle(make, loop):
    parameter, first, second = gradients("float64", 3)
    optimiser = make()
    copy = optimiser.step(parameter, first).copy()
    twin = pickle.loads(pickle.dumps(optimiser))
    np.testing.assert_array_equal(optimiser.step(parameter, second), twin.step(copy, second))


def test_sgd_takes_up_a_new_learning_rate(backend):
    parameter, optimiser = backend.asarray(np.array([1.0, 2.0])), SGD(0.5)
    optimiser.step(parameter, backend.asarray(np.array([2.0, -2.0])))
    optimiser.learning_rate = 1.0
    optimiser.step(parameter, backend.asarray(np.array([1.0, 1.0])))
    backend.assert_equal(parameter, [-1.0, 2.0])


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


def test_minimize_finds_the_minimum_of_a_quadratic(backend):
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 6))
    matrix, shift = root @ root.T + np.eye(6), rng.standard_normal((6, 1))
    A, b = backend.asarray(matrix), backend.asarray(shift)

    def objective(w):
        slope = A @ backend.check(w) - b
        return 0.5 * float((w.T @ (slope - b))[0, 0]), slope

    start = backend.asarray(np.zeros((6, 1)))
    w, values = minimize(objective, start, max_iter=100, tol=1e-10)
    backend.assert_allclose(w, np.linalg.solve(matrix, shift), atol=1e-8)
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
    start = np.array([3.3, -0.7])
    _, values = minimize(lambda w: (np.abs(w).sum(), np.sign(w)), start, max_iter=99, tol=0.0)
    assert values[-1] < 1e-6
    w, values = minimize(lambda w: (0.0, 0.0 * w), np.ones(2), max_iter=9, tol=0.0)
    np.testing.assert_array_equal(w, 1.0)
    assert values == [0.0]


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
        value = float(np.mean(losses, dtype="float64")) + penalty
        return value, X.T @ slope + w * w.dtype.type(1e-4)

    return objective


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_minimize_ends_where_rounding_hides_the_descent(condition):
    """Asked for more than float32 can tell, it stops at the minimum that float32 can tell."""
    start = np.zeros(30)
    _, best = minimize(logistic("float64", condition), start, max_iter=2000, tol=1e-9)
    evaluations = []
    rounded = logistic("float32", condition)

    def objective(w):
        evaluations.append(w.dtype)
        return rounded(w)

    w, values = minimize(objective, start.astype("float32"), max_iter=2000, tol=0.0)
    assert {w.dtype, *evaluations} == {np.dtype("float32")}
    assert len(evaluations) < 250
    assert values[-1] == pytest.approx(best[-1], rel=1e-5)
    assert logistic("float64", condition)(w.astype("float64"))[0] < best[-1] * (1 + 1e-5)
    assert values[-1] == min(values)


KINDS = (SGD, Adagrad, Adam, RMSProp)
STEEP = np.full(2, 1e30, dtype="float32")


def stepped(kind, parameter, gradient, *, before=None):
    """A step of a new optimiser, or its second after one of other arrays."""
    optimiser = kind(0.1)
    if before is not None:
        optimiser.step(before, before)
    optimiser.step(parameter, gradient)


def sought(objective=lambda w: (0.0, w), start=np.ones((2, 3)), max_iter=9, tol=0.1):  # noqa: B008
    with np.errstate(over="ignore"):
        minimize(objective, start, max_iter=max_iter, tol=tol)


def drawn(n, size):
    minibatches(n, size, np.random.default_rng(0))


REFUSALS = [
    *((partial(stepped, k, np.ones((2, 3)), np.ones(3)), "gradient has shape") for k in KINDS),
    *((partial(stepped, k, np.ones(3), np.ones(3, "f4")), "must be the same") for k in KINDS),
    *(
        (partial(stepped, k, np.ones(3, t), np.ones(3, t)), f"float64, got {t}", TypeError)
        for k in KINDS
        for t in ("int64", "float16")
    ),
    *(
        (partial(stepped, k, np.ones(4), np.ones(4), before=np.ones(3)), "must be the same")
        for k in KINDS[1:]
    ),
    *((partial(k, rate), "learning_rate") for k in KINDS for rate in (0.0, -1.0, np.nan, np.inf)),
    *((partial(k, 0.1, epsilon=0.0), "epsilon") for k in KINDS[1:]),
    *(
        (partial(k, 0.1, **{name: value}), f"{name} must be")
        for k, name in ((Adam, "beta1"), (Adam, "beta2"), (RMSProp, "decay"))
        for value in (-0.1, 1.0, np.nan)
    ),
    (partial(Adam, 0.1, amsgrad=None), "amsgrad must be one of"),
    (partial(drawn, 0, 1), "n must"),
    (partial(drawn, 3, 0), "batch_size must"),
    (partial(sought, lambda w: (1.0, STEEP), np.zeros(2, "f4")), "scale the features"),
    (partial(sought, lambda w: (0.0, w.T)), r"gradient of shape \(3, 2\) for w of"),
    (partial(sought, start=np.ones((2, 3), int)), "start must hold floats, got int64", TypeError),
    (partial(sought, max_iter=0), "max_iter must be at least 1"),
    (partial(sought, tol=-1.0), "tol must be"),
]


def test_refused(refusal):
    refusal()
