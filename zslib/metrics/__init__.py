"""Measures of retrieval, hubness, pollution and hierarchical precision."""

from zslib.metrics.ancestors import common_ancestor_heights
from zslib.metrics.contingency import Contingency, hubness_contingency
from zslib.metrics.correlations import HubCorrelations, hub_correlations
from zslib.metrics.hierarchy import Hierarchy, flat_hits_at_k, hierarchical_precision_at_k
from zslib.metrics.hubness import hub_share, k_occurrence, k_skewness, robin_hood_index
from zslib.metrics.pollution import pollution
from zslib.metrics.retrieval import hits_at_k, precision_at_k
from zslib.metrics.spread import effective_dimension
from zslib.metrics.zero_shot import (
    SeenUnseenCurve,
    class_accuracies,
    harmonic_mean,
    per_class_accuracy,
    seen_unseen_curve,
    seen_unseen_maxima,
    top_classes,
)

__all__ = [
    "Contingency",
    "Hierarchy",
    "HubCorrelations",
    "SeenUnseenCurve",
    "class_accuracies",
    "common_ancestor_heights",
    "effective_dimension",
    "flat_hits_at_k",
    "harmonic_mean",
    "hierarchical_precision_at_k",
    "hits_at_k",
    "hub_correlations",
    "hub_share",
    "hubness_contingency",
    "k_occurrence",
    "k_skewness",
    "per_class_accuracy",
    "pollution",
    "precision_at_k",
    "robin_hood_index",
    "seen_unseen_curve",
    "seen_unseen_maxima",
    "top_classes",
]
