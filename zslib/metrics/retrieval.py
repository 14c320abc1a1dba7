"""Retrieval accuracy from the ranks of gold targets."""

from zslib.arrays import to_host
from zslib.validation import check_integer, check_ks, whole_numbers


def hits_at_k(ranks, k):
    """Whether each query has its gold target among its k nearest neighbours, bool (n_queries,).

    ``ranks`` (n_queries,) are those of the gold target, 0 is best, from `zslib.search.gold_ranks`.

    Examples
    --------
    >>> import numpy as np
    >>> hits_at_k(np.array([0, 4, 1]), 2)
    array([ True, False,  True])
    """
    ranks = whole_numbers(ranks, "ranks", "ranks, one for each query, as gold_ranks returns them")
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
    hits = {k: to_host(hits_at_k(ranks, k)) for k in check_ks(ks)}
    return {k: int(found.sum()) / found.size for k, found in hits.items()}
