"""SynC (Changpinyo et al. 2016): classifiers synthesised from those of phantom classes."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Literal

import numpy as np
from array_api_compat import device as array_device

from zslib.arrays import namespace, one_hot, row_blocks, to_host, typed_as, unit_rows
from zslib.compatibility.base import softmax, squared_distances
from zslib.compatibility.conse import LinearModel
from zslib.compatibility.parameters import Positive
from zslib.optim import minimize
from zslib.validation import check_learned

SMALLEST = 1e-6  # share of the largest singular value, below which mixtures are the same


@dataclass(repr=False, eq=False)
class SynC(LinearModel):
    r"""Synthesised classifiers (Changpinyo et al. 2016, section 3).

    Phantom classes have places :math:`b_r` among the embeddings and classifiers :math:`v_r` of
    features. Any class borrows from those near it:

    .. math:: F(x, s) = x \sum_r \sigma_r(s)\, v_r', \qquad
              \sigma_r(s) = \frac{\exp(-\|s - b_r\|^2 / (\sigma d)^2)}
                                 {\sum_t \exp(-\|s - b_t\|^2 / (\sigma d)^2)},

    with d the median distance of two seen classes, so that :math:`\sigma` has no unit (the
    authors' code takes the median over unseen classes too).

    Class embeddings are scaled to unit length, as in the authors' code. The phantom classes are
    the k seen ones, :math:`b_r = s_r`, the paper's choice in most of its experiments. The
    classifiers of the seen classes, :math:`W = \Sigma V`, minimise `squared_hinge_objective`. W is
    found first, by L-BFGS from zero, and then :math:`V = \Sigma^+ W`, as in the authors' code.
    Embeddings that coincide, or nearly, make :math:`\Sigma` (k, k) singular. Its singular values
    below ``SMALLEST`` of the largest are rounding of the embeddings and are left out, so that such
    classes share the mean of their classifiers. Sparse codes and learned places of phantom classes
    (section 3.2) are left out. Nothing is random.

    Parameters
    ----------
    sigma : float, default 1.0
        :math:`\sigma`, above 0. The authors' code validates :math:`2^{-5}, \dots, 2^5` for
        :math:`1 / \sigma^2`.
    regularization : float, keyword only, default 1e-6
        :math:`\lambda` of the penalty :math:`\lambda / 2 \, \|W\|^2`, above 0, in squared units of
        the features. The authors' code validates :math:`2^{-24}, \dots, 2^{-9}`.
    loss : {"one_vs_other", "crammer_singer", "structured"}, keyword only
        See `squared_hinge_objective`. By default "one_vs_other", the smooth one; the others have
        kinks, and end within about one percent of their minimum after ``max_iter`` steps.
    max_iter : int, keyword only, default 200
        Steps of L-BFGS at most.
    tol : float, keyword only, default 1e-4
        It stops earlier when the largest entry of the gradient has fallen to this share.

    Attributes
    ----------
    coef_ : array, shape (p, k)
        V', the phantom classifiers in columns.
    phantom_embeddings_ : array, shape (k, q)
        :math:`b_r`.
    distance_ : float
        d.
    objective_ : list of float
        `squared_hinge_objective` at the start and after each step; with the other losses, from
        the minimum of "one_vs_other" on.
    n_iter_ : int
        Number of these steps.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1]])
    >>> model = SynC().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[3.0, 0.0], [0.0, 3.0]]), S[1:])
    array([1, 0])
    """

    # Every other value, or every fourth, of the authors' code, whose ends are the limits.
    grid = {
        "sigma": tuple(2.0**e for e in (-1.5, -0.5, 0.5, 1.5)),
        "regularization": tuple(2.0**e for e in (-20, -16, -12)),
    }
    limits = {"sigma": (2.0**-2.5, 2.0**2.5), "regularization": (2.0**-24, 2.0**-9)}
    year = 2016
    family = "mixtures of classes"
    look = (6, "*", "-.")

    sigma: Positive = 1.0
    _: KW_ONLY
    regularization: Positive = 1e-6
    loss: Literal["one_vs_other", "crammer_singer", "structured"] = "one_vs_other"

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        phantoms = unit_rows(embeddings, name="class_embeddings")
        self.distance_ = median_distance(phantoms)
        how = {"X": X, "codes": codes, "regularization": float(self.regularization)}
        seen = xp.zeros((X.shape[1], embeddings.shape[0]), dtype=X.dtype, device=array_device(X))
        # At zero all classes are equal, where a largest one has no slope: the other losses begin
        # at the minimum of "one_vs_other".
        for loss in dict.fromkeys(("one_vs_other", self.loss)):
            how["margins"] = class_margins(phantoms / self.distance_, loss)
            objective = partial(squared_hinge_objective, **how)
            seen, self.objective_ = minimize(objective, seen, max_iter=self.max_iter, tol=self.tol)
        self.n_iter_ = len(self.objective_) - 1
        wide = xp.astype(phantoms, xp.float64)
        mixture = similarities(wide, wide, self.sigma * self.distance_)
        inverse = xp.linalg.pinv(mixture, rtol=SMALLEST)
        self.coef_ = xp.astype(xp.astype(seen, xp.float64) @ inverse.T, X.dtype)
        check_learned(self.coef_, "lower sigma, or raise regularization")
        self.phantom_embeddings_ = phantoms

    def _scores(self, X, class_embeddings):
        coef, phantoms = typed_as(X, self.coef_, self.phantom_embeddings_)
        places = unit_rows(class_embeddings, name="class_embeddings")
        return X @ (coef @ similarities(places, phantoms, float(self.sigma) * self.distance_).T)


def similarities(A, B, sigma):
    r"""Softmax over rows of ``B`` of :math:`-\|a - b\|^2 / \sigma^2`, for each row of ``A``."""
    return softmax(-squared_distances(A, B) / sigma**2)


def median_distance(embeddings):
    """Median distance of two of the rows."""
    distances = np.sqrt(to_host(squared_distances(embeddings, embeddings)))
    median = float(np.median(distances[np.triu_indices(len(distances), k=1)]))
    if not median:
        raise ValueError(
            "class_embeddings coincide for half of the pairs of seen classes, whose median "
            "distance is then 0: give classes embeddings of their own"
        )
    return median


def class_margins(embeddings, loss):
    """Margin of each class (row) over each other (column); None for "one_vs_other"."""
    if loss == "one_vs_other":
        return None
    xp, device = namespace(embeddings), array_device(embeddings)
    apart = 1.0 - xp.eye(embeddings.shape[0], dtype=embeddings.dtype, device=device)
    if loss == "crammer_singer":
        return apart
    return apart * xp.sqrt(squared_distances(embeddings, embeddings))


def squared_hinge_objective(W, X, codes, regularization, margins=None):
    r"""Penalised squared hinge loss of k linear classifiers ``W`` (p, k), and its gradient.

    Without margins, one class against the others, with :math:`y_{ic} \in \{-1, 1\}`,

    .. math:: \frac{1}{nk} \sum_i \sum_c \max(0, 1 - y_{ic}\, x_i w_c)^2
              + \frac{\lambda}{2} \|W\|_F^2,

    and with them (Crammer & Singer: 1 between any two classes; structured: the distance of
    their embeddings over d; the authors' code has these two losses not squared),

    .. math:: \frac{1}{n} \sum_i \max_c (\Delta_{y_i c} + x_i w_c - x_i w_{y_i})^2
              + \frac{\lambda}{2} \|W\|_F^2, \qquad \Delta_{cc} = 0.
    """
    xp = namespace(W, X)
    n, k = X.shape[0], W.shape[1]
    value = 0.5 * regularization * float(xp.sum(W * W, dtype=xp.float64))
    gradient = regularization * W
    for rows in row_blocks(n, k):
        block, own = X[rows, :], one_hot(codes[rows], k, X.dtype)
        scores = block @ W
        if margins is None:
            signs = 2.0 * own - 1.0
            short = xp.clip(1.0 - signs * scores, min=0.0) / k
            value += k * float(xp.sum(short * short, dtype=xp.float64)) / n
            error = -signs * short
        else:
            reach = scores - xp.sum(scores * own, axis=1, keepdims=True) + own @ margins
            worst = one_hot(xp.argmax(reach, axis=1), k, X.dtype)
            short = xp.max(reach, axis=1, keepdims=True)
            value += float(xp.sum(short * short, dtype=xp.float64)) / n
            error = short * (worst - own)
        gradient = gradient + (2.0 / n) * (block.T @ error)
    return value, gradient
