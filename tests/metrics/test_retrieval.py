from __future__ import annotations

import numpy as np
import pytest

from zslib.metrics import hits_at_k, precision_at_k


def test_counts_by_hand(backend):
    ranks = backend.asarray(np.array([0, 3, 4, 9, 10, 0]))
    np.testing.assert_array_equal(
        backend.to_numpy(hits_at_k(ranks, 4)), [True, True, False, False, False, True]
    )
    assert precision_at_k(ranks, (1, 5, 10)) == {1: 2 / 6, 5: 4 / 6, 10: 5 / 6}
    assert precision_at_k(ranks, 100) == {100: 1.0}


def test_precision_never_falls_as_k_grows():
    ranks = np.random.default_rng(0).integers(0, 50, 200)
    values = list(precision_at_k(ranks, range(1, 60)).values())
    assert (np.diff(values) >= 0).all() and values[-1] == 1.0


@pytest.mark.parametrize(
    ("ranks", "ks", "error", "message"),
    [
        (np.array([0.0]), [1], TypeError, "ranks must hold integers"),
        (np.array([], int), [1], ValueError, "one rank per query"),
        (np.zeros((2, 2), int), [1], ValueError, "one rank per query"),
        (np.array([-1]), [1], ValueError, "ranks start at 0"),
        (np.array([0]), [0], ValueError, "k must be at least 1"),
        (np.array([0]), [1.5], TypeError, "k must be an integer"),
        (np.array([0]), None, TypeError, "k must be an integer, got None"),
        (np.array([0]), [], ValueError, "ks is empty"),
    ],
)
def test_refusals(ranks, ks, error, message):
    with pytest.raises(error, match=message):
        precision_at_k(ranks, ks)
