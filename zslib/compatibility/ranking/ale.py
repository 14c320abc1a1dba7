"""ALE: violations weighted by the rank of the true label (Akata et al. 2013, 2016)."""

from __future__ import annotations

from zslib.compatibility.ranking.loss import rank_weights
from zslib.compatibility.ranking.training import RankingModel

__all__ = ["ALE"]


class ALE(RankingModel):
    r"""Attribute label embedding: weighted approximate ranking of labels (Akata et al. 2016).

    :math:`F(x, s) = x W s'`. With :math:`R_{iy} = \epsilon + F(x_i, s_y) - F(x_i, s_{y_i})` and
    :math:`r_i` the number of labels with :math:`R_{iy} > 0`,

    .. math:: \min_W \frac{1}{n} \sum_i \frac{l_{r_i}}{r_i} \sum_{y \ne y_i} \max(0, R_{iy}),
              \qquad l_r = \sum_{j=1}^{r} \frac{1}{j}.

    That is Eq. 2 of Guo et al. (2019) with the weight :math:`\Delta = l_r / r` for all labels that
    violate the margin: one violation among few pulls harder than one among many. The gradient
    takes the rank as fixed. The rank is exact; the original's stochastic version estimates it
    from the number of draws until a violation.

    Z. Akata, F. Perronnin, Z. Harchaoui, C. Schmid: Label-embedding for image classification.
    TPAMI 2016. W starts at zero, the original's at random.

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
    >>> model = ALE(learning_rate=0.1, random_state=0).fit(X[seen], y[seen], S)
    >>> round(model.score(X[~seen], y[~seen], S), 6)
    1.0
    """

    def _weigh(self, residuals, own, rng):
        return rank_weights(residuals)
