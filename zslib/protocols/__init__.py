"""The papers' experiments: splits, tuning, seeds and repeated runs."""

from zslib.datasets.attributes.scaling import common_scale, unit_length
from zslib.protocols.attributes.calibrations import (
    CALIBRATIONS,
    CalibratedRun,
    evaluate_calibrations,
    from_common_zero,
    own_distances,
    run_calibrations,
    surprisals,
)
from zslib.protocols.attributes.curves import (
    accuracy_by_epoch,
    epochs_to_share,
    zero_shot_curves,
)
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.attributes.intervals import zero_shot_estimate, zero_shot_measures
from zslib.protocols.attributes.methods import (
    HARD_NEGATIVE_METHODS,
    ZERO_SHOT_METHODS,
    ZeroShotMethod,
    hard_negative_problems,
    with_enough_steps,
)
from zslib.protocols.attributes.outcome import Competition, ZeroShotOutcome
from zslib.protocols.attributes.rescaling import choose_alpha, measures_by_alpha, rescaled
from zslib.protocols.attributes.runs import (
    ZeroShotRun,
    evaluate_table,
    run_table,
    run_zero_shot,
    table_records,
)
from zslib.protocols.attributes.tuning import (
    ZeroShotTuned,
    split_validation_classes,
    tune_zero_shot,
)
from zslib.protocols.hierarchy.answers import (
    ConSEMap,
    NearestTerms,
    SynsetAnswers,
    TermModel,
    TermSpace,
)
from zslib.protocols.hierarchy.correct_sets import (
    CorrectSetSizes,
    correct_set_sizes,
    reading_hierarchy,
)
from zslib.protocols.intervals import (
    Estimate,
    Spread,
    independent_difference,
    independent_mean,
    mean_estimate,
    over_runs,
    paired_difference,
    paired_ratio,
    spread_over_runs,
)
from zslib.protocols.mapping.distractors import random_distractors
from zslib.protocols.mapping.methods import METHODS, Method
from zslib.protocols.mapping.outcome import Outcome, evaluate, gold_queries
from zslib.protocols.mapping.repeated import Repeated, repeat
from zslib.protocols.mapping.training import Trained, train
from zslib.protocols.mapping.tuning import Tuned, tune
from zslib.protocols.pairs.baseline import (
    MeanTextRun,
    mean_text_problem,
    run_mean_texts,
    tfidf_vectors,
    with_class_texts,
)
from zslib.protocols.pairs.evaluate import ImageTextResult, evaluate_image_text, model_texts
from zslib.protocols.pairs.retrieval import RetrievalRanks, retrieval_ranks
from zslib.protocols.pairs.runs import (
    SHORT_GRID,
    ImageTextRuns,
    clarel_problems,
    run_clarel,
    run_image_text,
    short_clarel,
)

__all__ = [
    "CALIBRATIONS",
    "HARD_NEGATIVE_METHODS",
    "METHODS",
    "SHORT_GRID",
    "ZERO_SHOT_METHODS",
    "CalibratedRun",
    "Competition",
    "ConSEMap",
    "CorrectSetSizes",
    "Estimate",
    "ImageTextResult",
    "ImageTextRuns",
    "MeanTextRun",
    "Method",
    "NearestTerms",
    "Outcome",
    "Repeated",
    "RetrievalRanks",
    "Spread",
    "SynsetAnswers",
    "TermModel",
    "TermSpace",
    "Trained",
    "Tuned",
    "ZeroShotMethod",
    "ZeroShotOutcome",
    "ZeroShotRun",
    "ZeroShotTuned",
    "accuracy_by_epoch",
    "choose_alpha",
    "clarel_problems",
    "common_scale",
    "correct_set_sizes",
    "epochs_to_share",
    "evaluate",
    "evaluate_calibrations",
    "evaluate_image_text",
    "evaluate_table",
    "evaluate_zero_shot",
    "from_common_zero",
    "gold_queries",
    "hard_negative_problems",
    "independent_difference",
    "independent_mean",
    "mean_estimate",
    "mean_text_problem",
    "measures_by_alpha",
    "model_texts",
    "over_runs",
    "own_distances",
    "paired_difference",
    "paired_ratio",
    "random_distractors",
    "reading_hierarchy",
    "repeat",
    "rescaled",
    "retrieval_ranks",
    "run_calibrations",
    "run_clarel",
    "run_image_text",
    "run_mean_texts",
    "run_table",
    "run_zero_shot",
    "short_clarel",
    "split_validation_classes",
    "spread_over_runs",
    "surprisals",
    "table_records",
    "tfidf_vectors",
    "train",
    "tune",
    "tune_zero_shot",
    "unit_length",
    "with_class_texts",
    "with_enough_steps",
    "zero_shot_curves",
    "zero_shot_estimate",
    "zero_shot_measures",
]
