"""SAE, the semantic autoencoder (Kodirov et al. 2017): a Sylvester equation."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from zslib.arrays import namespace, typed_as
from zslib.compatibility.base import CompatibilityModel, cosines, products_and_sums
from zslib.compatibility.parameters import Positive
from zslib.validation import check_narrowed


@dataclass(repr=False, eq=False)
class SAE(CompatibilityModel):
    r"""Linear autoencoder through the class embeddings (Kodirov et al. 2017, section 3).

    One matrix and its transpose decode embeddings into features and encode features into
    embeddings. With :math:`S_i` (n, q), the embedding of each sample's class in its row,

    .. math:: \min_W \|X - S_i W\|_F^2 + \lambda \|X W' - S_i\|_F^2,

    whose gradient vanishes where :math:`S_i'S_i W + \lambda W X'X = (1 + \lambda) S_i'X`. This
    Sylvester equation is solved by the eigenvectors of its two symmetric matrices,
    :math:`S_i'S_i = P\,\mathrm{diag}(a) P'` and :math:`X'X = Q\,\mathrm{diag}(b) Q'`:

    .. math:: (P'WQ)_{jl} = (1 + \lambda) \frac{(P' S_i'X\, Q)_{jl}}{a_j + \lambda b_l},

    with 0 where :math:`a_j` or :math:`b_l` is 0 up to rounding: there the numerator is 0, too.
    Samples are rows here and columns in the paper; W is (q, p) in both. Products of features are
    taken in the type of ``X``, everything after that in float64. The score is the cosine, in the
    space of features or that of embeddings; a row without direction there scores 0.

    Parameters
    ----------
    regularization : float, default 1.0
        :math:`\lambda`, above 0: weight of encoding against decoding, in squared units of the
        embeddings over those of the features.
    direction : {"semantic_to_feature", "feature_to_semantic"}, keyword only
        Where to compare, by default "semantic_to_feature": :math:`F = \cos(x, s W)`. The other:
        :math:`F = \cos(x W', s)`.

    Attributes
    ----------
    coef_ : array, shape (q, p)
        W.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = SAE().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.decision_function(np.array([[1.0, 1.0]]), S).round(2)
    array([[0.71, 0.69, 1.  ]])
    """

    grid = {
        "regularization": (1e-2, 0.1, 1.0, 10.0, 100.0),
        "direction": ("semantic_to_feature", "feature_to_semantic"),
    }
    # Far beyond these one of the two terms is all there is.
    limits = {"regularization": (1e-4, 1e4)}
    year = 2017
    family = "regression"
    look = (2, "D", "-.")
    compares = "cosine"

    regularization: Positive = 1.0
    _: KW_ONLY
    direction: Literal["semantic_to_feature", "feature_to_semantic"] = "semantic_to_feature"

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        gram, sums, counts = products_and_sums(X, codes, embeddings.shape[0])
        S = xp.astype(embeddings, xp.float64)
        S_gram, cross = S.T @ (counts[:, None] * S), S.T @ sums
        coef = sylvester_solution(S_gram, gram, cross, float(self.regularization), _eps(X))
        self.coef_ = check_narrowed(coef, X.dtype, "change regularization, or scale the features")

    def _scores(self, X, class_embeddings):
        (coef,) = typed_as(X, self.coef_)
        if self.direction == "semantic_to_feature":
            return cosines(X, class_embeddings @ coef)
        return cosines(X @ coef.T, class_embeddings)


def sylvester_solution(S_gram, gram, cross, lam, eps):
    """W of S'S W + lam W X'X = (1 + lam) S'X; ``eps`` is the rounding of X'X."""
    xp = namespace(gram)
    a, P = xp.linalg.eigh(S_gram)
    b, Q = xp.linalg.eigh(gram)
    # Both are positive semidefinite: what is not clearly above 0 is rounding.
    a_kept = a > a.shape[0] * _eps(a) * xp.max(a)
    b_kept = b > eps * xp.max(b)
    kept = xp.astype(a_kept[:, None] & b_kept[None, :], xp.float64)
    denominator = kept * (a[:, None] + lam * b[None, :]) + (1.0 - kept)
    return P @ ((P.T @ cross @ Q) * ((1.0 + lam) * kept / denominator)) @ Q.T


def _eps(array):
    return float(namespace(array).finfo(array.dtype).eps)
