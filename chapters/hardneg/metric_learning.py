"""Metric learners: trainings by seed, settings from validation classes, and their pairs."""

from copy import copy
from functools import cache, cached_property

import numpy as np
from sklearn.base import clone

from zslib.arrays import like, to_host
from zslib.protocols.attributes.evaluate import fit_on
from zslib.protocols.attributes.training import answers
from zslib.protocols.attributes.tuning import seen_as, split_validation_classes
from zslib.protocols.choices import told_apart
from zslib.protocols.intervals import over_runs
from zslib.protocols.sweep import MANY_SEEDS, mean_trial, ranked, sweep


class FittedRun:
    """A trained model and the problem that it is tested on."""

    def __init__(self, model, problem):
        self.model, self.problem, self.checksum = model, problem, problem.checksum

    @cached_property
    def outcome(self):
        return answers(self.model, self.problem, keep_scores=True)


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


def tuning_problems(problem, fraction):
    """The problem to tune on for each seed, a function that remembers.

    Each has another random ``fraction`` of the seen classes as its unseen ones.
    """

    @cache
    def held_out(seed):
        split = split_validation_classes(problem, fraction=fraction, seed=seed)
        return split.validation_problem(seen_fraction=0.0)

    return held_out


def choose_settings(model, tuning, grid, *, view=None):
    """The parameters of a grid that the problems to tune on choose, by `most_regular`.

    A candidate is trained once on each problem and looked at as what ``view`` makes of the model;
    its score is the mean accuracy. What diverges, or stays at chance, is passed over.
    """

    def attempt(parameters, seeds):
        trials = []
        for seed in seeds:
            problem = tuning(seed)
            (run,) = trained(model, problem, [seed], **parameters)
            seen = view(run.model) if view else run.model
            trials.append({"score": answers(seen, problem, must_learn=True).accuracy})
        return mean_trial(trials, each="score")

    identity = seen_as(tuning(0)) | told_apart(model)
    if view is not None:
        identity["seen as"] = view.__name__
    name = f"{type(model).__name__} on {tuning(0).name}"
    options = {"limits": model.limits, "seeds": MANY_SEEDS, "regular": model.regular} | identity
    trials = sweep(grid, attempt, name, **options)
    return ranked(trials, "score", model.regular)[0]["parameters"]


def without_metric(model):
    """The same model with the plain distance in place of the learned metric."""
    twin = copy(model)
    plain = np.eye(model.embedding_dim_, dtype=to_host(model.metric_).dtype)
    twin.metric_ = like(plain, model.metric_)
    return twin


LEARNED = "joint training, learned metric"


def metric_settings(model, tuning, attribute_weight):
    """The settings chosen for attributes that are learned alone, and jointly with the metric.

    Alone means that their weight leaves the hinge no say. Each training has its own learning rate.
    """
    chosen = {}
    for kind, weight in (("attributes alone", 1e4), ("joint training", attribute_weight)):
        # In units of the rate whose product with the weight is the default's.
        unit = model.learning_rate * attribute_weight / weight
        rates = [times * unit for times in (1, 3, 9)]
        grid = {"attribute_weight": [weight], "learning_rate": rates}
        view = without_metric if kind == "attributes alone" else None
        chosen[kind] = choose_settings(model, tuning, grid, view=view)
    return chosen


def metric_or_plain(model, problem, seeds, settings):
    """Runs by kind, with the learned metric and without it, by the `metric_settings`."""
    runs = {}
    for kind, chosen in settings.items():
        learned = trained(model, problem, seeds, **chosen)
        plain = [FittedRun(without_metric(run.model), problem) for run in learned]
        runs[f"{kind}, plain distance"] = plain
    return runs | {LEARNED: learned}


def singular_values(run):
    """Of the learned metric, largest first."""
    return np.linalg.svd(to_host(run.model.metric_).astype(float), compute_uv=False)


def pair_distances(run):
    """Distances of test images to their own class, (n,), and to other unseen ones, (n, C - 1)."""
    problem = run.problem
    distances = -run.outcome.scores["zero_shot"].astype(float)
    own = problem.labels[problem.test_unseen][:, None] == problem.unseen_classes
    return distances[own], distances[~own].reshape(len(distances), -1)


def threshold_distance(model):
    """The threshold as a distance; where its square is negative, no distance is within it."""
    tau = float(to_host(model.threshold_)[0])
    return tau if model.hinge == "as_printed" else np.sqrt(max(tau, 0.0))


def _pair_measure(value):
    """Of test images by what ``value(near, far, threshold)`` gives, in percent over classes."""
    return over_runs(
        lambda run: 100.0 * value(*pair_distances(run), threshold_distance(run.model)),
        classes=lambda run: run.problem.labels[run.problem.test_unseen],
    )


# Pairs on their side of the threshold, one way of counting for each kind.
_SIDES = {
    "positive pairs within the threshold, %": lambda near, far, tau: near < tau,
    "negative pairs beyond the threshold, %": lambda near, far, tau: (far > tau).mean(axis=1),
}
_IN_PAIRS = {
    "negative pairs farther than the positive one, %": lambda near, far, tau: (
        far > near[:, None]
    ).mean(axis=1),
    **_SIDES,
}
PAIR_MEASURES = {name: _pair_measure(value) for name, value in _IN_PAIRS.items()}
"""What a metric does to the pairs of test images and unseen classes, as measures of runs."""


def _smaller(near, far, tau):
    """Of one training the kind of pair with fewer on its side of the threshold."""
    return min((value(near, far, tau) for value in _SIDES.values()), key=np.mean)


smaller_side = _pair_measure(_smaller)
"""Pairs on their side of the threshold, of each training's worse kind, percent."""
