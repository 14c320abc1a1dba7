"""Shares of a variance that factors explain."""

import numpy as np

from zslib.show.figures import COLORS, ONE_PANEL


def draw_shares(shares):
    """One bar a factor; ``shares`` are rows of ``explained``, largest first."""
    from matplotlib import pyplot

    shares = sorted(shares, key=lambda row: -row["value"].mean)
    values, names = [row["value"] for row in shares], [row["method"] for row in shares]
    ends = [np.nanmax([value.mean, value.high]) for value in values]
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.7 + 0.3 * len(names)))
    ax.barh(names, [value.mean for value in values], color=COLORS[0], height=0.6)
    for place, (value, end) in enumerate(zip(values, ends, strict=True)):
        ax.plot([value.low, value.high], [place, place], color="0.3", lw=1.2)
        ax.annotate(f" {value.mean:.2f}", (end, place), va="center")
    ax.set(xlabel="share of the variance of H", ylim=(len(names) - 0.5, -0.5))
    ax.set_xlim(0, max(0.1, 1.15 * max(ends)))
    ax.grid(False, axis="y")
    return fig
