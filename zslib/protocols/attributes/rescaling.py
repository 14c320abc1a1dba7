"""Alpha of metric rescaling: measures against it, and the choice on validation outcomes.

Outcomes here are those of scores -log d, on which rescaling by alpha is calibrated stacking with
gamma = log(1 + alpha) (`zslib.calibration.MetricRescaling`).
"""

import numpy as np

from zslib.metrics import harmonic_mean
from zslib.validation import check_each, check_real


def rescaled(outcomes, alpha):
    """The outcomes, of scores -log d, under one alpha of at least 0."""
    gamma = float(np.log1p(check_real(alpha, "alpha", low=0)))
    return [outcome.at(gamma) for outcome in outcomes]


def measures_by_alpha(outcomes, alphas) -> dict:
    """Seen and unseen accuracy, H and the two errors of Appendix B, (n_repeats, n_alphas) each.

    In percent: "seen", "unseen" and "H", averaged over classes as everywhere; "unseen taken for
    seen" and "seen taken for unseen", shares of images as in Appendix B.
    """
    gammas = np.log1p(check_each(alphas, "alphas", check_real, "numbers", low=0))
    repeats = []
    for outcome in outcomes:
        seen, unseen = _accuracies(outcome, gammas)
        # An image is answered with a seen class while gamma is below its flip.
        below = [
            np.searchsorted(np.sort(side.flips), gammas, side="right") / side.flips.size
            for side in (outcome.test_unseen, outcome.test_seen)
        ]
        measures = seen, unseen, harmonic_mean(seen, unseen)
        repeats.append([*measures, 100.0 * (1 - below[0]), 100.0 * below[1]])
    names = "seen", "unseen", "H", "unseen taken for seen", "seen taken for unseen"
    return dict(zip(names, np.array(repeats).swapaxes(0, 1), strict=True))


def choose_alpha(outcomes):
    """The alpha with the largest H on validation outcomes, averaged over repeats, and that H.

    The mean of H is known exactly at every alpha: accuracies only change where an image moves from
    its best seen to its best unseen class. The choice is the middle, in log(1 + alpha), of the
    first stretch with the largest mean; 0 where H is 0 throughout.
    """
    gammas = np.unique(np.concatenate([[0.0], *(outcome.curve.gammas for outcome in outcomes)]))
    gammas = gammas[gammas >= 0]
    means = np.mean([harmonic_mean(*_accuracies(o, gammas)) for o in outcomes], axis=0)
    first = int(np.argmax(means))
    if means[first] == 0:
        return 0.0, 0.0
    # Beyond the last point no seen class is answered, so that a positive H has an end.
    after = first + int(np.argmax(means[first:] != means[first]))
    return float(np.expm1((gammas[first] + gammas[after]) / 2)), float(means[first])


def _accuracies(outcome, gammas):
    """Seen and unseen accuracy in percent at each gamma."""
    curve = outcome.curve
    at = np.searchsorted(curve.gammas, gammas, side="right") - 1
    return 100.0 * np.asarray(curve.seen)[at], 100.0 * np.asarray(curve.unseen)[at]
