"""Trainings with wrong answers that are drawn, and with such that are searched for."""

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity

from zslib.mapping import MaxMarginMap
from zslib.metrics import per_class_accuracy
from zslib.search import top_k

NEGATIVES = {"random": "random", "hard": "intruder"}
"""What `MaxMarginMap` calls the two."""


def hinges(mapper, problem, rows, margin):
    """What each wrong seen digit costs each image, (images, digits): its own digit costs 0."""
    mapped, own = mapper.transform(problem.features[rows]), problem.labels[rows]
    cosines = cosine_similarity(mapped, problem.class_embeddings)
    right = cosines[np.arange(len(rows)), own]
    loss = np.maximum(0, margin + cosines - right[:, None])
    loss[np.arange(len(rows)), own] = 0
    loss[:, problem.unseen_classes] = 0
    return loss


def named(mapper, problem, rows, classes):
    """Per-class accuracy in percent where these classes compete."""
    mapped = mapper.transform(problem.features[rows])
    _, nearest = top_k(mapped, problem.class_embeddings[classes], 1)
    return 100 * per_class_accuracy(problem.labels[rows], classes[nearest[:, 0]])


def follow(problem, kind, margin, seeds, n_epochs):
    """After each epoch of each training: accuracies, and how many wrong answers still teach.

    ``{measure: (seeds, epochs) array}`` in percent. Of the pairs of a training image and a wrong
    digit, "random" is the share with a loss, and "hard" the share of images that have such a pair.
    """
    train, targets = problem.trainval, problem.class_embeddings[problem.labels[problem.trainval]]
    wrong = len(problem.seen_classes) - 1
    found = {"random": [], "hard": [], "seen": [], "unseen": []}

    def note(_, mapper):
        teaches = hinges(mapper, problem, train, margin) > 0
        found["random"].append(100 * teaches.sum() / (wrong * len(train)))
        found["hard"].append(100 * teaches.any(axis=1).mean())
        found["seen"].append(named(mapper, problem, problem.test_seen, problem.seen_classes))
        found["unseen"].append(named(mapper, problem, problem.test_unseen, problem.unseen_classes))

    options = {"negatives": NEGATIVES[kind], "n_epochs": n_epochs, "callback": note}
    for seed in seeds:
        mapper = MaxMarginMap(margin, 1, random_state=seed, **options)
        mapper.fit(problem.features[train], targets)
    return {measure: np.reshape(values, (-1, n_epochs)) for measure, values in found.items()}
