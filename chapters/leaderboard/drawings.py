"""Ranks of systems with what tells them apart, and shares that factors explain."""

import numpy as np

from zslib.show.figures import COLORS, ONE_PANEL, look


def draw_shares(shares):
    """One bar a factor; ``shares`` are rows of ``explained``, largest first."""
    from matplotlib import pyplot

    pairs = sorted(((row["value"], row["method"]) for row in shares), reverse=True)
    values, names = zip(*pairs, strict=True)
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.7 + 0.3 * len(names)))
    bars = ax.barh(names, values, color=COLORS[0], height=0.6)
    ax.bar_label(bars, fmt="%.2f", padding=3)
    ax.set(xlabel="share of the variance of H", xlim=(0, max(0.1, 1.15 * max(values))))
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(False, axis="y")
    return fig


def draw_ranks(ranks, difference, groups=None):
    """Mean ranks with their intervals, best first; the band reaches ``difference`` from the best.

    ``ranks`` are rows of `chapters.leaderboard.ranks.mean_ranks`; ``groups`` has the
    group of each method, which is its color and marker.
    """
    from matplotlib import pyplot

    values = {row["method"]: row["value"] for row in ranks}
    names = sorted(values, key=lambda name: values[name].mean)
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.9 + 0.22 * len(names)))
    best = values[names[0]].mean
    ax.axvspan(best, best + difference, color="0.92", label="not told apart from the first")
    kinds = list(dict.fromkeys((groups or {}).values()))
    for place, name in enumerate(names):
        value = values[name]
        low, high = (np.clip(end, 1, len(names)) for end in (value.low, value.high))
        style = look(groups[name], kinds) if groups else {"color": COLORS[0], "marker": "o"}
        ax.plot([low, high], [place, place], color=style["color"], lw=1.2)
        label = groups[name] if groups else None
        ax.plot(value.mean, place, ms=5, label=label, **(style | {"linestyle": ""}))
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="mean rank over data sets", ylim=(len(names) - 0.4, -0.6))
    ax.set_xlim(0.5, len(names) + 0.5)
    handles, labels = ax.get_legend_handles_labels()
    legend = dict(zip(labels, handles, strict=True))
    legend = {kind: legend[kind] for kind in [*kinds, labels[0]]}
    layout = {"ncols": min(2, len(legend)), "fontsize": "small"}
    fig.legend(legend.values(), legend, loc="outside upper center", **layout)
    return fig
