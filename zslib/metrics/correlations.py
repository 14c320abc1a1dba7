"""Where hubs lie: near the mean of the search space, and near training items."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from zslib.arrays import largest_size, namespace, slices, take_rows, to_host
from zslib.metrics.hubness import check_counts
from zslib.search import top_k
from zslib.search.tiles import Tiles
from zslib.validation import as_vectors, check_mask, check_paired, check_same_rows, check_vectors


class HubCorrelations(NamedTuple):
    """Spearman's rho of N_k with two cosines, and the two-sided p-values (`hub_correlations`)."""

    mean_rho: float
    mean_p: float
    training_rho: float
    training_p: float


def hub_correlations(counts, targets, is_training_target):
    """Whether hubs lie near the mean of the space, and near training items: Table 5.

    Spearman correlations of N_k, over all elements of the search space, with (1) the cosine to
    the mean vector of the full search space and (2) the cosine to the nearest training item
    (Lazaridou et al. 2015, section 3).

    Parameters
    ----------
    counts : (n_targets,) int array
        From `k_occurrence`.
    targets : (n_targets, d) float array or numpy.memmap
        The full search space; read in blocks.
    is_training_target : (n_targets,) bool array
        Marks the targets of the training pairs. One of them is its own nearest training item,
        with cosine 1, by the letter of the paper.

    Examples
    --------
    >>> import numpy as np
    >>> targets = np.array([[1.0, 0.1], [1.0, 0.5], [0.1, 1.0], [-1.0, 0.2]])
    >>> found = hub_correlations(np.array([1, 3, 2, 0]), targets,
    ...                          np.array([False, True, False, False]))
    >>> round(found.mean_rho, 3), round(found.training_rho, 3)
    (0.8, 0.8)
    """
    check_paired(targets, is_training_target, "targets", "is_training_target")
    check_paired(targets, counts, "targets", "counts")
    check_paired(counts, is_training_target, "counts", "is_training_target")
    counts, targets = check_counts(counts), as_vectors(targets, "targets", finite=False)
    n = targets.shape[0]
    mask = check_mask(is_training_target, "is_training_target", n, "targets")
    namespace(counts, targets, mask)
    if n < 3:
        raise ValueError(f"targets has {n} rows: a rank correlation needs at least 3")
    check_same_rows(counts, targets, "counts", "targets")
    training = np.flatnonzero(to_host(mask))
    if not training.size:
        raise ValueError("is_training_target marks no target: there is no nearest training item")
    to_mean, to_training = hub_cosines(targets, training)
    counts = to_host(counts)
    rho_mean, p_mean = _spearman(counts, to_mean, "cosine to the mean")
    rho_near, p_near = _spearman(counts, to_training, "cosine to the nearest training item")
    return HubCorrelations(rho_mean, p_mean, rho_near, p_near)


def hub_cosines(targets, training):
    """Cosines of targets to the mean of all and to the nearest of the rows ``training``."""
    return _cosines_to_mean(targets), _cosines_to_training(targets, training)


def _spearman(counts, cosines, what):
    # Two items that are each other's nearest have one cosine: rounding must not split the tie.
    cosines = np.round(cosines, 6 if cosines.dtype == np.float32 else 12)
    for name, values in (("counts", counts), (f"the {what}", cosines)):
        if (values == values[0]).all():
            raise ValueError(f"{name} is the same for every target: the correlation is undefined")
    result = stats.spearmanr(counts, cosines)
    return float(result.statistic), float(result.pvalue)


def _cosines_to_mean(targets):
    """Cosine of each target to the mean of all, (n_targets,), on the host."""
    xp = namespace(targets)
    sums, largest = [], 0.0
    for rows in slices(targets.shape[0], 16384):
        block = xp.astype(xp.asarray(targets[rows, :]), xp.float64)
        sums.append(xp.sum(block, axis=0))
        largest = max(largest, largest_size(block))
    mean = xp.astype(sum(sums[1:], sums[0])[None, :] / targets.shape[0], targets.dtype)
    check_vectors(mean, "the mean of targets")
    if largest_size(mean) <= 64 * float(xp.finfo(targets.dtype).eps) * largest:
        raise ValueError(
            "targets has the mean zero, up to rounding: no cosine with it is defined; pass the "
            "vectors before they were centred"
        )
    tiles = Tiles(mean, targets, "cosine", None)
    found = [to_host(tile)[:, 0] for rows in tiles.blocks for tile in tiles.walk(rows)]
    return np.concatenate(found)


def _cosines_to_training(targets, training):
    """Cosine of each target to its nearest training item, (n_targets,), on the host."""
    xp = namespace(targets)
    items = take_rows(xp.asarray(targets), training)
    blocks = (xp.asarray(targets[rows, :]) for rows in slices(targets.shape[0], 16384))
    found = np.concatenate([to_host(top_k(block, items, 1)[0])[:, 0] for block in blocks])
    found[training] = 1  # exactly: rounding must not put them in an order
    return np.minimum(found, 1)
