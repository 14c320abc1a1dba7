"""DARK with all triplets weighing alike, and with one margin for all images."""

from zslib.arrays import namespace, put
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import View
from zslib.compatibility.ranking.loss import hardness, violations
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, ZeroShotMethod


class SelectAll(DARK):
    """`DARK` in which every triplet weighs one: Δ = 1 in Eq. 2."""

    def _assess(self, scores, own):
        view = super()._assess(scores, own)
        ones = namespace(scores).ones_like(scores)
        return view._replace(weights=put(ones, own, 0.0 * view.margins[:, 0]), rates=None)


class ConstantMargin(DARK):
    """`DARK` with the margin 1 of the older systems for all images and labels."""

    def _assess(self, scores, own):
        margins = namespace(scores).ones_like(scores[:, :1])
        residuals = violations(scores, own, margins)
        weights = hardness(residuals, own)
        follows = self.gradient == "objective"
        rates = weights * (1.0 + residuals * (1.0 - weights)) if follows else None
        return View(scores, own, margins, weights, None, rates)


def _arm(name, make, gradients, weights):
    grid = {"gradient": gradients, "data_weight": weights}
    return ZeroShotMethod(name, make, grid, ZERO_SHOT_METHODS["DARK"].fixed)


ARMS = {
    # Weights of one add up to far more than soft ones: the data weigh less.
    "DARK, all alike": _arm("DARK, all alike", SelectAll, ("margin", "fixed"), (1 / 16, 1 / 4)),
    "DARK, margin 1": _arm("DARK, margin 1", ConstantMargin, ("objective", "fixed"), (1.0, 2.0)),
}
"""Both as systems to be tuned like `DARK`."""

CLOSED_FORMS = ("ESZSL", "SAE")
"""Systems of Table 3 that are solved, not trained."""
