"""Minibatches in random order."""

from zslib.arrays import slices
from zslib.validation import check_generator, check_integer


def minibatches(n, batch_size, rng):
    """The numbers 0 … n - 1 in a fresh random order, as minibatches; the last may be smaller.

    Examples
    --------
    >>> import numpy as np
    >>> minibatches(5, 2, np.random.default_rng(0))
    [array([2, 4]), array([3, 0]), array([1])]
    """
    check_integer(batch_size, "batch_size", low=1)
    order = check_generator(rng).permutation(check_integer(n, "n", low=1))
    return [order[rows] for rows in slices(n, batch_size)]
