r"""The objective of DARK and its parts as functions (Guo et al. 2019, Eqs. 3 to 11).

Both views are one ranking loss, that of `zslib.compatibility.ranking.loss`. In the image view each
image ranks the labels by :math:`F(x, y) = xU (yV)'`. In the label view each label ranks the sets
of images by Eq. 5, which is linear in them: with :math:`\bar x_c = \sum_{x \in S_c} w_x x`,
`prototypes`,

.. math:: F_{set}(S_{\hat c}, y_c) = \bar x_{\hat c} U (y_c V)'.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from zslib.arrays import class_sums, namespace, one_hot, pick, put
from zslib.compatibility.base import cosines, directions, lengths_or_one, through_directions
from zslib.compatibility.ranking.loss import every_violation, hardness, score_gradient, violations
from zslib.nn import sigmoid


class View(NamedTuple):
    """One view at some U and V: n rows that each rank C columns. Steps hold all but F fixed where
    the last two are None."""

    scores: Any
    """:math:`F`, array (n, C)."""
    own: Any
    """Own column of each row, array of int (n,)."""
    margins: Any
    r""":math:`\epsilon`, array (n, 1)."""
    weights: Any
    r""":math:`\Delta`, array (n, C), 0 at the own columns."""
    slopes: Any = None
    r""":math:`d \epsilon / d F` at the own scores, array (n, 1); None: margins are held fixed."""
    rates: Any = None
    r""":math:`d (\Delta R) / d R`, array (n, C); None: weights are held fixed."""


def image_weights(X, codes, n_classes):
    r"""How well each image represents its class (Eq. 6).

    .. math:: w_x = \frac{1}{Z} \exp\left(-\|x - \bar m_c\|_2^2\right), \qquad
              \bar m_c = \frac{1}{|S_c|} \sum_{x \in S_c} x,

    with Z such that the weights of a class sum to 1 (the paper's Z is written through the weights
    that it normalises). ``codes`` (n,) is the class of each image; each class has one.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [2.0], [7.0]])
    >>> image_weights(X, np.array([0, 0, 0, 1]), 2).round(3)
    array([0.41 , 0.467, 0.123, 1.   ])
    """
    xp = namespace(X, codes)
    sums, counts = class_sums(X, codes, n_classes)
    means = sums / counts[:, None]
    member = one_hot(codes, n_classes, X.dtype)
    # ||x||^2 - 2 x.m + ||m||^2: no (n, p) array of differences.
    own_products = xp.sum(member * (X @ means.T), axis=1)
    distances = xp.vecdot(X, X) - 2.0 * own_products + member @ xp.vecdot(means, means)
    # Relative to the nearest image of the class, so that not all exponentials underflow.
    infinity = xp.full_like(member, float("inf"))
    nearest = xp.min(xp.where(member > 0, distances[:, None], infinity), axis=0)
    weights = xp.exp(xp.take(nearest, codes, axis=0) - distances)
    return weights / xp.take(weights @ member, codes, axis=0)


def prototypes(X, codes, n_classes):
    r"""The weighted mean :math:`\sum_{x \in S_c} w_x x` of each class (Eqs. 5, 6)."""
    weights = image_weights(X, codes, n_classes)
    return (one_hot(codes, n_classes, X.dtype) * weights[:, None]).T @ X


def density_margin(own_scores, margin):
    r"""Density adaptive margin :math:`m \log(1 + \exp F)` of the own scores (Eq. 3).

    Examples
    --------
    >>> import numpy as np
    >>> density_margin(np.array([-1000.0, 0.0, 9.0]), 0.5).round(4)
    array([0.    , 0.3466, 4.5001])
    """
    xp = namespace(own_scores)
    return margin * xp.logaddexp(xp.zeros_like(own_scores), own_scores)


def assess(scores, own, *, margin, soft, gradient="fixed"):
    """The `View` of all triplets at the current scores (n, C): margins and weights (Eqs. 3 and 8).

    ``own`` (n,) is the column of each row's own label (in the label view: of its own set of
    images), ``margin`` the m of Eq. 3. ``soft`` weights are the sigmoid of Eq. 8, others the step
    that it softens (DARK-H). ``gradient`` says what `pulls` follows: neither margins nor weights
    ("fixed"), the margins ("margin"), or both ("objective").

    Examples
    --------
    >>> import numpy as np
    >>> view = assess(np.array([[0.0, 0.0]]), np.array([0]), margin=0.5, soft=True)
    >>> view.margins.round(3), view.weights.round(3)
    (array([[0.347]]), array([[0.   , 0.586]]))
    """
    own_scores = pick(scores, own)
    margins = density_margin(own_scores, margin)[:, None]
    residuals = violations(scores, own, margins)
    weights = hardness(residuals, own) if soft else every_violation(residuals)
    slopes = rates = None
    if gradient != "fixed":
        # The slope of the softplus is the sigmoid.
        slopes = margin * sigmoid(own_scores)[:, None]
    if gradient == "objective" and soft:
        rates = weights * (1.0 + residuals * (1.0 - weights))
    return View(scores, own, margins, weights, slopes, rates)


def compatibility(A, B, scale=None):
    """F of all rows of ``A`` (n, r) and ``B`` (C, r): product, or ``scale`` times cosine."""
    return A @ B.T if scale is None else scale * cosines(A, B)


def image_scores(U, V, X, S, scale=None):
    r""":math:`F(x, y) = xU (yV)'` of all images and labels, (n, C); see `compatibility`."""
    return compatibility(X @ U, S @ V, scale)


def label_scores(U, V, means, S, scale=None):
    r""":math:`F_{set}` of all labels and sets of images, (C, C): a row for each label (Eq. 5).

    With a ``scale``, a set's score is that of its prototype, no longer the mean of its members'.
    """
    return compatibility(S @ V, means @ U, scale)


def view_loss(view):
    r"""Part of a view in Eq. 9: :math:`\frac{1}{n} \sum_i \sum_{y \ne y_i} \Delta R`, 0-d."""
    xp = namespace(view.scores)
    residuals = violations(view.scores, view.own, view.margins)
    return xp.sum(view.weights * residuals) / view.scores.shape[0]


def pulls(view):
    """Derivative of `view_loss` by the scores, (n, C): a view says what is held fixed.

    Where margins are followed the pull on the own score is weaker, for a higher own score asks for
    a larger margin. Where weights are followed, triplets with R below -1.28 pull the other way,
    since R times its weight rises again there.
    """
    rates = view.weights if view.rates is None else view.rates
    gradient = score_gradient(rates, view.own)
    gradient /= view.own.shape[0]
    if view.slopes is None:
        return gradient
    return put(gradient, view.own, pick(gradient, view.own) * (1.0 - view.slopes[:, 0]))


def dual_loss(U, V, views, regularization):
    r"""Objective of DARK (Eq. 9): the loss of all ``views``, plus the penalty.

    The penalty is :math:`\lambda (\|U\|_F^2 + \|V\|_F^2)`; without the label view it is DARK-L.
    """
    xp = namespace(U, V)
    penalty = regularization * (float(xp.sum(U * U)) + float(xp.sum(V * V)))
    return sum(float(view_loss(view)) for view in views) + penalty


def gradient_u(U, V, S, G, regularization):
    r"""Derivative of the objective by U, with what `pulls` holds fixed (Eq. 10).

    .. math:: \frac{\partial L}{\partial U} = G S V + 2 \lambda U, \qquad G = X' P + \bar X' H',

    with P and H the `pulls` of the image and of the label view and :math:`\bar X` the
    `prototypes`. The paper omits the factor 2. ``G`` (p, C) is the derivative by
    :math:`U (SV)'`, in which both views' scores are linear, so U and V have it in common.
    """
    return G @ (S @ V) + (2.0 * regularization) * U


def gradient_v(U, V, S, G, regularization):
    r"""Derivative of the objective by V, with what `pulls` holds fixed (Eq. 11).

    .. math:: \frac{\partial L}{\partial V} = S' G' U + 2 \lambda V.

    Parameters and shapes as in `gradient_u`.
    """
    return S.T @ (G.T @ U) + (2.0 * regularization) * V


def cosine_gradients(U, V, S, parts, scale):
    r"""Derivatives by U and V, without the penalty, where F is ``scale`` times a cosine.

    ``parts`` are pairs of rows Z (m, p), images or prototypes, and the derivative P (m, C) by
    their scores. With :math:`a_i` and :math:`b_c` the directions of :math:`z_i U` and
    :math:`s_c V`,

    .. math:: \frac{\partial L}{\partial U} = \text{scale} \sum_i z_i'
              \frac{g_i - (g_i \cdot a_i)\, a_i}{\|z_i U\|}, \qquad g_i = \sum_c P_{ic} b_c,

    and by V alike, with labels and rows exchanged.
    """
    labels = S @ V
    toward_u, toward_labels = 0.0, 0.0
    for Z, P in parts:
        mapped = Z @ U
        toward_u = toward_u + Z.T @ _turning(P @ directions(labels), mapped)
        toward_labels = toward_labels + P.T @ directions(mapped)
    return scale * toward_u, scale * (S.T @ _turning(toward_labels, labels))


def _turning(pull, rows):
    """Derivative by ``rows`` of what has the derivative ``pull`` by their directions."""
    return through_directions(pull, directions(rows), lengths_or_one(rows))
