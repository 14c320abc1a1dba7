"""Ranks are drawn best first, shares largest first."""

import pytest

from chapters.leaderboard.drawings import draw_ranks, draw_shares
from zslib.protocols.intervals import Estimate
from zslib.show.figures import look

RANKS = [{"method": m, "value": Estimate(v, v - 1, v + 1, 1)} for m, v in (("b", 2.5), ("a", 1.5))]


def test_ranks_are_drawn_best_first():
    (ax,) = draw_ranks(RANKS, 0.7).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert (band.x0, band.x1) == (pytest.approx(1.5), pytest.approx(2.2))


def test_ranks_have_the_colors_of_their_groups():
    fig = draw_ranks(RANKS, 0.7, {"a": "metric", "b": "generator"})
    (legend,) = fig.legends
    told = [text.get_text() for text in legend.get_texts()]
    assert told == ["metric", "generator", "not told apart from the first"]
    marks = [line for line in fig.axes[0].get_lines() if line.get_marker() not in ("None", "")]
    assert [mark.get_color() for mark in marks] == [
        look(kind)["color"] for kind in ("metric", "generator")
    ]


def test_shares_are_drawn_largest_first():
    rows = [{"method": "year", "value": 0.1}, {"method": "calibration", "value": 0.5}]
    (ax,) = draw_shares(rows).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["calibration", "year"]
    assert [bar.get_width() for bar in ax.patches] == [0.5, 0.1]
