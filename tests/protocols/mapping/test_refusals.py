"""What is refused, and how."""

import numpy as np

from zslib.protocols import METHODS, evaluate, repeat, train, tune
from zslib.protocols.mapping.outcome import gold_queries

IS_NO_METHOD = r"method must be a Method, .*got MappingProblem"
REFUSALS = [
    (lambda p, q: evaluate(p, q[:-1]), "queries has .* rows and test_words has"),
    (lambda p, q: evaluate(p, q, space=np.unique(p.train_gold)), "no answer in space: give one"),
    (lambda p, q: evaluate(p, q, space=p.is_training_target), "integers, got bool", TypeError),
    (lambda p, q: evaluate(p, q, space=1 * p.is_training_target), "space .* a row .*twice"),
    (lambda p, q: evaluate(p, q, space=p.labels[None]), r"space .* 1-d array, got shape \(1, "),
    (lambda p, q: evaluate(q, p), "problem must be of the class MappingProblem", TypeError),
    (lambda p, q: evaluate(p, q, k=5).polluted(6), "k=6, but 5 neighbours .*: call evaluate"),
    (lambda p, q: train("ridge", p), "method must be a Method", TypeError),
    (lambda p, q: train(p, METHODS["ridge"]), IS_NO_METHOD, TypeError),
    (lambda p, q: tune(p, METHODS["ridge"]), IS_NO_METHOD, TypeError),
    (lambda p, q: repeat("attributes", "digits"), "setting must be one of 'cross-linguistic', "),
    (lambda p, q: repeat("cross-modal", "synthetic", n_seeds=0), "n_seeds must be at least 1"),
    (lambda p, q: repeat("cross-modal", "synthetic", folds=5), "folds must be between 1 and 4"),
]


def test_bad_input(images, refusal):
    refusal(images, gold_queries(images))
