"""Accuracies by slow loops, and the curve against calibrated stacking on a grid of gammas."""

import numpy as np
import pandas
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zslib.calibration import CalibratedStacking
from zslib.metrics import (
    class_accuracies,
    harmonic_mean,
    per_class_accuracy,
    seen_unseen_curve,
    seen_unseen_maxima,
    top_classes,
)
from zslib.metrics.zero_shot import areas_of_weights, curve_of_weights


def slow_accuracies(y_true, y_pred, classes):
    """One class at a time."""
    result = []
    for c in classes:
        answers = [p == c for t, p in zip(y_true, y_pred, strict=True) if t == c]
        result.append(sum(answers) / len(answers))
    return result


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_accuracies_by_loop(pairs):
    y_true, y_pred = (np.array(column) for column in zip(*pairs, strict=True))
    classes = np.unique(y_true)
    expected = slow_accuracies(y_true, y_pred, classes)
    np.testing.assert_allclose(class_accuracies(y_true, y_pred), expected)
    mean = pytest.approx(sum(expected) / len(expected))
    assert per_class_accuracy(y_true, y_pred) == mean
    assert per_class_accuracy(y_true, y_pred, classes[::-1]) == mean


def test_lists_and_names_of_classes():
    y, found = [3, 1, 3, 1, 3], [3, 1, 1, 3, 3]
    names = np.array(["ant", "bee", "cat", "dog"], dtype=object)
    expected = per_class_accuracy(np.array(y), np.array(found))
    assert expected == per_class_accuracy(y, found) == per_class_accuracy(names[y], names[found])
    assert per_class_accuracy(list(names[y]), list(names[found]), ["dog"]) == pytest.approx(2 / 3)
    whole = np.array([2, 10, 10], dtype=object)  # by number 2 comes before 10, by name after
    np.testing.assert_array_equal(class_accuracies(whole, [2, 2, 10]), [1.0, 0.5])
    for text in (np.dtypes.StringDType(), "S", "category", "string"):
        pandas_type = text in ("category", "string")
        typed = pandas.Series(names[y], dtype=text) if pandas_type else names[y].astype(text)
        assert per_class_accuracy(typed, names[found]) == expected


def test_large_numbers_of_classes_stay_apart():
    # Twice these would leave the range of integers, and meet.
    y = np.array([2**62, 2**62, 3, 3, -(2**62)])
    accuracies = class_accuracies(y, np.array([2**62, 3, 3, 2**62, -(2**62)]))
    np.testing.assert_array_equal(accuracies, [1.0, 0.5, 0.5])


def test_the_mean_of_two_equal_numbers_is_that_number():
    for number in (5e-324, 1e-310, 1.0, 1e308, 1.7e308):
        assert harmonic_mean(number, number) == number
        assert harmonic_mean(np.array([number]), np.array([number]))[0] == number
    for kind, high in (("int8", 120), ("uint8", 250), ("float16", 60000)):
        both = np.array([high], kind)
        np.testing.assert_array_equal(harmonic_mean(both, both), [high])


def test_gammas_at_the_end_of_the_range():
    far = np.array([[1e308, -1e308]])
    with pytest.raises(ValueError, match="differ by more than float64 holds"):
        seen_unseen_maxima(far, np.array([True, False]))
    scores = 8e307 * np.array([[1.9, 0.0], [2.0, 0.0]])
    curve = seen_unseen_curve(scores[:1], [0], scores[1:] / 1.5, [1], np.array([True, False]))
    assert 8e307 * 2 / 1.5 < curve.best_gamma < 8e307 * 1.9


def test_accuracies_of_some_classes_on_every_backend(backend):
    y_true, y_pred = np.random.default_rng(0).integers(7, size=(2, 60))
    y_pred[::2] = y_true[::2]
    expected = slow_accuracies(y_true, y_pred, [5, 0, 3])
    given = [backend.asarray(a) for a in (y_true, y_pred, np.array([5, 0, 3]))]
    backend.assert_allclose(class_accuracies(*given), expected, rtol=1e-12)
    mean = per_class_accuracy(*given)
    assert type(mean) is float and mean == pytest.approx(np.mean(expected))


ACCURACY = st.floats(0, 100, allow_subnormal=False)


@given(ACCURACY, ACCURACY)
@example(8.6e-162, 8.6e-162)
def test_harmonic_mean_is_one_and_keeps_its_bounds(a, b):
    h = harmonic_mean(a, b)
    assert h == harmonic_mean(b, a)
    slack = 1 + 1e-9
    assert min(a, b) / slack <= h <= min(2 * min(a, b), max(a, b)) * slack
    if min(a, b) > 1e-100:
        assert h == pytest.approx(2 / (1 / a + 1 / b))
    assert harmonic_mean(np.array([a]), np.array([b]))[0] == pytest.approx(h)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_harmonic_mean_on_every_backend(backend, dtype):
    sides = np.array([[0.0, 0.5, 60.0], [0.0, 0.0, 30.0]], dtype)
    means = harmonic_mean(*map(backend.asarray, sides))
    backend.assert_equal(means, [0.0, 0.0, 40.0])
    assert backend.to_numpy(means).dtype == dtype


def test_top_classes(backend):
    scores = np.random.default_rng(1).integers(4, size=(30, 4)).astype("f4")
    every = [sorted(range(4), key=lambda c: (-row[c], c)) for row in scores.tolist()]
    for k in (1, 2, 4):
        found = backend.to_numpy(top_classes(backend.asarray(scores), k))
        np.testing.assert_array_equal(found, np.array(every)[:, :k])
        assert found.dtype == np.int64


def problem(seed, n_seen=3, n_unseen=2, n=12, integers=True):
    """Scores with many ties (or none), labels, and the mask of seen classes."""
    rng = np.random.default_rng(seed)
    is_seen = rng.permutation(np.arange(n_seen + n_unseen) < n_seen)
    shape = (2, n, n_seen + n_unseen)
    scores = rng.integers(-4, 5, size=shape) / 4 if integers else rng.normal(size=shape)
    y_seen = rng.choice(np.flatnonzero(is_seen), size=n)
    y_unseen = rng.choice(np.flatnonzero(~is_seen), size=n)
    return scores[0], y_seen, scores[1], y_unseen, is_seen


def calibrated(scores, y, is_seen, gamma):
    """Per-class accuracy, one sample at a time; a tie goes to the unseen class."""
    predictions = [
        max(range(row.size), key=lambda c: (row[c], not is_seen[c], -c))
        for row in scores - gamma * is_seen
    ]
    return np.mean(slow_accuracies(y, predictions, np.unique(y)))


def check_curve(case, grid):
    *given, is_seen = case
    curve = seen_unseen_curve(*case)
    for gamma in grid:
        expected = (calibrated(*side, is_seen, gamma) for side in (given[:2], given[2:]))
        assert curve.at(gamma) == pytest.approx(tuple(expected))
    return curve


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3), st.integers(1, 12))
def test_curve_by_brute_force_with_ties(seed, n_seen, n_unseen, n):
    # Scores and gammas are multiples of an eighth, so that ties are met exactly.
    curve = check_curve(problem(seed, n_seen, n_unseen, n), np.arange(-20, 21) / 8)
    assert (np.diff(curve.seen) <= 0).all()
    assert (np.diff(curve.unseen) >= 0).all()
    assert curve.seen[-1] == curve.unseen[0] == 0


@given(st.integers(0, 10**6))
def test_curve_has_every_gamma_at_which_a_prediction_changes(seed):
    case = problem(seed, integers=False)
    scores_seen, _, scores_unseen, _, is_seen = case
    curve = check_curve(case, np.linspace(-4, 4, 9))
    all_scores = np.concatenate([scores_seen, scores_unseen])
    flips = [max(row[is_seen]) - max(row[~is_seen]) for row in all_scores]
    np.testing.assert_array_equal(curve.gammas, [-np.inf, *np.unique(flips)])
    for flip in flips:
        stacked = (CalibratedStacking(flip + step) for step in (-1e-9, 1e-9))
        before, after = (one.transform(all_scores, is_seen).argmax(axis=1) for one in stacked)
        assert (before != after).any()


@given(st.integers(0, 10**6), st.booleans())
def test_area_counts_pairs(seed, integers):
    scores_seen, y_seen, scores_unseen, y_unseen, is_seen = problem(seed, integers=integers)
    curve = seen_unseen_curve(scores_seen, y_seen, scores_unseen, y_unseen, is_seen)

    def right(scores, y, side):
        """For each sample: its weight if it is right among its own side, and its flip."""
        found = []
        for row, label in zip(scores, y, strict=True):
            own = max(np.flatnonzero(side), key=lambda c: (row[c], -c))
            weight = (own == label) / (len(set(y.tolist())) * (y == label).sum())
            found.append((weight, row[is_seen].max() - row[~is_seen].max()))
        return found

    area = 0.0
    for w_i, d_i in right(scores_seen, y_seen, is_seen):
        for w_j, d_j in right(scores_unseen, y_unseen, ~is_seen):
            area += w_i * w_j * ((d_j < d_i) + 0.5 * (d_j == d_i))
    assert curve.area == pytest.approx(area)


def test_perfect_and_useless_scorers():
    is_seen = np.arange(7) < 4
    y_seen, y_unseen = np.repeat(np.arange(4), 5), np.repeat(np.arange(4, 7), 5)
    truth, wrong = np.eye(7), np.eye(7)[[1, 2, 3, 0, 5, 6, 4]]  # of the right kind
    for answers, share in ((truth, 1.0), (wrong, 0.0)):
        curve = seen_unseen_curve(answers[y_seen], y_seen, answers[y_unseen], y_unseen, is_seen)
        found = curve.area, curve.best_harmonic_mean, *curve.at(0.0)
        assert found == pytest.approx(4 * (share,))
        assert curve.best_gamma == 0
    # The same score for all: one move, from all-seen to all-unseen; a triangle of chance levels.
    flat = np.ones((20, 7))
    constant = seen_unseen_curve(flat, y_seen, flat[:15], y_unseen, is_seen)
    np.testing.assert_allclose(constant.seen, [1 / 4, 0])
    np.testing.assert_allclose(constant.unseen, [0, 1 / 3])
    assert constant.area == pytest.approx(1 / 24)


@given(st.integers(0, 10**6))
def test_best_gamma_reaches_the_best_harmonic_mean(seed):
    case = problem(seed, integers=seed % 2 == 0)
    curve = seen_unseen_curve(*case)
    assert harmonic_mean(*curve.at(curve.best_gamma)) == pytest.approx(curve.best_harmonic_mean)
    means = [harmonic_mean(*pair) for pair in zip(curve.seen, curve.unseen, strict=True)]
    assert curve.best_harmonic_mean == pytest.approx(max(means))
    np.testing.assert_allclose(curve.harmonic_means, means)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_curve_on_every_backend(backend, dtype):
    case = problem(7, 6, 5, 80)
    case = case[0].astype(dtype), case[1], case[2].astype(dtype), case[3], case[4]
    expected = seen_unseen_curve(*case)
    curve = seen_unseen_curve(*(backend.asarray(a) for a in case))
    for name in ("gammas", "seen", "unseen", "harmonic_means"):
        found = backend.to_numpy(getattr(curve, name))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, getattr(expected, name))
    assert curve.area == pytest.approx(expected.area)
    for name in ("best_gamma", "best_harmonic_mean"):
        assert getattr(curve, name) == getattr(expected, name)
    assert curve.at(0.25) == expected.at(0.25)
    for mask in (backend.asarray(case[4]), case[4]):  # on the host it serves scores anywhere
        maxima = seen_unseen_maxima(backend.asarray(case[0]), mask)
        for found, wanted in zip(maxima, seen_unseen_maxima(case[0], case[4]), strict=True):
            backend.assert_equal(found, wanted)


def test_areas_of_rows_of_weights_are_those_of_their_curves():
    rng = np.random.default_rng(0)
    flips = rng.integers(-3, 3, 8) / 2, rng.integers(-3, 3, 6) / 2  # with ties
    weights = [rng.dirichlet(np.ones(f.size), size=5) for f in flips]
    rows = zip(*weights, strict=True)
    expected = [curve_of_weights(*flips, *row).area for row in rows]
    np.testing.assert_allclose(areas_of_weights(*flips)(*weights), expected)
