"""A small zero-shot problem that every scorer must solve."""

from types import SimpleNamespace

import numpy as np
import pytest

from zslib.arrays import like, to_host


def make_problem(seed=0, *, n_per_class=20, p=12, q=8, n_seen=12, n_unseen=4, dtype="float64"):
    """Features are a noisy linear view of the class embeddings; rows of classes are mixed.

    Nobody may write to the arrays.
    """
    rng = np.random.default_rng(seed)
    C = n_seen + n_unseen
    S = rng.uniform(0.0, 1.0, (C, q))
    S /= np.linalg.norm(S, axis=1, keepdims=True)
    labels = np.repeat(np.arange(C), n_per_class)
    X = np.maximum(0.0, S[labels] @ rng.standard_normal((q, p)) + 0.5)
    X = X + 0.03 * rng.standard_normal(X.shape)
    unseen = np.sort(rng.permutation(C)[:n_unseen])
    seen = np.isin(labels, unseen, invert=True)
    problem = SimpleNamespace(
        X=X[seen].astype(dtype),
        y=labels[seen],
        S=S.astype(dtype),
        unseen=unseen,
        X_unseen=X[~seen].astype(dtype),
        y_unseen=np.searchsorted(unseen, labels[~seen]),
        S_unseen=S[unseen].astype(dtype),
    )
    for array in vars(problem).values():
        array.flags.writeable = False
    return problem


@pytest.fixture
def problem():
    return make_problem()


@pytest.fixture
def small_problem():
    """For the libraries on which the same training takes long."""
    return make_problem(n_per_class=4, p=8, q=5, n_seen=8, n_unseen=2)


@pytest.fixture(scope="session")
def worlds():
    """Three problems: a rounding may turn one small training, and not the mean of three."""
    return [make_problem(seed) for seed in range(3)]


@pytest.fixture
def problem32():
    return make_problem(dtype="float32")


@pytest.fixture
def check_objective(backend, numerical_gradient):
    """``check_objective(objective, loop, arguments, by)``: value and gradients on one library.

    ``objective(*arguments)`` is the value and its gradient by the argument whose number is ``by``,
    or the gradients by those of several numbers; ``loop(*arguments)`` is the value, slowly.
    """

    def check(objective, loop, arguments, by=0, *, rel=1e-12, rtol=1e-7, atol=1e-7):
        value, gradients = objective(*map(backend.asarray, arguments))
        assert float(value) == pytest.approx(loop(*arguments), rel=rel)
        if isinstance(by, int):
            by, gradients = (by,), (gradients,)
        for i, gradient in zip(by, gradients, strict=True):

            def moved(part, i=i):
                return loop(*arguments[:i], part, *arguments[i + 1 :])

            slopes = numerical_gradient(moved, arguments[i])
            backend.assert_allclose(gradient, slopes, rtol=rtol, atol=atol)

    return check


@pytest.fixture
def check_gradients(numerical_gradient):
    """``check_gradients(parameters, value)``: gradients of parameters against differences.

    ``value()`` is the float of which they are the gradients; it may change them meanwhile.
    """

    def check(parameters, value, *, rtol=1e-7, atol=1e-7):
        gradients = {n: to_host(p.gradient).copy() for n, p in parameters.items()}
        for name, parameter in parameters.items():

            def at(moved, parameter=parameter):
                start = parameter.value
                parameter.value = like(moved, start)
                height, parameter.value = value(), start
                return height

            slopes = numerical_gradient(at, to_host(parameter.value))
            np.testing.assert_allclose(gradients[name], slopes, rtol=rtol, atol=atol, err_msg=name)

    return check
