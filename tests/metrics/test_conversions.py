"""Metrics and calibrations take what scikit-learn takes: lists, integers, float16, data frames."""

from dataclasses import astuple
from itertools import combinations

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from zslib import calibration, metrics
from zslib.metrics import Hierarchy
from zslib.metrics.ancestors import common_ancestor_heights

rng = np.random.default_rng(0)
LABELS = np.arange(4).repeat(6)
SEEN = np.array([True, True, False, False])
# Eighths, which float16 has; rounded, two of three answers stay what they are.
SCORES = (np.eye(4)[LABELS] * 5 + rng.integers(0, 9, (24, 4))) / 8
EXPERTS = np.clip(SCORES, 0, 1)
POINTS = np.round(rng.standard_normal((24, 3)) * 32) / 8
TOP = np.argsort(-SCORES, axis=1)[:, :2]
COUNTS, MASK = np.arange(24) % 5, np.arange(24) < 9
TREE = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog"), ("fish", "animal")])
NAMES = np.array(["dog", "cat", "puppy", "fish"])
CURVE = SCORES[:12], LABELS[:12], SCORES[12:], LABELS[12:], SEEN


def curve(*arguments):
    return astuple(metrics.seen_unseen_curve(*arguments))


def precision(predictions, gold, names):
    return metrics.hierarchical_precision_at_k(predictions, gold, TREE, names, [1, 2])


def gate(experts, from_seen, is_seen):
    fitted = calibration.ConfidenceGate(2).fit(experts, from_seen, is_seen)
    return fitted.confidence(experts, is_seen)


def smoothing(experts, labels, is_seen):
    fitted = calibration.AdaptiveSmoothing(gate=calibration.ConfidenceGate(2))
    fitted.fit(experts, labels, is_seen)
    return fitted.transform(experts, is_seen), fitted.scores(experts, is_seen)


def outliers(points):
    return calibration.OutlierProbability(5).fit(points).unseen(points)


CASES = {
    "class_accuracies": (metrics.class_accuracies, LABELS, TOP[:, 0]),
    "harmonic_mean": (metrics.harmonic_mean, SCORES[:, 0], SCORES[:, 1]),
    "top_classes": (lambda scores: metrics.top_classes(scores, 2), SCORES),
    "seen_unseen_maxima": (metrics.seen_unseen_maxima, SCORES, SEEN),
    "seen_unseen_curve": (curve, *CURVE),
    "precision_at_k": (lambda ranks: metrics.precision_at_k(ranks, [1, 3])[3], COUNTS),
    "hits_at_k": (lambda ranks: metrics.hits_at_k(ranks, 3), COUNTS),
    "k_occurrence": (lambda lists: metrics.k_occurrence(lists, 4), TOP),
    "k_skewness": (metrics.k_skewness, COUNTS),
    "robin_hood_index": (metrics.robin_hood_index, COUNTS),
    "hub_share": (metrics.hub_share, LABELS, COUNTS),
    "hubness_contingency": (metrics.hubness_contingency, COUNTS, COUNTS[:9]),
    "hub_correlations": (metrics.hub_correlations, COUNTS, POINTS, MASK),
    "pollution": (metrics.pollution, TOP, SEEN),
    "effective_dimension": (metrics.effective_dimension, POINTS),
    "flat_hits_at_k": (lambda *given: metrics.flat_hits_at_k(*given, [1, 2]), TOP, LABELS),
    "hierarchical_precision_at_k": (precision, TOP, LABELS, NAMES),
    "stop_radii": (lambda *given: TREE.stop_radii(*given, [1, 2]), NAMES[:2], NAMES),
    "common_ancestor_heights": (lambda names: common_ancestor_heights(TREE, names), NAMES),
    "CalibratedStacking": (calibration.CalibratedStacking().transform, SCORES, SEEN),
    "MetricRescaling": (calibration.MetricRescaling(0.5).transform, SCORES, SEEN),
    "log_distance_scores": (calibration.log_distance_scores, SCORES),
    "mix_experts": (calibration.mix_experts, EXPERTS, SEEN, EXPERTS[:, 0]),
    "ConfidenceGate": (gate, EXPERTS, SEEN[LABELS], SEEN),
    "AdaptiveSmoothing": (smoothing, EXPERTS, LABELS, SEEN),
    "OutlierProbability": (outliers, POINTS),
}


def frame(array):
    return pandas.DataFrame(array) if array.ndim == 2 else pandas.Series(array)


def nullable(array):
    return frame(array).convert_dtypes() if array.ndim == 1 else array


def rounded(array):
    return np.round(array) if array.dtype.kind == "f" else array


def of_types(**types):
    """The conversion of an array of each kind to the type given for it."""
    return lambda array: array.astype(types.get(array.dtype.kind, array.dtype))


def unchanged(array):
    return array


FORMS = {
    "list": (np.ndarray.tolist, unchanged),
    "pandas": (frame, unchanged),
    "pandas, nullable": (nullable, unchanged),
    "integers": (lambda array: of_types(f="i1", i="u1")(rounded(array)), rounded),
    "float16": (of_types(f="f2"), of_types(f="f4")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CASES)
def test_same_as_of_arrays(name, form):
    function, *arguments = CASES[name]
    convert, plain = FORMS[form]
    results = [function(*map(way, arguments)) for way in (convert, plain)]
    several = results if isinstance(results[1], tuple) else [[one] for one in results]
    tolerance = 4e-3 if (name, form) == ("harmonic_mean", "float16") else 1e-6
    for one, other in zip(*several, strict=True):
        assert_allclose(one, other, rtol=tolerance, atol=1e-6)


# Arguments by place whose equal lengths mean nothing: of different images, or of other things.
UNPAIRED = {"seen_unseen_curve": {(0, 2), (0, 3), (1, 2), (1, 3)}, "hub_share": {(0, 1)}}


@pytest.mark.parametrize("name", CASES)
def test_rows_and_columns_of_one_name_stand_together(name):
    """Of two arguments one is turned, each row with its name: no function pairs them by place."""
    function, *arguments = CASES[name]

    def refused(i, first, j, second):
        given = [*arguments]
        given[i], given[j] = first, second[::-1]
        with pytest.raises(ValueError, match="give both the same names in one order"):
            function(*given)

    for (i, one), (j, other) in combinations(enumerate(arguments), 2):
        names = [f"n{place:02d}" for place in range(len(other))]
        if one.dtype.kind == "U" or other.dtype.kind == "U":
            continue
        turned = frame(other).set_axis(names)
        if len(one) == len(other) and (i, j) not in UNPAIRED.get(name, ()):
            refused(i, frame(one).set_axis(names), j, turned)
        if one.ndim == 2 and other.dtype == bool and one.shape[1] == len(other):
            refused(i, pandas.DataFrame(one, columns=names), j, turned)


def test_every_public_function_is_here():
    public = {*metrics.__all__, *calibration.__all__} - {"per_class_accuracy", "Hierarchy"}
    results = {"Contingency", "HubCorrelations", "SeenUnseenCurve"}
    assert public - results <= set(CASES)


@pytest.mark.parametrize("name", [n for n, (_, a, *_) in CASES.items() if a.dtype.kind != "U"])
def test_what_cannot_be_converted_is_told(name):
    function, first, *others = CASES[name]
    with pytest.raises(TypeError, match=r"^\w+ is sparse"):
        function(sparse.csr_array(np.atleast_2d(first)), *others)
    with pytest.raises(ValueError, match=r"^\w+ has masked entries"):
        function(np.ma.array(first, mask=first == first.flat[0]), *others)
