"""What a retrieval correction is, and the statistics that several of them share."""

from abc import ABC, abstractmethod

from array_api_compat import is_cupy_namespace, is_numpy_namespace
from sklearn.base import BaseEstimator

from zslib.arrays import namespace
from zslib.validation import check_integer


class Correction(BaseEstimator, ABC):
    """A change of the scores that takes hubs down; passed to `zslib.search` as ``correction``.

    Parameters
    ----------
    reference : (n_reference, d) float array or None, default None
        Vectors of the query space on which the statistics of each target rest, for instance all
        mapped source words. They take the place of the queries there; None: the queries
        themselves. With a reference, the answer to a query does not depend on the other queries.

    Notes
    -----
    The search walks over tiles, a block of targets (rows) by all queries (columns), once:

    1. ``begin(base)`` checks the parameters and gathers what ``apply`` must know, or returns None:
       ``statistics``, where of each query, of float64 and shape (n_queries,). ``base`` offers
       ``metric``, ``n_queries``, ``n_targets`` and ``n_reference``; and ``moments()``, mean and
       variance of each query's uncorrected scores.
    2. ``apply(scores, reference, statistics)`` corrects a tile. ``scores`` is (block, n_queries),
       ``reference`` (block, n_reference), the same array where the queries are the reference, and
       neither to be changed. Statistics of a *target* rest on its row of ``reference``, so they
       need no pass of their own.
    3. ``finish(scores, nearest, statistics)`` sees the (n_queries, k) scores that were found, and
       the ``nearest(statistics)`` best uncorrected ones of each query, (n_queries, nearest), which
       the same walk keeps. What is the same for all targets of a query is left to it.

    Instances are only read, so that one may serve many searches and threads.
    """

    def __init__(self, *, reference=None):
        self.reference = reference

    # How far a corrected score leaps where rounding swaps two scores: ranks are then counted once.
    jump = 0.0

    def begin(self, base):
        """Check the parameters; statistics of each query over all targets, or None."""
        return None

    def nearest(self, statistics):
        """How many of the best uncorrected scores of each query ``finish`` takes; 0 for none."""
        return 0

    def finish(self, scores, nearest, statistics):
        """``scores`` (n_queries, k), changed by what keeps their order within each query."""
        return scores

    @abstractmethod
    def apply(self, scores, reference, statistics):
        """Corrected scores of a tile, (block, n_queries); higher is better."""


def check_neighbours(k, base, owner):
    """Return ``k``, the neighbourhood of the correction ``owner``, when both sides have as many.

    Raises
    ------
    TypeError, ValueError
        When ``k`` is no integer, below 1, or larger than the targets or the reference queries.
    """
    k = check_integer(k, f"{owner}.k", low=1, high=base.n_targets, high_means=" targets")
    return check_integer(k, f"{owner}.k", low=1, high=base.n_reference, high_means=" queries")


def largest(array, k):
    """The k largest entries of each row of a (n, m) array, in any order: (n, k).

    Examples
    --------
    >>> import numpy as np
    >>> largest(np.array([[1.0, 3.0, 2.0]]), 1)
    array([[3.]])
    """
    xp = namespace(array)
    start = array.shape[1] - k
    if is_numpy_namespace(xp) or is_cupy_namespace(xp):
        return xp.partition(array, start, axis=1)[:, start:]
    return xp.sort(array, axis=1, stable=False)[:, start:]
