"""A network as a figure: one bar for each layer, as wide as what it hands on."""

from itertools import chain, pairwise, repeat

import numpy as np

from zslib.show.figures import COLORS, IN_COLOR, OTHERS


def draw_layers(ax, bars, shortcuts=()):
    """Draw layers from top to bottom, with the shapes of their outputs.

    Parameters
    ----------
    ax : matplotlib Axes
    bars : list of (name, kind, shape, branch)
        Of each layer its label; what its colour and the legend say; the shape of its output for
        one batch, the last number of which is the bar's width; and the branch of the network it
        is in: a gap parts one from the next.
    shortcuts : list of (int, int)
        Numbers of the layers where each begins and ends.
    """
    names, kinds, shapes, branches = zip(*bars, strict=True)
    widths = np.array([shape[-1] for shape in shapes])
    gaps = [one != other for one, other in pairwise(branches)]
    places = np.arange(len(bars)) + np.cumsum([0, *gaps])
    colours = chain(COLORS[:IN_COLOR], repeat(OTHERS["color"]))
    for kind, colour in zip(dict.fromkeys(kinds), colours, strict=False):
        rows = [i for i, other in enumerate(kinds) if other == kind]
        drawn = ax.barh(places[rows], widths[rows], height=0.7, color=colour, label=kind)
        sizes = [" × ".join(f"{size:,}" for size in shapes[i]) for i in rows]
        ax.bar_label(drawn, sizes, padding=4, fontsize=8)
    at, head = 0.56 * widths.max(), 0.02 * widths.max()
    arrow = {"arrowstyle": "-|>", "color": "0.3", "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
    for start, end in shortcuts:
        top, bottom = places[start] + 0.15, places[end] - 0.15
        ax.plot([at - head, at, at], [top, top, bottom], color="0.3", lw=1.0)
        ax.annotate("", (at - 1.25 * head, bottom), (at + 0.1 * head, bottom), arrowprops=arrow)
    ax.set_yticks(places, names)
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1.3 * widths.max()), ylim=(places[-1] + 0.6, -0.6))
    ax.set_xlabel("numbers per position, or per vector")
    ax.grid(False, axis="y")
    ax.legend(loc="upper right", fontsize=8)
