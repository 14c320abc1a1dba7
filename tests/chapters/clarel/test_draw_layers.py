"""The drawing of layers: a bar, a shape and a label for each, colours by kind, gaps by branch."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from chapters.clarel.draw_layers import LayerBar, draw_layers


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_every_layer_is_drawn(ax):
    bars = [
        LayerBar("embedding", "table", (4, 7, 3), "text"),
        LayerBar("block", "convolution", (4, 7, 5), "text"),
        LayerBar("mean", "pooling", (4, 5), "text"),
        LayerBar("linear", "linear", (4, 2000), "image"),
    ]
    draw_layers(ax, bars, shortcuts=[(0, 2)])
    drawn = sorted(ax.patches, key=lambda bar: bar.get_y())
    assert [bar.get_width() for bar in drawn] == [3, 5, 5, 2000]
    np.testing.assert_allclose(np.diff([bar.get_y() for bar in drawn]), [1, 1, 2])
    assert len({bar.get_facecolor() for bar in drawn}) == 4
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["4 × 7 × 3", "4 × 7 × 5", "4 × 5", "4 × 2,000", ""]
    assert [label.get_text() for label in ax.get_yticklabels()] == [bar.label for bar in bars]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["table", "convolution", "pooling", "linear"]
    assert ax.get_xlim()[1] > 2000
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first layer is on top"


def test_layers_of_one_kind_share_colour_and_name(ax):
    bars = [LayerBar(f"conv {k}", "convolution", (1, 2), "text") for k in range(3)]
    draw_layers(ax, bars)
    assert len({bar.get_facecolor() for bar in ax.patches}) == 1
    assert len(ax.get_legend().get_texts()) == 1
