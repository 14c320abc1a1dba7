"""Triplets of DARK in training: how many are easy, what they weigh, where a step leads."""

from functools import partial

import numpy as np

from book.shown import NOT_TRAINED
from chapters.dark.by_class import share_over_classes
from chapters.dark.dual_view import distances
from chapters.dark.readings import COMMON, in_readings
from chapters.leaderboard.ranks import rank_correlation
from zslib.arrays import to_host
from zslib.compatibility import DARK
from zslib.compatibility.ranking import dark_objective
from zslib.compatibility.ranking.loss import violations
from zslib.nn import sigmoid
from zslib.protocols.attributes.training import answers, fitted, fitted_stages, trainings
from zslib.protocols.intervals import mean_estimate, paired_difference
from zslib.protocols.tidy import row

STAGES = ("start", "middle", "end")
OUTLYING = "rank correlation of hinge and distance to the centre"
LOST = "lost to wrong labels, DARK-H - DARK"


def valley():
    """The residual at which a triplet adds least to the loss under the sigmoid."""
    R = np.linspace(-8, 8, 32001)
    return float(R[np.argmin(sigmoid(R) * R)])


class Moment:
    """A problem's training images under U and V of one moment: residuals of both views."""

    def __init__(self, model, problem):
        rows = problem.trainval
        classes, self.codes = np.unique(problem.labels[rows], return_inverse=True)
        self.X = np.asarray(problem.features[rows], float)
        self.S = np.asarray(problem.class_embeddings[classes], float)
        self.U, self.V = (to_host(a).astype(float) for a in (model.U_, model.V_))
        self.margin = model.margin
        self.means = dark_objective.prototypes(self.X, self.codes, len(classes))
        self.scores = {
            "images": dark_objective.image_scores(self.U, self.V, self.X, self.S),
            "labels": dark_objective.label_scores(self.U, self.V, self.means, self.S),
        }
        self.own = {"images": self.codes, "labels": np.arange(len(classes))}

    def assess(self, view, **options):
        """Margins and weights of a view, "images" or "labels"."""
        return dark_objective.assess(
            self.scores[view], self.own[view], margin=self.margin, soft=True, **options
        )

    def residuals(self, view):
        """R of each row and rival, (n, C - 1)."""
        v = self.assess(view)
        rival = v.own[:, None] != np.arange(v.scores.shape[1])
        return violations(v.scores, v.own, v.margins)[rival].reshape(len(v.own), -1)

    def shares(self, view):
        """What easy triplets, those with R at most 0, are of all, and what they weigh.

        For each measure a pair: what the triplets of a row add to one sum, and to another that it
        is divided by.
        """
        R = self.residuals(view)
        soft, easy, left, far = sigmoid(R), R <= 0, valley() > R, np.abs(R)
        size, total = R.shape[1], soft.sum(axis=1)
        return {
            "mean |F|": (np.abs(self.scores[view]).sum(axis=1), size + 1),
            "easy triplets, %": (100 * easy.sum(axis=1), size),
            "weight on easy triplets, %": (100 * (soft * easy).sum(axis=1), total),
            "|R| of easy triplets, % of all": (100 * (far * easy).sum(axis=1), far.sum(axis=1)),
            "triplets left of the valley, %": (100 * left.sum(axis=1), size),
            "weight left of the valley, %": (100 * (soft * left).sum(axis=1), total),
            "mean |sigmoid - step|": (np.abs(soft - (R > 0)).sum(axis=1), size),
        }

    def direction(self, gradient):
        """Derivative by U of Eq. 9, with what ``gradient`` of DARK says held fixed."""
        images, labels = (
            dark_objective.pulls(self.assess(v, gradient=gradient)) for v in ("images", "labels")
        )
        G = self.X.T @ images + self.means.T @ labels.T
        return dark_objective.gradient_u(self.U, self.V, self.S, G, 0.01)

    @property
    def agreement(self):
        """Cosine of a step's direction in U with the derivative of the printed objective."""
        step, derivative = self.direction("fixed"), self.direction("objective")
        return float((step * derivative).sum() / np.linalg.norm(step) / np.linalg.norm(derivative))

    @property
    def outlyingness(self):
        """Rank correlation of hinge and distance to the centre among the images of each class.

        The hinge is the sum of an image's positive residuals. 0 where it is the same for all.
        """
        hinge = np.maximum(self.residuals("images"), 0).sum(axis=1)
        members = [self.codes == c for c in range(len(self.S))]
        return [rank_correlation(hinge[own], distances(self.X[own])) for own in members]


def training_stages(problem, seeds, *, n_iter, device="cpu"):
    """`DARK` at the start, in the middle and at the end of training, a model for each seed.

    By reading; and why it cannot be trained under one, by its last stage.
    """
    moments, on = [0, n_iter // 2, n_iter], problem.to(device)

    def train(gradient):
        def stages():
            models = [_dark(n_iter, seed, gradient=gradient) for seed in seeds]
            fits = [fitted_stages(model, on, moments) for model in models]
            return dict(zip(STAGES, zip(*fits, strict=True), strict=True))

        trained, failed = trainings({"end": stages})
        return trained.get("end", {}), failed

    return in_readings(problem, train)


def _dark(n_iter, seed, **options):
    length = {"n_iter": n_iter, "drop_at": 3 * n_iter // 4}
    return DARK(**COMMON | length, random_state=seed, **options)


def triplet_rows(problem, stages):
    """Rows of `Moment.shares` at each of the `training_stages`, and of what else a moment says."""
    for stage, models in stages.items():
        moments = [Moment(model, problem) for model in models]
        named = {"dataset": problem, "stage": stage}
        for view in ("images", "labels"):
            shares = [moment.shares(view) for moment in moments]
            for metric in shares[0]:
                value = share_over_classes([s[metric] for s in shares], moments[0].own[view])
                yield named | {"metric": metric, "value": value, "view": view}
        value = mean_estimate([moment.agreement for moment in moments])
        yield named | {"metric": "cosine of step and derivative", "value": value}
        if stage == "end":
            correlations = [moment.outlyingness for moment in moments]
            value = mean_estimate(correlations, same_items=True, unit="classes")
            yield {"dataset": problem, "metric": OUTLYING, "value": value}


def noisy_hits(problem, held, seeds, *, noise, n_iter):
    """Which images of the classes ``held`` out are recognised: 100 or 0 for each, by seed.

    By reading, and there by method and training labels, "clean" or with a share ``noise`` wrong,
    as "DARK, noisy"; also why a training fails. DARK-H has the step in place of the sigmoid.
    """
    classes, codes = np.unique(held.labels[held.trainval], return_inverse=True)
    wrong = [_corrupted(codes, len(classes), noise, np.random.default_rng(seed)) for seed in seeds]
    given = {"clean": [codes] * len(wrong), "noisy": wrong}

    def hits(labels, **options):
        models = (
            fitted(_dark(n_iter, seed, **options), held, classes[own])
            for seed, own in zip(seeds, given[labels], strict=True)
        )
        return [100.0 * answers(model, held).right("ACC") for model in models]

    def train(gradient):
        return trainings(
            {
                f"{method}, {labels}": partial(hits, labels, hardness=soft, gradient=gradient)
                for method, soft in (("DARK", True), ("DARK-H", False))
                for labels in given
            }
        )

    return in_readings(problem, train)


def noise_rows(problem, held, hits):
    """Rows of accuracy by the `noisy_hits`, and of what wrong labels cost."""
    options, lost = {"classes": held.labels[held.test_unseen]}, {}
    for method in ("DARK", "DARK-H"):
        right = {labels: hits.get(f"{method}, {labels}") for labels in ("clean", "noisy")}
        if all(values is not None for values in right.values()):
            lost[method] = right["clean - noisy"] = np.subtract(right["clean"], right["noisy"])
        for labels, values in right.items():
            value = NOT_TRAINED if values is None else mean_estimate(values, **options)
            yield row(problem, "validation ACC", method, value, labels=labels)
    if len(lost) == 2:
        value = paired_difference(lost["DARK-H"], lost["DARK"], **options)
        yield {"dataset": problem, "metric": LOST, "value": value}


def _corrupted(codes, n_classes, noise, rng):
    """Codes of which a share ``noise``, drawn at random, is replaced by another class."""
    wrong = rng.random(len(codes)) < noise
    return np.where(wrong, (codes + rng.integers(1, n_classes, len(codes))) % n_classes, codes)
