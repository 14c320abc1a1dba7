"""Zero-shot scorers: ``fit(X, y, class_embeddings)``, then scores for classes never seen."""

from zslib.compatibility.base import BilinearModel, CompatibilityModel, zero_shot_scorer
from zslib.compatibility.cmt import CMT
from zslib.compatibility.conse import ConSE
from zslib.compatibility.eszsl import ESZSL
from zslib.compatibility.sae import SAE
from zslib.compatibility.sse import SSE
from zslib.compatibility.sync import SynC

__all__ = [
    "CMT",
    "ESZSL",
    "SAE",
    "SSE",
    "BilinearModel",
    "CompatibilityModel",
    "ConSE",
    "SynC",
    "zero_shot_scorer",
]
