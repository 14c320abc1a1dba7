"""The text network of CLAREL's Appendix D on a machine's budget: the step size chosen, trained."""

from __future__ import annotations

import math
from functools import partial

from zslib.compatibility import CLAREL, clarel_settings
from zslib.protocols.pairs.runs import image_text_trials, run_clarel
from zslib.protocols.tidy import row

__all__ = ["loss_rows", "network_run", "size_rows"]

RATES = {"learning_rate": (0.03, 0.1, 0.3)}
"""Around the printed step size."""
LOSSES = ("text_retrieval", "image_retrieval")


def network_run(problem, seeds, *, n_batches, n_short=100, **options):
    """`ImageTextRuns` of the network of Appendix D, with fewer batches than printed.

    The learning rate is the one whose trainings of ``n_short`` batches have the largest H on
    validation classes; it falls twice, as the printed one does.
    """
    changes = {"n_batches": n_batches, "decay_every": n_batches // 3, "log_every": 50}
    short = CLAREL(**clarel_settings("paper") | {"n_batches": n_short, "log_every": n_short // 5})
    trials = image_text_trials(short, problem, RATES, **options)
    best = max(trials, key=lambda trial: trial.get("H", -math.inf))
    changes |= best["parameters"]
    return run_clarel(problem, seeds, training="paper", changes=changes, **options)


def size_rows(problem, run, method):
    """Parameters, batches and step size of a training, alike for all its seeds."""
    of, (first, *_) = partial(row, problem), run.test
    yield of("parameters", method, first.n_parameters)
    yield of("batches", method, run.model.n_batches)
    yield of("learning rate", method, run.model.learning_rate)


def loss_rows(problem, run, method):
    """Both retrieval losses of the first seed's training along its batches."""
    for point in run.test[0].learning_curve:
        for loss in LOSSES:
            name = loss.replace("_", " ")
            yield row(problem, name, method, point[loss], batch=point["batch"])
