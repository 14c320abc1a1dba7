"""BiDiLEL, bidirectional latent embedding (Wang & Chen 2017): classes placed among landmarks."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from array_api_compat import device as array_device

from zslib.arrays import class_sums, namespace, range_power, take_rows, to_host, typed_as
from zslib.compatibility.base import (
    CompatibilityModel,
    directions,
    plus_diagonal,
    squared_distances,
)
from zslib.compatibility.parameters import Positive
from zslib.optim import minimize
from zslib.validation import check_learned

SAME = 1e-6
"""Classes whose embeddings, of length one, are nearer than this are the same class.

Distances of unit vectors come from differences of squares, which round at the root of eps, 1e-8.
Those between the seen classes must be a thousand times as large somewhere.
"""


@dataclass(repr=False, eq=False)
class BiDiLEL(CompatibilityModel):
    r"""Bidirectional latent embedding (Wang & Chen 2017, sections 3 and 4).

    *Bottom-up*, supervised locality preserving projection finds the d directions P of features

    .. math:: X'DX\, p = \lambda\, (X'LX + \alpha I)\, p, \qquad L = D - w,

    with the largest :math:`\lambda`, scaled to :math:`p'(X'LX + \alpha I)p = 1`. The graph w
    joins two images of one class by 1 where one is among the m nearest of the other there, or
    always; D are its degrees. It is never formed as a whole: a class at a time, or, where all
    images of a class are joined, from class means. The projections, centred on their mean and of
    length one, have class means; these, of length one again, are the landmarks of the seen
    classes.

    *Top-down*, the places B of new classes minimise `sammon_objective`: their distances from the
    landmarks and from each other should be those of the class embeddings, all of length one. The
    score of a class is minus the Euclidean distance of the projected image from its place.

    So a new class's place, and score, depends on the other new candidates. Candidates with the
    embedding of a seen class have its landmark.

    Readings taken: images are scaled to length one, as landmarks are (unscaled they are so short
    that the candidate next to the mean is nearest to all); distances of embeddings are Euclidean;
    L-BFGS starts from means of the landmarks weighted by :math:`1 / \delta^2`, so that nothing is
    random. Generalised recognition, as above, is ours; the paper's transductive steps,
    self-training and structured prediction, are left out.

    Parameters
    ----------
    n_components : int, default 64
        d; at most as many as features are used.
    regularization : float, keyword only, default 1.0
        :math:`\alpha`, above 0, in units of :math:`X'LX`.
    n_neighbors : int or None, keyword only, default None
        m; None: all images of a class are joined.

    Attributes
    ----------
    coef_ : array, shape (p, d)
        P.
    mean_ : array, shape (d,)
        Mean of the projected training images.
    landmarks_ : array, shape (k, d)
        Places of the seen classes.
    seen_embeddings_ : array, shape (k, q)
        Their embeddings, of length one.
    eigenvalues_ : array, shape (d,)
        :math:`\lambda`, largest first.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]])
    >>> model = BiDiLEL().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    >>> model.place(S[2:]).round(2)
    array([[0.11, 0.13]])
    """

    grid = {"n_components": (32, 64, 128), "regularization": (1.0, 10.0, 100.0)}
    year = 2017
    family = "metric"
    look = (5, "D", "-")
    compares = "distance"

    n_components: int = 64
    _: KW_ONLY
    regularization: Positive = 1.0
    n_neighbors: int | None = None

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        with np.errstate(over="ignore", invalid="ignore"):
            total, within = slpp_sums(X, codes, embeddings.shape[0], self.n_neighbors)
        check_learned(total, "give smaller features")
        alpha = float(self.regularization)
        eigenvalues, coef = slpp_directions(total, within, alpha, self.n_components)
        self.eigenvalues_ = xp.astype(eigenvalues, X.dtype)
        self.coef_ = xp.astype(coef, X.dtype)
        self.mean_ = xp.mean(X @ self.coef_, axis=0)
        sums, _ = class_sums(self._projected(X), codes, embeddings.shape[0])
        self.landmarks_ = directions(sums)
        self.seen_embeddings_ = directions(embeddings)
        units = xp.astype(self.seen_embeddings_, xp.float64)
        widest = float(xp.max(_distances(units, units)))
        if widest < 1000.0 * SAME:
            raise ValueError(
                "class_embeddings of the classes in y all point the same way, distances at length "
                f"one are at most {widest:.1g}: subtract their mean first"
            )

    def _projected(self, X):
        """Images in the latent space: centred, of length one."""
        coef, mean = typed_as(X, self.coef_, self.mean_)
        return directions(X @ coef - mean)

    def place(self, class_embeddings):
        """Where candidate classes lie in the latent space, (C', d): see `sammon_objective`.

        They have the type of the ``X`` given to ``fit``.
        """
        return self._places(self._checked_classes(class_embeddings))

    def _places(self, class_embeddings):
        xp = namespace(class_embeddings)
        S, seen, landmarks = (
            xp.astype(array, xp.float64)
            for array in (directions(class_embeddings), self.seen_embeddings_, self.landmarks_)
        )
        distances = _distances(S, seen)
        own = to_host(xp.argmin(distances, axis=1))
        new = np.flatnonzero(to_host(xp.min(distances, axis=1)) > SAME)
        if new.size:
            S, own[new] = take_rows(S, new), landmarks.shape[0] + np.arange(new.size)
            found = place_among_landmarks(landmarks, take_rows(distances, new), _distances(S, S))
            landmarks = xp.concat([landmarks, found], axis=0)
        return xp.astype(take_rows(landmarks, own), class_embeddings.dtype)

    def _scores(self, X, class_embeddings):
        return -_distances(self._projected(X), self._places(class_embeddings))


def slpp_sums(X, codes, k, n_neighbors=None):
    """X'DX and X'LX in float64, (p, p) both, of the graph within each of the k classes."""
    xp, unit = namespace(X), range_power(X)
    X = X / unit
    if n_neighbors is None:
        sums, counts = class_sums(X, codes, k)
        degrees = xp.take(counts, codes, axis=0)[:, None]
        # All joined, X'LX is what is left around the class means, times the classes' sizes.
        around = X - xp.take(sums / counts[:, None], codes, axis=0)
        products = X.T @ (degrees * X), around.T @ (degrees * around)
        return tuple(xp.astype(product, xp.float64) * (unit * unit) for product in products)
    total = within = xp.zeros((X.shape[1],) * 2, dtype=xp.float64, device=array_device(X))
    codes = to_host(codes)
    for c in range(k):
        own = xp.astype(take_rows(X, np.flatnonzero(codes == c)), xp.float64)
        ranks = xp.argsort(xp.argsort(squared_distances(own, own), axis=1), axis=1)
        near = ranks <= n_neighbors  # rank 0 is the image itself
        graph = xp.astype(near | near.T, xp.float64)
        weighted = xp.sum(graph, axis=1)[:, None] * own
        total = total + own.T @ weighted
        within = within + own.T @ (weighted - graph @ own)
    return total * (unit * unit), within * (unit * unit)


def slpp_directions(total, within, alpha, d):
    """The d largest eigenvalues, and P (p, d), of ``total p = lambda (within + alpha I) p``."""
    xp, p = namespace(total), total.shape[0]
    # By P = K Q with K' (within + alpha) K = I the problem is an ordinary symmetric one.
    values, vectors = xp.linalg.eigh(plus_diagonal(within, alpha))
    whitening = vectors / xp.sqrt(values)
    inner = whitening.T @ total @ whitening
    values, vectors = xp.linalg.eigh(0.5 * (inner + inner.T))
    order = xp.arange(p - 1, p - 1 - min(d, p), -1, device=array_device(total))
    return xp.take(values, order), whitening @ xp.take(vectors, order, axis=1)


def place_among_landmarks(landmarks, to_landmarks, among, *, max_iter=200, tol=1e-4):
    """Minimum of `sammon_objective` from weighted means of the landmarks."""
    xp = namespace(landmarks)
    weights = 1.0 / to_landmarks**2
    weights = weights / xp.sum(weights, axis=1, keepdims=True)

    def objective(B):
        return sammon_objective(B, landmarks, to_landmarks, among)

    return minimize(objective, weights @ landmarks, max_iter=max_iter, tol=tol)[0]


def sammon_objective(B, landmarks, to_landmarks, among):
    r"""How far distances in the latent space are from those of embeddings, and its gradient.

    .. math:: E(B) = \frac{1}{k u} \sum_{j=1}^u \sum_{i=1}^k
              \frac{(\|b_j - b^l_i\| - \delta_{ji})^2}{\delta_{ji}}
              + \frac{2}{u (u - 1)} \sum_{j=1}^u \sum_{i < j}
              \frac{(\|b_j - b_i\| - \delta_{ji})^2}{\delta_{ji}}

    for the places ``B`` (u, d) of new classes. ``to_landmarks`` (u, k) and ``among`` (u, u) are
    :math:`\delta`; pairs of new classes with :math:`\delta = 0` have no term.
    """
    xp = namespace(B)
    u, k = to_landmarks.shape
    value, slope = _stress(B, landmarks, to_landmarks, 1.0 / (k * u))
    gradient = xp.sum(slope, axis=1)[:, None] * B - slope @ landmarks
    if u > 1:
        # Each pair is met twice.
        inner, slope = _stress(B, B, among, 1.0 / (u * (u - 1)))
        value += inner
        gradient = gradient + 2.0 * (xp.sum(slope, axis=1)[:, None] * B - slope @ B)
    return value, gradient


def _stress(A, B, wanted, weight):
    """Weighted stress of all pairs of rows, and its slope by distance over the distance."""
    xp = namespace(A)
    found = _distances(A, B)
    apart = xp.astype(wanted > SAME, A.dtype)
    wanted = apart * wanted + (1.0 - apart)
    error = apart * (found - wanted)
    value = weight * float(xp.sum(error * error / wanted))
    return value, 2.0 * weight * error / (wanted * xp.clip(found, min=SAME))


def _distances(A, B):
    return namespace(A).sqrt(squared_distances(A, B))
