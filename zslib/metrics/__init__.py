"""Measures of retrieval, hubness and pollution."""

from __future__ import annotations

from zslib.metrics.contingency import Contingency, hubness_contingency
from zslib.metrics.correlations import HubCorrelations, hub_correlations
from zslib.metrics.hubness import hub_share, k_occurrence, k_skewness, robin_hood_index
from zslib.metrics.pollution import pollution
from zslib.metrics.retrieval import hits_at_k, precision_at_k
from zslib.metrics.spread import effective_dimension

__all__ = [
    "Contingency",
    "HubCorrelations",
    "effective_dimension",
    "hits_at_k",
    "hub_correlations",
    "hub_share",
    "hubness_contingency",
    "k_occurrence",
    "k_skewness",
    "pollution",
    "precision_at_k",
    "robin_hood_index",
]
