"""DAP, direct attribute prediction (Lampert et al. 2009): one classifier for each attribute."""

from __future__ import annotations

from zslib.arrays import namespace
from zslib.compatibility._attributes import AttributeModel, log_sigmoid
from zslib.compatibility._blocks import row_blocks
from zslib.compatibility._linear import fit_linear

__all__ = ["DAP", "attribute_objective"]


class DAP(AttributeModel):
    r"""Direct attribute prediction (Lampert, Nickisch and Harmeling 2014, Eq. 2).

    Each attribute has a probabilistic classifier of images. A class is as likely as its
    attributes are, less how common they are anyway:

    .. math:: F(x, s) = \sum_m \log \frac{p(a_m = b_m(s) \mid x)}{p(b_m(s))}, \qquad
              p(a_m = 1 \mid x) = \frac{1}{1 + \exp(-x w_m - c_m)}.

    :math:`b_m(s)` is 1 where attribute m of the class exceeds its threshold, else 0, and
    :math:`p(a_m = 1)` is the share of seen classes that have it. An attribute that all seen
    classes have, or none has, cannot be learned and is left out; the authors' program gives it
    the prior 1/2.

    The paper has support vector machines with calibrated outputs. Here it is logistic regression,
    all attributes in one, the minimum of `attribute_objective`, found by L-BFGS from zero:
    nothing is random. An image's labels are its class's attributes.

    Parameters
    ----------
    threshold : "mean" or float, default "mean"
        An attribute above it counts as present: the mean over the seen classes, each attribute
        its own, or one number.
    regularization : float, keyword only, default 1e-5
        Weight of the squared norm of the classifiers, at least 0, in squared units of the
        features. Not in the paper.
    max_iter : int, keyword only, default 100
        Steps of L-BFGS at most.
    tol : float, keyword only, default 1e-4
        It stops earlier when the largest entry of the gradient has fallen to this share.

    Attributes
    ----------
    coef_ : array, shape (p, q')
        :math:`w_m` of the attributes that are not left out.
    intercept_ : array, shape (q',)
        :math:`c_m`, not penalised.
    kept_ : array of int64, shape (q',)
        Columns of ``class_embeddings`` that are not left out.
    threshold_ : array, shape (q,)
    prior_ : array, shape (q',)
        :math:`p(a_m = 1)`.
    objective_ : list of float
        `attribute_objective` at the start and after each step.
    n_iter_ : int
        Number of these steps.
    classes_, class_embeddings_, n_features_in_, embedding_dim_
        See `CompatibilityModel`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = DAP(regularization=0.1).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.0], [0.0, 2.0]]), S)
    array([0, 1])
    """

    def __init__(self, threshold="mean", *, regularization=1e-5, max_iter=100, tol=1e-4):
        self.threshold = threshold
        self.regularization = regularization
        self.max_iter = max_iter
        self.tol = tol

    def _learn(self, X, codes, binary):
        def objective(weights, regularization):
            return attribute_objective(weights, X, codes, binary, regularization)

        fit_linear(self, objective, X, binary.shape[1])

    def _log_probabilities(self, X):
        xp = namespace(X)
        coef, intercept = (
            xp.astype(array, X.dtype, copy=False) for array in (self.coef_, self.intercept_)
        )
        logits = X @ coef + intercept[None, :]
        return log_sigmoid(logits), log_sigmoid(-logits)


def attribute_objective(weights, X, codes, binary, regularization):
    r"""Penalised cross-entropy of one logistic regression for each attribute, and its gradient.

    .. math:: \frac{1}{n} \sum_i \sum_m \log\bigl(1 + \exp(-t_{im} (x_i w_m + c_m))\bigr)
              + \frac{\lambda}{2} \|W\|_F^2, \qquad t_{im} = 2 b_{y_i m} - 1

    Parameters
    ----------
    weights : array, shape (p + 1, q)
        W, and c in the last row.
    X : array, shape (n, p)
    codes : array of int64, shape (n,)
        Class of each row, from 0 to k - 1.
    binary : array, shape (k, q)
        Attributes of the classes, 0 or 1, with the type of ``X``.
    regularization : float
        :math:`\lambda`.

    Returns
    -------
    value : float
    gradient : array, shape (p + 1, q)

    Examples
    --------
    >>> import numpy as np
    >>> start, one = np.zeros((2, 1)), np.ones((1, 1))
    >>> value, gradient = attribute_objective(start, one, np.array([0]), one, 0.0)
    >>> round(value, 4), gradient
    (0.6931, array([[-0.5],
           [-0.5]]))
    """
    xp = namespace(weights, X)
    n, coef, intercept = X.shape[0], weights[:-1, :], weights[-1:, :]
    value = 0.5 * regularization * float(xp.sum(coef * coef, dtype=xp.float64))
    slopes, totals = regularization * coef, xp.zeros_like(intercept)
    for rows in row_blocks(n, binary.shape[1]):
        block, own = X[rows, :], xp.take(binary, codes[rows], axis=0)
        logits = block @ coef + intercept
        small = xp.exp(-xp.abs(logits))
        # log(1 + exp(-t f)) for t = 1 less the logit where the attribute is there.
        losses = xp.clip(logits, min=0.0) + xp.log1p(small) - own * logits
        value += float(xp.sum(losses, dtype=xp.float64)) / n
        likely = xp.where(logits >= 0, xp.ones_like(small), small) / (1.0 + small)
        error = (likely - own) / n
        slopes = slopes + block.T @ error
        totals = totals + xp.sum(error, axis=0, keepdims=True)
    return value, xp.concat([slopes, totals], axis=0)
