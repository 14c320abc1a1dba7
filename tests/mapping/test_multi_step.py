"""The multi-step map: each step by its definition, and what it is with steps left out."""

import numpy as np
import pytest
from scipy.linalg import inv, sqrtm, svd

from zslib.arrays import unit_rows as unit
from zslib.mapping import MultiStepMap, ProcrustesMap, RidgeMap
from zslib.mapping.multi_step import whitening


def pairs(d1=5, d2=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, d1)) * np.linspace(0.5, 2.0, d1)
    return X, X @ rng.standard_normal((d1, d2)) + rng.standard_normal((40, d2))


def cosines(A, B):
    return unit(A) @ unit(B).T


def as_printed(X, Y, source_power, target_power, whiten, dewhiten, n_components):
    """Both sides of the training pairs, in the common space, one step after the other."""
    d = X.shape[1]
    W_x, W_y = (inv(sqrtm(A.T @ A)) if whiten else np.eye(d) for A in (X, Y))
    x, y = X @ W_x, Y @ W_y  # step 1
    U, s, Vt = svd(x.T @ y)
    x, y = x @ U, y @ Vt.T  # step 2
    x, y = x * s**source_power, y * s**target_power  # step 3
    if dewhiten:  # step 4
        x, y = x @ (U.T @ inv(W_x) @ U), y @ (Vt @ inv(W_y) @ Vt.T)
    return x[:, :n_components], y[:, :n_components]  # step 5


STEPS = [
    {},
    {"whiten": False},
    {"whiten": False, "dewhiten": False},
    {"source_power": 1.0, "target_power": 0.0},
    {"source_power": 0.0, "target_power": 1.0},
    {"dewhiten": False},
    {"n_components": 3},
    {"dewhiten": False, "n_components": 2, "source_power": 0.0, "target_power": 0.0},
]


@pytest.mark.parametrize("steps", STEPS)
def test_same_cosines_as_the_steps_one_by_one(backend, steps):
    X, Y = pairs()
    mapper = MultiStepMap(**steps).fit(backend.asarray(X), backend.asarray(Y))
    mapped = backend.to_numpy(mapper.transform(backend.asarray(X)))
    targets = backend.to_numpy(mapper.transform_targets(backend.asarray(Y)))
    expected = as_printed(X, Y, **mapper.get_params())
    np.testing.assert_allclose(cosines(mapped, targets), cosines(*expected), atol=1e-9)


def test_with_all_steps_off_it_is_the_orthogonal_map(backend):
    X, Y = (backend.asarray(A) for A in pairs())
    mapper = MultiStepMap(False, source_power=0.0, target_power=0.0).fit(X, Y)
    expected = ProcrustesMap().fit(*pairs()).coef_
    backend.assert_allclose(mapper.coef_, expected, atol=1e-12)
    assert mapper.transform_targets(Y) is Y


def test_targets_stay_where_nothing_is_done_to_them():
    X, Y = pairs()
    assert MultiStepMap(target_power=0.0).fit(X, Y).target_coef_ is None
    # The formula says so too: the limit of small powers.
    moved = MultiStepMap(target_power=1e-9).fit(X, Y)
    np.testing.assert_allclose(moved.target_coef_, np.eye(5), atol=1e-6)


def test_re_weighted_whitened_sources_are_least_squares_to_whitened_targets():
    X, Y = pairs()
    mapper = MultiStepMap(source_power=1.0, target_power=0.0, dewhiten=False).fit(X, Y)
    np.testing.assert_allclose(mapper.target_coef_, whitening(Y)[0], atol=1e-10)
    with pytest.raises(ValueError, match=r"target_power=0 with .*, dewhitened if whitened"):
        mapper.predict(X)
    expected = RidgeMap(0.0).fit(X, Y @ whitening(Y)[0]).coef_
    np.testing.assert_allclose(mapper.coef_, expected, atol=1e-10)


def test_whitening_gives_identity_covariance(backend):
    X, _ = pairs()
    W, inverse = (backend.to_numpy(A) for A in whitening(backend.asarray(X)))
    np.testing.assert_allclose((X @ W).T @ (X @ W), np.eye(5), atol=1e-12)
    np.testing.assert_allclose(inverse @ inverse, X.T @ X, atol=1e-10)
    np.testing.assert_allclose(W @ inverse, np.eye(5), atol=1e-12)


def test_whitening_leaves_out_what_the_vectors_do_not_reach():
    X = pairs()[0][:3]  # rank 3 of 5
    W, inverse = whitening(X)
    np.testing.assert_allclose(X @ W @ inverse, X, atol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(W @ inverse), [0, 0, 1, 1, 1], atol=1e-12)


def test_singular_values_are_canonical_correlations():
    X, Y = pairs()
    found = MultiStepMap().fit(X, Y).singular_values_
    a, b = (np.linalg.qr(A)[0] for A in (X, Y))
    np.testing.assert_allclose(found, np.linalg.svd(a.T @ b)[1], atol=1e-12)


@pytest.mark.parametrize(("d1", "d2"), [(3, 5), (5, 3)])
def test_spaces_of_different_widths_meet_in_the_narrower(d1, d2):
    X, Y = pairs(d1=d1, d2=d2)
    mapper = MultiStepMap().fit(X, Y)
    for made in (mapper.transform(X), mapper.transform_targets(Y)):
        assert made.shape == Y.shape
        assert np.linalg.matrix_rank(made) == 3
