"""Experiments: splits, tuning, seeds, intervals, and comparisons of many systems."""

from zslib.datasets.attributes.scaling import unit_length
from zslib.protocols.attributes.crossing import cross_fit
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.intervals import zero_shot_estimate, zero_shot_measures
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, ZeroShotMethod
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.attributes.runs import run_table, run_zero_shot
from zslib.protocols.attributes.tuning import tune_zero_shot
from zslib.protocols.intervals import (
    Estimate,
    independent_mean,
    mean_estimate,
    over_runs,
    paired_difference,
)
from zslib.protocols.mapping.methods import METHODS, Method
from zslib.protocols.mapping.outcome import Outcome, evaluate
from zslib.protocols.mapping.repeated import CrossFitted, Repeated, repeat, repeat_both
from zslib.protocols.mapping.training import train
from zslib.protocols.mapping.tuning import tune
from zslib.protocols.pairs.captions import fit_image_text
from zslib.protocols.pairs.evaluate import evaluate_image_text
from zslib.protocols.pairs.runs import clarel_problems, run_clarel, run_image_text, short_clarel

__all__ = [
    "METHODS",
    "ZERO_SHOT_METHODS",
    "CrossFitted",
    "Estimate",
    "Method",
    "Outcome",
    "Repeated",
    "ZeroShotMethod",
    "ZeroShotOutcome",
    "clarel_problems",
    "cross_fit",
    "evaluate",
    "evaluate_image_text",
    "evaluate_zero_shot",
    "fit_image_text",
    "independent_mean",
    "mean_estimate",
    "over_runs",
    "paired_difference",
    "repeat",
    "repeat_both",
    "run_clarel",
    "run_image_text",
    "run_table",
    "run_zero_shot",
    "short_clarel",
    "train",
    "tune",
    "tune_zero_shot",
    "unit_length",
    "zero_shot_estimate",
    "zero_shot_measures",
]
