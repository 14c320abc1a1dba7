"""What a trained metric would draw as negatives of its training images (Bucher et al. 2016)."""

from functools import cached_property
from itertools import product

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone

from chapters.hardneg.metric_learning import choose_settings, trained
from chapters.hardneg.problems import seen_candidates
from zslib.arrays import take_rows, to_host
from zslib.compatibility.metric.negatives import NEGATIVES, log_correlation, log_uncertainty
from zslib.protocols.intervals import over_runs
from zslib.protocols.tidy import row

WAYS = {name.replace("_", "/"): name for name in NEGATIVES}
"""The ways of drawing negatives, and what `MetricLearner` calls them."""


def ways(problem, names=tuple(WAYS)):
    """Those of the names that data allow: correlation needs images of a class that differ."""
    varies = seen_candidates(problem).q_varies
    return [name for name in names if varies or name != "uncertainty/correlation"]


def mined(model, problem, seeds, k, **parameters):
    """`trained` with each way of drawing, k negatives for each image or as many as there are."""
    parameters["negatives_per_positive"] = min(k, seen_candidates(problem).fewest)
    return {
        way: trained(model, problem, seeds, negatives=WAYS[way], **parameters)
        for way in ways(problem)
    }


FORMS = {"Eq. 11, balanced": True, "Eq. 6, plain sum": False}


def balance_settings(model, tuning, ratios):
    """The settings chosen for Eq. 11 and for Eq. 6, by form and number of negatives.

    They are the rate and the weight of the attribute loss: the plain sum takes both down. With one
    negative the two forms are the same.
    """
    grid = {
        "learning_rate": [times * model.learning_rate for times in (1, 3, 9)],
        "attribute_weight": [times * model.attribute_weight for times in sorted({1, max(ratios)})],
    }
    chosen = {}
    for k, (name, balanced) in product(ratios, FORMS.items()):
        own = clone(model).set_params(balanced=balanced, negatives_per_positive=k)
        if k == 1 and not balanced:
            chosen[name, k] = chosen["Eq. 11, balanced", k]
        else:
            chosen[name, k] = choose_settings(own, tuning, grid)
    return chosen


def balanced_or_sum(model, problem, seeds, settings, k):
    """Runs with k negatives by form of the objective, with the `balance_settings`."""
    runs = {}
    for name, balanced in FORMS.items():
        if k == 1 and runs:
            return runs | {name: runs["Eq. 11, balanced"]}
        parameters = settings[name, k] | {"balanced": balanced, "negatives_per_positive": k}
        runs[name] = trained(model, problem, seeds, **parameters)
    return runs


class Draws:
    """The chances of all M candidates as negatives of some training images, under a model.

    ``images`` are places among the training images; ``way`` is one of `WAYS`.
    """

    def __init__(self, model, problem, way, images):
        self.model, self.problem, self.images = model, problem, images
        self.candidates = candidates = seen_candidates(problem)
        X = take_rows(problem.features, problem.trainval[images])
        self.distances = -to_host(model.decision_function(X, candidates.vectors)).astype(float)
        self.rivals = candidates.classes != candidates.labels[images][:, None]
        own = np.take_along_axis(self.distances, candidates.own[images][:, None], axis=1)
        self.log_u = log_uncertainty(self.distances, own[:, 0])
        log_p = np.log(candidates.counts)
        if way != "random":
            log_p = log_p + self.log_u
        if way == "uncertainty/correlation":
            log_p = log_p + self.log_q
        log_p = np.where(self.rivals, log_p, -np.inf)
        self.log_chances = log_p - logsumexp(log_p, axis=1, keepdims=True)
        self.chances = np.exp(self.log_chances)

    @cached_property
    def log_q(self):
        """Logarithm of the second factor, (M,)."""
        return to_host(log_correlation(self.candidates))

    def held(self):
        """Share of the chances that the likeliest candidates hold, by their number, percent."""
        return 100.0 * np.cumsum(-np.sort(-self.chances, axis=1), axis=1).mean(axis=0)

    def effective(self):
        """Exponential of the entropy in percent of the rivals, per image."""
        finite = np.where(self.rivals, self.log_chances, 0.0)
        entropy = -(self.chances * finite).sum(axis=1)
        return 100.0 * np.exp(entropy) / self.rivals.sum(axis=1)

    def near(self):
        """Share of draws from the 5 classes with the nearest attributes, percent per image."""
        problem = self.problem
        V = to_host(take_rows(problem.class_embeddings, problem.seen_classes)).astype(float)
        squares = ((V[:, None] - V) ** 2).sum(axis=2)
        np.fill_diagonal(squares, np.inf)
        near = squares.argsort(axis=1, kind="stable").argsort(axis=1) < 5
        own = self.candidates.labels[self.images]
        return 100.0 * (self.chances * near[own][:, self.candidates.classes]).sum(axis=1)

    def within_margin(self):
        """Share of draws that the hinge still moves, percent per image."""
        violates = self.distances**2 < float(to_host(self.model.threshold_)[0]) + 1.0
        return 100.0 * (self.chances * violates).sum(axis=1)


DRAW_MEASURES = {
    "effective candidates, % of all": over_runs(Draws.effective, same_items=True),
    "negatives from the 5 nearest classes, %": over_runs(Draws.near, same_items=True),
    "negatives within the margin, %": over_runs(Draws.within_margin, same_items=True),
}
"""What a draw gives, as measures of `Draws`."""


def draws(run, way, *, n=1000, seed=0):
    """`Draws` of a run for n of its training images, the same ones for all runs."""
    images = np.random.default_rng(seed).permutation(len(run.problem.trainval))[:n]
    return Draws(run.model, run.problem, way, np.sort(images))


def class_shares(run, way, *, seed=0):
    """Share of each seen class (columns) among the negatives of each class's images, percent."""
    every = draws(run, way, n=20_000, seed=seed)
    images, candidates = every.images, every.candidates
    total = np.zeros((len(run.problem.seen_classes),) * 2)
    of_class = np.eye(len(total))[candidates.classes]
    for part in np.array_split(images, 1 + len(images) * len(of_class) // 2_000_000):
        chances = Draws(run.model, run.problem, way, part).chances
        np.add.at(total, candidates.labels[part], chances @ of_class)
    return 100.0 * total / total.sum(axis=1, keepdims=True)


def describe(drawn):
    """Rows of results on the candidates of `Draws` and on the two factors of their chances."""
    problem, counts = drawn.problem, drawn.candidates.counts
    without = (to_host(drawn.candidates.vectors) <= 0).all(axis=1)
    share = 100 * float(counts[without].sum() / counts.sum())
    yield row(problem, "training images without any attribute, %", "annotation", share)
    single = 100 * float(np.mean(counts == 1))
    yield row(problem, "candidates of a single image, %", "annotation", single)
    metric = "standard deviation of log {} over candidates"
    varies = float(np.mean(drawn.log_u.std(axis=1, where=drawn.rivals)))
    yield row(problem, metric.format("u"), "uncertainty", varies)
    if drawn.candidates.q_varies:
        varies = float(np.std(drawn.log_q))
        yield row(problem, metric.format("q"), "uncertainty/correlation", varies)
