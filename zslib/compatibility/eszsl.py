"""ESZSL (Romera-Paredes & Torr 2015): a bilinear score in closed form."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from zslib.arrays import namespace, unit_rows
from zslib.compatibility.base import BilinearModel, plus_diagonal, products_and_sums
from zslib.compatibility.parameters import Positive
from zslib.validation import check_narrowed


@dataclass(repr=False, eq=False)
class ESZSL(BilinearModel):
    r"""Bilinear score by regularised least squares (Romera-Paredes & Torr 2015, section 3).

    With the targets Y (n, k), 1 where the sample is of the class and elsewhere -1 or 0, and the
    embeddings :math:`S` of the k seen classes,

    .. math:: \min_W \|X W S' - Y\|_F^2 + \gamma \|W S'\|_F^2 + \lambda \|X W\|_F^2
              + \gamma \lambda \|W\|_F^2,

    .. math:: W = (X'X + \gamma I)^{-1} X'Y S (S'S + \lambda I)^{-1}.

    The last penalty, :math:`\beta = \gamma \lambda`, is what makes the solution closed. Y is
    never formed: :math:`X'Y` is made of the sums of each class and of all samples, so that nearly
    all the time goes into :math:`X'X`. Products are taken in the type of ``X``, the two
    systems are solved in float64.

    Parameters
    ----------
    feature_penalty : float, default 1.0
        :math:`\gamma`, above 0, in squared units of the features. The paper validates
        :math:`10^{-3}, \dots, 10^3`.
    embedding_penalty : float, default 1.0
        :math:`\lambda`, above 0, in squared units of the embeddings; validated likewise.
    unit_embeddings : bool, keyword only, default False
        Whether class embeddings are divided by their length, seen ones and candidates. The score
        is an inner product, so that of candidates of unequal length the longest wins more often
        than it should: True where lengths mean nothing and the embeddings do not come with one.
    other_target : float, keyword only, default 0.0
        Y where the sample is of another class, below 1, which its own has. The paper has -1, the
        authors' code 0, which is better on the validation classes of our data. (That code also
        chooses :math:`\gamma` under another penalty than the one it then fits with.)

    Attributes
    ----------
    coef_ : array, shape (p, q)
        W; the score is :math:`F = x W s'`.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = ESZSL().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.coef_.round(2)
    array([[ 0.22, -0.01],
           [ 0.  ,  0.23]])
    >>> model.predict(np.array([[3.0, 0.0]]), S)
    array([0])
    """

    grid = {
        "feature_penalty": (0.1, 1.0, 10.0),
        "embedding_penalty": (0.1, 1.0),
        "other_target": (0.0, -1.0),
    }
    year = 2015
    family = "regression"
    look = (1, "s", "-.")

    feature_penalty: Positive = 1.0
    embedding_penalty: Positive = 1.0
    _: KW_ONLY
    unit_embeddings: bool = False
    other_target: Annotated[float, "< 1"] = 0.0

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        gram, sums, _ = products_and_sums(X, codes, embeddings.shape[0])
        S = xp.astype(self._rows(embeddings), xp.float64)
        penalties = float(self.feature_penalty), float(self.embedding_penalty)
        coef = eszsl_solution(gram, sums, S, *penalties, float(self.other_target))
        self.coef_ = check_narrowed(coef, X.dtype, "raise feature_penalty and embedding_penalty")

    def _scores(self, X, class_embeddings):
        return super()._scores(X, self._rows(class_embeddings))

    def _rows(self, embeddings):
        if self.unit_embeddings:
            embeddings = unit_rows(embeddings, name="class_embeddings")
        return embeddings


def eszsl_solution(gram, sums, S, gamma, lam, other=0.0):
    """W from X'X, the sums of the features of each class, and the embeddings of the classes."""
    xp = namespace(gram)
    # X'Y: the class's own sum, and those of all others times their target.
    cross = ((1.0 - other) * sums + other * xp.sum(sums, axis=0)[None, :]).T
    left = xp.linalg.solve(plus_diagonal(gram, gamma), cross @ S)
    return xp.linalg.solve(plus_diagonal(S.T @ S, lam), left.T).T
