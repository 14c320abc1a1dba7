"""Metric learners: trainings by seed, settings from validation classes, and their pairs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.base import clone

from zslib.arrays import like, take_rows, to_host
from zslib.protocols.attributes.evaluate import fit_on
from zslib.protocols.attributes.training import answers
from zslib.protocols.attributes.tuning import seen_as, split_validation_classes
from zslib.protocols.choices import told_apart
from zslib.protocols.intervals import mean_estimate, over_runs
from zslib.protocols.sweep import ranked, sweep

__all__ = [
    "PAIR_MEASURES",
    "FittedRun",
    "choose_settings",
    "metric_or_plain",
    "pair_distances",
    "singular_values",
    "smaller_side",
    "threshold_distance",
    "trained",
    "trained_variants",
    "tuning_problem",
]


@dataclass(frozen=True)
class FittedRun:
    """A trained model and the problem that it is tested on."""

    model: object
    problem: object

    @property
    def checksum(self):
        return self.problem.checksum

    @cached_property
    def outcome(self):
        return answers(self.model, self.problem)


def trained(model, problem, seeds, **parameters):
    """One `FittedRun` for each seed, of ``model`` with these parameters."""
    models = [clone(model).set_params(random_state=seed, **parameters) for seed in seeds]
    return [FittedRun(fit_on(problem.trainval, m, problem), problem) for m in models]


def trained_variants(model, problems, seeds, variants):
    """`trained` on each problem with each of the named ``variants`` of the parameters."""
    return {
        p: {name: trained(model, p, seeds, **own) for name, own in variants.items()}
        for p in problems
    }


def tuning_problem(problem, fraction, seed=0):
    """A random ``fraction`` of the seen classes as the unseen ones of a problem to tune on."""
    split = split_validation_classes(problem, fraction=fraction, seed=seed)
    return split.validation_problem(seen_fraction=0.0)


def choose_settings(model, tuning, grid, *, seed=0, lengths=(1,), view=None):
    """The parameters of a grid that do best on the problem to tune on, one training of each.

    Each training is looked at after the model's number of epochs times each of ``lengths``, and
    as what ``view`` makes of the model. Of equals the first is taken, and what diverges is passed
    over.
    """
    epochs = [times * model.n_epochs for times in lengths]

    def attempt(parameters):
        asked = {"n_epochs": max(epochs), "keep_epochs": True}
        (run,) = trained(model, tuning, [seed], **parameters, **asked)
        then = [run.model.at_epoch(epoch) for epoch in epochs]
        found = [FittedRun(view(m) if view else m, tuning).outcome.accuracy for m in then]
        return {"score": max(found), "length": lengths[int(np.argmax(found))]}

    one_each = [{key: [value] for key, value in candidate.items()} for candidate in grid]
    of = seen_as(tuning) | told_apart(model) | {"seed": seed}
    if view is not None:
        of["seen as"] = view.__name__
    name = f"{type(model).__name__} on {tuning.name}"
    best = ranked(sweep(one_each, attempt, name, **of), "score")[0]
    return best["parameters"] | {"n_epochs": best["length"] * model.n_epochs}


def without_metric(model):
    """The same model with the plain distance in place of the learnt metric."""
    twin = copy(model)
    plain = np.eye(model.embedding_dim_, dtype=to_host(model.metric_).dtype)
    twin.metric_ = like(plain, model.metric_)
    return twin


def metric_or_plain(model, problem, seeds, tuning, attribute_weight):
    """Runs with and without the learnt metric, by kind, and the settings chosen for each training.

    Attributes are learnt alone, where their weight leaves the hinge no say, or jointly with the
    metric. Each training has its own rate and number of epochs.
    """
    chosen, runs = {}, {}
    for kind, weight, rates in (
        ("attributes alone", 1e4, (1, 10, 30)),
        ("joint training", attribute_weight, (1, 3, 10)),
    ):
        grid = [
            {
                "attribute_weight": weight,
                # In units of the rate whose product with the weight is the default's.
                "learning_rate": times * model.learning_rate * attribute_weight / weight,
            }
            for times in rates
        ]
        view = without_metric if kind == "attributes alone" else None
        how = {"seed": seeds[0], "lengths": (1, 2), "view": view}
        chosen[kind] = choose_settings(model, tuning, grid, **how)
        found = trained(model, problem, seeds, **chosen[kind])
        runs[f"{kind}, plain distance"] = [
            FittedRun(without_metric(run.model), problem) for run in found
        ]
    return runs | {"joint training, learnt metric": found}, chosen


def singular_values(run):
    """Of the learnt metric, largest first."""
    return np.linalg.svd(to_host(run.model.metric_).astype(float), compute_uv=False)


def pair_distances(run):
    """Distances of test images to their own class, (n,), and to other unseen ones, (n, C - 1)."""
    problem, classes = run.problem, run.problem.unseen_classes
    scores = run.model.decision_function(
        take_rows(problem.features, problem.test_unseen),
        take_rows(problem.class_embeddings, classes),
    )
    distances = -to_host(scores).astype(float)
    own = problem.labels[problem.test_unseen][:, None] == classes
    return distances[own], distances[~own].reshape(len(distances), -1)


def threshold_distance(model):
    """The threshold as a distance; where its square is negative, no distance is within it."""
    tau = float(to_host(model.threshold_)[0])
    return tau if model.hinge == "as_printed" else np.sqrt(max(tau, 0.0))


def _farther(run):
    near, far = pair_distances(run)
    return 100.0 * (far > near[:, None]).mean(axis=1)


def _within(run):
    return 100.0 * (pair_distances(run)[0] < threshold_distance(run.model))


def _beyond(run):
    return 100.0 * (pair_distances(run)[1] > threshold_distance(run.model)).mean(axis=1)


PAIR_MEASURES = {
    "negative pairs farther than the positive one, %": over_runs(_farther, same_items=True),
    "positive pairs within the threshold, %": over_runs(_within, same_items=True),
    "negative pairs beyond the threshold, %": over_runs(_beyond, same_items=True),
}
"""What a metric does to the pairs of test images and unseen classes, as measures of runs."""


def smaller_side(runs, minus=None):
    """Of positive and negative pairs those with fewer on their side of the threshold, percent."""
    sides = [mean_estimate([f(run) for run in runs], same_items=True) for f in (_within, _beyond)]
    return min(sides, key=lambda estimate: estimate.mean)
