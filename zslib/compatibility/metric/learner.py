"""Metric learning for zero-shot classification, with hard negatives (Bucher et al. 2016)."""

import math
from collections import deque
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import like, namespace, random_generator, row_norms, take_rows, typed_as
from zslib.compatibility.blocks import in_blocks
from zslib.compatibility.epochs import EpochModel
from zslib.compatibility.metric.negatives import (
    NEGATIVES,
    NegativeSet,
    distinct_candidates,
    draw_negatives,
    log_correlation,
    log_uncertainty,
    random_negatives,
    shares,
)
from zslib.compatibility.metric.objective import (
    HINGES,
    attribute_estimates,
    metric_objective,
    squared_distances,
)
from zslib.compatibility.parameters import NotNegative, Positive
from zslib.optim import minibatches
from zslib.validation import check_integer, check_learned, check_paired, check_same_rows


@dataclass(repr=False, eq=False)
class MetricLearner(EpochModel):
    r"""Metric learning with hard negatives (Bucher, Herbin and Jurie 2016, Eqs. 1 to 11).

    An image x is mapped to attributes, :math:`\hat a(x) = \max(0, x W_X + b_X)`, and compared
    with a class's attributes under a learned metric:

    .. math:: F(x, s) = -S(x, s), \qquad S(x, s) = \| (\hat a(x) - s) W_A \|_2.

    Training pairs each image with its own attribute vector, and with ``negatives_per_positive``
    vectors of other seen classes. Positive pairs shall have :math:`S^2` below a threshold
    :math:`\tau` by 1, negative pairs above it by 1. SGD over minibatches of images, in all
    parameters jointly, lowers the balanced objective (Eq. 11)

    .. math:: \frac{1}{|D_+|} \sum_{i \in D_+} \left( l_H(i) +
              \lambda \| y_i - \hat a(x_i) \|^2 \right) + \frac{1}{|D_-|} \sum_{j \in D_-} l_H(j)

    .. math:: + \mu \left( \|W_X\|^2 + \|b_X\|^2 + \|W_A\|^2 \right), \quad
              l_H = \max(0, 1 - Z (\tau - S^2)),

    or, with ``balanced=False``, Eq. 6: the sum over all pairs, divided by half their number, so
    that both are the same with one negative for each positive, and one learning rate serves both.
    A minibatch has the positive and all negative pairs of its images. See
    `zslib.compatibility.metric.objective` for the gradients, and what they are at kinks, and
    `zslib.compatibility.metric.negatives` for the choice of negatives.

    SGD with a constant rate :math:`\eta` ends at one noisy point of a cloud of them. The model is
    the mean of its last points (Polyak and Juditsky 1992): with :math:`\theta_t` all parameters at
    the end of epoch t of T, and r = ``average_last``, or T where that is less,

    .. math:: \bar\theta = \frac{1}{r} \sum_{t=T-r+1}^{T} \theta_t.

    Negatives are chosen by the single :math:`\theta_t`. The paper says SGD and no more; with
    ``average_last=1`` the model is :math:`\theta_T`.

    Attributes below 0 cannot be reached by Eq. 2. The margin of 1 is in the units of the learned
    metric.

    Parameters
    ----------
    metric_dim : int, default 64
        m, columns of :math:`W_A`.
    attribute_weight : float, default 0.3
        :math:`\lambda`, at least 0.
    regularization : float, default 1e-4
        :math:`\mu`, at least 0.
    negatives : {"random", "uncertainty", "uncertainty_correlation"}, keyword only
        By default "random". Which negatives are drawn, by the number of images that have them
        times 1, :math:`u_t` (Eq. 8) or :math:`u_t q` (Eq. 10). The first epoch's are always
        random, as many as in the others, where the paper has one for each positive pair.
    negatives_per_positive : int, keyword only, default 1
        Different negatives that are drawn for each image in each epoch.
    balanced : bool, keyword only, default True
        Eq. 11, or Eq. 6.
    hinge : {"squared_distance", "as_printed"}, keyword only, default "squared_distance"
        Eq. 3 with :math:`\tau - S^2`, as in the earlier paper, or with :math:`(\tau - S)^2`, as
        printed, which does not tell near from far.
    growth : {"across_epochs", "within_epoch"}, keyword only, default "across_epochs"
        What :math:`D_-` is in an epoch: all pairs drawn so far, which is how the text reads, or
        the pairs of this epoch, which keeps the ratio of negatives at the value that the paper's
        tables and figure name.
    learning_rate : float, keyword only, default 0.1
        Of plain SGD.
    n_epochs : int, keyword only, default 40
        Passes over the images; before each, negatives are drawn.
    batch_size : int, keyword only, default 64
        Images in a step.
    n_scored : int or None, keyword only, default 256
        Where there are more different attribute vectors, those of so many images drawn at random,
        afresh for each block of as many images, are scored in their stead; None: always all.
    average_last : int, keyword only, default 5
        r, the last epochs whose parameters are averaged.
    keep_epochs : bool, keyword only, default False
        Whether the model after each epoch is kept, for `at_epoch`.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the start, normal with standard deviations :math:`1/\sqrt p` for :math:`W_X` and
        :math:`1/\sqrt m` for :math:`W_A`, of the negatives and of the order; drawn on the host.

    Attributes
    ----------
    coef_ : array, shape (p, q)
        :math:`W_X`.
    intercept_ : array, shape (q,)
        :math:`b_X`, 0 at first.
    metric_ : array, shape (q, m)
        :math:`W_A`.
    threshold_ : array, shape (1,)
        :math:`\tau`, 1 at first.
    learning_curve_ : list of float
        The objective without its penalty in each epoch, over the batches as they were met.
    n_candidates_ : int
        Different vectors of seen classes, M.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`

    Notes
    -----
    A metric that grows makes the objective steeper, so a learning rate that serves the first
    epochs can be too large for later ones: then ``learning_curve_`` rises, and all attributes may
    end at 0. The defaults come from CUB's validation classes, with features of length one.

    Memory: for a growing set 8 bytes for each pair, at most 2 n M bytes; else what a minibatch and
    a block of distances need.

    Examples
    --------
    >>> import numpy as np
    >>> S = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(4, size=200)
    >>> X = S[y] + 0.1 * rng.standard_normal((200, 2))
    >>> seen = y < 3
    >>> model = MetricLearner(2, negatives="uncertainty", random_state=0)
    >>> model.fit(X[seen], y[seen], S).score(X[seen], y[seen], S[:3])
    1.0
    >>> model.score(X, y) > 0.9  # one of four classes was never seen
    True
    """

    # More columns than attributes add no direction, and less of the penalty is next to none.
    limits = {"metric_dim": (1, 256), "regularization": (1e-5, 1.0)}
    # Trainings differ by more than neighbouring settings do: see `zslib.protocols.sweep`.
    regular = {"learning_rate": "least", "regularization": "most"}
    year = 2016
    family = "metric"
    compares = "distance"

    metric_dim: int = 64
    attribute_weight: NotNegative = 0.3
    regularization: NotNegative = 1e-4
    _: KW_ONLY
    negatives: Literal[NEGATIVES] = "random"
    negatives_per_positive: int = 1
    balanced: bool = True
    hinge: Literal[HINGES] = "squared_distance"
    growth: Literal["across_epochs", "within_epoch"] = "across_epochs"
    learning_rate: Positive = 0.1
    n_epochs: int = 40
    n_scored: Annotated[int, ">= 2"] | None = 256
    average_last: int = 5
    keep_epochs: bool = False

    def fit(self, X, y, class_embeddings, image_attributes=None):
        """Learn from images of the seen classes; return self.

        Parameters
        ----------
        X, y, class_embeddings
            As in `CompatibilityModel.fit`.
        image_attributes : array, shape (n, q), or None
            Attributes of each image, in the units of ``class_embeddings`` and with the type of
            ``X``. None: each image has those of its class.

        Raises
        ------
        ValueError
            For wrong shapes, NaN or infinity, fewer than two classes in ``y``, a parameter out of
            range, more negatives than there are, ``negatives="uncertainty_correlation"`` where
            the images of each class have one vector, or when training diverges.
        TypeError
            For arrays of different libraries, or labels that are neither whole numbers nor names.
        """
        check_paired(X, image_attributes, "X", "image_attributes")
        return self._checked_fit(X, y, class_embeddings, {"image_attributes": image_attributes})

    def _fit(self, X, codes, embeddings, image_attributes):
        xp = namespace(X)
        if image_attributes is not None:
            check_same_rows(X, image_attributes, "X", "image_attributes")
        rng = random_generator(self.random_state)
        candidates = distinct_candidates(codes, embeddings, image_attributes)
        log_weights = self._fixed_weights(candidates, X)
        (n, p), q, m = X.shape, embeddings.shape[1], self.metric_dim
        start = (
            rng.standard_normal((p, q)) / math.sqrt(p),
            np.zeros(q),
            rng.standard_normal((q, m)) / math.sqrt(m),
            np.ones(1),
        )
        theta = typed_as(X, *(like(part, X) for part in start))
        self.n_candidates_ = len(candidates.classes)
        self.learning_curve_ = []
        self._epochs, last = [], deque(maxlen=self.average_last)
        pairs = NegativeSet(n, self.n_candidates_, grows=self.growth == "across_epochs")
        for epoch in range(1, self.n_epochs + 1):
            # An overflow is reported after the epoch, with its remedy.
            with np.errstate(over="ignore", invalid="ignore"):
                pairs.add(self._draw(theta, epoch, X, candidates, log_weights, rng))
                self.learning_curve_.append(self._run_epoch(theta, X, candidates, pairs, rng))
                size = sum(float(xp.sum(xp.abs(part))) for part in theta)
            check_learned(
                self.learning_curve_[-1] + size,
                f"lower learning_rate={self.learning_rate} or attribute_weight, or scale features "
                "and attributes",
                what=f"training in epoch {epoch}",
            )
            last.append([xp.asarray(part, copy=True) for part in theta])
            if self.keep_epochs:
                self._epochs.append(_mean(last))
        self.coef_, self.intercept_, self.metric_, self.threshold_ = _mean(last)

    def _fixed_weights(self, candidates, X):
        """Logarithm of each candidate's count, times q where the strategy asks for it."""
        if self.negatives != "uncertainty_correlation":
            return like(np.log(candidates.counts), X)
        if not candidates.q_varies:
            raise ValueError(
                'negatives="uncertainty_correlation" needs images of a class that differ in their '
                "attributes, but all of each class have the same vector, as in the paper's AwA: q "
                "of Eq. 9 is then 1 for every vector; give image_attributes, or use "
                'negatives="uncertainty"'
            )
        return log_correlation(candidates) + like(np.log(candidates.counts), X)

    def _draw(self, theta, epoch, X, candidates, log_weights, rng):
        """Negatives of all images for the next epoch, by the parameters of the last one."""
        k = self.negatives_per_positive
        if epoch == 1 or self.negatives == "random":
            return random_negatives(candidates, k, rng)
        xp, n = namespace(X), X.shape[0]
        log_weights = xp.astype(log_weights, X.dtype, copy=False)
        labels = candidates.labels
        found = np.empty((n, k), dtype=np.int64)
        for images, scored, log_share in shares(candidates, self.n_scored, k, rng):
            A = attribute_estimates(theta, take_rows(X, images))
            own = (A - take_rows(candidates.vectors, candidates.own[images])) @ theta[2]
            S = xp.sqrt(squared_distances(A, take_rows(candidates.vectors, scored), theta[2]))
            log_p = log_uncertainty(S, row_norms(own))
            log_p += xp.take(log_weights, like(scored, X))
            log_p += xp.astype(like(log_share, X), X.dtype)
            rivals = like(candidates.classes[scored] != labels[images, None], X)
            found[images] = scored[draw_negatives(xp.where(rivals, log_p, -xp.inf), k, rng)]
        return found

    def _run_epoch(self, theta, X, candidates, pairs, rng):
        """One pass of SGD; the mean objective of its batches."""
        xp = namespace(X)
        n, rate = X.shape[0], float(self.learning_rate)
        positive, negative = self._pair_weights(pairs.per_image)
        # All is linear in these weights: with the rate in them the gradients are steps.
        keep = 1.0 - 2.0 * rate * self.regularization
        losses = []
        for batch in minibatches(n, self.batch_size, rng):
            loss, steps = metric_objective(
                theta,
                take_rows(X, batch),
                candidates.vectors,
                like(candidates.own[batch], X),
                pairs.of(batch, X),
                positive_weight=rate * positive / len(batch),
                negative_weight=rate * negative / len(batch),
                attribute_weight=float(self.attribute_weight),
                hinge=self.hinge,
            )
            for part, step in zip(theta, steps, strict=True):
                if self.regularization and part is not theta[3]:
                    part *= keep
                part -= step
            losses.append(loss * len(batch))
        return float(xp.sum(xp.stack(losses), dtype=xp.float64)) / (rate * n)

    def _pair_weights(self, n_negatives):
        """Weight of an image's positive pair and of each of its negative ones."""
        if self.balanced:
            return 1.0, 1.0 / n_negatives  # Eq. 11: the means over both kinds
        return 2.0 / (1.0 + n_negatives), 2.0 / (1.0 + n_negatives)  # Eq. 6: all alike

    def at_epoch(self, epoch):
        """The model of so many epochs, from 1 on, if ``keep_epochs`` was set.

        That is what a fit with ``n_epochs=epoch`` gives: the mean of the last epochs up to it.
        """
        check_is_fitted(self, "classes_")
        kept = self._epochs
        if not kept:
            raise ValueError("no epochs are kept: fit with keep_epochs=True")
        epoch = check_integer(epoch, "epoch", low=1, high=len(kept))
        model = copy(self)
        model.set_params(n_epochs=epoch, keep_epochs=False)
        model.coef_, model.intercept_, model.metric_, model.threshold_ = kept[epoch - 1]
        model.learning_curve_ = self.learning_curve_[:epoch]
        model._epochs = []
        return model

    def _scores(self, X, class_embeddings):
        theta = typed_as(X, self.coef_, self.intercept_, self.metric_)

        def scores(x):
            A = attribute_estimates(theta, x)
            return -namespace(x).sqrt(squared_distances(A, class_embeddings, theta[2]))

        return in_blocks(scores, X, max(*theta[2].shape, class_embeddings.shape[0]))


def _mean(iterates):
    """Mean of each parameter over several lists of all of them."""
    xp = namespace(iterates[0][0])
    return [xp.mean(xp.stack(parts), axis=0) for parts in zip(*iterates, strict=True)]
