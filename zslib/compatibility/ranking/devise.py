"""DeViSE: a hinge for each label that is ranked too high (Frome et al. 2013)."""

from dataclasses import KW_ONLY, dataclass

from zslib.arrays import like
from zslib.compatibility.parameters import Positive
from zslib.compatibility.ranking.loss import drawn_violation, every_violation
from zslib.compatibility.ranking.training import RankingModel


@dataclass(repr=False, eq=False)
class DeViSE(RankingModel):
    r"""Deep visual-semantic embedding: hinge rank loss over all labels (Frome et al. 2013).

    :math:`F(x, s) = x W s'`. With :math:`R_{iy} = \epsilon + F(x_i, s_y) - F(x_i, s_{y_i})`,

    .. math:: \min_W \frac{1}{n} \sum_i \sum_{y \ne y_i} \max(0, R_{iy}).

    That is Eq. 2 of Guo et al. (2019) with the weight :math:`\Delta = 1` for all labels that
    violate the margin; or, as the original trains, for one of them: the first that is met in a
    random order.

    A. Frome et al.: DeViSE: a deep visual-semantic embedding model. NIPS 2013. There, class
    embeddings are word vectors of length one and the network below is trained as well; here
    features and embeddings are taken as given. W starts at zero.

    Parameters
    ----------
    margin : float, default 1.0
        :math:`\epsilon`, above 0: 0.1 in the original, 1 in Guo et al. (2019).
    learning_rate : float, keyword only, default 1.0
        As in `RankingModel`. With ``first_violating``, where one label pulls instead of many, ten
        times that is better.
    first_violating : bool, keyword only, default False
        Whether only the first violating label in a random order counts, which is one of the
        violating labels, each with the same chance.
    n_epochs, batch_size, regularization, random_state
        As in `RankingModel`, which names the attributes as well.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = DeViSE(learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[:2])
    array([0, 1])
    """

    year = 2013
    family = "bilinear, ranking"
    look = (3, "P", "-")

    _: KW_ONLY
    learning_rate: Positive = 1.0
    first_violating: bool = False

    def _weigh(self, residuals, own, rng):
        if self.first_violating:
            return drawn_violation(residuals, like(rng.random(residuals.shape), residuals))
        return every_violation(residuals)
