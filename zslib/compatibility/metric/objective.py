"""Loss and gradients of the metric learner (Bucher, Herbin and Jurie 2016, Eqs. 1 to 6 and 11).

The parameters ``theta`` are ``(W_X, b_X, W_A, tau)``, shapes (p, q), (q,), (q, m) and (1,).
"""

from array_api_compat import device as array_device

from zslib.arrays import namespace, put

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
    """Both sides about ``V[0]``, both under the metric, and squared distances, not yet clipped."""
    # Seen from one of the vectors, since differences of large squares lose digits.
    A, V = A - V[:1, :], V - V[:1, :]
    Z, U = A @ metric, V @ metric
    D = (-2.0 * Z) @ U.T
    D += xp.vecdot(Z, Z)[:, None]
    D += xp.vecdot(U, U)
    return A, V, Z, U, D


def pair_hinge(D, weight, threshold, hinge):
    r"""Weighted loss of pairs (Eq. 3) of squared distance ``D``, its derivatives by D and by tau.

    With ``hinge="squared_distance"``, as in the paper that Eq. 3 is taken from,

    .. math:: l_H = \max(0, 1 - Z (\tau - S^2)),

    and with ``hinge="as_printed"``

    .. math:: l_H = \max(0, 1 - Z (\tau - S)^2).

    each times the size of its ``weight``, a number or an array that broadcasts with ``D``, whose
    sign is Z: positive for an image's own vector, negative for another. Where the hinge is at its
    kink the derivative is 0, and so is that of S by :math:`S^2` at S = 0.

    Examples
    --------
    A positive pair at the threshold, one beyond, and a negative one beyond that counts twice:

    >>> import numpy as np
    >>> D, weight = np.array([2.0, 3.0, 3.0]), np.array([1.0, 1.0, -2.0])
    >>> pair_hinge(D, weight, np.array([2.0]), "squared_distance")[0]
    array([1., 2., 0.])
    """
    xp = namespace(D)
    if hinge == "squared_distance":
        loss = D - threshold
        loss *= weight
        loss += abs(weight)
        by_squared = xp.astype(loss > 0.0, D.dtype)
        loss *= by_squared
        by_squared *= weight
        return loss, by_squared, -by_squared
    S = xp.sqrt(xp.clip(D, min=0.0))
    gap = threshold - S
    loss = abs(weight) - weight * gap * gap
    by_threshold = -2.0 * weight * gap * xp.astype(loss > 0.0, D.dtype)
    away = S > 0.0
    half = xp.where(away, 0.5 / xp.where(away, S, xp.ones_like(S)), xp.zeros_like(S))
    return xp.clip(loss, min=0.0), -by_threshold * half, by_threshold


def metric_objective(
    theta, X, vectors, own, negatives, *, positive_weight, negative_weight, attribute_weight, hinge
):
    r"""Loss of some images, and its gradients by ``theta``, without the penalty.

    .. math:: w_+ \sum_i \left( l_H(x_i, y_i, 1) + \lambda \| y_i - \hat a(x_i) \|^2 \right)
              + w_- \sum_{ij} n_{ij}\, l_H(x_i, v_j, -1)

    with :math:`n_{ij}` the number of times that vector j is a negative of image i, of which none
    is the image's own. Where a unit of Eq. 2 is at 0 its derivative is taken as 0; for the hinge
    see `pair_hinge`.

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
        latter one product serves all vectors, and distances are differences of squares, which
        float32 knows to about 1e-6 of the squares.
    positive_weight, negative_weight, attribute_weight : float
        :math:`w_+, w_-, \lambda`.
    hinge : {"squared_distance", "as_printed"}
    """
    xp = namespace(X, vectors)
    metric, threshold = theta[2:]
    A = attribute_estimates(theta, X)
    error = A - xp.take(vectors, own, axis=0)
    part = _listed if xp.isdtype(negatives.dtype, "integral") else _counted
    weights = positive_weight, negative_weight
    found = part(xp, A, vectors, own, negatives, weights, metric, threshold, hinge)
    loss, by_tau, by_Z, by_metric = found
    loss = xp.sum(loss) + (positive_weight * attribute_weight) * xp.sum(error * error)
    by_before = by_Z @ metric.T
    error *= 2.0 * positive_weight * attribute_weight
    by_before += error
    by_before *= xp.astype(A > 0.0, X.dtype)
    by_tau = xp.reshape(xp.sum(by_tau), (1,))
    return loss, (X.T @ by_before, xp.sum(by_before, axis=0), by_metric, by_tau)


def _listed(xp, A, vectors, own, negatives, weights, metric, threshold, hinge):
    """Pairs one by one: loss and gradient by tau of each; gradients by Z = A W_A and by W_A."""
    rows = xp.concat([own[:, None], negatives], axis=1)
    n, K = rows.shape
    weight = xp.full((1, K), -weights[1], dtype=A.dtype, device=array_device(A))
    weight[:, 0] = weights[0]
    compared = xp.take(vectors, xp.reshape(rows, (-1,)), axis=0)
    apart = xp.reshape(A[:, None, :] - xp.reshape(compared, (n, K, -1)), (n * K, -1))
    E = apart @ metric
    D = xp.reshape(xp.vecdot(E, E), (n, K))
    loss, by_squared, by_tau = pair_hinge(D, weight, threshold, hinge)
    E *= xp.reshape(2.0 * by_squared, (-1, 1))
    return loss, by_tau, xp.sum(xp.reshape(E, (n, K, -1)), axis=1), apart.T @ E


def _counted(xp, A, vectors, own, negatives, weights, metric, threshold, hinge):
    """The same for all vectors at once, each as often as ``negatives`` says."""
    weight = put(-weights[1] * negatives, own, weights[0])
    A, V, Z, U, D = _distances(xp, A, vectors, metric)
    loss, by_squared, by_tau = pair_hinge(D, weight, threshold, hinge)
    G = 2.0 * by_squared
    by_Z = xp.sum(G, axis=1)[:, None] * Z
    by_Z -= G @ U
    by_U = xp.sum(G, axis=0)[:, None] * U
    by_U -= G.T @ Z
    by_metric = A.T @ by_Z
    by_metric += V.T @ by_U
    return loss, by_tau, by_Z, by_metric
