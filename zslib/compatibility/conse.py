"""ConSE (Norouzi et al. 2013): a classifier's most probable classes, averaged as embeddings."""

from dataclasses import KW_ONLY, dataclass

from array_api_compat import device as array_device

from zslib.arrays import namespace, one_hot, row_blocks, typed_as
from zslib.compatibility.base import CompatibilityModel, cosines
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.parameters import NotNegative
from zslib.optim import minimize
from zslib.validation import check_learned


@dataclass(repr=False, eq=False)
class LinearModel(CompatibilityModel):
    """Base of the scorers that learn linear classifiers by L-BFGS, with its parameters.

    A subclass with another default has the parameter again.
    """

    _: KW_ONLY
    regularization: NotNegative = 1e-5
    max_iter: int = 200
    tol: NotNegative = 1e-4

    def _fit_linear(self, objective, n_outputs, X, *data):
        """Fit ``coef_`` and ``intercept_``; the value of each step is in ``objective_``."""
        how = {"max_iter": self.max_iter, "tol": self.tol}
        data = *data, float(self.regularization)
        weights, self.objective_ = linear_weights(objective, n_outputs, X, *data, **how)
        self.n_iter_ = len(self.objective_) - 1
        check_learned(weights, "scale the features, or raise regularization")
        self.coef_, self.intercept_ = weights[:-1, :], weights[-1, :]

    def _logits(self, X):
        coef, intercept = typed_as(X, self.coef_, self.intercept_)
        return X @ coef + intercept[None, :]


@dataclass(repr=False, eq=False)
class ConSE(LinearModel):
    r"""Convex combination of semantic embeddings (Norouzi et al. 2013, section 3.2).

    A classifier of the seen classes gives :math:`p(c \mid x)`. With :math:`\hat y(x, t)` the
    t-th most probable of them, an image is placed among the embeddings at

    .. math:: f(x) = \frac{1}{Z} \sum_{t=1}^{T} p(\hat y(x, t) \mid x)\, s_{\hat y(x, t)}, \qquad
              Z = \sum_{t=1}^{T} p(\hat y(x, t) \mid x),

    and the score is :math:`F = \cos(f(x), s)`, 0 where one of the two is zero.

    The paper takes the softmax layer of a network that is there already. Here it is a softmax
    regression on the features, the minimum of `softmax_objective`, found by L-BFGS from zero:
    nothing is random.

    Parameters
    ----------
    n_averaged : int, default 10
        T; the paper reports 1, 10 and 1000. All seen classes where there are fewer.
    regularization : float, keyword only, default 1e-5
        Weight of half the squared norm of the classifier, at least 0, in squared units of the
        features. Not in the paper.
    max_iter : int, keyword only, default 200
        Steps of L-BFGS at most.
    tol : float, keyword only, default 1e-4
        It stops earlier when the largest entry of the gradient has fallen to this share.

    Attributes
    ----------
    coef_ : array, shape (p, k)
        Weights of the classifier.
    intercept_ : array, shape (k,)
        Its unpenalised intercepts.
    seen_embeddings_ : array, shape (k, q)
        The embeddings that are averaged.
    objective_ : list of float
        `softmax_objective` at the start and after each step.
    n_iter_ : int
        Number of these steps.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = ConSE().fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[3.0, 0.0], [1.0, 1.0]]), S)
    array([0, 2])
    """

    grid = {"n_averaged": (1, 10, 100), "regularization": (1e-5, 1e-4)}
    year = 2014
    family = "mixtures of classes"
    look = (2, "^", "-.")
    compares = "cosine"

    n_averaged: int = 10

    def _fit(self, X, codes, embeddings):
        self._fit_linear(softmax_objective, embeddings.shape[0], X, codes)
        self.seen_embeddings_ = embeddings

    def logits(self, X):
        """What the softmax turns into probabilities of the seen classes, (n, k)."""
        return self._logits(self._checked(X))

    def embed(self, X):
        """The convex combination f(x) of seen class embeddings, (n, q), for each row of ``X``."""
        return self._embed(self._checked(X))

    def _embed(self, X):
        xp = namespace(X)
        embeddings = xp.astype(self.seen_embeddings_, X.dtype, copy=False)

        def combined(x):
            logits = self._logits(x)
            likely = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
            # The rank of each class by probability, 0 for the first.
            order = xp.argsort(logits, axis=1, descending=True, stable=True)
            rank = xp.argsort(order, axis=1, stable=True)
            likely = likely * xp.astype(rank < self.n_averaged, X.dtype)
            # The cosine does not see 1 / Z; it keeps the embeddings' unit, as in the paper.
            return (likely / xp.sum(likely, axis=1, keepdims=True)) @ embeddings

        return in_blocks(combined, X, max(embeddings.shape))

    def _scores(self, X, class_embeddings):
        return cosines(self._embed(X), class_embeddings)


def softmax_objective(weights, X, codes, regularization):
    r"""Penalised cross-entropy of a softmax regression, and its gradient.

    .. math:: \frac{1}{n} \sum_i -\log \frac{\exp(x_i w_{y_i} + b_{y_i})}
              {\sum_c \exp(x_i w_c + b_c)} + \frac{\lambda}{2} \|W\|_F^2

    ``weights`` (p + 1, k) has W, and b in its last row; ``codes`` (n,) is the class of each row.
    """
    return linear_objective(_softmax_losses, weights, X, codes, regularization)


def _softmax_losses(logits, codes):
    xp = namespace(logits)
    own = one_hot(codes, logits.shape[1], logits.dtype)
    logits = logits - xp.max(logits, axis=1, keepdims=True)
    likely = xp.exp(logits)
    total = xp.sum(likely, axis=1, keepdims=True)
    return xp.log(total[:, 0]) - xp.sum(logits * own, axis=1), likely / total - own


def linear_objective(losses, weights, X, codes, regularization):
    """Penalised mean loss of linear classifiers, and its gradient by ``weights`` (p + 1, k).

    ``losses(logits, codes)`` gives the losses of some images, and their slopes by the logits.
    """
    xp, n = namespace(weights, X), X.shape[0]
    coef, intercept = weights[:-1, :], weights[-1:, :]
    value = 0.5 * regularization * float(xp.sum(coef * coef, dtype=xp.float64))
    slopes, totals = regularization * coef, xp.zeros_like(intercept)
    for rows in row_blocks(n, weights.shape[1]):
        block = X[rows, :]
        values, error = losses(block @ coef + intercept, codes[rows])
        value += float(xp.sum(values, dtype=xp.float64)) / n
        error = error / n
        slopes = slopes + block.T @ error
        totals = totals + xp.sum(error, axis=0, keepdims=True)
    return value, xp.concat([slopes, totals], axis=0)


def linear_weights(objective, n_outputs, X, *data, max_iter, tol):
    """Weights (p + 1, n_outputs) intercepts last, by L-BFGS from zero, and each step's value.

    ``objective(weights, X, *data)`` returns the value and the gradient by weights.
    """
    start = namespace(X).zeros((X.shape[1] + 1, n_outputs), dtype=X.dtype, device=array_device(X))
    return minimize(lambda w: objective(w, X, *data), start, max_iter=max_iter, tol=tol)
