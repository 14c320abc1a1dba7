"""The ranking loss that DeViSE, ALE, SJE, LatEm and DARK share (Guo et al. 2019, Eq. 2).

A system of this family is a margin and a choice of weights. With ``scores`` the (n, C) values of
:math:`F`, one row per sample, `violations` gives

.. math:: R_{iy} = \\epsilon + F(x_i, y) - F(x_i, y_i),

a function of R gives the weights :math:`\\Delta_{iy}`, the loss is
:math:`\\sum_i \\sum_{y \\ne y_i} \\Delta_{iy} R_{iy}`, and `score_gradient` turns the weights into
its derivative by the scores. That is all that differs between the systems:

======  =====================  ========================================
system  weights                :math:`\\Delta` for labels with R > 0
======  =====================  ========================================
DeViSE  `every_violation`      1
ALE     `rank_weights`         l_r / r
SJE     `largest_violation`    1 for the largest R, else 0
LatEm   `one_violation`        1 for a label drawn at random, else 0
DARK    `hardness`             sigmoid of R, also where R <= 0
======  =====================  ========================================
"""

import numpy as np

from zslib.arrays import namespace, pick, put, typed_like
from zslib.nn import sigmoid


def violations(scores, own, margin):
    r"""How far each label is from being ranked a margin below the own one: R of Eq. 2, (n, C).

    :math:`\epsilon + F(x_i, y) - F(x_i, y_i)`, where ``own`` (n,) is the column of each row's own
    label; 0 there, for it is no rival. ``margin`` is a float, or an array (n, 1).

    Examples
    --------
    >>> import numpy as np
    >>> violations(np.array([[2.0, 1.5, 0.0]]), np.array([0]), 1.0)
    array([[ 0. ,  0.5, -1. ]])
    """
    own_scores = pick(scores, own)
    residuals = scores + (margin - own_scores[:, None])
    return put(residuals, own, 0.0)


def score_gradient(weights, own):
    r"""Derivative by the scores of :math:`\sum_{iy} \Delta_{iy} R_{iy}`, the weights held fixed.

    Examples
    --------
    >>> import numpy as np
    >>> score_gradient(np.array([[0.0, 1.0, 0.5]]), np.array([0]))
    array([[-1.5,  1. ,  0.5]])
    """
    xp = namespace(weights, own)
    return put(xp.asarray(weights, copy=True), own, -xp.sum(weights, axis=1))


def every_violation(residuals):
    """DeViSE: all violating labels count alike.

    Examples
    --------
    >>> import numpy as np
    >>> every_violation(np.array([[0.0, 0.5, -1.0, 2.0]]))
    array([[0., 1., 0., 1.]])
    """
    return namespace(residuals).astype(residuals > 0.0, residuals.dtype)


def rank_weights(residuals):
    r"""ALE: with r violating labels each weighs :math:`l_r / r`, :math:`l_r = \sum_{j=1}^r 1/j`.

    Examples
    --------
    Two labels violate, so both weigh (1 + 1/2) / 2:

    >>> import numpy as np
    >>> rank_weights(np.array([[0.0, 0.5, -1.0, 2.0]]))
    array([[0.  , 0.75, 0.  , 0.75]])
    """
    xp = namespace(residuals)
    r = np.arange(1, residuals.shape[1] + 1)
    per_label = np.concatenate([[0.0], np.cumsum(1.0 / r) / r])
    violating = every_violation(residuals)
    ranks = xp.astype(xp.sum(violating, axis=1), xp.int64)
    weights = xp.take(typed_like(per_label, residuals), ranks, axis=0)
    return violating * weights[:, None]


def largest_violation(residuals):
    """SJE: only the label that violates most counts, the first of equals.

    Examples
    --------
    >>> import numpy as np
    >>> largest_violation(np.array([[0.0, 0.5, -1.0, 2.0], [0.0, -1.0, -2.0, -1.0]]))
    array([[0., 0., 0., 1.],
           [0., 0., 0., 0.]])
    """
    return one_violation(residuals, namespace(residuals).argmax(residuals, axis=1))


def drawn_violation(residuals, keys):
    """One of the violating labels: the one with the largest key, at least 0.

    With random keys that is the first violating label in a random order (DeViSE's original), and
    each violating label is equally likely.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_violation(np.array([[0.0, 0.5, -1.0, 2.0]]), np.array([[0.9, 0.7, 0.8, 0.3]]))
    array([[0., 1., 0., 0.]])
    """
    xp = namespace(residuals, keys)
    violating_keys = xp.where(residuals > 0.0, keys, -xp.ones_like(keys))
    return one_violation(residuals, xp.argmax(violating_keys, axis=1))


def one_violation(residuals, labels):
    """One given label of each row, if it violates.

    Examples
    --------
    >>> import numpy as np
    >>> one_violation(np.array([[0.0, 0.5], [0.0, -1.0]]), np.array([1, 1]))
    array([[0., 1.],
           [0., 0.]])
    """
    xp = namespace(residuals, labels)
    violates = xp.astype(pick(residuals, labels) > 0.0, residuals.dtype)
    return put(xp.zeros_like(residuals), labels, violates)


def hardness(residuals, own):
    """DARK: the sigmoid of R (Guo et al. 2019, Eq. 8), so that easy labels count a little.

    Examples
    --------
    >>> import numpy as np
    >>> hardness(np.array([[0.0, 0.5, -1.0, 2.0]]), np.array([0])).round(2)
    array([[0.  , 0.62, 0.27, 0.88]])
    """
    return put(sigmoid(residuals), own, 0.0)
