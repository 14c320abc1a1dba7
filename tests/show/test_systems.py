"""Names of systems stand beside their points, one beside the other."""

from zslib.show.systems import draw_against


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
    fig = draw_against(
        {"cub": points}, dict.fromkeys(points, "p"), xlabel="x", ylabel="y", same=True
    )
    (line,) = [line for line in fig.axes[0].get_lines() if line.get_color() == "gray"]
    assert line.get_xydata().tolist() == [[30.0, 30.0], [55.0, 55.0]]
