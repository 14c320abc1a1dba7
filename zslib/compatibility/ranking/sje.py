"""SJE: only the label that violates most counts (Akata et al. 2015)."""

from __future__ import annotations

from zslib.compatibility.ranking.loss import largest_violation
from zslib.compatibility.ranking.training import RankingModel

__all__ = ["SJE"]


class SJE(RankingModel):
    r"""Structured joint embedding: a structured SVM over labels (Akata et al. 2015).

    :math:`F(x, s) = x W s'`. With :math:`R_{iy} = \epsilon + F(x_i, s_y) - F(x_i, s_{y_i})`,

    .. math:: \min_W \frac{1}{n} \sum_i \max(0, \max_{y \ne y_i} R_{iy}).

    That is Eq. 2 of Guo et al. (2019) with the weight :math:`\Delta = 1` for the label of the
    largest violation (the first of equals) and 0 for all others.

    Z. Akata, S. Reed, D. Walter, H. Lee, B. Schiele: Evaluation of output embeddings for
    fine-grained image classification. CVPR 2015. W starts at zero, the original's at random.

    Parameters
    ----------
    margin : float, default 1.0
        :math:`\epsilon`, above 0: the original's Delta(y, y_i), 1 for a wrong label.
    learning_rate : float, keyword only, default 10.0
        Step size of SGD on the mean loss of a minibatch. The default suits features and class
        embeddings of length one; for longer ones divide by their mean squared lengths.
    n_epochs : int, keyword only, default 20
        Passes over the samples. The original regularises by stopping early: tune it on
        validation classes.
    batch_size : int, keyword only, default 64
        1 is the per-sample SGD of the original.
    regularization : float, keyword only, default 0.0
        :math:`\lambda` of a penalty :math:`\lambda \|W\|_F^2`.
    random_state : None, int or numpy.random.Generator, keyword only, default None
        Seed of the order of the samples.

    Attributes
    ----------
    coef_ : array, shape (p, q)
        :math:`W`, with the library and type of ``X``.
    learning_curve_ : list of float
        Mean loss per sample in each epoch, over the batches as they were met, without the
        penalty.
    classes_, class_embeddings_, n_features_in_, embedding_dim_
        As in `zslib.compatibility.CompatibilityModel`.

    Examples
    --------
    Four classes are the signs of two attributes; the last is never seen in training.

    >>> import numpy as np
    >>> S = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=200)
    >>> X = S[y] + 0.1 * rng.standard_normal((200, 2))
    >>> seen = y < 3
    >>> model = SJE(learning_rate=0.1, random_state=0).fit(X[seen], y[seen], S)
    >>> round(model.score(X[~seen], y[~seen], S), 6)
    1.0
    """

    def _weigh(self, residuals, own, rng):
        return largest_violation(residuals)
