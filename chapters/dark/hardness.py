"""Triplets of DARK in training: how many are easy, what they weigh, where a step leads."""

from functools import partial

import numpy as np
from scipy.stats import spearmanr

from book.shown import NOT_TRAINED
from zslib.arrays import to_host
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import (
    assess,
    gradient_u,
    image_scores,
    label_scores,
    prototypes,
    pulls,
)
from zslib.compatibility.ranking.loss import violations
from zslib.nn import sigmoid
from zslib.protocols.attributes.training import answers, fitted, fitted_stages, trainings
from zslib.protocols.intervals import mean_estimate, paired_difference
from zslib.protocols.tidy import row

STAGES, FOLLOWED = ("start", "middle", "end"), "end, margins followed"
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
        self.means = prototypes(self.X, self.codes, len(classes))
        self.scores = {
            "images": image_scores(self.U, self.V, self.X, self.S),
            "labels": label_scores(self.U, self.V, self.means, self.S),
        }
        self.own = {"images": self.codes, "labels": np.arange(len(classes))}

    def assess(self, view, **options):
        """Margins and weights of a view, "images" or "labels"."""
        return assess(self.scores[view], self.own[view], margin=self.margin, soft=True, **options)

    def residuals(self, view):
        """R of each row and rival, (n, C - 1)."""
        v = self.assess(view)
        rival = v.own[:, None] != np.arange(v.scores.shape[1])
        return violations(v.scores, v.own, v.margins)[rival].reshape(len(v.own), -1)

    def shares(self, view):
        """What easy triplets, those with R at most 0, are of all, and what they weigh."""
        R = self.residuals(view)
        soft, easy, left = sigmoid(R), R <= 0, valley() > R
        return {
            "mean |F|": np.abs(self.scores[view]).mean(),
            "easy triplets, %": 100 * easy.mean(),
            "weight on easy triplets, %": 100 * soft[easy].sum() / soft.sum(),
            "|R| of easy triplets, % of all": 100 * np.abs(R[easy]).sum() / np.abs(R).sum(),
            "triplets left of the valley, %": 100 * left.mean(),
            "weight left of the valley, %": 100 * soft[left].sum() / soft.sum(),
            "mean |sigmoid - step|": np.abs(soft - (R > 0)).mean(),
        }

    def direction(self, gradient):
        """Derivative by U of Eq. 9, with what ``gradient`` of DARK says held fixed."""
        images, labels = (pulls(self.assess(v, gradient=gradient)) for v in ("images", "labels"))
        G = self.X.T @ images + self.means.T @ labels.T
        return gradient_u(self.U, self.V, self.S, G, 0.01)

    @property
    def agreement(self):
        """Cosine of a step's direction in U with the derivative of the printed objective."""
        step, derivative = self.direction("fixed"), self.direction("objective")
        return float((step * derivative).sum() / np.linalg.norm(step) / np.linalg.norm(derivative))

    @property
    def outlyingness(self):
        """Rank correlation of an image's total hinge with its distance to its class's mean."""
        hinge = np.maximum(self.residuals("images"), 0).sum(axis=1)
        centres = np.stack([self.X[self.codes == c].mean(axis=0) for c in range(len(self.S))])
        distance = np.linalg.norm(self.X - centres[self.codes], axis=1)
        hard = hinge > 0
        return spearmanr(hinge[hard], distance[hard]).statistic if hard.sum() > 2 else 0.0


def training_stages(problem, seeds, *, n_iter):
    """`DARK` at the start, in the middle and at the end of training, a model for each seed.

    The three are of one training. `FOLLOWED` is the end of another, from a smaller start, whose
    steps follow the margins. Also why one of the two cannot be trained, by its last stage.
    """
    moments = [0, n_iter // 2, n_iter]
    follow = {"gradient": "margin", "init_scale": 0.3}
    trained, failed = trainings(
        {
            "end": lambda: [fitted_stages(_dark(n_iter, s), problem, moments) for s in seeds],
            FOLLOWED: lambda: [fitted(_dark(n_iter, s, **follow), problem) for s in seeds],
        }
    )
    if "end" in trained:
        of_stages = zip(*trained.pop("end"), strict=True)
        trained = dict(zip(STAGES, of_stages, strict=True)) | trained
    return trained, failed


def _dark(length, seed, **options):
    common = {"drop_at": 3 * length // 4, "refresh_every": 1, "objective_every": None}
    return DARK(**common | {"n_iter": length, "random_state": seed} | options)


def triplet_rows(problem, stages):
    """Rows of `Moment.shares` at each of the `training_stages`, and of what else a moment says."""
    for stage, models in stages.items():
        moments = [Moment(model, problem) for model in models]
        named = {"dataset": problem, "stage": stage}
        for view in ("images",) if stage == FOLLOWED else ("images", "labels"):
            shares = [moment.shares(view) for moment in moments]
            for metric in shares[0]:
                value = mean_estimate([share[metric] for share in shares])
                yield named | {"metric": metric, "value": value, "view": view}
        if stage != FOLLOWED:
            value = mean_estimate([moment.agreement for moment in moments])
            yield named | {"metric": "cosine of step and derivative", "value": value}
        if stage == "end":
            value = mean_estimate([moment.outlyingness for moment in moments])
            metric = "rank correlation of hinge and distance to the centre"
            yield {"dataset": problem, "metric": metric, "value": value}


def noisy_hits(held, seeds, *, noise, n_iter):
    """Which images of the classes ``held`` out are recognised: 100 or 0 for each, by seed.

    By method and training labels, "clean" or with a share ``noise`` wrong, as "DARK, noisy"; also
    why a training fails. DARK-H has the step in place of the sigmoid.
    """
    classes, codes = np.unique(held.labels[held.trainval], return_inverse=True)
    wrong = [_corrupted(codes, len(classes), noise, np.random.default_rng(seed)) for seed in seeds]
    given = {"clean": [codes] * len(wrong), "noisy": wrong}

    def hits(labels, soft):
        models = (
            fitted(_dark(n_iter, seed, hardness=soft), held, classes[own])
            for seed, own in zip(seeds, given[labels], strict=True)
        )
        return [100.0 * answers(model, held).right("ACC") for model in models]

    return trainings(
        {
            f"{method}, {labels}": partial(hits, labels, soft)
            for method, soft in (("DARK", True), ("DARK-H", False))
            for labels in given
        }
    )


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
