"""Names of systems stand beside their points, one beside the other."""

from math import nan

import pytest

from zslib.protocols import Estimate
from zslib.show.figures import look
from zslib.show.systems import draw_against, draw_estimates


def test_names_do_not_lie_on_each_other():
    points = {f"system {i}": (1.0 + 0.001 * i, 50.0) for i in range(5)}
    fig = draw_against({"cub": points}, dict.fromkeys(points, "a"), xlabel="x", ylabel="y")
    fig.canvas.draw()
    (ax,) = fig.axes
    assert {text.get_text() for text in ax.texts} == set(points)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_line_stands_where_ours_and_theirs_are_equal():
    points = {"a": (40.0, 30.0), "b": (50.0, 55.0)}
    groups = dict.fromkeys(points, "p")
    fig = draw_against({"cub": points}, groups, xlabel="x", ylabel="y", same=True)
    (line,) = [line for line in fig.axes[0].get_lines() if line.get_color() == "gray"]
    assert line.get_xydata().tolist() == [[30.0, 30.0], [55.0, 55.0]]


def test_estimates_stand_in_their_order_with_their_ends():
    ends = {"best": (30.0, 20.0, 45.0), "other": (25.0, 24.0, 26.0), "one": (10.0, nan, nan)}
    values = {name: Estimate(*three, 1) for name, three in ends.items()}
    groups = {"best": "the pick", "other": "worse", "one": "worse"}
    fig = draw_estimates(values, groups, xlabel="x", line=("chance", 2.0))
    (ax,) = fig.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == list(values)
    assert ax.yaxis_inverted()
    lines, dots = ax.get_lines()[0:6:2], ax.get_lines()[1:6:2]
    for place, (value, line, dot) in enumerate(zip(values.values(), lines, dots, strict=True)):
        assert line.get_xdata() == pytest.approx([value.low, value.high], nan_ok=True)
        assert dot.get_xdata()[0] == value.mean
        assert [*line.get_ydata(), *dot.get_ydata()] == [place] * 3
    assert lines[0].get_color() == look("the pick")["color"] != lines[1].get_color()
    assert {text.get_text() for text in ax.texts} == {"30.0", "25.0", "10.0", "chance"}
