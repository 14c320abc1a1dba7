"""Retrieval accuracy from the ranks of gold targets."""

from zslib.arrays import namespace
from zslib.validation import as_array, check_integer, check_ks

__all__ = ["hits_at_k", "precision_at_k"]


def hits_at_k(ranks, k):
    """Whether each query has its gold target among its k nearest neighbours, bool (n_queries,).

    ``ranks`` (n_queries,) are those of the gold target, 0 is best, from `zslib.search.gold_ranks`.

    Examples
    --------
    >>> import numpy as np
    >>> hits_at_k(np.array([0, 4, 1]), 2)
    array([ True, False,  True])
    """
    ranks = as_array(ranks, "ranks")
    xp = namespace(ranks)
    if not xp.isdtype(ranks.dtype, "integral"):
        raise TypeError(
            f"ranks must hold integers, got {ranks.dtype}: pass what gold_ranks returns"
        )
    if ranks.ndim != 1 or ranks.shape[0] == 0:
        raise ValueError(
            f"ranks must be a 1-d array with one rank per query, got shape {tuple(ranks.shape)}"
        )
    if int(xp.min(ranks)) < 0:
        raise ValueError(f"ranks start at 0 for the nearest target, found {int(xp.min(ranks))}")
    return ranks < check_integer(k, "k", low=1)


def precision_at_k(ranks, ks):
    """Precision at k: share of queries whose gold target is among the k nearest neighbours.

    P@k in [0, 1], as in the tables of Lazaridou et al. (2015), who print it in percent; a dict
    with one share for each of ``ks``. With several acceptable targets per query, ranks from
    `zslib.search.gold_ranks` count the best one.

    Examples
    --------
    >>> import numpy as np
    >>> precision_at_k(np.array([0, 4, 1, 9]), [1, 5, 10])
    {1: 0.25, 5: 0.75, 10: 1.0}
    """
    ranks = as_array(ranks, "ranks")
    xp = namespace(ranks)
    hits = {k: hits_at_k(ranks, k) for k in check_ks(ks)}
    return {k: int(xp.sum(xp.astype(h, xp.int64))) / h.shape[0] for k, h in hits.items()}
