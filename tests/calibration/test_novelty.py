"""The novelty detector: a loop over neighbours, limits, copies of one image."""

import math

import numpy as np
import pytest

from zslib.calibration import OutlierProbability


def draw(n=60, q=3, seed=0):
    rng = np.random.default_rng(seed)
    centres = 3.0 * rng.standard_normal((4, q))
    codes = np.arange(n) % 4
    return centres[codes] + rng.standard_normal((n, q)), codes, centres


def spread(point, known, k, first=0):
    """Root mean square distance to the neighbours ``first`` to k, and which these are."""
    distances = np.linalg.norm(known - point, axis=1)
    nearest = np.argsort(distances)[first:k]
    return math.sqrt(np.mean(distances[nearest] ** 2)), nearest


def slow_probability(points, known, k, scale):
    # Of a training image's own neighbours the first is itself.
    own = [spread(point, known, k + 1, first=1) for point in known]
    usual = np.array([found for found, _ in own])
    lof = [found / usual[nearest].mean() - 1 for found, nearest in own]
    z = scale * math.sqrt(np.mean(np.square(lof)))
    found = []
    for point in points:
        sigma, nearest = spread(point, known, k)
        found.append(max(0.0, math.erf((sigma / usual[nearest].mean() - 1) / (z * math.sqrt(2)))))
    return np.array(found)


@pytest.mark.parametrize(("dtype", "k"), [("f4", 5), ("f8", 5), ("f8", 500)])
def test_outlier_probability_neighbour_by_neighbour(backend, dtype, k):
    """More neighbours than images are all of them."""
    known, *_ = draw()
    points = np.concatenate([draw(20, seed=1)[0], [[9.0, 9.0, 9.0]], known[:2]])
    detector = OutlierProbability(k, scale=2.0).fit(backend.asarray(known.astype(dtype)))
    found = backend.to_numpy(detector.unseen(backend.asarray(points.astype(dtype))))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, slow_probability(points, known, k, 2.0), atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-99, 99])
def test_the_unit_of_the_vectors_changes_nothing(dtype, exponent):
    """Squares of 2**99 are beyond float32."""
    points, new = (draw(n, seed=seed)[0].astype(dtype) for n, seed in ((60, 0), (20, 1)))
    unit = np.dtype(dtype).type(2.0**exponent)
    expected = OutlierProbability().fit(points).unseen(2 * new)
    scaled = OutlierProbability().fit(unit * points)
    np.testing.assert_array_equal(scaled.unseen(unit * (2 * new)), expected)
    assert 0 < expected.mean() < 1


def test_copies_of_one_image():
    known = np.repeat([[1.0, 2.0]], 30, axis=0)
    detector = OutlierProbability().fit(known)
    np.testing.assert_array_equal(detector.unseen(np.array([[1.0, 2.0], [1.5, 2.0]])), [0, 1])


def test_columns_of_points_are_in_the_order_of_fit(frame):
    points, *_ = draw()
    expected = OutlierProbability(5).fit(points).unseen(points)
    for names in (range(3), [7, 5, 9]):
        given = frame(points, columns=names)
        fitted = OutlierProbability(5).fit(given)
        np.testing.assert_array_equal(fitted.unseen(given), expected)
        with pytest.raises(ValueError, match=r"column 0 of points is '[29]', where fit has"):
            fitted.unseen(given.iloc[:, ::-1])
