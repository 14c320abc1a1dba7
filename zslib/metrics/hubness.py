"""Hubness: how unevenly the targets of a search space appear in neighbour lists.

References
----------
Lazaridou, Dinu and Baroni (2015), section 3. Radovanović, Nanopoulos and Ivanović (2010): Hubs in
space, JMLR 11. Feldbauer and Flexer (2019): A comprehensive empirical comparison of hubness
reduction in high-dimensional spaces, Knowledge and Information Systems 59.
"""

import numpy as np

from zslib.arrays import like, namespace, to_host
from zslib.validation import as_array, check_indices, check_integer, whole_numbers


def k_occurrence(indices, n_targets):
    """Hubness N_k of each target: the number of neighbour lists in which it occurs.

    N_k(y) of Lazaridou et al. (2015), section 3, with k the length of the lists.

    Parameters
    ----------
    indices : (n_queries, k) int array
        Neighbour lists, from `zslib.search.top_k`.
    n_targets : int
        Size of the search space.

    Returns
    -------
    (n_targets,) int64 array
        Sums to n_queries * k.

    Examples
    --------
    >>> import numpy as np
    >>> k_occurrence(np.array([[0, 2], [2, 1], [2, 0]]), 4)
    array([2, 1, 3, 0])
    """
    indices = as_array(indices, "indices")
    xp = namespace(indices)
    n_targets = check_integer(n_targets, "n_targets", low=1)
    check_lists(indices, n_targets)
    found = xp.sort(xp.reshape(xp.astype(indices, xp.int64), (-1,)))
    edges = like(np.arange(n_targets + 1), indices)
    below = xp.astype(xp.searchsorted(found, edges), xp.int64)
    return below[1:] - below[:-1]


def check_lists(indices, n_targets):
    """Raise unless ``indices`` are non-empty lists (n_queries, k) of targets."""
    if indices.ndim != 2 or 0 in indices.shape:
        raise ValueError(
            "indices must be a non-empty (n_queries, k) array of neighbour lists, got shape "
            f"{tuple(indices.shape)}; for top-1 answers pass indices[:, :1]"
        )
    check_indices(indices, "indices", n_targets)


def check_counts(counts, name="counts"):
    """``counts`` as an array when it is non-empty, 1-d, of non-negative integers."""
    return whole_numbers(counts, name, "k-occurrences")


def k_skewness(counts):
    """Skewness of the N_k distribution, the usual single number for hubness.

    S_{N_k} = E[(N_k - mean)^3] / sd^3 (Radovanović et al. 2010, section 2), with the population's
    standard deviation. It is 0 when every target occurs equally often. ``counts`` (n_targets,) is
    from `k_occurrence`, the result a float.

    Examples
    --------
    >>> import numpy as np
    >>> round(k_skewness(np.array([0, 0, 0, 4])), 4)
    1.1547
    """
    counts = to_host(check_counts(counts)).astype(np.float64)
    centred = counts - counts.mean()
    variance = np.mean(centred**2)
    return float(np.mean(centred**3) / variance**1.5) if variance > 0 else 0.0


def hub_share(top1, counts):
    """Share of top-1 answers that are hubs, N_k above 5.

    Table 4 of Lazaridou et al. (2015), there in percent, with N_20 > 5. ``top1`` (n_queries,) is
    the nearest target of each query, ``counts`` (n_targets,) is from `k_occurrence`.

    Examples
    --------
    >>> import numpy as np
    >>> hub_share(np.array([2, 0, 2, 1]), np.array([1, 5, 6]))
    0.5
    """
    top1 = whole_numbers(top1, "top1", "first neighbours, indices[:, 0] of top_k")
    counts = check_counts(counts)
    xp = namespace(top1, counts)
    check_indices(top1, "top1", counts.shape[0])
    hubs = xp.take(counts, top1) > 5
    return int(xp.sum(xp.astype(hubs, xp.int64))) / top1.shape[0]


def robin_hood_index(counts):
    """Share of all occurrences that would have to be moved to make N_k uniform.

    The Hoover or Robin Hood index, ``sum |N_k - mean| / (2 sum N_k)``, proposed for hubness by
    Feldbauer and Flexer (2019): 0 for no hubness, towards 1 when one target takes every place.
    ``counts`` (n_targets,) is from `k_occurrence`, the result a float.

    Examples
    --------
    >>> import numpy as np
    >>> robin_hood_index(np.array([4, 0, 0, 0]))
    0.75
    """
    counts = to_host(check_counts(counts)).astype(np.float64)
    total = counts.sum()
    if total == 0:
        raise ValueError("counts are all 0: there is no occurrence to share out")
    return float(np.abs(counts - counts.mean()).sum() / (2 * total))
