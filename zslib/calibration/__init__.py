"""Calibration for generalised zero-shot learning: of scores, of distances, of two experts."""

from zslib.calibration.mixtures import mix_experts
from zslib.calibration.novelty import OutlierProbability
from zslib.calibration.smoothing import AdaptiveSmoothing, ConfidenceGate
from zslib.calibration.stacking import CalibratedStacking, MetricRescaling, log_distance_scores

__all__ = [
    "AdaptiveSmoothing",
    "CalibratedStacking",
    "ConfidenceGate",
    "MetricRescaling",
    "OutlierProbability",
    "log_distance_scores",
    "mix_experts",
]
