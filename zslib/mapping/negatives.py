"""Choosing negative examples for a ranking loss (Lazaridou et al. 2015, sections 2 and 5).

Negatives are drawn among the *labels*: the distinct target vectors of the training items. A label
that belongs to several items (a translation of several words) counts once, and is never a
negative of any of its own items. Throughout, an entry equal to the item's own label means "no
negative here": the loss skips it.
"""

import numpy as np

from zslib.arrays import namespace, put
from zslib.search.rows import distinct, first_equal

NEGATIVES = ("random", "uniform", "first_violating", "intruder")
"""The kinds of negatives of the paper: two of section 2's, WSABIE's, and section 5's."""


def distinct_labels(Y):
    """The row where each distinct row of ``Y`` comes first, ascending, and each row's label."""
    return distinct(first_equal(Y))


def random_negatives(rng, own, n_labels, n_negatives):
    """Labels other than each item's own, uniformly and with replacement (section 2), (n, k)."""
    draws = rng.integers(n_labels - 1, size=(len(own), n_negatives))
    draws += draws >= np.asarray(own)[:, None]
    return draws


def first_of_row(violates):
    """Only the first True of a row: the first label drawn that violates (Weston et al. 2011)."""
    xp = namespace(violates)
    count = xp.cumulative_sum(xp.astype(violates, xp.int64), axis=1)
    return violates & (count == 1)


class IntruderSearch:
    r"""Finds the labels nearest to a mapped vector yet far from the gold one (section 5).

    For item i these are the labels :math:`j \ne i` with the largest

    .. math:: s_j = \cos(\hat y_i, y_j) - \cos(y_i, y_j) = (\hat u_i - u_i) \cdot u_j,

    where u are the vectors scaled to length one: one product instead of two, and no n_labels x
    n_labels matrix. A copy of ``unit_labels`` (n_labels, d), the :math:`u_j`, is stored by
    columns, which makes the product a third faster.
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
