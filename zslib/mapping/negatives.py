"""Choosing negative examples for a ranking loss (Lazaridou et al. 2015, sections 2 and 5).

Negatives are drawn among the *labels*: the distinct target vectors of the training items. A label
that belongs to several items (a translation of several words) counts once, and is never a
negative of any of its own items. Throughout, an entry equal to the item's own label means "no
negative here": the loss skips it.

Draws come from a NumPy ``Generator`` on the host, so one seed gives the same negatives on every
array library.
"""

import numpy as np

from zslib.arrays import namespace, put
from zslib.search.rows import first_equal

__all__ = ["NEGATIVES", "IntruderSearch", "distinct_labels", "first_of_row", "random_negatives"]

NEGATIVES = ("random", "uniform", "first_violating", "intruder")
"""The kinds of negatives of the paper: two of section 2's, WSABIE's, and section 5's."""


def distinct_labels(Y):
    """Number the distinct rows of ``Y``, in the order of their first occurrence.

    Rows are compared exactly. Returns the row at which each label occurs first,
    ascending, and the label number of each row.

    Examples
    --------
    >>> import numpy as np
    >>> first_rows, labels = distinct_labels(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    >>> print(first_rows, labels)
    [0 1] [0 1 0]
    """
    first = first_equal(Y)
    first_rows = np.flatnonzero(first == np.arange(first.size))
    return first_rows, np.searchsorted(first_rows, first)


def random_negatives(rng, own, n_labels, n_negatives):
    """Draw, for each item, labels other than its own, uniformly and with replacement; (n, k).

    The paper's general setup (section 2), as in WSABIE "for each training item, labels from the
    complete set".

    Examples
    --------
    >>> import numpy as np
    >>> random_negatives(np.random.default_rng(0), np.array([0, 1]), 2, 3)
    array([[1, 1, 1],
           [0, 0, 0]])
    """
    draws = rng.integers(n_labels - 1, size=(len(own), n_negatives))
    draws += draws >= np.asarray(own)[:, None]
    return draws


def first_of_row(violates):
    """Keep only the first True of each row (WSABIE; Weston et al. 2011).

    With the labels of each item in the order in which they were sampled, this leaves the first
    that violates the margin: at most one update per item.

    Examples
    --------
    >>> import numpy as np
    >>> first_of_row(np.array([[False, True, True], [False, False, False]]))
    array([[False,  True, False],
           [False, False, False]])
    """
    xp = namespace(violates)
    count = xp.cumulative_sum(xp.astype(violates, xp.int64), axis=1)
    return violates & (count == 1)


class IntruderSearch:
    r"""Finds the labels nearest to a mapped vector yet far from the gold one (section 5).

    For item i these are the labels :math:`j \ne i` with the largest

    .. math:: s_j = \cos(\hat y_i, y_j) - \cos(y_i, y_j) = (\hat u_i - u_i) \cdot u_j,

    where u are the vectors scaled to length one. The right-hand side is how it is computed: one
    product instead of two, and no n_labels x n_labels matrix.

    Parameters
    ----------
    unit_labels : array, shape (n_labels, d)
        :math:`u_j`, rows of length one. A copy is kept, stored by columns: the product with it
        is a third faster.

    Examples
    --------
    The cat is mapped towards the truck: that, not the dog beside it, is the intruder.

    >>> import numpy as np
    >>> cat, dog, truck = [1.0, 0.0], [0.8, 0.6], [0.0, 1.0]
    >>> search = IntruderSearch(np.array([cat, dog, truck]))
    >>> search(np.array([[0.6, 0.8]]), np.array([cat]), np.array([0]))
    array([[2]])
    """

    def __init__(self, unit_labels):
        xp = namespace(unit_labels)
        n_labels, d = unit_labels.shape
        self._columns = xp.reshape(xp.reshape(unit_labels.T, (-1,)), (d, n_labels))

    def __call__(self, unit_mapped, unit_gold, own, n_negatives=1):
        r"""Choose the intruders of a minibatch, int64 (n, n_negatives): largest :math:`s_j` first.

        ``unit_mapped`` and ``unit_gold`` (n, d) are :math:`\hat u_i` and :math:`u_i`, ``own``
        (n,) is the label of each item. The paper takes one intruder. Ties go to the lower label.
        """
        xp = namespace(unit_mapped, unit_gold, own)
        scores = (unit_mapped - unit_gold) @ self._columns
        taken = own
        chosen = []
        for _ in range(n_negatives):
            put(scores, taken, -np.inf)
            taken = xp.argmax(scores, axis=1)
            chosen.append(taken)
        return xp.stack(chosen, axis=1)
