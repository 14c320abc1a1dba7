"""SJE: only the label that violates most counts (Akata et al. 2015)."""

from zslib.compatibility.ranking.loss import largest_violation
from zslib.compatibility.ranking.training import RankingModel


class SJE(RankingModel):
    r"""Structured joint embedding: a structured SVM over labels (Akata et al. 2015).

    :math:`F(x, s) = x W s'`. With :math:`R_{iy} = \epsilon + F(x_i, s_y) - F(x_i, s_{y_i})`,

    .. math:: \min_W \frac{1}{n} \sum_i \max(0, \max_{y \ne y_i} R_{iy}).

    That is Eq. 2 of Guo et al. (2019) with the weight :math:`\Delta = 1` for the label of the
    largest violation (the first of equals) and 0 for all others.

    Z. Akata, S. Reed, D. Walter, H. Lee, B. Schiele: Evaluation of output embeddings for
    fine-grained image classification. CVPR 2015. W starts at zero, the original's at random; its
    margin is Delta(y, y_i), 1 for a wrong label.

    Parameters
    ----------
    margin, learning_rate, n_epochs, batch_size, regularization, random_state
        As in `RankingModel`, which names the attributes as well.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = SJE(learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[:2])
    array([0, 1])
    """

    year = 2015
    family = "bilinear, ranking"
    look = (1, "D", "-")

    def _weigh(self, residuals, own, rng):
        return largest_violation(residuals)
