"""COSMO (Atzmon & Chechik 2019): a confidence gate between two experts, and adaptive smoothing."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import like, namespace, to_host, typed_like
from zslib.calibration.mixtures import EPSILON, check_experts, even_odds, mix_experts
from zslib.compatibility.base import softmax
from zslib.metrics.zero_shot import seen_unseen_curve
from zslib.nn import sigmoid
from zslib.validation import (
    as_array,
    check_each,
    check_indices,
    check_integer,
    check_length,
    check_mask,
    check_paired,
    check_real,
)


class ConfidenceGate(BaseEstimator):
    r"""How sure two experts together are that an image is of a seen class (section 4 of COSMO).

    A logistic regression on the K largest probabilities of either expert, each in falling order.
    Those of the seen expert are softened first, :math:`p_c^{1/\tau} / \sum_{c'} p_{c'}^{1/\tau}`.
    Since the classes are gone, a gate fitted with some unseen classes serves others.

    Parameters
    ----------
    n_top : int, default 5
        K; all classes of a kind where there are fewer at ``fit``.
    temperature : float, keyword only, default 3
        :math:`\tau`, above 0.
    C : float, keyword only, default 1
        Inverse weight of the squared norm, as in `sklearn.linear_model.LogisticRegression`.

    Attributes
    ----------
    sizes_ : tuple of int
        K of the unseen and of the seen expert.
    coef_ : ndarray, shape (2 K,)
        First of the unseen, then of the seen expert's; on the host.
    intercept_ : float

    Examples
    --------
    >>> import numpy as np
    >>> experts = np.array([[0.9, 0.1, 0.5, 0.5], [0.5, 0.5, 0.1, 0.9]] * 9)
    >>> is_seen = np.array([True, True, False, False])
    >>> gate = ConfidenceGate().fit(experts, np.array([True, False] * 9), is_seen)
    >>> gate.confidence(experts[:2], is_seen).round(1)
    array([0.6, 0.4])
    """

    def __init__(self, n_top=5, *, temperature=3.0, C=1.0):
        self.n_top = n_top
        self.temperature = temperature
        self.C = C

    def fit(self, experts, from_seen, is_seen):
        """Learn from images of both kinds that neither expert was trained on.

        Parameters
        ----------
        experts, is_seen
            As in `mix_experts`.
        from_seen : (n,) bool array
            Which images are of a seen class.

        Returns
        -------
        self
        """
        C = check_real(self.C, "C", low=0, inclusive=False)
        n_top = check_integer(self.n_top, "n_top", low=1)
        check_paired(experts, from_seen, "experts", "from_seen")
        experts, mask = check_experts(experts, is_seen)
        self.sizes_ = tuple(min(n_top, int(side.sum())) for side in (~mask, mask))
        found = to_host(self._largest(experts, mask)).astype(np.float64)
        target = to_host(check_mask(from_seen, "from_seen", len(found), "images"))
        if target.all() or not target.any():
            share = "all" if target.all() else "none"
            raise ValueError(f"from_seen marks {share} of the images: give images of both kinds")
        model = LogisticRegression(C=C, tol=1e-8, max_iter=1000).fit(found, target)
        self.coef_, self.intercept_ = model.coef_[0], float(model.intercept_[0])
        return self

    def confidence(self, experts, is_seen):
        """Probability that each image is of a seen class, (n,), with the type of ``experts``."""
        check_is_fitted(self)
        found = self._largest(*check_experts(experts, is_seen))
        return sigmoid(found @ typed_like(self.coef_, found) + self.intercept_)

    def _largest(self, experts, mask):
        """The largest of the unseen expert, then of the softened seen one, (n, 2 K)."""
        power = 1.0 / check_real(self.temperature, "temperature", low=0, inclusive=False)
        xp, found = namespace(experts), []
        for size, name, side in zip(self.sizes_, ("unseen", "seen"), (~mask, mask), strict=True):
            if side.sum() < size:
                raise ValueError(
                    f"is_seen marks {side.sum()} {name} classes, and the gate was fitted on the "
                    f"{size} largest probabilities: fit it with a lower n_top"
                )
            part = xp.take(experts, like(np.flatnonzero(side), experts), axis=1)
            if name == "seen":
                part = softmax(power * xp.log(part + EPSILON))
            found.append(xp.sort(part, axis=1, descending=True)[:, :size])
        return xp.concat(found, axis=1)


@dataclass(repr=False, eq=False)
class AdaptiveSmoothing(BaseEstimator):
    r"""COSMO: two experts, mixed by a confidence gate (Atzmon & Chechik 2019, section 4).

    One expert knows seen classes only, the other is a zero-shot model. With g the confidence of a
    `ConfidenceGate`, an image is of an unseen class with probability

    .. math:: u = \sigma\bigl((\theta - g) / T\bigr),

    and `mix_experts` has the probabilities of all classes, of which the largest is the answer.
    T and :math:`\theta` have the highest H on validation images. As :math:`\theta` grows, an
    image moves once, from its best seen to its best unseen class, so that COSMO **is**
    calibrated stacking, with :math:`\gamma = \theta`, of scores that `scores` returns: the best
    seen class leads by :math:`g + T \ell`, with :math:`\ell` the log odds of u at which both
    are even. Hence :math:`\theta` is not searched on a grid, as in the authors' code, but is the
    middle of the best stretch of the exact curve. Small T: the gate alone decides, hard. Large T:
    :math:`\ell` alone, and for the "total" mixture that is stacking of log probabilities.

    Parameters
    ----------
    mixture : {"adaptive", "constant", "total"}, default "adaptive"
    weight : float, keyword only, default 0.5
        Of the "constant" mixture.
    temperatures : sequence of float, keyword only
        Values of T to try, above 0; by default those of the authors' code for all data sets.
    gate : ConfidenceGate or None, keyword only, default None
        A gate to fit; None: one with its defaults.

    Attributes
    ----------
    gate_ : ConfidenceGate
    temperature_, threshold_ : float
        T and :math:`\theta`.
    harmonic_means_ : dict of float to float
        The highest H of each T, a share, on the validation images.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.calibration import CalibratedStacking
    >>> rng = np.random.default_rng(0)
    >>> labels, is_seen = np.arange(4).repeat(15), np.array([True, True, False, False])
    >>> sure = np.eye(4)[labels] + rng.random((60, 4))
    >>> experts = sure / np.where(is_seen, sure[:, :2].sum(1)[:, None], sure.sum(1)[:, None])
    >>> cosmo = AdaptiveSmoothing().fit(experts, labels, is_seen)
    >>> cosmo.temperature_, round(cosmo.threshold_, 2)
    (0.003, 0.53)
    >>> stacking, scores = CalibratedStacking(cosmo.threshold_), cosmo.scores(experts, is_seen)
    >>> answers = stacking.transform(scores, is_seen).argmax(axis=1)
    >>> bool((answers == cosmo.transform(experts, is_seen).argmax(axis=1)).all())
    True
    """

    mixture: str = "adaptive"
    _: KW_ONLY
    weight: float = 0.5
    temperatures: tuple = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    gate: Any = None

    def fit(self, experts, labels, is_seen):
        """Fit the gate and choose T and the threshold, on images that no expert was trained on.

        As in the authors' code the gate learns from two images of three, and all of them choose.

        Parameters
        ----------
        experts, is_seen
            As in `mix_experts`.
        labels : (n,) int array
            Columns of ``experts`` that the images belong to.

        Returns
        -------
        self
        """
        check_paired(experts, labels, "experts", "labels")
        (experts, mask), labels = check_experts(experts, is_seen), as_array(labels, "labels")
        xp = namespace(experts, labels)
        check_length(labels, "labels", experts.shape[0], "experts")
        y = to_host(check_indices(labels, "labels", experts.shape[1]))
        temperatures = check_each(
            self.temperatures, "temperatures", check_real, "numbers", low=0, inclusive=False
        )
        if not temperatures:
            raise ValueError("temperatures is empty: give at least one")
        gate = ConfidenceGate() if self.gate is None else clone(self.gate)
        part = np.flatnonzero(np.arange(y.size) % 3)
        from_seen = mask[y[part]]
        if from_seen.all() or not from_seen.any():
            raise ValueError(
                f"labels are all of {'seen' if from_seen.all() else 'unseen'} classes in the rows "
                "that the gate learns from, 1, 2, 4, 5 and so on: give images of both kinds, mixed"
            )
        gate.fit(xp.take(experts, like(part, experts), axis=0), from_seen, mask)
        sides = [like(np.flatnonzero(mask[y] == kind), experts) for kind in (True, False)]
        self.harmonic_means_, best = {}, -math.inf
        for temperature in temperatures:
            scores = self._scores(experts, mask, gate, temperature)
            tests = (xp.take(array, rows, axis=0) for rows in sides for array in (scores, labels))
            curve = seen_unseen_curve(*tests, mask)
            self.harmonic_means_[temperature] = curve.best_harmonic_mean
            # Not for a rounding.
            if curve.best_harmonic_mean > best + 1e-9:
                best, chosen = curve.best_harmonic_mean, (temperature, curve.best_gamma)
        self.gate_, (self.temperature_, self.threshold_) = gate, chosen
        return self

    def transform(self, experts, is_seen):
        """Mixed probabilities of all classes, (n, C), with the type of ``experts``."""
        check_is_fitted(self)
        confidence = self.gate_.confidence(experts, is_seen)
        unseen = sigmoid((self.threshold_ - confidence) / self.temperature_)
        return mix_experts(experts, is_seen, unseen, mixture=self.mixture, weight=self.weight)

    def scores(self, experts, is_seen):
        """Scores (n, C) whose calibrated stacking by ``threshold_`` answers as the mixture."""
        check_is_fitted(self)
        experts, mask = check_experts(experts, is_seen)
        return self._scores(experts, mask, self.gate_, self.temperature_)

    def _scores(self, experts, mask, gate, temperature):
        xp = namespace(experts)
        lead = gate.confidence(experts, mask) + temperature * even_odds(
            experts, mask, mixture=self.mixture, weight=self.weight
        )
        logs = xp.log(experts + EPSILON)
        seen = like(mask, experts)[None, :]
        lowest = xp.min(logs) - 1.0
        best = [
            xp.max(xp.where(side, logs, lowest), axis=1, keepdims=True) for side in (seen, ~seen)
        ]
        return xp.where(seen, logs - best[0] + lead[:, None], logs - best[1])
