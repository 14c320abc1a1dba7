"""Directions of rows, and derivatives through them."""

import numpy as np

from zslib.compatibility.base import directions, lengthened, through_directions


def test_derivative_through_directions(numerical_gradient):
    rng = np.random.default_rng(0)
    rows, weights = rng.standard_normal((4, 3)), rng.standard_normal((4, 3))

    def value(rows):
        return float(np.sum(weights * rows / np.linalg.norm(rows, axis=1, keepdims=True)))

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found = through_directions(weights, rows / lengths, lengths)
    np.testing.assert_allclose(found, numerical_gradient(value, rows), atol=1e-8)


def test_lengthened_rows_have_the_length_root_d(backend):
    rows = np.random.default_rng(0).standard_normal((4, 9))
    found = backend.to_numpy(lengthened(backend.asarray(rows)))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 3.0)
    np.testing.assert_allclose(directions(found), directions(rows))
