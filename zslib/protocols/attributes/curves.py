"""Accuracy on unseen classes after each epoch."""

import numpy as np

from zslib.arrays import take_rows, to_host
from zslib.metrics import class_accuracies

__all__ = ["epoch_accuracies"]


def epoch_accuracies(fitted, problem):
    """Accuracy of each unseen class, percent, after each epoch that is kept: (n_epochs, C).

    Means over the classes are per-class accuracies, ACC.
    """
    tests = take_rows(problem.features, problem.test_unseen)
    candidates = take_rows(problem.class_embeddings, problem.unseen_classes)
    true, accuracies = problem.labels[problem.test_unseen], []
    for epoch in range(1, len(fitted.learning_curve_) + 1):
        best = to_host(fitted.at_epoch(epoch).predict(tests, candidates))
        accuracies.append(100.0 * class_accuracies(true, problem.unseen_classes[best]))
    return np.array(accuracies)
