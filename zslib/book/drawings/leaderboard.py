"""Ranks of systems with what tells them apart, and systems as named points."""

from __future__ import annotations

import numpy as np

from zslib.book.figures import COLORS, MARKERS

__all__ = ["draw_against", "draw_ranks"]


def draw_ranks(ranks, difference):
    """Mean ranks with their intervals, best first; the band reaches ``difference`` from the best.

    ``ranks`` are rows of `zslib.protocols.attributes.leaderboard.mean_ranks`.
    """
    from matplotlib import pyplot

    found = {row["method"]: row["value"] for row in ranks}
    names = sorted(found, key=lambda name: found[name].mean)
    fig, ax = pyplot.subplots(figsize=(7.0, 0.9 + 0.22 * len(names)))
    best = found[names[0]].mean
    ax.axvspan(best, best + difference, color="0.92", label="not told apart from the first")
    for place, name in enumerate(names):
        value = found[name]
        low, high = (np.clip(end, 1, len(names)) for end in (value.low, value.high))
        ax.plot([low, high], [place, place], color=COLORS[0], lw=1.2)
        ax.plot(value.mean, place, "o", color=COLORS[0], ms=5)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="mean rank over data sets", ylim=(len(names) - 0.4, -0.6))
    ax.set_xlim(0.5, len(names) + 0.5)
    fig.legend(loc="outside upper center", fontsize="small")
    return fig


def draw_against(panels, groups, *, xlabel, ylabel, xscale="linear"):
    """Systems as points with their names: ``panels`` is ``{title: {name: (x, y)}}``.

    ``groups`` has the group of each name, which is its color and marker.
    """
    from matplotlib import pyplot

    rows = -(-len(panels) // 2)
    across = min(2, len(panels))
    fig, axes = pyplot.subplots(rows, across, figsize=(7.6, 3.4 * rows), squeeze=False)
    kinds = list(dict.fromkeys(groups.values()))
    legend = {}
    for ax, (title, points) in zip(axes.flat, panels.items(), strict=False):
        for name, place in points.items():
            turn = kinds.index(groups[name])
            look = {"color": COLORS[turn % len(COLORS)], "marker": MARKERS[turn % len(MARKERS)]}
            (drawn,) = ax.plot(*place, ls="", ms=5, **look)
            legend.setdefault(groups[name], drawn)
            ax.annotate(name, place, xytext=(3, 3), textcoords="offset points", fontsize=6)
        ax.set(title=title, xlabel=xlabel, xscale=xscale)
        ax.set_ylabel(ylabel if ax.get_subplotspec().is_first_col() else "")
    for ax in axes.flat[len(panels) :]:
        ax.remove()
    how = {"ncols": min(4, len(legend)), "fontsize": "small"}
    fig.legend(legend.values(), legend, loc="outside upper center", **how)
    return fig
