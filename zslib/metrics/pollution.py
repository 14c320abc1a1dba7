"""Pollution of neighbour lists by the targets used in training."""

from zslib.arrays import namespace
from zslib.metrics.hubness import check_lists
from zslib.validation import as_array, check_mask


def pollution(indices, is_training_target):
    """Whether each query has a training target among its k nearest neighbours, bool (n_queries,).

    The measure N^pol_{k,S}(x) of Lazaridou et al. (2015), section 4: 1 when some target of the
    training pairs is in the neighbour list of x in the search space S, else 0. Its mean over the
    test queries is the average pollution that the paper reports.

    Parameters
    ----------
    indices : (n_queries, k) int array
        Neighbour lists, from `zslib.search.top_k`.
    is_training_target : (n_targets,) bool array
        Marks the elements of the search space that are targets of training pairs.

    Examples
    --------
    >>> import numpy as np
    >>> pollution(np.array([[0, 2], [1, 0]]), np.array([False, False, True]))
    array([ True, False])
    """
    indices = as_array(indices, "indices")
    is_training_target = as_array(is_training_target, "is_training_target")
    check_mask(is_training_target, "is_training_target", is_training_target.size, "targets")
    xp = namespace(indices, is_training_target)
    check_lists(indices, is_training_target.shape[0])
    polluted = xp.take(is_training_target, xp.reshape(indices, (-1,)))
    return xp.any(xp.reshape(polluted, indices.shape), axis=1)
