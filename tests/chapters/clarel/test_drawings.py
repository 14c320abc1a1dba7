"""Drawings of the chapter on CLAREL's method: what is drawn is what was given."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.clarel.drawings import draw_probabilities, draw_schema, draw_shares_of_images


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_probabilities_and_marks(ax):
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=4)
    same = np.eye(4, dtype=bool)
    same[1, 3] = same[3, 1] = True
    drawn = draw_probabilities(ax, p, same=same, names=["a", "b", "c", "d"])
    np.testing.assert_array_equal(drawn.get_array(), p)
    assert drawn.norm(0.0) == 0.0
    assert drawn.norm(1.0) == 1.0
    crosses, squares = ax.get_lines()
    assert sorted(zip(*crosses.get_data(), strict=True)) == [(1, 3), (3, 1)]
    np.testing.assert_array_equal(squares.get_data(), [range(4)] * 2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "d"]
    assert not len(draw_probabilities(ax, p, same=same).axes.get_yticks())


def test_schema_names_both_branches_and_all_losses(ax):
    D = np.random.default_rng(1).random((5, 5))
    draw_schema(
        ax,
        image=["photo", "features", "head"],
        text=["words", "mean", "layer"],
        space="64",
        classes=7,
        distances=D,
    )
    texts = " ".join(text.get_text() for text in ax.texts)
    for part in ("photo", "features", "head", "words", "mean", "layer", "$z_v$\n64", "$z_t$\n64"):
        assert part in texts
    for loss in ("$J_{TR}$", "$J_{IR}$", "$J_{TC}$", "$J_{IC}$"):
        assert texts.count(loss) == 1
    assert texts.count("softmax over 7 classes") == 2
    (matrix,) = ax.child_axes
    np.testing.assert_array_equal(matrix.images[0].get_array(), -D)
    # Nothing lies outside of what is shown.
    ax.figure.canvas.draw()
    for text in ax.texts:
        box = text.get_window_extent().transformed(ax.transData.inverted())
        assert box.y0 >= ax.get_ylim()[0] - 1
        assert box.y1 <= ax.get_ylim()[1] + 1


def test_images_are_drawn_end_to_end_and_counted():
    (ax,) = draw_shares_of_images({"a": (4700, 1175, 2946), "b": (10, 2, 3)}).axes
    first = [bar for bar in ax.patches if bar.get_y() < 0.5]
    assert [(bar.get_x(), bar.get_width()) for bar in first] == [
        (0, 4700), (4700, 1175), (5875, 2946)
    ]  # fmt: skip
    told = [text.get_text() for text in ax.texts if text.get_text()]
    assert told == ["4,700", "1,175", "2,946"]
