"""Cross-space maps: ``fit(X, Y)`` on pairs, then ``transform(X)`` into the target space."""

from zslib.mapping.base import LinearMap
from zslib.mapping.centred import CentredMap
from zslib.mapping.chimeras import chimeras
from zslib.mapping.max_margin import MaxMarginMap, max_margin_loss_and_gradient
from zslib.mapping.multi_step import MultiStepMap
from zslib.mapping.procrustes import ProcrustesMap
from zslib.mapping.ridge import RidgeMap

__all__ = [
    "CentredMap",
    "LinearMap",
    "MaxMarginMap",
    "MultiStepMap",
    "ProcrustesMap",
    "RidgeMap",
    "chimeras",
    "max_margin_loss_and_gradient",
]
