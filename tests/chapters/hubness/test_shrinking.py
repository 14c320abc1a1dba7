"""The path from ridge to an orthogonal map."""

import numpy as np

from chapters.hubness.shrinking import powered
from zslib.mapping import ProcrustesMap


def test_path_starts_at_the_matrix_and_ends_at_its_nearest_orthogonal_map():
    rng = np.random.default_rng(0)
    X, W = rng.standard_normal((7, 5)), rng.standard_normal((5, 5))
    np.testing.assert_allclose(powered(X, W, 1.0), X @ W)
    # The orthogonal map nearest to W solves Procrustes from the identity to W.
    nearest = ProcrustesMap().fit(np.eye(5), W).transform(X)
    np.testing.assert_allclose(powered(X, W, 0.0), nearest, atol=1e-10)
