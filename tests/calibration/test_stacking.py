"""Calibrated stacking and metric rescaling; Appendix B of Oreshkin et al. event by event."""

from fractions import Fraction
from math import log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zslib.calibration import CalibratedStacking, MetricRescaling, log_distance_scores
from zslib.datasets.attributes.digits import digits_segments
from zslib.metrics import harmonic_mean, per_class_accuracy, seen_unseen_curve


@pytest.mark.parametrize(("dtype", "gamma"), [("f4", 0.2), ("f8", -1.5), ("f8", 0), ("f8", 1e6)])
def test_gamma_is_taken_off_seen_columns(backend, dtype, gamma):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(9, 5)).astype(dtype)
    is_seen = np.array([True, False, True, True, False])
    expected = [[s - gamma * m for s, m in zip(row, is_seen, strict=True)] for row in scores]
    given_scores = backend.asarray(scores)
    found = CalibratedStacking(gamma).transform(given_scores, backend.asarray(is_seen))
    assert backend.to_numpy(found).dtype == scores.dtype
    backend.assert_allclose(found, expected, rtol=1e-6)
    backend.assert_equal(given_scores, scores)
    host_mask = CalibratedStacking(gamma).transform(given_scores, is_seen)
    backend.assert_equal(host_mask, backend.to_numpy(found))


# Distances on a grid and alphas that are binary fractions: products are exact, ties are common.
SEEN = np.array([True, False, True, False, True])
GRID = st.integers(0, 40).map(lambda i: i / 8)
ALPHAS = st.integers(0, 64).map(lambda i: i / 16)
DISTANCES = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(5)), elements=GRID)


@pytest.fixture(scope="module")
def real():
    """Distances of handwritten digits to their classes' displays, and their labels."""
    problem = digits_segments()
    X = problem.features[problem.trainval].astype("f8")
    targets = problem.class_embeddings[problem.labels[problem.trainval]].astype("f8")
    W = np.linalg.solve(X.T @ X + 10.0 * np.eye(X.shape[1]), X.T @ targets)
    rows = np.concatenate([problem.test_seen, problem.test_unseen])
    mapped = problem.features[rows] @ W
    gaps = mapped[:, None, :] - problem.class_embeddings[None, :, :]
    return np.sqrt((gaps**2).sum(axis=2)), problem.labels[rows], problem.is_seen


def answers(distances, is_seen, alpha):
    """Eqs. 1 and 2, an image at a time: the nearest class, at a tie of kinds the unseen one."""
    found = []
    for row in MetricRescaling(alpha).transform(distances, is_seen):
        order = sorted(range(len(row)), key=lambda c: (row[c], is_seen[c], c))
        found.append(order[0])
    return np.array(found)


@pytest.mark.parametrize(("dtype", "alpha"), [("f4", 0.5), ("f8", 0), ("f8", 3.0)])
def test_distances_to_seen_classes_are_stretched(backend, dtype, alpha):
    distances = np.random.default_rng(0).gamma(2.0, size=(9, 5)).astype(dtype)
    expected = [[d * (1 + alpha * m) for d, m in zip(r, SEEN, strict=True)] for r in distances]
    given_distances = backend.asarray(distances)
    for mask in (SEEN, backend.asarray(SEEN)):
        found = MetricRescaling(alpha).transform(given_distances, mask)
        assert backend.to_numpy(found).dtype == distances.dtype
        backend.assert_allclose(found, expected, rtol=1e-6)
    if alpha == 0:
        backend.assert_equal(found, distances)
    backend.assert_equal(given_distances, distances)
    scores = log_distance_scores(given_distances)
    assert backend.to_numpy(scores).dtype == distances.dtype
    backend.assert_allclose(scores, -np.log(distances), rtol=1e-5)


@given(DISTANCES, ALPHAS)
def test_the_chain_of_equations_3_to_5_event_by_event(distances, alpha):
    scaled = MetricRescaling(alpha).transform(distances, SEEN)
    before, after = answers(distances, SEEN, 0.0), answers(distances, SEEN, alpha)
    more = 1 + Fraction(alpha)
    for i in range(len(distances)):
        seen, unseen = (min(map(Fraction, distances[i][kind])) for kind in (SEEN, ~SEEN))
        plain = seen < unseen
        # Eqs. 2, 3 and 4: the answer is a seen class in exactly these events.
        assert SEEN[before[i]] == plain == (more * seen < more * unseen)
        stays = more * seen < unseen
        assert SEEN[after[i]] == stays
        assert stays == (scaled[i][SEEN].min() < scaled[i][~SEEN].min())
        # The decomposition: two events that exclude each other, and together are the first.
        moves = unseen <= more * seen < more * unseen
        assert not (stays and moves)
        assert plain == (stays or moves)
        # Eq. 5: the second event is that the seen distance lies in the half-open interval.
        assert moves == (unseen / more <= seen < unseen)
        assert stays == plain - moves


@given(DISTANCES, ALPHAS, ALPHAS)
def test_a_larger_alpha_moves_images_to_unseen_classes_only(distances, alpha, more):
    before = answers(distances, SEEN, alpha)
    after = answers(distances, SEEN, alpha + more)
    moved = before != after
    assert SEEN[before[moved]].all()
    assert not SEEN[after[moved]].any()
    # For images of either kind the share of seen answers does not rise.
    assert SEEN[after].sum() <= SEEN[before].sum()


def test_a_tie_goes_to_the_unseen_class():
    distances = np.array([[1.0, 2.0, 3.0, 2.0, 1.5]])
    assert answers(distances, SEEN, 1.0) == [1]
    assert answers(distances, SEEN, 0.875) == [0]
    assert answers(np.zeros((1, 5)), SEEN, 0.0) == [1]


@given(st.integers(0, 10**6), st.floats(0, 20))
def test_it_is_calibrated_stacking_of_log_distances(seed, alpha):
    rng = np.random.default_rng(seed)
    distances = rng.gamma(2.0, size=(30, 5))
    rescaling = MetricRescaling(alpha)
    stacking = rescaling.stacking()
    assert stacking.gamma == log1p(alpha)
    stacked = stacking.transform(log_distance_scores(distances), SEEN)
    scaled = rescaling.transform(distances, SEEN)
    np.testing.assert_allclose(stacked, -np.log(scaled), atol=1e-12)
    np.testing.assert_array_equal(stacked.argmax(axis=1), scaled.argmin(axis=1))


def test_the_exact_curve_serves_rescaling(real):
    distances, labels, is_seen = real
    seen = is_seen[labels]
    scores = log_distance_scores(distances)
    curve = seen_unseen_curve(scores[seen], labels[seen], scores[~seen], labels[~seen], is_seen)
    best = np.expm1(curve.best_gamma)
    for alpha in (0.0, 0.05, 0.3, best, 4.0):
        found = answers(distances, is_seen, alpha)
        rates = [per_class_accuracy(labels[kind], found[kind]) for kind in (seen, ~seen)]
        assert curve.at(log1p(alpha)) == pytest.approx(rates)
        assert harmonic_mean(*rates) <= curve.best_harmonic_mean + 1e-12
    assert best > 0


def test_rescaling_squares_needs_another_alpha(real):
    distances, _, is_seen = real
    alpha = 0.3
    same = MetricRescaling((1 + alpha) ** 2 - 1).transform(distances**2, is_seen)
    np.testing.assert_allclose(
        np.sqrt(same), MetricRescaling(alpha).transform(distances, is_seen), rtol=1e-12
    )
    other = answers(distances**2, is_seen, alpha)
    assert (other != answers(distances, is_seen, alpha)).any()


def test_a_distance_of_zero_wins_under_every_alpha():
    distances = np.array([[0.0, 1e-3, 2.0, 3.0, 4.0]])
    scores = log_distance_scores(distances)
    assert np.isfinite(scores).all()
    for alpha in (0.0, 10.0, 1e6):
        assert answers(distances, SEEN, alpha) == [0]
        stacked = MetricRescaling(alpha).stacking().transform(scores, SEEN)
        assert stacked.argmax() == 0
    assert log_distance_scores(np.zeros((1, 2), "f4")).dtype == np.float32


def test_a_mask_in_another_order_of_classes(frame):
    scores = frame(np.ones((3, 2)), columns=["cat", "dog"])
    mask = frame([True, False], index=["dog", "cat"])[0]
    for method in (CalibratedStacking(), MetricRescaling()):
        with pytest.raises(ValueError, match=r"row 0 of is_seen is 'dog', where .* has 'cat'"):
            method.transform(scores, mask)
