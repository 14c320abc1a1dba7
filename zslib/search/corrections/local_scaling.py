"""Local scaling."""

from zslib.arrays import namespace
from zslib.search.corrections.base import Correction, check_neighbours, largest


class LocalScaling(Correction):
    """Distances in units of the neighbourhoods of query and target.

    Zelnik-Manor and Perona (2005), "Self-tuning spectral clustering"; for hubs Schnitzer et al.
    (2012), section 3.1:

        log LS(x, y) = -d(x, y)^2 / (sigma_x sigma_y)

    with d the distance (1 - cosine, or Euclidean), sigma_x the distance of x to its k-th nearest
    target, and sigma_y that of y to its k-th nearest query, which is small for hubs. The paper's
    affinity is exp of this; its logarithm orders alike and does not underflow.

    Parameters
    ----------
    k : int, default 7
        Which neighbour sets the scale; 7 in Zelnik-Manor and Perona.
    reference : (n_reference, d) float array or None, default None
        The queries among which sigma_y seeks; None: the queries themselves.

    Attributes
    ----------
    scale_ : (n_targets,) array
        sigma_y, after `fit`.

    Notes
    -----
    Duplicates have distance 0: sigma is at least what rounding makes of that.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> queries = np.array([[1.0, 0.6], [1.0, 0.9]])
    >>> targets = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> top_k(queries, targets, 1, correction=LocalScaling(k=1))[1].T
    array([[0, 1]])
    """

    def __init__(self, k=7, *, reference=None):
        super().__init__(reference=reference)
        self.k = k

    _KEPT = ("scale_",)
    by_length = wide = True

    def check(self, side):
        if side.metric == "dot":
            raise ValueError(
                "LocalScaling scales distances, and metric 'dot' is none: use 'cosine' or "
                "'euclidean'"
            )
        check_neighbours(self.k, side, self)

    def begin(self, side):
        return side

    def nearest(self, statistics):
        return self.k

    def target_statistics(self, reference, side):
        return (self._scale(reference, side),)

    def apply(self, scores, of_targets, statistics):
        (scale,) = of_targets
        xp, distance = namespace(scores), statistics.zero - scores
        distance = xp.maximum(distance, xp.zeros_like(distance[:1, :]))
        corrected = distance / -scale[:, None]
        corrected *= distance
        return corrected

    def finish(self, scores, nearest, statistics):
        return scores / self._scale(nearest, statistics)[:, None]

    def _scale(self, scores, side):
        """Distance of the k-th best of each row of ``scores``."""
        xp = namespace(scores)
        kth = xp.min(largest(scores, self.k), axis=1)
        return xp.maximum(side.zero - kth, side.rounding(kth))
