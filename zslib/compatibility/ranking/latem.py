"""LatEm: several bilinear maps, the best of which scores a pair (Xian et al. 2016)."""

import math
from dataclasses import KW_ONLY, dataclass
from functools import reduce

from zslib.arrays import like, namespace, random_generator, typed_as, typed_like
from zslib.compatibility.epochs import EpochModel
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.compatibility.ranking.loss import one_violation
from zslib.compatibility.ranking.training import StagedModel, row_space, train_by_ranking


@dataclass(repr=False, eq=False)
class LatEm(StagedModel, EpochModel):
    r"""Latent embeddings: a piecewise linear compatibility (Xian et al. 2016, Algorithm 1).

    .. math:: F(x, s) = \max_{1 \le k \le K} x W_k s'.

    For each sample one label :math:`y \ne y_i` is drawn among all others. If
    :math:`\epsilon + F(x_i, s_y) - F(x_i, s_{y_i}) > 0`, the matrix that wins for y goes a step
    against :math:`x_i' s_y` and the one that wins for :math:`y_i` a step along
    :math:`x_i' s_{y_i}`. That is Eq. 2 of Guo et al. (2019) with the weight :math:`\Delta = 1`
    for the drawn label if it violates the margin, and 0 for all others.

    Y. Xian, Z. Akata, G. Sharma, Q. Nguyen, M. Hein, B. Schiele: Latent embeddings for zero-shot
    classification. CVPR 2016.

    Parameters
    ----------
    n_matrices : int, default 4
        K. The original chooses it on validation classes, or prunes matrices that seldom win.
    n_epochs : int, keyword only, default 50
        Passes over the samples.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start (normal, standard deviation :math:`1 / \sqrt{p}`, as the original), of
        the order of the samples and of the drawn labels.
    margin, learning_rate, batch_size, regularization
        As in `RankingModel`, keyword only. The authors' code takes one sample in a step;
        on CUB's validation classes minibatches did no worse, in a tenth of the time.

    Attributes
    ----------
    coefs_ : array, shape (K, p, q)
        :math:`W_k`, with the library and type of ``X``.
    learning_curve_ : list of float
        Mean loss per sample in each epoch, on the drawn labels and without the penalty.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = LatEm(2, learning_rate=0.1, random_state=0).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.coefs_.shape, model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[:2])
    ((2, 2, 2), array([0, 1]))
    """

    grid = {"n_matrices": (2, 4), "learning_rate": (1.0, 5.0, 25.0)}
    # A copy of the authors' code has ten matrices.
    limits = {"n_matrices": (1, 10)}
    year = 2016
    family = "bilinear, ranking"
    look = (4, "X", "-")

    n_matrices: int = 4
    _: KW_ONLY
    margin: Positive = 1.0
    learning_rate: Positive = 10.0
    n_epochs: int = 50
    regularization: NotNegative = 0.0

    def _fit(self, X, codes, embeddings, keep):
        xp = namespace(X)
        n_matrices, rng = self.n_matrices, random_generator(self.random_state)
        p, q = X.shape[1], embeddings.shape[1]

        start = rng.standard_normal((p, n_matrices * q)) / math.sqrt(p)
        start = xp.reshape(typed_like(start, X), (p * n_matrices, q))
        embeddings, basis = row_space(embeddings)
        inside = start if basis is None else start @ basis
        outside = None if basis is None else start - inside @ basis.T
        W = xp.reshape(inside, (p, -1))

        def learned(epoch):
            coefs = xp.reshape(W, inside.shape)
            if basis is not None:
                # Outside of the embeddings' space only the penalty changes anything.
                steps = epoch * math.ceil(X.shape[0] / self.batch_size)
                shrunk = (1.0 - 2.0 * self.learning_rate * self.regularization) ** steps
                coefs = shrunk * outside + coefs @ basis.T
            return {"coefs_": xp.permute_dims(xp.reshape(coefs, (p, n_matrices, q)), (1, 0, 2))}

        self.learning_curve_ = train_by_ranking(self, W, X, codes, embeddings, rng, keep, learned)
        vars(self).update(learned(self.n_epochs))

    def _weigh(self, residuals, own, rng):
        n, n_labels = residuals.shape
        ahead = like(rng.integers(1, n_labels, size=n), residuals)
        return one_violation(residuals, (own + ahead) % n_labels)

    def _scores(self, X, class_embeddings):
        (coefs,) = typed_as(X, self.coefs_)
        # One matrix at a time: the scores of all would take K times the memory.
        scores = ((X @ coefs[k, :, :]) @ class_embeddings.T for k in range(coefs.shape[0]))
        return reduce(namespace(X).maximum, scores)
