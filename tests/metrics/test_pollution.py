from __future__ import annotations

import numpy as np
import pytest

from zslib.metrics import pollution


def test_follows_the_definition(backend):
    rng = np.random.default_rng(0)
    indices, mask = rng.integers(0, 20, (30, 4)), rng.random(20) < 0.2
    expected = [any(mask[j] for j in row) for row in indices]
    got = pollution(backend.asarray(indices), backend.asarray(mask))
    np.testing.assert_array_equal(backend.to_numpy(got), expected)


@pytest.mark.parametrize(
    ("indices", "mask", "error", "message"),
    [
        (np.zeros(3, int), np.ones(2, bool), ValueError, r"\(n_queries, k\)"),
        (np.zeros((0, 3), int), np.ones(2, bool), ValueError, "non-empty"),
        (np.zeros((2, 1)), np.ones(2, bool), TypeError, "indices must hold integers"),
        (np.zeros((2, 1), int), np.ones(2, int), TypeError, "boolean mask"),
        (np.zeros((2, 1), int), np.ones((2, 2), bool), TypeError, "1-d boolean mask"),
        (np.full((2, 1), 2), np.ones(2, bool), ValueError, r"indices must lie in \[0, 2\)"),
        (np.full((2, 1), -1), np.ones(2, bool), ValueError, r"indices must lie in \[0, 2\)"),
    ],
)
def test_refusals(indices, mask, error, message):
    with pytest.raises(error, match=message):
        pollution(indices, mask)
