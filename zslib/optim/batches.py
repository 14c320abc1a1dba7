"""Minibatches in random order."""

from zslib.validation import check_generator, check_integer

__all__ = ["minibatches"]


def minibatches(n, batch_size, rng):
    """Split 0 … n-1, in a fresh random order, into consecutive minibatches.

    Parameters
    ----------
    n : int
        Number of items.
    batch_size : int
        Items per minibatch; the last one may have fewer.
    rng : numpy.random.Generator
        Source of the order.

    Returns
    -------
    list of ndarray of int64
        Item numbers of each minibatch, on the host. Every item occurs once.

    Examples
    --------
    >>> import numpy as np
    >>> [len(batch) for batch in minibatches(5, 2, np.random.default_rng(0))]
    [2, 2, 1]
    """
    check_integer(batch_size, "batch_size", low=1)
    order = check_generator(rng).permutation(check_integer(n, "n", low=1))
    return [order[start : start + batch_size] for start in range(0, n, batch_size)]
