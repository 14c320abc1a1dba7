"""Systems plain and centred."""

import numpy as np
from matplotlib import pyplot

from zslib.show.figures import COLORS
from zslib.show.layout import labelled, legend_above


def draw_before_after(panels):
    """A hollow dot before centring, a full one after, joined.

    ``panels`` is ``{(row, column): {name: (before, after)}}``; a row's name is what is measured.
    """
    down, across = (list(dict.fromkeys(key[i] for key in panels)) for i in (0, 1))
    names = list(dict.fromkeys(name for points in panels.values() for name in points))
    size = 2.4 + 1.9 * len(across), (0.9 + 0.2 * len(names)) * len(down) + 0.3
    fig, axes = pyplot.subplots(len(down), len(across), figsize=size, squeeze=False, sharey=True)
    for i, row in enumerate(down):
        for ax, column in zip(axes[i], across, strict=True):
            points = panels.get((row, column), {})
            before, after = np.reshape(list(points.values()), (-1, 2)).T
            places = [names.index(name) for name in points]
            ax.hlines(places, before, after, color="0.6", lw=1.2)
            ax.plot(before, places, "o", mfc="white", color=COLORS[1], ms=5, label="plain")
            ax.plot(after, places, "o", color=COLORS[0], ms=5, label="centred")
            ax.set(xlabel=row, title=column if i == 0 else "")
        axes[i, 0].set_yticks(range(len(names)), names)
    axes[0, 0].set_ylim(len(names) - 0.5, -0.5)
    legend_above(fig, labelled(axes[0, 0]))
    return fig
