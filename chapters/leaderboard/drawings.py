"""Ranks of systems with what tells them apart, and shares that factors explain."""

import numpy as np

from zslib.show.figures import COLORS, ONE_PANEL, look


def draw_shares(shares):
    """One bar a factor; ``shares`` are rows of ``explained``, largest first."""
    from matplotlib import pyplot

    shares = sorted(shares, key=lambda row: -row["value"].mean)
    values, names = [row["value"] for row in shares], [row["method"] for row in shares]
    means = [value.mean for value in values]
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.7 + 0.3 * len(names)))
    ax.barh(names, means, color=COLORS[0], height=0.6)
    for place, value in enumerate(values):
        ax.plot([value.low, value.high], [place, place], color="0.3", lw=1.2)
        end = np.nanmax([value.mean, value.high])
        ax.annotate(f" {value.mean:.2f}", (end, place), va="center")
    ax.set(xlabel="share of the variance of H")
    ax.set_xlim(0, max(0.1, 1.15 * np.nanmax([[v.mean, v.high] for v in values])))
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(False, axis="y")
    return fig


def draw_ranks(ranks, groups):
    """Mean ranks with their intervals, best first.

    ``ranks`` are rows of `chapters.leaderboard.ranks.mean_ranks`; ``groups`` has the group of each
    method, which is its colour and marker.
    """
    from matplotlib import pyplot

    kinds = list(dict.fromkeys(groups.values()))
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.9 + 0.22 * len(ranks)))
    for place, row in enumerate(ranks):
        value, group = row["value"], groups[row["method"]]
        style = look(group, kinds)
        ax.plot([value.low, value.high], [place, place], color=style["color"], lw=1.2)
        ax.plot(value.mean, place, ms=5, label=group, **(style | {"linestyle": ""}))
    ax.set_yticks(range(len(ranks)), [row["method"] for row in ranks])
    ax.set(xlabel="mean rank over data sets", ylim=(len(ranks) - 0.4, -0.6))
    ax.set_xlim(0.5, len(ranks) + 0.5)
    legend = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    layout = {"ncols": min(2, len(legend)), "fontsize": "small"}
    fig.legend(legend.values(), legend, loc="outside upper center", **layout)
    return fig
