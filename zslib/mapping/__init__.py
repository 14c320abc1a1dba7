"""Cross-space maps: ``fit(X, Y)`` on pairs, then ``transform(X)`` into the target space.

`Retriever` puts a map, targets with names and a correction for hubness together: words in, the
names of their nearest targets out.
"""

from zslib.mapping.base import LinearMap, transform_targets
from zslib.mapping.centred import CentredMap
from zslib.mapping.chimeras import chimeras
from zslib.mapping.max_margin import MaxMarginMap
from zslib.mapping.multi_step import MultiStepMap
from zslib.mapping.procrustes import ProcrustesMap
from zslib.mapping.retriever import Retriever
from zslib.mapping.ridge import RidgeMap

__all__ = [
    "CentredMap",
    "LinearMap",
    "MaxMarginMap",
    "MultiStepMap",
    "ProcrustesMap",
    "Retriever",
    "RidgeMap",
    "chimeras",
    "transform_targets",
]
