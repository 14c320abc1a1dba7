"""The orthogonal map: orthogonal, optimal, and exact on rotations."""

import numpy as np
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group

from zslib.mapping import ProcrustesMap


def pairs(n=30, d=5, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    rotation = ortho_group.rvs(d, random_state=seed)
    return X, X @ rotation + noise * rng.standard_normal((n, d)), rotation


def test_finds_a_rotation(backend):
    X, Y, rotation = pairs(noise=0.0)
    mapper = ProcrustesMap().fit(backend.asarray(X), backend.asarray(Y))
    backend.assert_allclose(mapper.coef_, rotation, atol=1e-12)
    backend.assert_allclose(mapper.transform(backend.asarray(X)), Y, atol=1e-12)


def test_agrees_with_scipy():
    X, Y, _ = pairs()
    np.testing.assert_allclose(
        ProcrustesMap().fit(X, Y).coef_, orthogonal_procrustes(X, Y)[0], atol=1e-12
    )


def test_keeps_lengths_in_float32(backend):
    X, Y, _ = (a.astype("float32") for a in pairs())
    mapper = ProcrustesMap().fit(backend.asarray(X), backend.asarray(Y))
    mapped = backend.to_numpy(mapper.transform(backend.asarray(X)))
    assert mapped.dtype == np.float32
    np.testing.assert_allclose(
        np.linalg.norm(mapped, axis=1), np.linalg.norm(X, axis=1), rtol=1e-5
    )


def test_zero_vectors_still_give_an_orthogonal_map():
    W = ProcrustesMap().fit(np.zeros((3, 2)), np.zeros((3, 2))).coef_
    np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-12)
