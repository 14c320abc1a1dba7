"""Loss and gradients of the metric learner (Bucher, Herbin and Jurie 2016, Eqs. 1 to 6 and 11).

The parameters ``theta`` are ``(W_X, b_X, W_A, tau)``, shapes (p, q), (q,), (q, m) and (1,).
"""

from __future__ import annotations

from zslib.arrays import namespace

__all__ = ["HINGES", "attribute_estimates", "metric_objective", "pair_hinge", "squared_distances"]

HINGES = ("squared_distance", "as_printed")


def attribute_estimates(theta, X):
    r"""Attributes that the images seem to have, Eq. 2: :math:`\max(0, x W_X + b_X)`, (n, q).

    Examples
    --------
    >>> import numpy as np
    >>> theta = np.array([[2.0, -1.0]]), np.array([0.5, 0.5]), np.eye(2), np.ones(1)
    >>> attribute_estimates(theta, np.array([[1.0]]))
    array([[2.5, 0. ]])
    """
    before = X @ theta[0]
    before += theta[1]
    return namespace(X).maximum(before, 0.0)


def squared_distances(A, V, metric):
    r"""Squared distances under the metric, :math:`\| (a_i - v_j) W_A \|^2`, (n, M).

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[1.0, 0.0]]), np.array([[0.0, 0.0]]), 2.0 * np.eye(2))
    array([[4.]])
    """
    xp = namespace(A, V)
    return xp.clip(_distances(xp, A, V, metric)[-1], min=0.0)


def _distances(xp, A, V, metric):
    """Both sides about the first of ``V``, both under the metric, and squared distances.

    Rounding may leave distances a little below 0.
    """
    # Seen from one of the vectors, since differences of large squares lose digits.
    A, V = A - V[:1, :], V - V[:1, :]
    Z, U = A @ metric, V @ metric
    D = (-2.0 * Z) @ U.T
    D += xp.vecdot(Z, Z)[:, None]
    D += xp.vecdot(U, U)
    return A, V, Z, U, D


def pair_hinge(D, sign, threshold, hinge):
    r"""Loss of pairs (Eq. 3), whose :math:`S^2` is ``D``, and its derivatives by it and by tau.

    With ``hinge="squared_distance"``, as in the paper that Eq. 3 is taken from,

    .. math:: l_H = \max(0, 1 - Z (\tau - S^2)),

    and with ``hinge="as_printed"``

    .. math:: l_H = \max(0, 1 - Z (\tau - S)^2).

    Z, ``sign``, is 1 for an image's own vector and -1 for another. Where the hinge is at its kink
    the derivative is 0, and so is that of S by :math:`S^2` at S = 0.

    Examples
    --------
    A positive pair at the threshold, and one beyond:

    >>> import numpy as np
    >>> pair_hinge(np.array([2.0, 3.0]), 1, np.array([2.0]), "squared_distance")[0]
    array([1., 2.])
    """
    xp = namespace(D)
    if hinge == "squared_distance":
        residual = sign * D
        residual += 1.0 - sign * threshold
        active = xp.astype(residual > 0.0, D.dtype)
        residual *= active
        by_squared = sign * active
        return residual, by_squared, -by_squared
    S = xp.sqrt(xp.clip(D, min=0.0))
    gap = threshold - S
    residual = 1.0 - sign * gap * gap
    by_threshold = (-2.0 * sign) * gap * xp.astype(residual > 0.0, D.dtype)
    away = S > 0.0
    half = xp.where(away, 0.5 / xp.where(away, S, xp.ones_like(S)), xp.zeros_like(S))
    return xp.clip(residual, min=0.0), -by_threshold * half, by_threshold


def metric_objective(
    theta,
    X,
    vectors,
    own,
    negatives,
    *,
    positive_weight,
    negative_weight,
    attribute_weight,
    hinge="squared_distance",
):
    r"""Loss of some images, and its gradients by ``theta``, without the penalty.

    .. math:: w_+ \sum_i \left( l_H(x_i, y_i, 1) + \lambda \| y_i - \hat a(x_i) \|^2 \right)
              + w_- \sum_{ij} n_{ij}\, l_H(x_i, v_j, -1)

    with :math:`n_{ij}` the number of times that vector j is a negative of image i. Where a unit
    of Eq. 2 is at 0 its derivative is taken as 0; for the hinge see `pair_hinge`.

    Parameters
    ----------
    theta : tuple of arrays
        :math:`W_X, b_X, W_A, \tau`.
    X : array, shape (n, p)
    vectors : array, shape (M, q)
        Attribute vectors.
    own : array of int, shape (n,)
        Row of ``vectors`` that each image has, :math:`y_i`.
    negatives : array of int, shape (n, K), or float array, shape (n, M)
        Rows of ``vectors``, or :math:`n_{ij}`. The former is quick where K is small; in the
        latter one product serves all vectors.
    positive_weight, negative_weight, attribute_weight : float
        :math:`w_+, w_-, \lambda`.
    hinge : {"squared_distance", "as_printed"}
    """
    xp = namespace(X, vectors)
    metric, threshold = theta[2:]
    A = attribute_estimates(theta, X)
    error = A - xp.take(vectors, own, axis=0)
    # An image's own distance without a difference of squares, as its pair is near.
    mine = _pairs(xp, error, 1, positive_weight, metric, threshold, hinge)
    part = _counted if negatives.dtype == X.dtype else _listed
    others = part(xp, A, vectors, negatives, negative_weight, metric, threshold, hinge)
    loss, by_tau, by_Z, by_metric = (a + b for a, b in zip(mine, others, strict=True))
    loss += (positive_weight * attribute_weight) * xp.vecdot(error, error)
    by_before = by_Z @ metric.T
    by_before += (2.0 * positive_weight * attribute_weight) * error
    by_before *= xp.astype(A > 0.0, X.dtype)
    by_tau = xp.reshape(xp.sum(by_tau), (1,))
    return xp.sum(loss), (X.T @ by_before, xp.sum(by_before, axis=0), by_metric, by_tau)


def _pairs(xp, apart, sign, weight, metric, threshold, hinge):
    """Of differences: loss and gradient by tau of each, gradients by E = apart W_A and by W_A."""
    E = apart @ metric
    loss, by_squared, by_tau = pair_hinge(xp.vecdot(E, E), sign, threshold, hinge)
    E *= ((2.0 * weight) * by_squared)[:, None]
    return weight * loss, weight * by_tau, E, apart.T @ E


def _listed(xp, A, vectors, negatives, weight, metric, threshold, hinge):
    """Negatives pair by pair: loss and gradient by tau of each image; gradients by Z and W_A."""
    n, K = negatives.shape
    other = xp.reshape(xp.take(vectors, xp.reshape(negatives, (-1,)), axis=0), (n, K, -1))
    apart = xp.reshape(A[:, None, :] - other, (n * K, -1))
    *found, by_metric = _pairs(xp, apart, -1, weight, metric, threshold, hinge)
    loss, by_tau, by_Z = (xp.sum(xp.reshape(part, (n, K, -1)), axis=1) for part in found)
    return loss[:, 0], by_tau[:, 0], by_Z, by_metric


def _counted(xp, A, vectors, negatives, weight, metric, threshold, hinge):
    """The same for all vectors at once, each as often as ``negatives`` says."""
    A, V, Z, U, D = _distances(xp, A, vectors, metric)
    loss, by_squared, by_tau = pair_hinge(D, -1, threshold, hinge)
    G = (2.0 * weight) * by_squared
    G *= negatives
    by_Z = xp.sum(G, axis=1)[:, None] * Z
    by_Z -= G @ U
    by_U = xp.sum(G, axis=0)[:, None] * U
    by_U -= G.T @ Z
    by_metric = A.T @ by_Z
    by_metric += V.T @ by_U
    loss, by_tau = (weight * xp.vecdot(part, negatives) for part in (loss, by_tau))
    return loss, by_tau, by_Z, by_metric
