"""The ranking loss that DeViSE, ALE, SJE, LatEm and DARK share (Guo et al. 2019, Eq. 2).

A system of this family is a margin and a choice of weights. With ``scores`` the (n, C) values of
:math:`F`, one row per sample, `violations` gives

.. math:: R_{iy} = \\epsilon + F(x_i, y) - F(x_i, y_i),

a function of R gives the weights :math:`\\Delta_{iy}`, the loss is
:math:`\\sum_i \\sum_{y \\ne y_i} \\Delta_{iy} R_{iy}`, and `score_gradient` turns the weights into
its derivative by the scores. That is all that differs:

======  =====================  ========================================
system  weights                :math:`\\Delta` for labels with R > 0
======  =====================  ========================================
DeViSE  `every_violation`      1
ALE     `rank_weights`         l_r / r
SJE     `largest_violation`    1 for the largest R, else 0
LatEm   `drawn_violation`      1 for a label drawn at random, else 0
DARK    `hardness`             sigmoid of R, also where R <= 0
======  =====================  ========================================
"""

from __future__ import annotations

import math

import numpy as np
from array_api_compat import device as array_device

from zslib.arrays import like, namespace, random_generator, take_rows
from zslib.compatibility.base import BilinearModel
from zslib.optim import SGD, minibatches
from zslib.validation import check_integer, check_real

__all__ = [
    "RankingModel",
    "check_ranking_parameters",
    "drawn_violation",
    "every_violation",
    "hardness",
    "largest_violation",
    "one_violation",
    "rank_weights",
    "score_gradient",
    "train_by_ranking",
    "violations",
]


def _is_own(own, scores):
    """Where each row has its own label, bool (n, C)."""
    xp = namespace(own, scores)
    return own[:, None] == xp.arange(scores.shape[1], device=array_device(scores))[None, :]


def violations(scores, own, margin):
    r"""How far each label is from being ranked a margin below the own one: R of Eq. 2.

    Parameters
    ----------
    scores : array, shape (n, C)
        :math:`F(x_i, y)`.
    own : array of int, shape (n,)
        Column of each row's own label, :math:`y_i`.
    margin : float or array, shape (n, 1)
        :math:`\epsilon`.

    Returns
    -------
    array, shape (n, C)
        :math:`\epsilon + F(x_i, y) - F(x_i, y_i)`; 0 at the own label, which is no rival.

    Examples
    --------
    >>> import numpy as np
    >>> violations(np.array([[2.0, 1.5, 0.0]]), np.array([0]), 1.0)
    array([[ 0. ,  0.5, -1. ]])
    """
    xp = namespace(scores, own)
    is_own, zero = _is_own(own, scores), xp.zeros_like(scores)
    own_scores = xp.sum(xp.where(is_own, scores, zero), axis=1, keepdims=True)
    return xp.where(is_own, zero, scores + (margin - own_scores))


def score_gradient(weights, own):
    r"""Derivative by the scores of :math:`\sum_{iy} \Delta_{iy} R_{iy}`, the weights held fixed.

    Parameters
    ----------
    weights : array, shape (n, C)
        :math:`\Delta`, 0 at the own labels.
    own : array of int, shape (n,)

    Returns
    -------
    array, shape (n, C)
        The weights; at the own label minus their sum.

    Examples
    --------
    >>> import numpy as np
    >>> score_gradient(np.array([[0.0, 1.0, 0.5]]), np.array([0]))
    array([[-1.5,  1. ,  0.5]])
    """
    xp = namespace(weights, own)
    return xp.where(_is_own(own, weights), -xp.sum(weights, axis=1, keepdims=True), weights)


def every_violation(residuals):
    """DeViSE: all violating labels count alike.

    Examples
    --------
    >>> import numpy as np
    >>> every_violation(np.array([[0.0, 0.5, -1.0, 2.0]]))
    array([[0., 1., 0., 1.]])
    """
    return namespace(residuals).astype(residuals > 0.0, residuals.dtype)


def rank_weights(residuals):
    r"""ALE: with r violating labels each weighs :math:`l_r / r`, :math:`l_r = \sum_{j=1}^r 1/j`.

    Examples
    --------
    Two labels violate, so both weigh (1 + 1/2) / 2:

    >>> import numpy as np
    >>> rank_weights(np.array([[0.0, 0.5, -1.0, 2.0]]))
    array([[0.  , 0.75, 0.  , 0.75]])
    """
    xp = namespace(residuals)
    r = np.arange(1, residuals.shape[1] + 1)
    per_label = np.concatenate([[0.0], np.cumsum(1.0 / r) / r])
    ranks = xp.sum(xp.astype(residuals > 0.0, xp.int64), axis=1)
    weights = xp.take(xp.astype(like(per_label, residuals), residuals.dtype), ranks, axis=0)
    return every_violation(residuals) * weights[:, None]


def largest_violation(residuals):
    """SJE: only the label that violates most counts, the first of equals.

    Examples
    --------
    >>> import numpy as np
    >>> largest_violation(np.array([[0.0, 0.5, -1.0, 2.0], [0.0, -1.0, -2.0, -1.0]]))
    array([[0., 0., 0., 1.],
           [0., 0., 0., 0.]])
    """
    return one_violation(residuals, namespace(residuals).argmax(residuals, axis=1))


def drawn_violation(residuals, keys):
    """One of the violating labels: the one with the largest key.

    With random keys that is the first violating label in a random order (DeViSE's original), and
    each violating label is equally likely.

    Parameters
    ----------
    residuals, keys : array, shape (n, C)
        Keys are at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> drawn_violation(np.array([[0.0, 0.5, -1.0, 2.0]]), np.array([[0.9, 0.7, 0.8, 0.3]]))
    array([[0., 1., 0., 0.]])
    """
    xp = namespace(residuals, keys)
    violating_keys = xp.where(residuals > 0.0, keys, -xp.ones_like(keys))
    return one_violation(residuals, xp.argmax(violating_keys, axis=1))


def one_violation(residuals, labels):
    """One given label of each row, if it violates.

    Parameters
    ----------
    residuals : array, shape (n, C)
    labels : array of int, shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> one_violation(np.array([[0.0, 0.5], [0.0, -1.0]]), np.array([1, 1]))
    array([[0., 1.],
           [0., 0.]])
    """
    xp = namespace(residuals, labels)
    return xp.astype(_is_own(labels, residuals) & (residuals > 0.0), residuals.dtype)


def hardness(residuals, own):
    r"""DARK: the sigmoid of R (Guo et al. 2019, Eq. 8), so that easy labels count a little.

    Parameters
    ----------
    residuals : array, shape (n, C)
    own : array of int, shape (n,)
        Own labels, which weigh 0.

    Examples
    --------
    >>> import numpy as np
    >>> hardness(np.array([[0.0, 0.5, -1.0, 2.0]]), np.array([0])).round(2)
    array([[0.  , 0.62, 0.27, 0.88]])
    """
    xp = namespace(residuals, own)
    # The tanh form does not overflow.
    sigmoid = 0.5 + 0.5 * xp.tanh(0.5 * residuals)
    return xp.where(_is_own(own, residuals), xp.zeros_like(sigmoid), sigmoid)


def _ranking_step(W, X, own, S, weigh, margin):
    """Summed loss of a minibatch and its gradient for ``W`` (p, K * q), K matrices side by side.

    The score of a label is the largest over the matrices, and its gradient goes to the winner.
    """
    xp = namespace(W)
    (b, _), (n_labels, q) = X.shape, S.shape
    n_matrices = W.shape[1] // q
    by_matrix = xp.reshape(X @ W, (b * n_matrices, q)) @ S.T
    by_matrix = xp.reshape(by_matrix, (b, n_matrices, n_labels))
    residuals = violations(xp.max(by_matrix, axis=1), own, margin)
    weights = weigh(residuals, own)
    matrices = xp.arange(n_matrices, device=array_device(W))
    wins = xp.argmax(by_matrix, axis=1)[:, None, :] == matrices[None, :, None]
    gradient = score_gradient(weights, own)[:, None, :] * xp.astype(wins, W.dtype)
    pull = xp.reshape(gradient, (b * n_matrices, n_labels)) @ S
    return xp.sum(weights * residuals), X.T @ xp.reshape(pull, (b, n_matrices * q))


def train_by_ranking(
    W, X, own, S, weigh, *, margin, learning_rate, n_epochs, batch_size, regularization, rng
):
    r"""Minimise the ranking loss by stochastic gradient descent over minibatches of samples.

    .. math:: \frac{1}{n} \sum_i \sum_{y \ne y_i} \Delta_{iy} R_{iy} + \lambda \|W\|_F^2,
              \qquad F(x, y) = \max_k x W_k s_y'.

    Loss and gradient of a minibatch are means over its samples, so the learning rate does not
    depend on ``batch_size``; with ``batch_size=1`` this is the per-sample SGD of the originals.

    Parameters
    ----------
    W : array, shape (p, K * q)
        Where to start: K matrices (p, q) side by side. Changed in place.
    X : array, shape (n, p)
    own : array of int64, shape (n,)
        Row of ``S`` of each sample.
    S : array, shape (C, q)
    weigh : callable
        ``weigh(residuals, own)`` gives the weights :math:`\Delta` of a minibatch.
    margin, learning_rate, n_epochs, batch_size, regularization
        As in `RankingModel`.
    rng : numpy.random.Generator
        Source of the order of the samples, anew in each epoch.

    Returns
    -------
    list of float
        Mean loss per sample in each epoch, over the batches as they were met, without the
        penalty.

    Raises
    ------
    ValueError
        When training diverges.
    """
    xp = namespace(W, X, own, S)
    n = X.shape[0]
    optimiser = SGD(learning_rate)
    curve = []
    for epoch in range(1, n_epochs + 1):
        losses = []
        # An overflow is reported below, with its remedy.
        with np.errstate(over="ignore", invalid="ignore"):
            for batch in minibatches(n, batch_size, rng):
                x, labels = take_rows(X, batch), take_rows(own, batch)
                loss, gradient = _ranking_step(W, x, labels, S, weigh, margin)
                gradient /= len(batch)
                if regularization:
                    gradient += (2.0 * regularization) * W
                optimiser.step(W, gradient)
                losses.append(loss)
            curve.append(float(xp.sum(xp.stack(losses), dtype=xp.float64)) / n)
            squares = float(xp.sum(W * W))
        if not math.isfinite(curve[-1] + squares):
            raise ValueError(
                f"training diverged in epoch {epoch}: the weights left the range of {W.dtype}; "
                f"learning_rate={learning_rate} is too large for features of this scale"
            )
    return curve


def check_ranking_parameters(model):
    """Check the parameters that all ranking systems share; return those of the trainer.

    Raises
    ------
    ValueError, TypeError
        When one is out of range or of the wrong type.
    """
    return {
        "margin": check_real(model.margin, "margin", low=0.0, inclusive=False),
        "learning_rate": check_real(
            model.learning_rate, "learning_rate", low=0.0, inclusive=False
        ),
        "n_epochs": check_integer(model.n_epochs, "n_epochs", low=1),
        "batch_size": check_integer(model.batch_size, "batch_size", low=1),
        "regularization": check_real(model.regularization, "regularization", low=0.0),
        "rng": random_generator(model.random_state),
    }


class RankingModel(BilinearModel):
    r"""Base of DeViSE, ALE and SJE: :math:`F = x W s'`, and a choice of weights.

    A subclass has ``_weigh(residuals, own, rng)``, which returns the weights :math:`\Delta`: which
    violations of a minibatch count, and how much.

    W starts at zero. The gradient is :math:`X' G S` with G of shape (n, C), so W never leaves the
    row space of the seen class embeddings, and with fewer classes than attributes training runs
    in coordinates of that space: the same steps, at less cost.

    Parameters
    ----------
    margin : float, default 1.0
        :math:`\epsilon`, above 0.
    learning_rate : float, keyword only
        Step size of SGD, in units that depend on the scale of the features.
    n_epochs : int, keyword only
        Passes over the samples. Stopping early is how the originals regularise.
    batch_size : int, keyword only, default 64
    regularization : float, keyword only, default 0.0
        :math:`\lambda` of :math:`\lambda \|W\|_F^2`.
    random_state : None, int or numpy.random.Generator, keyword only, default None

    Attributes
    ----------
    coef_ : array, shape (p, q)
        :math:`W`, with the library and type of ``X``.
    learning_curve_ : list of float
        Mean loss per sample in each epoch, without the penalty.
    """

    def __init__(
        self,
        margin=1.0,
        *,
        learning_rate=10.0,
        n_epochs=20,
        batch_size=64,
        regularization=0.0,
        random_state=None,
    ):
        self.margin = margin
        self.learning_rate = learning_rate
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.regularization = regularization
        self.random_state = random_state

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        parameters = check_ranking_parameters(self)
        basis = None
        if embeddings.shape[0] < embeddings.shape[1]:
            # S = R'Q' with orthonormal columns of Q: W = (W Q) Q', and SGD commutes with that.
            basis, coordinates = xp.linalg.qr(embeddings.T)
            embeddings = coordinates.T
        W = xp.zeros((X.shape[1], embeddings.shape[1]), dtype=X.dtype, device=array_device(X))
        self.learning_curve_ = train_by_ranking(
            W,
            X,
            codes,
            embeddings,
            lambda residuals, own: self._weigh(residuals, own, parameters["rng"]),
            **parameters,
        )
        self.coef_ = W if basis is None else W @ basis.T
