"""The orthogonal map: orthogonal, optimal, and exact on rotations."""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from zslib.mapping import ProcrustesMap


def pairs(noise=1.0):
    rng = np.random.default_rng(0)
    X, rotation = rng.standard_normal((30, 5)), ortho_group.rvs(5, random_state=0)
    return X, X @ rotation + noise * rng.standard_normal((30, 5)), rotation


def test_finds_a_rotation(backend):
    X, Y, rotation = pairs(noise=0.0)
    mapper = ProcrustesMap().fit(backend.asarray(X), backend.asarray(Y))
    backend.assert_allclose(mapper.coef_, rotation, atol=1e-12)
    backend.assert_allclose(mapper.transform(backend.asarray(X)), Y, atol=1e-12)


def test_agrees_with_scipy():
    X, Y, _ = pairs()
    expected = orthogonal_procrustes(X, Y)[0]
    np.testing.assert_allclose(ProcrustesMap().fit(X, Y).coef_, expected, atol=1e-12)


def test_zero_vectors_still_give_an_orthogonal_map():
    W = ProcrustesMap().fit(np.zeros((3, 2)), np.zeros((3, 2))).coef_
    np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-12)
