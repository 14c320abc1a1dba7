"""DeViSE: a hinge for each label that is ranked too high (Frome et al. 2013)."""

from __future__ import annotations

from zslib.arrays import like
from zslib.compatibility.ranking.loss import drawn_violation, every_violation
from zslib.compatibility.ranking.training import RankingModel
from zslib.validation import check_choice

__all__ = ["DeViSE"]


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
        Step size of SGD on the mean loss of a minibatch. The default suits features and class
        embeddings of length one; for longer ones divide by their mean squared lengths. With
        ``first_violating``, where one label pulls instead of many, ten times that is better.
    n_epochs : int, keyword only, default 20
        Passes over the samples. Stopping early regularises: tune it on validation classes.
    first_violating : bool, keyword only, default False
        Whether only the first violating label in a random order counts, which is one of the
        violating labels, each with the same chance.
    batch_size : int, keyword only, default 64
        1 is the per-sample SGD of the original.
    regularization : float, keyword only, default 0.0
        :math:`\lambda` of a penalty :math:`\lambda \|W\|_F^2`.
    random_state : None, int or numpy.random.Generator, keyword only, default None
        Seed of the order of the samples, and of the labels with ``first_violating``.

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
    >>> model = DeViSE(learning_rate=0.1, random_state=0).fit(X[seen], y[seen], S)
    >>> round(model.score(X[~seen], y[~seen], S), 6)
    1.0
    """

    def __init__(
        self,
        margin=1.0,
        *,
        learning_rate=1.0,
        n_epochs=20,
        first_violating=False,
        batch_size=64,
        regularization=0.0,
        random_state=None,
    ):
        super().__init__(
            margin,
            learning_rate=learning_rate,
            n_epochs=n_epochs,
            batch_size=batch_size,
            regularization=regularization,
            random_state=random_state,
        )
        self.first_violating = first_violating

    def _fit(self, X, codes, embeddings):
        check_choice(self.first_violating, "first_violating", (False, True))
        super()._fit(X, codes, embeddings)

    def _weigh(self, residuals, own, rng):
        if self.first_violating:
            return drawn_violation(residuals, like(rng.random(residuals.shape), residuals))
        return every_violation(residuals)
