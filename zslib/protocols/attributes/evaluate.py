"""Fit a zero-shot scorer and let classes compete for the test images.

References
----------
Guo et al. (2019): Dual-View Ranking with Hardness Assessment for Zero-Shot Learning, AAAI,
"Setting". Xian, Schiele and Akata (2017): Zero-shot learning - the good, the bad and the ugly.
"""

import math
import time
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from zslib.arrays import like, take_rows, to_host
from zslib.datasets.problem import check_problem
from zslib.metrics import class_accuracies, top_classes
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.sweep import some_rows
from zslib.validation import check_choice, check_integer, check_trained


def evaluate_zero_shot(
    model, problem, *, train_on="trainval", k=10, keep_scores=False, must_learn=False
) -> ZeroShotOutcome:
    """Fit ``model`` on images of seen classes; test it among unseen classes, and among all.

    Standard ZSL: the test images of unseen classes, with unseen classes as the only candidates.
    Generalised ZSL: the test images of seen and of unseen classes, with all classes as
    candidates, not calibrated: `ZeroShotOutcome.at` takes any gamma off the scores of seen ones
    (Eq. 13), without a fit.

    Parameters
    ----------
    model : CompatibilityModel
        Or a pipeline that ends in one, or anything with its ``fit`` and ``decision_function``. It
        is cloned, not changed. A ``fit`` that takes ``image_attributes`` gets those of the
        training images; one that takes ``unseen_embeddings``, the unseen classes' vectors.
    problem : ZeroShotProblem
        Its arrays may be on another device, after ``problem.to(device)``.
    train_on : {"trainval", "all seen"}
        Images to train the model of standard ZSL on. Guo et al. (2019) use all images of seen
        classes there, the test images too, and train once more, on ``trainval``, for
        generalised ZSL. Xian et al. (2017) train on ``trainval`` for both.
    k : int
        Classes of each kind to keep for each image.
    keep_scores : bool
        Whether to keep all scores.
    must_learn : bool
        Whether to refuse, by ValueError, a training that is no better than chance on its own
        images.

    Examples
    --------
    >>> from zslib.compatibility import ESZSL
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> outcome = evaluate_zero_shot(ESZSL(), digits_segments())
    >>> round(outcome.accuracy, 1), round(outcome.seen, 1), round(outcome.unseen, 1)
    (64.3, 81.1, 41.6)
    >>> round(outcome.at(0.2).harmonic_mean, 1), round(outcome.ausuc, 1)
    (47.8, 52.1)
    """
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    last = model[-1] if isinstance(model, Pipeline) else model
    taken = [has_fit_parameter(last, name) for name in ("class_embeddings", "sample_weight")]
    if taken == [False, True]:  # which would be taken for weights
        raise TypeError(
            f"the fit of {type(last).__name__} takes no class_embeddings: give a zero-shot "
            "scorer, for instance one of zslib.compatibility"
        )
    check_choice(train_on, "train_on", ("trainval", "all seen"))
    check_integer(k, "k", low=1)
    started = time.perf_counter()
    generalised = fit_on(problem.trainval, model, problem)
    cost = {"seconds": time.perf_counter() - started, "numbers": numbers_kept(generalised)}
    standard = generalised
    if train_on == "all seen" and problem.test_seen.size:
        seen = np.concatenate([problem.trainval, problem.test_seen])
        standard = fit_on(seen, model, problem)

    def score(side, images, classes):
        scorer = standard if side == "zero_shot" else generalised
        return scores_of(scorer, problem, images, classes)

    if must_learn:
        check_answers(problem, partial(score, "trained on"))
    outcome = ZeroShotOutcome.of_scores(problem, score, k=k, keep_scores=keep_scores)
    return replace(outcome, cost=cost)


def scores_of(model, problem, images, classes):
    """Scores of some of a problem's images with some of its classes, by their rows."""
    vectors = take_rows(problem.class_embeddings, classes)
    return model.decision_function(take_rows(problem.features, images), vectors)


def numbers_kept(model):
    """How many real numbers a fitted model keeps for scoring, without the candidates' vectors.

    They are those of its fitted attributes, of networks there, and of a wrapped ``estimator_``.
    """
    parts = list(model.pipeline_) if isinstance(model, _Routed) else [model]
    parts += [part.estimator_ for part in parts if hasattr(part, "estimator_")]
    waiting = [
        value
        for part in parts
        for name, value in vars(part).items()
        if name.endswith("_") and name[0] != "_" and name != "class_embeddings_"
    ]
    arrays = {}
    while waiting:
        item = waiting.pop()
        if hasattr(item, "dtype") and hasattr(item, "shape"):
            arrays[id(item)] = math.prod(item.shape) * ("float" in str(item.dtype))
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
        elif callable(parameters := getattr(item, "parameters", None)):
            waiting += [parameter.value for parameter in parameters().values()]
    return sum(arrays.values())


def check_answers(problem, score):
    """Refuse scores, ``score(images, classes)``, of training images that are at chance."""
    images, classes = problem.trainval[some_rows(problem.trainval.size)], problem.seen_classes
    best = to_host(top_classes(score(images, classes), 1))[:, 0]
    accuracy = class_accuracies(problem.labels[images], classes[best]).mean()
    check_trained(accuracy, classes.size, images.size)


class _Routed(BaseEstimator):
    """A pipeline that is called as the scorer at its end is."""

    def __init__(self, pipeline):
        self.pipeline = pipeline

    def fit(self, X, y, class_embeddings):
        with config_context(enable_metadata_routing=True):
            self.pipeline_ = clone(self.pipeline).fit(X, y, class_embeddings=class_embeddings)
        return self

    def decision_function(self, X, class_embeddings):
        with config_context(enable_metadata_routing=True):
            return self.pipeline_.decision_function(X, class_embeddings=class_embeddings)


def fit_on(images, model, problem):
    """A clone of ``model`` fitted on some images, with their attributes or unseen vectors too."""
    model = _Routed(model) if isinstance(model, Pipeline) else model
    features, more = problem.features, {}
    if problem.image_attributes is not None and has_fit_parameter(model, "image_attributes"):
        more["image_attributes"] = take_rows(problem.image_attributes, images)
    if has_fit_parameter(model, "unseen_embeddings"):
        more["unseen_embeddings"] = take_rows(problem.class_embeddings, problem.unseen_classes)
    labels = like(problem.labels[images], features)
    return clone(model).fit(take_rows(features, images), labels, problem.class_embeddings, **more)
