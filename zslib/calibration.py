"""Calibration of scores for generalised zero-shot learning."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from zslib.arrays import like, namespace
from zslib.metrics.zero_shot import check_seen_mask
from zslib.validation import check_real, check_vectors

__all__ = ["CalibratedStacking"]


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

        Raises
        ------
        TypeError
            When gamma is not a number, ``scores`` not a float array, or ``is_seen`` not a boolean
            mask over its columns.
        ValueError
            When gamma or scores are not finite, or the mask has only one kind of classes.
        """
        xp = namespace(scores)
        gamma = check_real(self.gamma, "gamma")
        check_vectors(scores, "scores")
        mask = like(check_seen_mask(is_seen, scores.shape[1]), scores)
        return scores - gamma * xp.astype(mask, scores.dtype)[None, :]
