"""The max-margin ranking map of Lazaridou et al. (2015), sections 2 and 5."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass

import numpy as np

from zslib.arrays import like, namespace, random_generator, slices, unit_rows
from zslib.mapping.base import LinearMap
from zslib.mapping.negatives import (
    NEGATIVES,
    IntruderSearch,
    distinct_labels,
    first_of_row,
    random_negatives,
)
from zslib.optim import Adagrad
from zslib.search.threads import one_blas_thread
from zslib.validation import check_choice, check_integer, check_real


@dataclass(repr=False, eq=False)
class MaxMarginMap(LinearMap):
    r"""Linear map trained to rank the right label first (Lazaridou et al. 2015, sections 2, 5).

    For a training pair :math:`(x_i, y_i)` with mapped vector :math:`\hat y_i = x_i W` and k
    negative labels :math:`y_j`,

    .. math:: \ell_i = \sum_{j \ne i}^{k} \max\{0, \gamma
              + \mathrm{dist}(\hat y_i, y_i) - \mathrm{dist}(\hat y_i, y_j)\},

    minimised by stochastic gradient descent with Adagrad. The loss is summed over the negatives
    and averaged over the items of a minibatch, so neither gradient nor learning rate grow with
    ``batch_size``. It depends neither on the length of :math:`y` nor on that of :math:`x`, so the
    map is trained on directions only; ``transform`` uses the lengths that it is given.

    The initial map is normal with standard deviation :math:`1 / \sqrt{d_1}`, which maps a unit
    vector to a length of about :math:`\sqrt{d_2 / d_1}`.

    Negatives are labels, that is, distinct rows of ``Y``: a label shared by several items counts
    once, and is never a negative of its own items (see `zslib.mapping.negatives`).

    Parameters
    ----------
    margin : float, default 0.4
        :math:`\gamma`, at least 0; in units of the distance. Tuned in the paper, not printed.
    n_negatives : int or None, default None
        k, per item. None: 1 for "intruder", as in section 5, and 10 for the others. Tuned in the
        paper, not printed.
    negatives : str, keyword only, default "random"
        "random": labels other than the item's own, uniformly, fresh in every epoch (section 2).
        "uniform": one draw for the whole minibatch, not item-specific (Mikolov et al. 2013b).
        "first_violating": labels are sampled until the first that violates the margin, in at
        most ``n_negatives`` tries; at most one update per item (WSABIE).
        "intruder": those with the largest :math:`\cos(\hat y_i, y_j) - \cos(y_i, y_j)`
        (section 5).
    distance : {"cosine", "angle"}, keyword only, default "cosine"
        The paper's "inverse cosine": :math:`1 - \cos` or :math:`\arccos(\cos)`, in radians.
    learning_rate : float, keyword only, default 0.1
        Of Adagrad. Not printed in the paper.
    n_epochs : int, keyword only, default 30
        Passes over the training pairs in one call of ``fit``. Not printed in the paper.
    batch_size : int, keyword only, default 32
    warm_start : bool, keyword only, default False
        Whether a further ``fit`` goes on from ``coef_``, the state of Adagrad, the random
        numbers and the learning curve of the last one: two fits of 5 epochs are then the same as
        one of 10. The data may change in between, their widths may not.
    random_state : None, int, Generator or RandomState, keyword only, default None
        Seed of the initial map, the order of the items and the negatives, drawn on the host:
        one seed gives the same draws on every array library.
    callback : callable or None, keyword only, default None
        ``callback(epoch, self)`` after each epoch; ``epoch`` counts from 1 over all fits and
        ``self.coef_`` is the map at that point (a copy, safe to keep).

    Attributes
    ----------
    coef_ : array, shape (d1, d2)
        :math:`W`, with the library and type of ``X``.
    learning_curve_ : list of float
        Mean loss per item in each epoch, over the batches as they were met.
    n_features_in_ : int
        d1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 4))
    >>> Y = X @ rng.standard_normal((4, 3))
    >>> mapper = MaxMarginMap(n_epochs=20, random_state=0).fit(X, Y)
    >>> mapper.coef_.shape
    (4, 3)
    >>> mapper.learning_curve_[-1] < 0.5 * mapper.learning_curve_[0]
    True
    """

    margin: float = 0.4
    n_negatives: int | None = None
    _: KW_ONLY
    negatives: str = "random"
    distance: str = "cosine"
    learning_rate: float = 0.1
    n_epochs: int = 30
    batch_size: int = 32
    warm_start: bool = False
    random_state: object = None
    callback: Callable | None = None

    # Where tuning stops: cosines differ by 2 at most; of a hundred draws some violate the margin.
    limits = {"margin": (None, 2.0), "n_negatives": (1, 100)}

    def _fit(self, X, Y):
        xp = namespace(X)
        first_rows, own = distinct_labels(Y)
        self._check_parameters(len(first_rows))
        # Neither length matters to the loss; unit rows keep every square in range.
        source = unit_rows(X, name="X")
        labels = xp.take(unit_rows(Y, name="Y"), like(first_rows, Y), axis=0)
        W = self._start(X, Y)
        for _ in range(self.n_epochs):
            # An overflow is reported below, with its remedy.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                self.learning_curve_.append(self._epoch(W, source, labels, own))
                squares = float(xp.sum(W * W))
            if not math.isfinite(self.learning_curve_[-1] + squares):
                # What is left of an earlier fit must not be gone on from.
                vars(self).pop("coef_", None)
                raise ValueError(
                    f"training diverged in epoch {len(self.learning_curve_)}: the map left the "
                    f"range of {W.dtype}; learning_rate={self.learning_rate} is too large"
                )
            if self.callback is not None:
                self.coef_ = xp.asarray(W, copy=True)
                self.callback(len(self.learning_curve_), self)
        self.coef_ = W

    def _check_parameters(self, n_labels):
        check_real(self.margin, "margin", low=0.0)
        check_real(self.learning_rate, "learning_rate", low=0.0, inclusive=False)
        check_choice(self.negatives, "negatives", NEGATIVES)
        check_choice(self.distance, "distance", ("cosine", "angle"))
        check_choice(self.warm_start, "warm_start", (False, True))
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback must be None or callable, got {self.callback!r}")
        check_integer(self.n_epochs, "n_epochs", low=1)
        check_integer(self.batch_size, "batch_size", low=1)
        if n_labels < 2:
            raise ValueError("Y has fewer than two distinct rows: there is no negative to choose")
        self._k = 1 if self.negatives == "intruder" else 10
        if self.n_negatives is not None:
            high = n_labels - 1 if self.negatives == "intruder" else None
            note = " (the distinct rows of Y, less the item's own)" if high else ""
            self._k = check_integer(
                self.n_negatives, "n_negatives", low=1, high=high, high_means=note
            )

    def _start(self, X, Y):
        """The map to start from; state of the optimiser, generator and curve."""
        xp = namespace(X)
        d1, d2 = X.shape[1], Y.shape[1]
        if self.warm_start and hasattr(self, "coef_"):
            if tuple(self.coef_.shape) != (d1, d2) or self.coef_.dtype != X.dtype:
                raise ValueError(
                    f"warm_start=True goes on from a {tuple(self.coef_.shape)} map of "
                    f"{self.coef_.dtype}, but X and Y need {(d1, d2)} of {X.dtype}: pass vectors "
                    "of the same spaces and type, or warm_start=False"
                )
            self._optimiser.learning_rate = float(self.learning_rate)
            return xp.asarray(self.coef_, copy=True)
        self._optimiser = Adagrad(self.learning_rate)
        self._rng = random_generator(self.random_state)
        self.learning_curve_ = []
        draws = self._rng.standard_normal((d1, d2)) / math.sqrt(d1)
        return xp.astype(like(draws, X), X.dtype)

    def _epoch(self, W, source, labels, own):
        """One pass over the items; changes ``W`` in place and returns the mean loss."""
        xp = namespace(W)
        n, n_labels = source.shape[0], labels.shape[0]
        batches, order = slices(n, self.batch_size), self._rng.permutation(n)
        if self.negatives == "uniform":
            drawn = like(self._rng.integers(n_labels, size=(len(batches), self._k)), W)
        elif self.negatives != "intruder":
            drawn = like(random_negatives(self._rng, own[order], n_labels, self._k), W)
        own = like(own[order], W)
        source = xp.take(source, like(order, W), axis=0)
        options = {"margin": float(self.margin), "distance": self.distance}
        options["first_violating"] = self.negatives == "first_violating"
        losses = []
        # Products of a minibatch are too small to share: a second BLAS thread gains nothing on
        # them, and on a busy machine the two wait for each other at every single one.
        small = self.batch_size * W.shape[0] * W.shape[1] < 10**7
        if self.negatives == "intruder":
            intruders, small = IntruderSearch(labels), False  # the products with all labels share
        with one_blas_thread() if small else nullcontext():
            for b, rows in enumerate(batches):
                x, positives = source[rows, :], own[rows]
                gold = xp.take(labels, positives, axis=0)
                unit = x @ W
                lengths = xp.sqrt(xp.vecdot(unit, unit))[:, None]
                unit /= lengths
                if self.negatives == "intruder":
                    negatives = intruders(unit, gold, positives, self._k)
                else:
                    negatives = drawn[b, :] if self.negatives == "uniform" else drawn[rows, :]
                rivals = xp.take(labels, xp.reshape(negatives, (-1,)), axis=0)
                counts = negatives != positives[:, None]
                loss, step = max_margin_step(unit, gold, rivals, counts, **options)
                self._optimiser.step(W, x.T @ (step / (lengths * x.shape[0])))
                losses.append(loss)
        return float(xp.sum(xp.stack(losses), dtype=xp.float64)) / n


def _distance_and_slope(xp, cosines, distance):
    """Distance as a function of the cosine, and minus its derivative."""
    if distance == "cosine":
        return 1.0 - cosines, 1.0
    cosines = xp.clip(cosines, -1.0, 1.0)
    sine_squared = 1.0 - cosines * cosines
    # Within rounding of 0 or pi the direction is lost: flat there.
    smooth = sine_squared > 8 * float(xp.finfo(cosines.dtype).eps)
    slope = 1.0 / xp.sqrt(xp.where(smooth, sine_squared, xp.ones_like(cosines)))
    return xp.acos(cosines), xp.where(smooth, slope, xp.zeros_like(cosines))


def max_margin_step(unit, gold, rivals, counts, *, margin, distance, first_violating):
    r"""Summed loss of a batch, and the gradient for the direction of each mapped vector.

    With :math:`c_{ij} = \hat u_i \cdot u_j`, :math:`a_{ij}` the derivative of the loss by
    :math:`c_{ij}` and :math:`g_i = \sum_j a_{ij} u_j`, the gradient for the mapped vector is
    :math:`(g_i - (g_i \cdot \hat u_i) \hat u_i) / \|\hat y_i\|`; here without the last length.

    ``rivals`` are the negatives' vectors, (n * k, d2), or (k, d2) when all items share them;
    ``counts`` (n, k) says which of them count.
    """
    xp, (n, d2) = namespace(unit), unit.shape
    shared = counts.shape[1] == rivals.shape[0]
    gold_cosine = xp.vecdot(unit, gold)[:, None]
    if shared:
        cosines = unit @ rivals.T
    else:
        rivals = xp.reshape(rivals, (n, -1, d2))
        cosines = (rivals @ unit[:, :, None])[:, :, 0]
    gold_distance, gold_slope = _distance_and_slope(xp, gold_cosine, distance)
    distances, slopes = _distance_and_slope(xp, cosines, distance)
    hinge = margin + gold_distance - distances
    active = (hinge > 0.0) & counts
    if first_violating:
        active = first_of_row(active)
    active = xp.astype(active, unit.dtype)
    pull = active * slopes
    push = -gold_slope * xp.sum(active, axis=1, keepdims=True)
    step = pull @ rivals if shared else (pull[:, None, :] @ rivals)[:, 0, :]
    step += push * gold
    step -= (xp.vecdot(pull, cosines)[:, None] + push * gold_cosine) * unit
    return xp.sum(active * hinge), step
