"""JLSE, joint latent similarity embedding (Zhang & Saligrama 2016): our reading of it."""

from array_api_compat import device as array_device

from zslib.arrays import class_sums, namespace, one_hot, row_norms, typed_as
from zslib.compatibility.base import CompatibilityModel
from zslib.compatibility.sse import simplex_mixtures
from zslib.optim import minimize
from zslib.validation import check_choice, check_integer, check_learned, check_real

__all__ = ["JLSE", "match_objective", "ridge_encoder"]

LOSSES = ("squared_hinge", "squared")


class JLSE(CompatibilityModel):
    r"""Joint latent similarity embedding (Zhang & Saligrama 2016), **our reading**.

    The paper gives the chance that a class embedding and an image match through a latent code of
    either, and bounds it by the best pair of codes. Its text and code were not at hand: the terms
    are the paper's as far as we know them, and what is said here of dictionaries, weights and
    rounds is ours. A class is a mixture of the k seen classes, with S their embeddings, as in
    `SSE`; an image is a ridge code on a dictionary D of k atoms, at first the class means:

    .. math:: z(s) = \arg\min_{z \in \Delta_k} \tfrac12 \|s - z S\|^2
              + \tfrac{\gamma}{2} \|z\|^2, \qquad
              z(x) = \arg\min_z \tfrac12 \|x - z D\|^2 + \tfrac{\lambda_z}{2} \|z\|^2,

    and the score is bilinear, :math:`F(x, s) = z(x)\, W z(s)'`. W minimises `match_objective`, a
    squared hinge over all pairs of an image and a seen class, by L-BFGS from zero. Each further
    round fits the codes of the training images to D and to their matches together, then D to
    these codes, with atoms no longer than 1, and then W to the ridge codes on the new D.

    Parameters
    ----------
    mixture_penalty : float, default 1
        :math:`\gamma`, above 0.
    code_penalty : float, default 0.01
        :math:`\lambda_z`, above 0, in squared units of the features.
    regularization : float, keyword only, default 1e-6
        :math:`\lambda_W`, at least 0.
    match_weight : float, keyword only, default 0.1
        Of the matches beside the reconstruction, at least 0, in further rounds.
    n_rounds : int, keyword only, default 1
        With 1, D stays at the class means. On CUB's validation classes more gained nothing.
    loss : {"squared_hinge", "squared"}, keyword only
        Of a pair.
    max_iter : int, keyword only, default 100
        Steps of L-BFGS at most, in each part of a round.
    tol : float, keyword only, default 1e-3
        It stops earlier when the largest entry of the gradient has fallen to this share.

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
        `match_objective` of the last round, at the start and after each step.
    n_iter_ : int
        Number of these steps.
    classes_, class_embeddings_, n_features_in_, embedding_dim_
        See `CompatibilityModel`.

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

    def __init__(
        self,
        mixture_penalty=1.0,
        code_penalty=0.01,
        *,
        regularization=1e-6,
        match_weight=0.1,
        n_rounds=1,
        loss="squared_hinge",
        max_iter=100,
        tol=1e-3,
    ):
        self.mixture_penalty = mixture_penalty
        self.code_penalty = code_penalty
        self.regularization = regularization
        self.match_weight = match_weight
        self.n_rounds = n_rounds
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X, codes, embeddings):
        check_real(self.mixture_penalty, "mixture_penalty", low=0.0, inclusive=False)
        penalty = check_real(self.code_penalty, "code_penalty", low=0.0, inclusive=False)
        regularization = check_real(self.regularization, "regularization", low=0.0)
        check_real(self.match_weight, "match_weight", low=0.0)
        check_integer(self.n_rounds, "n_rounds", low=1)
        check_choice(self.loss, "loss", LOSSES)
        how = {
            "max_iter": check_integer(self.max_iter, "max_iter", low=1),
            "tol": check_real(self.tol, "tol", low=0.0),
        }
        xp, k = namespace(X), embeddings.shape[0]
        sums, counts = class_sums(X, codes, k)
        mixtures = simplex_mixtures(embeddings, embeddings, self.mixture_penalty)
        dictionary = sums / counts[:, None]
        W, latent = xp.zeros((k, k), dtype=X.dtype, device=array_device(X)), None
        for turn in range(self.n_rounds):
            if turn:
                dictionary = self._dictionary(X, latent, codes, mixtures, W, dictionary, how)
            encoder = ridge_encoder(dictionary, penalty)
            latent = X @ encoder
            check_learned(latent, "scale the features down, or raise code_penalty")
            W, self.objective_ = minimize(
                lambda W, latent=latent: match_objective(
                    W, latent, codes, mixtures, regularization=regularization, loss=self.loss
                )[:2],
                W,
                **how,
            )
        self.n_iter_ = len(self.objective_) - 1
        self.coef_, self.dictionary_, self.encoder_ = W, dictionary, encoder
        self.seen_embeddings_ = embeddings

    def _dictionary(self, X, latent, codes, mixtures, W, dictionary, how):
        """D of the next round: of codes that serve both the images and their matches."""
        xp, n = namespace(X), X.shape[0]

        def objective(latent):
            error = latent @ dictionary - X
            value, _, slope = match_objective(W, latent, codes, mixtures, loss=self.loss)
            own = float(xp.sum(error * error)) + self.code_penalty * float(xp.sum(latent * latent))
            pull = error @ dictionary.T + self.code_penalty * latent
            return 0.5 * own / n + self.match_weight * value, pull / n + self.match_weight * slope

        latent, _ = minimize(objective, latent, **how)
        wide = xp.astype(latent, xp.float64)
        gram = wide.T @ wide / n
        ridge = 1e-6 * float(xp.linalg.trace(gram)) / gram.shape[0]
        eye = xp.eye(gram.shape[0], dtype=xp.float64, device=array_device(X))
        atoms = xp.linalg.solve(gram + ridge * eye, wide.T @ xp.astype(X, xp.float64) / n)
        lengths = row_norms(atoms)
        return xp.astype(atoms / xp.clip(lengths, min=1.0)[:, None], X.dtype)

    def _scores(self, X, class_embeddings):
        W, encoder, seen = typed_as(X, self.coef_, self.encoder_, self.seen_embeddings_)
        mixtures = simplex_mixtures(class_embeddings, seen, self.mixture_penalty)
        return X @ (encoder @ W @ mixtures.T)


def ridge_encoder(dictionary, penalty):
    """E (p, k) of ridge codes x E on the rows of ``dictionary`` (k, p), found in float64."""
    xp = namespace(dictionary)
    D = xp.astype(dictionary, xp.float64)
    eye = xp.eye(D.shape[0], dtype=xp.float64, device=array_device(D))
    return xp.astype(xp.linalg.solve(D @ D.T + penalty * eye, D).T, dictionary.dtype)


def match_objective(W, latent, codes, mixtures, *, regularization=0.0, loss="squared_hinge"):
    r"""Weighed loss over all pairs of an image and a seen class, and its gradients by W and codes.

    .. math:: \frac{1}{4n} \sum_i \Bigl( h(z_i W m_{y_i}') + \frac{1}{k - 1}
              \sum_{c \ne y_i} h(-z_i W m_c') \Bigr) + \frac{\lambda_W}{2} \|W\|_F^2, \qquad
              h(f) = \max(0, 1 - f)^2,

    or :math:`(1 - f)^2` with the "squared" loss. ``latent`` (n, d) are codes of images and
    ``mixtures`` (k, k') those :math:`m_c` of classes. Own and other classes weigh the same.
    """
    xp = namespace(W, latent)
    n, k = latent.shape[0], mixtures.shape[0]
    own = one_hot(codes, k, latent.dtype)
    side = 2.0 * own - 1.0
    weights = (own + (1.0 - own) / (k - 1)) / (2.0 * n)
    towards = W @ mixtures.T
    gap = 1.0 - side * (latent @ towards)
    if loss == "squared_hinge":
        gap = xp.clip(gap, min=0.0)
    pull = weights * gap
    value = 0.5 * float(xp.sum(pull * gap, dtype=xp.float64))
    value += 0.5 * regularization * float(xp.sum(W * W, dtype=xp.float64))
    pull = -side * pull
    return value, (latent.T @ pull) @ mixtures + regularization * W, pull @ towards.T
