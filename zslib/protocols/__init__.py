"""The papers' experiments: splits, tuning, seeds and repeated runs."""

from zslib.protocols.distractors import random_distractors, related_distractors
from zslib.protocols.evaluation import Outcome, evaluate, gold_queries
from zslib.protocols.intervals import (
    Estimate,
    independent_difference,
    mean_estimate,
    paired_difference,
)
from zslib.protocols.methods import METHODS, Method
from zslib.protocols.repeated import Repeated, repeat
from zslib.protocols.training import Trained, train
from zslib.protocols.tuning import Tuned, tune

__all__ = [
    "METHODS",
    "Estimate",
    "Method",
    "Outcome",
    "Repeated",
    "Trained",
    "Tuned",
    "evaluate",
    "gold_queries",
    "independent_difference",
    "mean_estimate",
    "paired_difference",
    "random_distractors",
    "related_distractors",
    "repeat",
    "train",
    "tune",
]
