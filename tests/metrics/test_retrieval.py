import numpy as np

from zslib.metrics import hits_at_k, precision_at_k


def test_counts_by_hand(backend):
    ranks = backend.asarray(np.array([0, 3, 4, 9, 10, 0]))
    backend.assert_equal(hits_at_k(ranks, 4), [True, True, False, False, False, True])
    assert precision_at_k(ranks, (1, 5, 10)) == {1: 2 / 6, 5: 4 / 6, 10: 5 / 6}
    assert precision_at_k(ranks, 100) == {100: 1.0}
