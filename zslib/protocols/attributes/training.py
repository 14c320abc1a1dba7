"""Scorers fitted on a problem's training images, as chapters that look inside them need."""

import numpy as np
from sklearn.frozen import FrozenEstimator

from zslib.arrays import like, take_rows, to_host
from zslib.compatibility.ranking.dark_objective import image_weights
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.tuning import with_validation_classes


def held_out(problem, seed=0):
    """The validation problem, of the official validation classes or else of drawn ones."""
    return with_validation_classes(problem, seed).validation_problem()


def fitted(model, problem, labels=None):
    """``model`` after its fit on ``trainval``, with ``labels`` instead of these images' own."""
    return model.fit(*_training_images(problem, labels))


def fitted_stages(model, problem, stages):
    """``model`` after each of so many iterations of one fit on ``trainval``."""
    return model.fit_stages(*_training_images(problem), stages)


def _training_images(problem, labels=None):
    rows, features = problem.trainval, problem.features
    labels = problem.labels[rows] if labels is None else labels
    return take_rows(features, rows), like(labels, features), problem.class_embeddings


def trainings(calls):
    """Results of some trainings, functions by name, and why those that fail do so."""
    trained, failed = {}, {}
    for name, train in calls.items():
        try:
            trained[name] = train()
        except ValueError as error:
            failed[name] = str(error)
    return trained, failed


def answers(model, problem, **options):
    """`evaluate_zero_shot` of a model that is fitted already."""
    return evaluate_zero_shot(FrozenEstimator(model), problem, **options)


class Scored:
    """Scores of images with classes, of training or of validation classes, and their classes."""

    def __init__(self, problem, held, models, part):
        self.problem, self.held, self.part = problem, held, part
        rows, self.classes = {
            "training classes": (held.trainval, held.seen_classes),
            "validation classes": (held.test_unseen, held.unseen_classes),
        }[part]
        self.codes = np.searchsorted(self.classes, held.labels[rows])
        self.names = [str(held.class_names[c]).replace("_", " ") for c in self.classes]
        self.features = to_host(held.features)[rows]
        self.weights = image_weights(self.features.astype(float), self.codes, len(self.classes))
        X, S = take_rows(held.features, rows), take_rows(held.class_embeddings, self.classes)
        self.scores = {
            kind: [to_host(model.decision_function(X, S)).astype(float) for model in fits]
            for kind, fits in models.items()
        }

    def own(self, kind):
        """Score of each image with its own label, for each seed."""
        return [F[np.arange(len(F)), self.codes] for F in self.scores[kind]]

    def sets(self, F, weights=None):
        """F_set of Eq. 5, (labels, sets): weighted means of scores."""
        weights = self.weights if weights is None else weights
        members = (self.codes[:, None] == np.arange(F.shape[1])) * weights[:, None]
        return F.T @ (members / members.sum(axis=0))
