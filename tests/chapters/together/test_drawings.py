"""Systems plain and centred."""

from chapters.together.drawings import draw_before_after


def test_each_system_has_two_dots_and_a_line():
    panels = {
        ("accuracy", "cub"): {"A": (1.0, 2.0), "B": (3.0, 2.5)},
        ("hub", "cub"): {"B": (7.0, 5.0)},
    }
    fig = draw_before_after(panels)
    first, second = fig.axes
    assert [list(line.get_xdata()) for line in first.lines[:3]] == [[1.0, 2.0], [1.0], [2.0]]
    assert len(second.lines) == 3
    assert list(second.lines[0].get_ydata()) == [1, 1]
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["plain", "centred"]
