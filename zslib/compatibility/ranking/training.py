"""Training by the ranking loss, and the base of DeViSE, ALE and SJE."""

import copy
import math
from dataclasses import KW_ONLY, dataclass

import numpy as np
from array_api_compat import device as array_device

from zslib.arrays import namespace, random_generator, take_rows
from zslib.compatibility.base import BilinearModel, CompatibilityModel
from zslib.compatibility.epochs import EpochModel
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.compatibility.ranking.loss import score_gradient, violations
from zslib.optim import SGD, minibatches


class StagedModel(CompatibilityModel):
    """Base of the systems whose training can be looked at on its way.

    Its ``_fit`` takes ``keep(n, learned)`` as well, and calls it after n iterations with a
    function of n that gives the learned arrays by name. They may change afterwards.
    """

    def fit_stages(self, X, y, class_embeddings, stages):
        """Fit, and return copies of the model as it was after each of the ``stages``.

        These are iterations, of `DARK` those of ``n_iter``, of the others epochs; other parameters
        are those of ``fit``. A copy is the model that a fit of this length would give, but that
        its parameters and recorded losses are those of the whole training. A stage that the
        training does not come by is refused with ValueError.
        """
        kept = {}

        def keep(n, learned):
            if n in stages:
                arrays = learned(n)
                xp = namespace(*arrays.values())
                kept[n] = {name: xp.asarray(a, copy=True) for name, a in arrays.items()}

        self._checked_fit(X, y, class_embeddings, keep=keep)
        if missing := set(stages) - set(kept):
            raise ValueError(
                f"stages has {min(missing)}, which this training does not come by: choose among "
                "its iterations"
            )
        models = [copy.copy(self) for _ in stages]
        for model, stage in zip(models, stages, strict=True):
            vars(model).update(kept[stage])
        return models

    def _checked_fit(self, *data, keep=lambda n, learned: None):
        """``fit``, which does ``keep(n, learned)`` after n iterations: nothing, where it is plain.

        ``learned(n)`` has by their names the arrays that are learned by then.
        """
        return super()._checked_fit(*data, keep=keep)


def row_space(embeddings):
    """Coordinates of class embeddings in their own space, and its orthonormal basis as columns.

    A gradient X'GS never leaves that space. So with fewer classes than attributes SGD in
    coordinates takes the same steps, at less cost; with more the basis is None.
    """
    if embeddings.shape[0] >= embeddings.shape[1]:
        return embeddings, None
    basis, coordinates = namespace(embeddings).linalg.qr(embeddings.T)
    return coordinates.T, basis


def ranking_step(model, W, X, own, S, rng):
    """Summed loss of a minibatch and its gradient for ``W`` (p, K * q), K matrices side by side.

    The score of a label is the largest over the matrices, and its gradient goes to the winner.
    """
    xp = namespace(W)
    (b, _), (n_labels, q) = X.shape, S.shape
    n_matrices = W.shape[1] // q
    by_matrix = xp.reshape(X @ W, (b * n_matrices, q)) @ S.T
    by_matrix = xp.reshape(by_matrix, (b, n_matrices, n_labels))
    residuals = violations(xp.max(by_matrix, axis=1), own, float(model.margin))
    weights = model._weigh(residuals, own, rng)
    gradient = score_gradient(weights, own)[:, None, :]
    if n_matrices > 1:
        matrices = xp.arange(n_matrices, device=array_device(W))
        wins = xp.argmax(by_matrix, axis=1)[:, None, :] == matrices[None, :, None]
        gradient = gradient * xp.astype(wins, W.dtype)
    pull = xp.reshape(gradient, (b * n_matrices, n_labels)) @ S
    return xp.sum(weights * residuals), X.T @ xp.reshape(pull, (b, n_matrices * q))


def train_by_ranking(model, W, X, own, S, rng, keep, learned):
    r"""Minimise the ranking loss by stochastic gradient descent over minibatches of samples.

    .. math:: \frac{1}{n} \sum_i \sum_{y \ne y_i} \Delta_{iy} R_{iy} + \lambda \|W\|_F^2,
              \qquad F(x, y) = \max_k x W_k s_y'.

    Loss and gradient of a minibatch are means over its samples, so the learning rate does not
    depend on ``batch_size``. ``model`` is as `RankingModel`. ``W`` (p, K * q) is changed in place;
    after each epoch ``keep(epochs, learned)`` is called. Returns the mean loss per sample in each
    epoch, without the penalty.
    """
    xp, n = namespace(W, X, own, S), X.shape[0]
    optimiser, penalty = SGD(model.learning_rate), float(model.regularization)
    curve = []
    for epoch in range(1, model.n_epochs + 1):
        losses = []
        # An overflow is reported below, with its remedy.
        with np.errstate(over="ignore", invalid="ignore"):
            for batch in minibatches(n, model.batch_size, rng):
                x, labels = take_rows(X, batch), take_rows(own, batch)
                loss, gradient = ranking_step(model, W, x, labels, S, rng)
                gradient /= len(batch)
                if penalty:
                    gradient += (2.0 * penalty) * W
                optimiser.step(W, gradient)
                losses.append(loss)
            curve.append(float(xp.sum(xp.stack(losses), dtype=xp.float64)) / n)
            squares = float(xp.sum(W * W))
        if not math.isfinite(curve[-1] + squares):
            raise ValueError(
                f"training diverged in epoch {epoch}: the weights left the range of {W.dtype}; "
                f"learning_rate={optimiser.learning_rate} is too large for features of this scale"
            )
        keep(epoch, learned)
    return curve


@dataclass(repr=False, eq=False)
class RankingModel(StagedModel, EpochModel, BilinearModel):
    r"""Base of DeViSE, ALE and SJE: :math:`F = x W s'`, and a choice of weights.

    A subclass has ``_weigh(residuals, own, rng)``, which returns the weights :math:`\Delta`: which
    violations of a minibatch count, and how much.

    W starts at zero, so it never leaves the `row_space` of the seen class embeddings.

    Parameters
    ----------
    margin : float, default 1.0
        :math:`\epsilon`, above 0.
    learning_rate : float, keyword only, default 10.0
        Step size of SGD on the mean loss of a minibatch. The default suits features and class
        embeddings of length one; for longer ones divide by their mean squared lengths.
    n_epochs : int, keyword only, default 20
        Passes over the samples. The originals regularise by stopping early: tune it on
        validation classes.
    batch_size : int, keyword only, default 64
        1 is the per-sample SGD of the originals.
    regularization : float, keyword only, default 0.0
        :math:`\lambda` of a penalty :math:`\lambda \|W\|_F^2`.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the order of the samples.

    Attributes
    ----------
    coef_ : array, shape (p, q)
        :math:`W`, with the library and type of ``X``.
    learning_curve_ : list of float
        Mean loss per sample in each epoch, over the batches as they were met, without the
        penalty.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`
    """

    grid = {"learning_rate": (0.3, 1.0, 3.0), "n_epochs": (10, 40)}
    limits = {"n_epochs": (1, 160)}

    margin: Positive = 1.0
    _: KW_ONLY
    learning_rate: Positive = 10.0
    n_epochs: int = 20
    regularization: NotNegative = 0.0

    def _fit(self, X, codes, embeddings, keep):
        xp, rng = namespace(X), random_generator(self.random_state)
        embeddings, basis = row_space(embeddings)
        W = xp.zeros((X.shape[1], embeddings.shape[1]), dtype=X.dtype, device=array_device(X))

        def learned(_):
            return {"coef_": W if basis is None else W @ basis.T}

        self.learning_curve_ = train_by_ranking(self, W, X, codes, embeddings, rng, keep, learned)
        vars(self).update(learned(self.n_epochs))
