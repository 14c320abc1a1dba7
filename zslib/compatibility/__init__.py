"""Zero-shot scorers: ``fit(X, y, class_embeddings)``, then scores for classes never seen."""

from zslib.compatibility.base import BilinearModel, CompatibilityModel, zero_shot_scorer

__all__ = [
    "BilinearModel",
    "CompatibilityModel",
    "zero_shot_scorer",
]
