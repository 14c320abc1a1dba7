"""Detectors of unseen classes among the class vectors (Socher et al. 2013, section 4)."""

import math

import numpy as np
from scipy.special import erf
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import like, namespace, range_power, to_host
from zslib.search import top_k
from zslib.validation import (
    as_vectors,
    check_integer,
    check_kept_columns,
    check_real,
    check_same_width,
    keep_columns,
)


class OutlierProbability(BaseEstimator):
    r"""Local outlier probability of a mapped image (Kriegel et al. 2009; Socher et al. 2013).

    With C(f) the k nearest of the mapped training images,

    .. math:: \sigma(f) = \sqrt{\tfrac1k \sum_{g \in C(f)} \|f - g\|^2}, \qquad
              o(f) = \frac{\sigma(f)}{\operatorname{mean}_{g \in C(f)} \sigma(g)} - 1,

    .. math:: P(\text{unseen} \mid f) =
              \max\Bigl(0, \operatorname{erf} \frac{o(f)}{\sqrt2\, \lambda\, z}\Bigr),

    where z is the root mean square of o over the training images, none of which is its own
    neighbour. Half of all typical images have probability 0. As in the paper, an image is compared
    with all training images; the public code compares it with those of each class, and takes the
    least probability.

    Parameters
    ----------
    n_neighbors : int, default 20
        k; all training images where there are fewer.
    scale : float, keyword only, default 3
        :math:`\lambda`, above 0: the larger, the more is still typical.

    Attributes
    ----------
    points_ : array, shape (n, q)
        The mapped training images.
    spread_ : array, shape (n,)
        Their :math:`\sigma`.
    deviation_ : float
        z.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).standard_normal((200, 2))
    >>> detector = OutlierProbability().fit(points)
    >>> detector.unseen(np.array([[0.0, 0.0], [4.0, 4.0]])).round(2)
    array([0.12, 1.  ])
    """

    def __init__(self, n_neighbors=20, *, scale=3.0):
        self.n_neighbors = n_neighbors
        self.scale = scale

    def fit(self, points):
        """Learn from the mapped training images, (n, q)."""
        check_integer(self.n_neighbors, "n_neighbors", low=1)
        check_real(self.scale, "scale", low=0, inclusive=False)
        given, points = points, as_vectors(points, "points")
        keep_columns(self, given)
        if points.shape[0] < 2:
            raise ValueError("points has one row: an outlier needs neighbours, give at least two")
        k = min(self.n_neighbors, points.shape[0] - 1)
        self.points_ = points
        # The nearest is the image itself, or one at the same place.
        self.spread_, neighbours = self._spread(points, k + 1, first=1)
        found = self._outlyingness(self.spread_, neighbours)
        self.deviation_ = math.sqrt(float(namespace(points).mean(found * found)))
        return self

    def unseen(self, points):
        """Probability that each mapped image is of no seen class, (n,), with its type."""
        points = _checked(self, points, "points_")
        spread, neighbours = self._spread(points, min(self.n_neighbors, self.points_.shape[0]))
        found = to_host(self._outlyingness(spread, neighbours))
        unit = math.sqrt(2.0) * self.scale * self.deviation_
        # Where training images all lie alike, whatever lies otherwise is an outlier.
        with np.errstate(over="ignore"):
            found = found / found.dtype.type(max(unit, np.finfo(found.dtype).tiny))
        return like(np.maximum(erf(found), 0.0), points)

    def _spread(self, points, k, *, first=0):
        """Root mean square distance to the neighbours ``first`` to k, and which they are."""
        xp = namespace(points)
        known = xp.astype(self.points_, points.dtype, copy=False)
        unit = range_power(known)
        minus, neighbours = top_k(points / unit, known / unit, k, metric="euclidean")
        minus, neighbours = minus[:, first:], neighbours[:, first:]
        return unit * xp.sqrt(xp.mean(minus * minus, axis=1)), neighbours

    def _outlyingness(self, spread, neighbours):
        xp = namespace(spread)
        known = xp.astype(self.spread_, spread.dtype, copy=False)
        usual = xp.reshape(xp.take(known, xp.reshape(neighbours, (-1,))), neighbours.shape)
        # Copies of one image spread by nothing: another such copy is no outlier.
        least = xp.finfo(spread.dtype).smallest_normal
        return (spread + least) / (xp.mean(usual, axis=1) + least) - 1.0


def _checked(detector, points, learned):
    """Mapped images, when the detector is fitted and they fit the vectors that it learned."""
    check_is_fitted(detector)
    given, points = points, as_vectors(points, "points")
    check_same_width(points, getattr(detector, learned), "points", "the training images")
    check_kept_columns(detector, given, "points")
    return points
