"""What the calibrations refuse, and the words in which they say so."""

import numpy as np

from zslib import calibration

ONES, MASK = np.ones((2, 2)), np.array([True, False])
SEEN = np.array([True, False, True, True, False, True, True, True])
LABELS, U = np.arange(40) % 8, np.full(40, 0.5)
EXPERTS = np.full((40, 8), 0.125)
POINTS = np.random.default_rng(0).standard_normal((60, 3))
CODES, CENTRES = np.arange(60) % 4, POINTS[:4]


def stacking(scores=ONES, mask=MASK, gamma=0.2):
    return calibration.CalibratedStacking(gamma).transform(scores, mask)


def rescaling(distances=ONES, mask=MASK, alpha=0.2):
    return calibration.MetricRescaling(alpha).transform(distances, mask)


def gate(from_seen=SEEN[LABELS], **parameters):
    return calibration.ConfidenceGate(**parameters).fit(EXPERTS, from_seen, SEEN)


def mixed(experts=EXPERTS, is_seen=SEEN, unseen=U, **options):
    return calibration.mix_experts(experts, is_seen, unseen, **options)


def smoothing(labels=LABELS, **parameters):
    return calibration.AdaptiveSmoothing(**parameters).fit(EXPERTS, labels, SEEN)


def outliers(points=POINTS, **parameters):
    return calibration.OutlierProbability(**parameters).fit(points)


# Functions, arguments, words and, if it is no ValueError, the error.
REFUSALS = {
    (stacking, rescaling): [
        ({"mask": np.array([True])}, "mask over the 2 classes", TypeError),
        ({"mask": np.array([1, 0])}, "is_seen must be a boolean mask", TypeError),
        ({"mask": MASK | True}, "marks all of the classes"),
        ({"mask": MASK & False}, "marks none of the classes"),
    ],
    (stacking,): [
        ({"gamma": "a"}, "gamma must be a number", TypeError),
        ({"gamma": np.nan}, "gamma must be a finite number"),
        ({"scores": np.zeros(2)}, "scores must be a 2-d array"),
        ({"scores": np.full((2, 2), np.inf)}, "scores holds NaN or inf"),
    ],
    (rescaling,): [
        ({"alpha": "a"}, "alpha must be a number", TypeError),
        ({"alpha": -0.1}, "alpha must be a finite number, at least 0"),
        ({"alpha": np.inf}, "alpha must be a finite number"),
        ({"distances": -np.ones((2, 2))}, "must not be negative, found -1: pass"),
        ({"distances": np.full((2, 2), np.nan)}, "distances holds NaN or inf"),
        ({"distances": np.full((2, 2), np.inf)}, "distances holds NaN or inf"),
        ({"distances": np.full((2, 2), 1e308), "alpha": 9.0}, "overflow float64: lower alpha"),
        ({"distances": np.ones(2)}, "distances must be a 2-d array"),
    ],
    (calibration.MetricRescaling(-1.0).stacking,): [
        ({}, "alpha must be a finite number, at least 0")
    ],
    (calibration.log_distance_scores,): [
        ({"distances": np.array([[-1.0, 1.0]])}, "distances must not be negative")
    ],
    (mixed,): [
        ({"experts": EXPERTS - 1}, "must hold probabilities, found"),
        ({"experts": 9 * EXPERTS}, "take a softmax of scores first"),
        ({"is_seen": SEEN[1:]}, "mask over the 8 classes", TypeError),
        ({"unseen": U[1:]}, "one for each of the 40 rows of experts"),
        ({"unseen": U + 1}, r"unseen must .* in \[0, 1\]"),
        ({"unseen": U * np.nan}, "unseen must hold"),
        ({"mixture": "x"}, "mixture must be one of"),
        ({"mixture": "constant", "weight": 2}, "weight must be .* at most 1"),
        ({"mixture": "constant", "weight": 0}, "weight is 0, .* give a number above 0"),
    ],
    (gate,): [
        ({"n_top": 0}, "n_top must be"),
        ({"temperature": 0}, "temperature must be .* above 0"),
        ({"C": 0}, "C must be"),
        ({"from_seen": LABELS}, "from_seen must be a bo", TypeError),
        ({"from_seen": U > 0}, "marks all of the images"),
    ],
    (smoothing,): [
        ({"mixture": "x"}, "mixture must be"),
        ({"temperatures": ()}, "temperatures is empty"),
        ({"temperatures": (0,)}, "temperatures must be .* above 0"),
        ({"temperatures": 0.1}, "temperatures must be a sequence of numbers", TypeError),
        ({"labels": LABELS[1:]}, "labels has shape .* one for each"),
        ({"labels": LABELS + 8}, r"in \[0, 8\)"),
        ({"labels": 0 * LABELS}, "labels are all of seen classes in the rows"),
        ({"labels": 1 * (np.arange(40) % 3 == 0)}, "labels are all of seen"),
        ({"labels": 0 * LABELS + 1}, "labels are all of unseen classes"),
        ({"mixture": "constant", "weight": 0}, "weight is 0"),
    ],
    (outliers,): [
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"scale": 0}, "scale must be .* above 0"),
        ({"points": POINTS[:1]}, "points has one row"),
        ({"points": POINTS[0]}, "points must be a 2-d array"),
    ],
    (outliers().unseen,): [
        ({"points": POINTS[:, :1]}, "points has 1 columns and the training images has")
    ],
}


def test_refusals(refusal):
    refusal()
