"""What is refused, and how."""

import numpy as np
import pytest

from zslib.protocols import METHODS, evaluate, repeat, train, tune
from zslib.protocols.mapping.outcome import gold_queries

IS_NO_METHOD = r"method must be a Method, .*got MappingProblem"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda p, q: evaluate(p, q[:-1]), ValueError, "one mapped vector per test item"),
        (
            lambda p, q: evaluate(p, q, space=np.unique(p.train_gold)),
            ValueError,
            "no acceptable answer in this search space",
        ),
        (
            lambda p, q: evaluate(p, q, space=np.ones(len(p.targets), dtype=bool)),
            TypeError,
            r"space .* must hold integers, got bool",
        ),
        (lambda p, q: evaluate(q, p), TypeError, "problem must be of the class MappingProblem"),
        (
            lambda p, q: evaluate(p, q, k=5).polluted(6),
            ValueError,
            "k=6, but 5 neighbours were kept: call evaluate with k",
        ),
        (lambda p, q: train("ridge", p), TypeError, "method must be a Method"),
        (lambda p, q: train(p, METHODS["ridge"]), TypeError, IS_NO_METHOD),
        (lambda p, q: tune(p, METHODS["ridge"]), TypeError, IS_NO_METHOD),
        (
            lambda p, q: repeat("attributes", "digits"),
            ValueError,
            "setting must be one of 'cross-linguistic', 'cross-mod",
        ),
        (
            lambda p, q: repeat("cross-modal", "synthetic", n_seeds=0),
            ValueError,
            "n_seeds must be at least 1",
        ),
        (
            lambda p, q: repeat("cross-modal", "synthetic", folds=5),
            ValueError,
            "folds must be between 1 and 4",
        ),
    ],
)
def test_bad_input(images, call, error, words):
    with pytest.raises(error, match=words):
        call(images, gold_queries(images))
