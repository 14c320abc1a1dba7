"""Drawings of the chapters on DARK: systems agree with the estimators, projections keep scores."""

from __future__ import annotations

import numpy as np
import pytest

from zslib.book.drawings.ranking import SYSTEMS, draw_ranking, expected_weights, ranking_projection
from zslib.compatibility import ALE, SJE, DeViSE
from zslib.compatibility.ranking.dark_objective import assess


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 7)), rng.integers(7, size=30)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("DeViSE", DeViSE()),
        ("DeViSE, one drawn", DeViSE(first_violating=True)),
        ("ALE", ALE()),
        ("SJE", SJE()),
    ],
)
def test_weights_are_those_of_the_estimator(rows, name, model):
    scores, own = rows
    _, residuals, weights = SYSTEMS[name].assess(scores, own, np.random.default_rng(1))
    expected = model._weigh(residuals, own, np.random.default_rng(1))
    np.testing.assert_array_equal(weights, expected)


@pytest.mark.parametrize(("name", "soft"), [("DARK", True), ("DARK-L", True), ("DARK-H", False)])
def test_margins_and_weights_of_dark(rows, name, soft):
    scores, own = rows
    margins, _, weights = SYSTEMS[name].assess(scores, own)
    view = assess(scores, own, margin=0.5, soft=soft)
    np.testing.assert_allclose(margins, view.margins)
    np.testing.assert_allclose(weights, view.weights)


def test_only_the_own_label_never_weighs(rows):
    scores, own = rows
    for system in SYSTEMS.values():
        margins, residuals, weights = system.assess(scores, own, np.random.default_rng(2))
        assert margins.shape == (30, 1)
        assert np.all(weights[np.arange(30), own] == 0)
        if not system.weight.startswith("$1 / (1"):
            assert np.all(weights[residuals <= 0] == 0)


@pytest.mark.parametrize(
    ("name", "each"),
    [("DeViSE", 1), ("DeViSE, one drawn", 1 / 2), ("ALE", 3 / 4), ("LatEm", 1 / 4)],
)
def test_on_average_all_violating_labels_weigh_alike(name, each):
    residuals = np.array([0.0, 0.3, 2.0, -0.1, -1.0])
    weights = expected_weights(SYSTEMS[name], residuals, 0, n_draws=20_000)
    np.testing.assert_allclose(weights, [0, each, each, 0, 0], atol=0.02)


def test_the_projection_keeps_scores_and_drops_no_more_than_it_must():
    rng = np.random.default_rng(3)
    points, direction = rng.normal(size=(40, 6)), rng.normal(size=6)
    places = ranking_projection(points, direction)
    np.testing.assert_allclose(places[:, 0], points @ direction)
    unit = direction / np.linalg.norm(direction)
    rest = points - np.outer(points @ unit, unit)
    largest = np.linalg.eigvalsh(np.cov(rest.T))[-1]
    np.testing.assert_allclose(places[:, 1].var(ddof=1), largest)


def test_a_drawing_names_what_it_is_told_to_name():
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    places, weights = np.arange(8.0).reshape(4, 2), np.array([0.0, 0.2, 1.0, 0.0])
    crowd = {0: np.zeros((3, 2)), 2: np.ones((2, 2))}
    draw_ranking(ax, places, 0, 0.5, weights, {0: "cat", 2: "dog"}, crowd=crowd)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["cat", "dog", "score of the own one", "less the margin"]
    lines = [line.get_xdata()[0] for line in ax.get_lines()]
    assert lines == [0.0, -0.5]
    plt.close(fig)
