"""JLSE, joint latent similarity embedding (Zhang & Saligrama 2016): our reading of it."""

from dataclasses import KW_ONLY, dataclass

from zslib.arrays import class_sums, namespace, one_hot, typed_as
from zslib.compatibility.base import CompatibilityModel, plus_diagonal
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.compatibility.sse import simplex_mixtures
from zslib.optim import minimize
from zslib.validation import check_learned


@dataclass(repr=False, eq=False)
class JLSE(CompatibilityModel):
    r"""Joint latent similarity embedding (Zhang & Saligrama 2016), **our reading**.

    The paper gives the chance that a class embedding and an image match through a latent code of
    either, and bounds it by the best pair of codes. Its text and code were not at hand: the terms
    are the paper's as far as we know them, and what is said here of dictionaries and weights is
    ours. A class is a mixture of the k seen classes, with S their embeddings, as in
    `SSE`; an image is a ridge code on a dictionary D of k atoms, the class means:

    .. math:: z(s) = \arg\min_{z \in \Delta_k} \tfrac12 \|s - z S\|^2
              + \tfrac{\gamma}{2} \|z\|^2, \qquad
              z(x) = \arg\min_z \tfrac12 \|x - z D\|^2 + \tfrac{\lambda_z}{2} \|z\|^2,

    and the score is bilinear, :math:`F(x, s) = z(x)\, W z(s)'`. W minimises `match_objective`, a
    squared hinge over all pairs of an image and a seen class, by at most 100 steps of L-BFGS
    from zero. On CUB's validation classes further rounds, that fit D to codes of images and
    matches together and W anew, gained nothing.

    Parameters
    ----------
    mixture_penalty : float, default 1
        :math:`\gamma`, above 0.
    code_penalty : float, default 0.01
        :math:`\lambda_z`, above 0, in squared units of the features.
    regularization : float, keyword only, default 1e-6
        :math:`\lambda_W`, at least 0.

    Attributes
    ----------
    coef_ : array, shape (k, k)
        W.
    dictionary_ : array, shape (k, p)
        D.
    encoder_ : array, shape (p, k)
        :math:`z(x) = x E`, with :math:`E = D' (D D' + \lambda_z I)^{-1}`.
    seen_embeddings_ : array, shape (k, q)
        S.
    objective_ : list of float
        `match_objective` at the start and after each step.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
    >>> model = JLSE(0.1).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.1], [0.1, 2.0]]), S[1:])
    array([1, 0])
    """

    grid = {"mixture_penalty": (0.3, 1.0, 3.0), "regularization": (1e-6, 1e-5)}
    limits = {"regularization": (1e-7, 1.0)}
    year = 2016
    family = "mixtures of classes"
    look = (2, "X", "--")

    mixture_penalty: Positive = 1.0
    code_penalty: Positive = 0.01
    _: KW_ONLY
    regularization: NotNegative = 1e-6

    def _fit(self, X, codes, embeddings):
        sums, counts = class_sums(X, codes, embeddings.shape[0])
        mixtures = simplex_mixtures(embeddings, embeddings, self.mixture_penalty)
        self.dictionary_ = sums / counts[:, None]
        self.encoder_ = ridge_encoder(self.dictionary_, self.code_penalty)
        latent = X @ self.encoder_
        check_learned(latent, "scale the features down, or raise code_penalty")
        self.coef_, self.objective_ = minimize(
            lambda W: match_objective(W, latent, codes, mixtures, float(self.regularization)),
            namespace(X).zeros_like(mixtures),
            max_iter=100,
            tol=1e-3,
        )
        self.seen_embeddings_ = embeddings

    def _scores(self, X, class_embeddings):
        W, encoder, seen = typed_as(X, self.coef_, self.encoder_, self.seen_embeddings_)
        mixtures = simplex_mixtures(class_embeddings, seen, self.mixture_penalty)
        return X @ (encoder @ W @ mixtures.T)


def ridge_encoder(dictionary, penalty):
    """E (p, k) of ridge codes x E on the rows of ``dictionary`` (k, p), found in float64."""
    xp = namespace(dictionary)
    D = xp.astype(dictionary, xp.float64)
    return xp.astype(xp.linalg.solve(plus_diagonal(D @ D.T, penalty), D).T, dictionary.dtype)


def match_objective(W, latent, codes, mixtures, regularization):
    r"""Weighed loss over all pairs of an image and a seen class, and its gradient by W.

    .. math:: \frac{1}{4n} \sum_i \Bigl( h(z_i W m_{y_i}') + \frac{1}{k - 1}
              \sum_{c \ne y_i} h(-z_i W m_c') \Bigr) + \frac{\lambda_W}{2} \|W\|_F^2, \qquad
              h(f) = \max(0, 1 - f)^2.

    ``latent`` (n, d) are codes of images and ``mixtures`` (k, k') those :math:`m_c` of classes.
    Own and other classes weigh the same.
    """
    xp = namespace(W, latent)
    n, k = latent.shape[0], mixtures.shape[0]
    own = one_hot(codes, k, latent.dtype)
    side = 2.0 * own - 1.0
    weights = (own + (1.0 - own) / (k - 1)) / (2.0 * n)
    gap = xp.clip(1.0 - side * (latent @ (W @ mixtures.T)), min=0.0)
    pull = weights * gap
    value = 0.5 * float(xp.sum(pull * gap, dtype=xp.float64))
    value += 0.5 * regularization * float(xp.sum(W * W, dtype=xp.float64))
    return value, (latent.T @ (-side * pull)) @ mixtures + regularization * W
