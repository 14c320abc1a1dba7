"""Drawings of the chapters on DARK: projections keep scores."""

import numpy as np

from chapters.dark.drawings import ranking_projection


def test_the_projection_keeps_scores_and_drops_no_more_than_it_must():
    rng = np.random.default_rng(3)
    points, direction = rng.normal(size=(40, 6)), rng.normal(size=6)
    places = ranking_projection(points, direction)
    np.testing.assert_allclose(places[:, 0], points @ direction)
    unit = direction / np.linalg.norm(direction)
    rest = points - np.outer(points @ unit, unit)
    largest = np.linalg.eigvalsh(np.cov(rest.T))[-1]
    np.testing.assert_allclose(places[:, 1].var(ddof=1), largest)
