"""ZKL: the objective against a loop and finite differences; the limits of its ranking."""

import numpy as np
import pytest

from zslib.arrays import unit_rows
from zslib.compatibility import ZKL
from zslib.compatibility.zkl import KERNELS, kernel_objective


def kernel_value(kernel, a, b, sigma, degree=3, offset=0.5):
    square = np.sum((a - b) ** 2)
    return {
        "gaussian": np.exp(-square / (2 * sigma**2)),
        "cauchy": 1 / (1 + square / sigma**2),
        "polynomial": (a @ b + offset) ** degree,
    }[kernel]


def both_ways(W, x, s, kernel, sigma):
    return kernel_value(kernel, x @ W, s, sigma), kernel_value(kernel, x, W @ s, sigma)


def loop(W, X, codes, S, beta, kernel, sigma):
    total = 0.0
    for x, own in zip(X, codes, strict=True):
        for c, s in enumerate(S):
            forth, back = both_ways(W, x, s, kernel, sigma)
            if c == own:
                total += (forth - 1) ** 2 + (back - 1) ** 2
            else:
                total += beta / (len(S) - 1) * (forth**2 + back**2)
    return total / len(X)


def random_case(seed=0, n=6, p=3, q=2, k=4):
    rng = np.random.default_rng(seed)
    X, S = rng.standard_normal((n, p)), rng.standard_normal((k, q))
    return 0.5 * rng.standard_normal((p, q)), X, rng.integers(0, k, n), S


@pytest.mark.parametrize("beta", [0.0, 0.7])
@pytest.mark.parametrize("kernel", KERNELS)
def test_objective_and_gradient(check_objective, kernel, beta):
    options = {"kernel": kernel, "sigma": 1.3}
    model = ZKL(**options, orthogonality=beta, degree=3, offset=0.5)

    def objective(*given):
        return kernel_objective(model, *given)

    def slowly(*given):
        return loop(*given, beta, **options)

    check_objective(objective, slowly, random_case(), rel=1e-10, rtol=1e-5)


def prepared(model, X, S):
    return unit_rows(X - model.feature_mean_), unit_rows(S - model.embedding_mean_)


@pytest.mark.parametrize("kernel", KERNELS)
def test_scores_keep_the_order_of_the_penalties(problem, kernel):
    model = ZKL(kernel, n_epochs=1, degree=3, offset=0.5, random_state=0)
    model.fit(problem.X, problem.y, problem.S)
    seen = np.unique(problem.y)
    np.testing.assert_allclose(model.feature_mean_, problem.X.mean(axis=0))
    np.testing.assert_allclose(model.embedding_mean_, problem.S[seen].mean(axis=0))
    given = problem.X[::20], problem.S
    X, S = prepared(model, *given)
    values = [[both_ways(model.coef_, x, s, kernel, 0.8) for s in S] for x in X]
    expected = -np.sum((np.array(values) - 1) ** 2, axis=2)
    if kernel != "polynomial":
        expected = np.log(2 + expected)
    found = model.decision_function(*given)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


def with_map(problem, W, **parameters):
    """A fitted model whose matrix is replaced."""
    model = ZKL(n_epochs=1, random_state=0, **parameters)
    model.fit(problem.X, problem.y, problem.S)
    model.coef_ = W
    return model


def test_kernels_too_small_for_a_float_make_no_ties(problem):
    W = np.random.default_rng(0).standard_normal((12, 8))
    model = with_map(problem, W, sigma=0.01)
    scores = model.decision_function(problem.X, problem.S)
    X, S = prepared(model, problem.X, problem.S)
    forth = np.linalg.norm((X @ W)[:, None] - S, axis=2) ** 2
    back = np.linalg.norm(X[:, None] - S @ W.T, axis=2) ** 2
    assert np.min(np.minimum(forth, back) / (2 * 0.01**2)) > 750  # each exp(-that) is 0
    assert np.all(np.isfinite(scores))
    order = np.argsort(scores, axis=1)
    np.testing.assert_array_equal(order, np.argsort(-np.minimum(forth, back), axis=1))


def test_wide_kernels_rank_by_fourth_powers_of_distances(problem):
    W = np.random.default_rng(0).standard_normal((12, 8))
    for kernel in ("gaussian", "cauchy"):
        model = with_map(problem, W, kernel=kernel, sigma=100.0)
        X, S = prepared(model, problem.X, problem.S)
        powers = np.linalg.norm((X @ W)[:, None] - S, axis=2) ** 4
        powers += np.linalg.norm(X[:, None] - S @ W.T, axis=2) ** 4
        found = model.decision_function(problem.X, problem.S)
        np.testing.assert_array_equal(found.argmax(axis=1), powers.argmin(axis=1))


@pytest.mark.parametrize("kernel", KERNELS)
def test_bilinear_where_mapped_classes_have_one_length(problem, kernel):
    W = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 8)))[0]
    model = with_map(problem, 0.4 * W, kernel=kernel, degree=1, offset=0.0)
    X, S = prepared(model, problem.X, problem.S)
    found = model.predict(problem.X, problem.S)
    np.testing.assert_array_equal(found, (X @ W @ S.T).argmax(axis=1))


def test_a_row_at_the_mean_has_no_direction(problem):
    model = ZKL(n_epochs=1, random_state=0).fit(problem.X, problem.y, problem.S)
    for X, S in (
        (model.feature_mean_[None, :], problem.S),
        (problem.X, model.embedding_mean_[None, :]),
    ):
        assert np.all(np.isfinite(model.decision_function(X, S)))
