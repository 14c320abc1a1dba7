"""ALE: violations weighted by the rank of the true label (Akata et al. 2013, 2016)."""

from zslib.compatibility.ranking.loss import rank_weights
from zslib.compatibility.ranking.training import RankingModel


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
    TPAMI 2016. W starts at zero, the original's at random; its margin is Delta(y, y_i), 1 for a
    wrong label.

    Parameters
    ----------
    margin, learning_rate, n_epochs, batch_size, regularization, random_state
        As in `RankingModel`, which names the attributes as well.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = ALE(learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[:2])
    array([0, 1])
    """

    year = 2013
    family = "bilinear, ranking"
    look = (2, "s", "-")

    def _weigh(self, residuals, own, rng):
        return rank_weights(residuals)
