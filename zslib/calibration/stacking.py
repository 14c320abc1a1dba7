"""Calibrated stacking of scores, and the rescaling of distances that it is."""

from math import log1p

from sklearn.base import BaseEstimator

from zslib.arrays import namespace, typed_like
from zslib.metrics.zero_shot import check_seen_columns
from zslib.validation import as_vectors, check_real


class CalibratedStacking(BaseEstimator):
    r"""Take a constant off the scores of seen classes (Chao et al. 2016; Guo et al. 2019, Eq. 13).

    .. math:: \hat c(x) = \arg\max_{c \in C^s \cup C^u} F(x, c) - \gamma \, I(c \in C^s).

    A model trained on seen classes scores them higher, so that without calibration most samples
    of unseen classes go to seen ones. Gamma is in the unit of the scores: Guo et al. take 0.2 for
    DARK, and for another model the same number means something else.
    `zslib.metrics.seen_unseen_curve` has the outcome under every gamma.

    Parameters
    ----------
    gamma : float, default 0.2
        :math:`\gamma`. Above 0 it favours unseen classes, below 0 seen ones.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.5, 0.4], [0.9, 0.1]])
    >>> CalibratedStacking(0.2).transform(scores, np.array([True, False])).round(2)
    array([[0.3, 0.4],
           [0.7, 0.1]])
    """

    def __init__(self, gamma=0.2):
        self.gamma = gamma

    def transform(self, scores, is_seen):
        """Scores with gamma subtracted from the columns of seen classes.

        Parameters
        ----------
        scores : (n, C) float array
            Of any model; higher is better.
        is_seen : (C,) bool array
            Which columns are seen classes.

        Returns
        -------
        (n, C) array
            New, of the library, device and type of ``scores``.
        """
        gamma = check_real(self.gamma, "gamma")
        scores, mask = check_seen_columns(scores, is_seen, "scores")
        return scores - gamma * typed_like(mask, scores)[None, :]


class MetricRescaling(BaseEstimator):
    r"""Stretch the distances to seen classes (Oreshkin et al. 2019, Section 2.1).

    .. math:: d_\alpha(z, p(y)) = \begin{cases} (1 + \alpha) \, d(z, p(y)) & y \in C^s \\
              d(z, p(y)) & y \in C^u \end{cases}

    and the answer is the nearest class; at a tie of a seen and an unseen class the unseen one, as
    the strict inequality of Eq. 2 has it. With :math:`\delta_s, \delta_u` the distances to the
    nearest seen and the nearest unseen class, an image goes to a seen class while
    :math:`(1 + \alpha) \delta_s < \delta_u`. So a larger alpha only moves images from seen to
    unseen classes (Appendix B).

    Since :math:`(1 + \alpha) \delta_s < \delta_u` is
    :math:`-\log \delta_s - \log(1 + \alpha) > -\log \delta_u`, it **is** calibrated stacking
    with :math:`\gamma = \log(1 + \alpha)` on the scores :math:`-\log d`: see `stacking` and
    `log_distance_scores`. What is known of one holds for the other, the exact curve over all
    gammas included (`zslib.metrics.seen_unseen_curve`).

    Alpha has no unit, but scaling depends on the power: on squared distances the same balance
    needs :math:`(1 + \alpha)^2 - 1`.

    Parameters
    ----------
    alpha : float, default 0
        :math:`\alpha \ge 0`. 0 changes nothing. The paper chooses it on validation classes.

    Examples
    --------
    >>> import numpy as np
    >>> distances = np.array([[1.0, 1.2], [1.0, 2.0]])
    >>> MetricRescaling(0.5).transform(distances, np.array([True, False]))
    array([[1.5, 1.2],
           [1.5, 2. ]])
    >>> MetricRescaling(0.5).stacking()
    CalibratedStacking(gamma=0.4054651081081644)
    """

    def __init__(self, alpha=0.0):
        self.alpha = alpha

    def transform(self, distances, is_seen):
        """Distances with the columns of seen classes times 1 + alpha.

        Parameters
        ----------
        distances : (n, C) float array
            From images to class prototypes; lower is better, never negative.
        is_seen : (C,) bool array
            Which columns are seen classes.

        Returns
        -------
        (n, C) array
            New, of the library, device and type of ``distances``.
        """
        alpha = check_real(self.alpha, "alpha", low=0)
        distances, mask = check_seen_columns(distances, is_seen, "distances")
        xp = _check_distances(distances)
        largest = float(xp.max(distances))
        if largest > float(xp.finfo(distances.dtype).max) / (1 + alpha):
            raise ValueError(
                f"distances up to {largest:.3g} times 1 + alpha = {1 + alpha:.3g} overflow "
                f"{distances.dtype}: lower alpha, or scale all distances down"
            )
        return distances * (1.0 + alpha * typed_like(mask, distances))[None, :]

    def stacking(self):
        """The `CalibratedStacking` that does the same to `log_distance_scores`.

        Returns
        -------
        CalibratedStacking
            With gamma = log(1 + alpha).
        """
        return CalibratedStacking(log1p(check_real(self.alpha, "alpha", low=0)))


def log_distance_scores(distances):
    """Scores -log d, on which metric rescaling is calibrated stacking.

    Parameters
    ----------
    distances : (n, C) float array
        Never negative. A distance of 0, whose logarithm does not exist, counts as the smallest
        normal number of its type.

    Returns
    -------
    (n, C) float array
        Higher is better; of the library, device and type of ``distances``.

    Examples
    --------
    >>> import numpy as np
    >>> log_distance_scores(np.array([[0.5, 2.0]])).round(3)
    array([[ 0.693, -0.693]])
    """
    distances = as_vectors(distances, "distances")
    xp = _check_distances(distances)
    smallest = float(xp.finfo(distances.dtype).smallest_normal)
    return -xp.log(xp.where(distances > smallest, distances, smallest * xp.ones_like(distances)))


def _check_distances(distances):
    """Namespace of ``distances``, when they are not negative."""
    xp = namespace(distances)
    lowest = float(xp.min(distances))
    if lowest < 0:
        raise ValueError(f"distances must not be negative, found {lowest:.3g}: pass no scores")
    return xp
