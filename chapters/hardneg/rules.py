"""Rules that choose negatives, by uncertainty or as intruders, in two methods of learning.

Uncertainty is that of Bucher et al. (2016), the intruder that of Lazaridou et al. (2015).
"""

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from scipy.special import entr

from zslib.arrays import like, pick, put, take_rows, to_host
from zslib.compatibility import BilinearModel, MetricLearner
from zslib.compatibility.base import directions
from zslib.compatibility.metric.negatives import draw_negatives
from zslib.compatibility.metric.objective import attribute_estimates
from zslib.compatibility.parameters import RandomState
from zslib.optim import minibatches
from zslib.protocols.intervals import over_runs

RULES = ("random", "uncertainty", "nearest", "drawn intruders", "intruder")


@dataclass(frozen=True)
class Rivals:
    """What rules know about n images and C classes.

    Attributes
    ----------
    log_u : (n, C) array
        Eq. 8's logarithm up to a constant for each image.
    mapped, targets : (n, r) and (C, r) arrays
        Images and classes in the space where an intruder's cosines are taken.
    own : (n,) array of int
    counts : (C,) array of int
        Training images of each class.
    """

    log_u: np.ndarray
    mapped: np.ndarray
    targets: np.ndarray
    own: np.ndarray
    counts: np.ndarray

    @cached_property
    def rivals(self):
        return np.arange(len(self.targets)) != self.own[:, None]

    @cached_property
    def cosines(self):
        """Of all classes with the mapped images, and with the images' own classes."""
        U = directions(self.targets)
        return directions(self.mapped) @ U.T, U[self.own] @ U.T

    def intrusion(self):
        """How much nearer a class is to the mapped image than to the truth."""
        U = directions(self.targets)
        return (directions(self.mapped) - U[self.own]) @ U.T

    def preferences(self, rule):
        """Logarithms of the chances of classes, or, without a draw, their order; -inf: never."""
        scores = np.zeros(self.log_u.shape)
        if rule in ("uncertainty", "nearest"):
            scores = self.log_u.astype(float)
        elif rule != "random":
            scores = self.intrusion()
        if rule == "drawn intruders":
            options = {"axis": 1, "keepdims": True, "where": self.rivals}
            scores = scores * (self.log_u.std(**options) / scores.std(**options))
        if rule not in ("nearest", "intruder"):
            scores = scores + np.log(self.counts)
        return np.where(self.rivals, scores, -np.inf)

    def choose(self, rule, k, rng):
        """k negatives of each image, (n, k): the first ones, or drawn."""
        scores = self.preferences(rule)
        if rule in ("nearest", "intruder"):
            return np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return draw_negatives(scores, k, rng)


@dataclass(eq=False, repr=False)
class RuledRanking(BilinearModel):
    """A linear map trained by a ranking hinge on negatives that a rule chooses.

    For each epoch but the first, or with ``every_step`` anew for each minibatch.
    """

    rule: str = "random"
    negatives_per_positive: int = 1
    n_epochs: int = 10
    learning_rate: float = 10.0
    every_step: bool = False
    random_state: RandomState = 0

    def _fit(self, X, codes, embeddings):
        reference, rng = X, np.random.default_rng(self.random_state)
        X, own, S = to_host(X), to_host(codes), to_host(embeddings)
        counts, k = np.bincount(own, minlength=len(S)), self.negatives_per_positive
        W = np.zeros((X.shape[1], S.shape[1]), dtype=X.dtype)
        for epoch in range(self.n_epochs):
            mapped, rule = X @ W, self.rule if epoch else "random"
            seen = Rivals(mapped @ S.T, mapped, S, own, counts)
            negatives = seen.choose(rule, k, rng)
            for batch in minibatches(len(X), 64, rng):
                x = X[batch]
                mapped = x @ W
                F = mapped @ S.T
                if self.every_step:
                    seen = Rivals(F, mapped, S, own[batch], counts)
                    negatives[batch] = seen.choose(rule, k, rng)
                G = hinge_gradient(F, own[batch], negatives[batch])
                W -= x.T @ (G @ S) * (self.learning_rate / len(batch))
        self.coef_ = like(W, reference)

    def view(self, X, targets, own, counts):
        """The `Rivals` of images under the trained map."""
        mapped = to_host(X) @ to_host(self.coef_)
        return Rivals(mapped @ to_host(targets).T, mapped, to_host(targets), own, counts)


def hinge_gradient(F, own, negatives):
    """By the scores F, of the mean over negatives j of max(0, 1 + F_j - F of the truth)."""
    at = np.arange(len(F))[:, None], negatives
    gap = 1.0 + F[at] - pick(F, own)[:, None]
    G = np.zeros_like(F)
    G[at] = (gap > 0).astype(F.dtype) / negatives.shape[1]
    return put(G, own, -G.sum(axis=1))


@dataclass(eq=False, repr=False)
class RuledMetric(MetricLearner):
    """The metric learner with negatives that a rule chooses for each epoch but the first."""

    rule: str = "random"
    growth: str = "within_epoch"

    def _draw(self, theta, epoch, X, candidates, log_weights, rng):
        if epoch == 1 or self.rule == "random":
            return super()._draw(theta, 1, X, candidates, log_weights, rng)
        seen = _under_metric(theta, X, candidates.vectors, candidates.own, candidates.counts)
        return seen.choose(self.rule, self.negatives_per_positive, rng)

    def view(self, X, targets, own, counts):
        """The `Rivals` of images under the trained metric."""
        theta = self.coef_, self.intercept_, self.metric_
        return _under_metric(theta, X, targets, own, counts)


def _under_metric(theta, X, targets, own, counts):
    metric = to_host(theta[2])
    mapped = to_host(attribute_estimates(theta, X)) @ metric
    V = to_host(targets) @ metric
    squares = (mapped**2).sum(axis=1)[:, None] + (V**2).sum(axis=1) - 2.0 * mapped @ V.T
    return Rivals(-np.sqrt(np.maximum(squares, 0.0)), mapped, V, own, counts)


def training_view(run, images=slice(None)):
    """The `Rivals` of training images under a trained model."""
    problem = run.problem
    own = np.searchsorted(problem.seen_classes, problem.labels[problem.trainval])
    counts = np.bincount(own, minlength=len(problem.seen_classes))
    X = take_rows(problem.features, problem.trainval[images])
    targets = take_rows(problem.class_embeddings, problem.seen_classes)
    return run.model.view(X, targets, own[images], counts)


def telling_image(view):
    """The image with the most extreme intruder among those whose nearest class is another."""
    scores, nearest = view.preferences("intruder"), view.preferences("nearest").argmax(axis=1)
    differ = scores.argmax(axis=1) != nearest
    return int(np.where(differ, scores.max(axis=1), -np.inf).argmax()) if differ.any() else 0


def choose_once(run, rule, seed=0):
    """What a rule chooses from a trained model: one negative of each training image.

    Their cosines with the truth, ``alike``; whether each ``is_intruder``, in percent; and
    ``effective``, the exponential of the entropy of the chosen classes, in percent of them.
    """
    view, rng = training_view(run), np.random.default_rng(seed)
    picked = view.choose(rule, 1, rng)[:, 0]
    problem = run.problem
    classes = to_host(take_rows(problem.class_embeddings, problem.seen_classes))
    V = directions(classes.astype(float))
    share = np.bincount(picked, minlength=len(V)) / len(picked)
    return SimpleNamespace(
        alike=(V[view.own] * V[picked]).sum(axis=1),
        is_intruder=100.0 * (picked == view.choose("intruder", 1, rng)[:, 0]),
        effective=100.0 * float(np.exp(entr(share).sum())) / len(V),
    )


RULE_MEASURES = {
    "cosine of its attributes with the truth": over_runs(lambda c: c.alike, same_items=True),
    "is the intruder, %": over_runs(lambda choice: choice.is_intruder, same_items=True),
    "effective classes, %": lambda choices, minus=None: float(
        np.mean([choice.effective for choice in choices])
    ),
}
"""What rules choose, as measures of `choose_once`."""
