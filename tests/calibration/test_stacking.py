"""Calibrated stacking and metric rescaling; Appendix B of Oreshkin et al. event by event."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zslib.calibration import CalibratedStacking, MetricRescaling, log_distance_scores


@pytest.mark.parametrize(("dtype", "gamma"), [("f4", 0.2), ("f8", -1.5), ("f8", 0), ("f8", 1e6)])
def test_gamma_is_taken_off_seen_columns(backend, dtype, gamma):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(9, 5)).astype(dtype)
    is_seen = np.array([True, False, True, True, False])
    expected = [[s - gamma * m for s, m in zip(row, is_seen, strict=True)] for row in scores]
    given_scores = backend.asarray(scores)
    for mask in (is_seen, backend.asarray(is_seen)):
        found = CalibratedStacking(gamma).transform(given_scores, mask)
        assert backend.to_numpy(found).dtype == scores.dtype
        backend.assert_allclose(found, expected, rtol=1e-6)
    backend.assert_equal(given_scores, scores)


# Distances on a grid and alphas that are binary fractions: products are exact, ties are common.
SEEN = np.array([True, False, True, False, True])
GRID = st.integers(0, 40).map(lambda i: i / 8)
ALPHAS = st.integers(0, 64).map(lambda i: i / 16)
DISTANCES = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(5)), elements=GRID)


def answers(distances, is_seen, alpha):
    """Eqs. 1 and 2, an image at a time: the nearest class, at a tie of kinds the unseen one."""
    scaled = MetricRescaling(alpha).transform(distances, is_seen)
    return [min(range(len(r)), key=lambda c: (r[c], is_seen[c], c)) for r in scaled]


@pytest.mark.parametrize(("dtype", "alpha"), [("f4", 0.5), ("f8", 0), ("f8", 3.0)])
def test_distances_to_seen_classes_are_stretched(backend, dtype, alpha):
    distances = np.random.default_rng(0).gamma(2.0, size=(9, 5)).astype(dtype)
    expected = [[d * (1 + alpha * m) for d, m in zip(r, SEEN, strict=True)] for r in distances]
    given_distances = backend.asarray(distances)
    for mask in (SEEN, backend.asarray(SEEN)):
        found = MetricRescaling(alpha).transform(given_distances, mask)
        assert backend.to_numpy(found).dtype == distances.dtype
        backend.assert_allclose(found, expected, rtol=1e-6)
    backend.assert_equal(given_distances, distances)
    scores = log_distance_scores(given_distances)
    assert backend.to_numpy(scores).dtype == distances.dtype
    backend.assert_allclose(scores, -np.log(distances), rtol=1e-5)


@given(DISTANCES, ALPHAS)
def test_the_chain_of_equations_3_to_5_event_by_event(distances, alpha):
    before, after = answers(distances, SEEN, 0.0), answers(distances, SEEN, alpha)
    more = 1 + Fraction(alpha)
    for row, plainly, scaled in zip(distances, before, after, strict=True):
        seen, unseen = (min(map(Fraction, row[kind])) for kind in (SEEN, ~SEEN))
        # Eqs. 2, 3 and 4: the answer is a seen class in exactly these events.
        assert SEEN[plainly] == (seen < unseen) == (more * seen < more * unseen)
        assert SEEN[scaled] == (more * seen < unseen)
        # Eq. 5: it moves to an unseen one where the seen distance is in the half-open interval.
        assert (SEEN[plainly] and not SEEN[scaled]) == (unseen / more <= seen < unseen)


@given(st.integers(0, 10**6), st.floats(0, 20))
def test_it_is_calibrated_stacking_of_log_distances(seed, alpha):
    rng = np.random.default_rng(seed)
    distances = rng.gamma(2.0, size=(30, 5))
    rescaling = MetricRescaling(alpha)
    stacked = rescaling.stacking().transform(log_distance_scores(distances), SEEN)
    scaled = rescaling.transform(distances, SEEN)
    np.testing.assert_allclose(stacked, -np.log(scaled), atol=1e-12)
    np.testing.assert_array_equal(stacked.argmax(axis=1), scaled.argmin(axis=1))


def test_a_distance_of_zero_wins_under_every_alpha():
    distances = np.array([[0.0, 1e-3, 2.0, 3.0, 4.0]])
    scores = log_distance_scores(distances)
    assert np.isfinite(scores).all()
    for alpha in (0.0, 10.0, 1e6):
        assert answers(distances, SEEN, alpha) == [0]
        assert MetricRescaling(alpha).stacking().transform(scores, SEEN).argmax() == 0


def test_a_mask_in_another_order_of_classes(frame):
    scores = frame(np.ones((3, 2)), columns=["cat", "dog"])
    mask = frame([True, False], index=["dog", "cat"])[0]
    for method in (CalibratedStacking(), MetricRescaling()):
        with pytest.raises(ValueError, match=r"row 0 of is_seen is 'dog', where .* has 'cat'"):
            method.transform(scores, mask)
