"""Drawings of the chapters on DARK: projections keep scores, legends name what is named."""

from __future__ import annotations

import numpy as np

from chapters.dark.drawings import draw_changes, draw_ranking, ranking_projection


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
    assert texts == ["cat", "dog", "own score", "less the margin"]
    lines = [line.get_xdata()[0] for line in ax.get_lines()]
    assert lines == [0.0, -0.5]
    plt.close(fig)


def test_changes_are_drawn_from_small_spans_to_large():
    import matplotlib.pyplot as plt

    found = {"ten": 30.0, "one": 3.0, "two": 6.0}
    rows = [
        {"moment": moment, "span": span, "what": what, "value": value * share}
        for moment, share in (("start", 1.0), ("end", 0.1))
        for span, value in found.items()
        for what in ("U", "weights")
    ]
    fig = draw_changes(rows)
    start, end = fig.axes
    assert [label.get_text() for label in start.get_xticklabels()] == ["one", "two", "ten"]
    assert [ax.get_title() for ax in (start, end)] == ["start", "end"]
    np.testing.assert_allclose(end.get_lines()[1].get_ydata(), [0.3, 0.6, 3.0])
    plt.close(fig)
