"""Ridge against normal equations and explicit hat matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge

from zslib.mapping import RidgeMap

SHAPES = [(30, 5, 3), (6, 9, 2), (7, 7, 1), (1, 4, 2), (5, 1, 1)]
"""(n, d1, d2): more rows than columns, fewer, as many, and the smallest."""


def pairs(n=30, d1=5, d2=3, seed=0):
    """Pairs that no fit writes to."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d1)) + 0.5
    Y = X @ rng.standard_normal((d1, d2)) + rng.standard_normal((n, d2)) - 2.0
    X.flags.writeable = Y.flags.writeable = False
    return X, Y


def gcv_by_hat_matrix(X, Y, alpha, intercept):
    """The definition: the n x n matrix that turns Y into the fitted values."""
    n, d2 = Y.shape
    centre = np.eye(n) - (np.ones((n, n)) / n if intercept else 0)
    Z = centre @ X
    hat = Z @ np.linalg.inv(Z.T @ Z + alpha * np.eye(X.shape[1])) @ Z.T + (np.eye(n) - centre)
    residual = Y - hat @ Y
    return (np.sum(residual**2) / (n * d2)) / (1 - np.trace(hat) / n) ** 2


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 50.0])
def test_closed_form(backend, alpha):
    for shape in backend.some(SHAPES):
        X, Y = pairs(*shape)
        mapper = RidgeMap(alpha).fit(backend.asarray(X), backend.asarray(Y))
        expected = np.linalg.solve(X.T @ X + alpha * np.eye(shape[1]), X.T @ Y)
        backend.assert_allclose(mapper.coef_, expected, rtol=1e-7, atol=1e-9)
        mapped = mapper.transform(backend.asarray(X))
        backend.assert_allclose(mapped, X @ expected, rtol=1e-7, atol=1e-9)
        assert (mapper.alpha_, mapper.intercept_, mapper.gcv_scores_) == (alpha, None, None)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_intercept_as_in_scikit_learn(backend, alpha):
    X, Y = pairs()
    mapper = RidgeMap(alpha, fit_intercept=True).fit(backend.asarray(X), backend.asarray(Y))
    peer = (Ridge(alpha) if alpha else LinearRegression()).fit(X, Y)
    backend.assert_allclose(mapper.coef_, peer.coef_.T, rtol=1e-8)
    backend.assert_allclose(mapper.intercept_, peer.intercept_, rtol=1e-8)
    mapped = backend.to_numpy(mapper.transform(backend.asarray(X)))
    np.testing.assert_allclose(mapped, peer.predict(X), rtol=1e-8)
    # The paper's "error terms must sum to 0".
    np.testing.assert_allclose((Y - mapped).sum(axis=0), 0, atol=1e-10)


@pytest.mark.parametrize("intercept", [False, True])
def test_gcv_is_the_hat_matrix_definition(backend, intercept):
    X, Y = pairs()
    mapper = RidgeMap(fit_intercept=intercept)
    mapper.fit(backend.asarray(X), backend.asarray(Y))
    expected = [gcv_by_hat_matrix(X, Y, alpha, intercept) for alpha in mapper.alphas_]
    np.testing.assert_allclose(mapper.gcv_scores_, expected, rtol=1e-7)
    assert mapper.alpha_ == mapper.alphas_[int(np.argmin(mapper.gcv_scores_))]
    fixed = RidgeMap(mapper.alpha_, fit_intercept=intercept).fit(X, Y)
    backend.assert_allclose(mapper.coef_, fixed.coef_, rtol=1e-9, atol=1e-12)


UP_TO_12 = st.integers(1, 12)


@given(st.integers(2, 12), UP_TO_12, UP_TO_12, st.booleans(), st.integers(0, 100))
def test_gcv_of_any_rank(n, d1, rank, intercept, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d1))
    Y = rng.standard_normal((n, 2))
    mapper = RidgeMap(fit_intercept=intercept).fit(X, Y)
    some = slice(16, None, 4)  # of smaller ones the hat matrix itself loses digits
    expected = [gcv_by_hat_matrix(X, Y, alpha, intercept) for alpha in mapper.alphas_[some]]
    np.testing.assert_allclose(mapper.gcv_scores_[some], expected, rtol=1e-6)


def test_default_path_follows_the_scale_of_x():
    X, Y = pairs(40, 6, 3)
    small, large = RidgeMap().fit(X, Y), RidgeMap().fit(1000 * X, Y)
    np.testing.assert_allclose(large.alphas_, 1e6 * small.alphas_, rtol=1e-9)
    np.testing.assert_allclose(large.gcv_scores_, small.gcv_scores_, rtol=1e-7)
    np.testing.assert_allclose(1000 * large.coef_, small.coef_, rtol=1e-7)
    assert small.alphas_[0] < small.alpha_ < small.alphas_[-1]


@pytest.mark.parametrize("shape", [(4, 9, 2), (20, 6, 3)])
def test_singular_least_squares_has_the_smallest_norm(backend, shape):
    X, Y = pairs(*shape)
    X = np.concatenate([X[:, :-1], X[:, :1]], axis=1)
    mapper = RidgeMap(0.0).fit(backend.asarray(X), backend.asarray(Y))
    backend.assert_allclose(mapper.coef_, np.linalg.pinv(X) @ Y, rtol=1e-8, atol=1e-10)


def test_all_zero_sources_map_to_zero_or_the_mean():
    X, Y = np.zeros((5, 3)), pairs(5, 3, 2)[1]
    for alpha in (0.0, 1.0, "gcv"):
        np.testing.assert_array_equal(RidgeMap(alpha).fit(X, Y).coef_, np.zeros((3, 2)))
    shifted = RidgeMap(fit_intercept=True).fit(X + 7.0, Y)
    np.testing.assert_allclose(shifted.transform(X), np.tile(Y.mean(axis=0), (5, 1)))


def test_float32_stays_float32(backend):
    X, Y = pairs()
    x, y = (backend.asarray(A.astype("float32")) for A in (X, Y))
    mapper = RidgeMap(fit_intercept=True).fit(x, y)
    for made in (mapper.coef_, mapper.intercept_, mapper.transform(x)):
        assert backend.to_numpy(made).dtype == np.float32
    wide = mapper.transform(backend.asarray(X))
    assert backend.to_numpy(wide).dtype == np.float64
    exact = RidgeMap(fit_intercept=True).fit(X, Y)
    backend.assert_allclose(mapper.coef_, exact.coef_, rtol=1e-5)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("size", [1e160, 1e-160])
def test_size_of_the_targets_does_not_matter(intercept, size):
    X, Y = pairs()
    plain, scaled = (RidgeMap(fit_intercept=intercept).fit(X, Y * s) for s in (1.0, size))
    assert scaled.alpha_ == plain.alpha_
    np.testing.assert_allclose(scaled.transform(X) / size, plain.transform(X), rtol=1e-10)


@pytest.mark.parametrize("shape", [(30, 5, 3), (30, 3, 5), (6, 9, 2), (6, 2, 9), (20, 4, 4)])
def test_in_reverse_a_query_is_compared_with_targets_mapped_to_the_sources(backend, shape):
    X, Y = pairs(*shape)
    queries, targets = pairs(8, *shape[1:], seed=1)
    mapper = RidgeMap(0.7, direction="reverse").fit(backend.asarray(X), backend.asarray(Y))
    W = np.linalg.solve(Y.T @ Y + 0.7 * np.eye(shape[2]), Y.T @ X)
    there = backend.to_numpy(mapper.transform(backend.asarray(queries)))
    moved = backend.to_numpy(mapper.transform_targets(backend.asarray(targets)))
    assert there.shape[1] == moved.shape[1] <= min(shape[1:])
    for x, at in zip(queries, there, strict=True):
        definition = [x @ (y @ W) / np.linalg.norm(y @ W) for y in targets]
        ours = moved @ at / np.linalg.norm(moved, axis=1)
        np.testing.assert_allclose(ours, definition, rtol=1e-7, atol=1e-9)
