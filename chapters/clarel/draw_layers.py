"""A network as a figure: one bar for each layer, as wide as what it hands on."""

from __future__ import annotations

from typing import NamedTuple

from zslib.show.figures import COLORS

__all__ = ["LayerBar", "draw_layers"]


class LayerBar(NamedTuple):
    """One layer of `draw_layers`."""

    label: str
    kind: str
    """What the bar's colour and the legend say."""
    shape: tuple
    """Of the output for one batch; the last number is the bar's width."""
    part: str
    """Branch of the network; a gap parts one from the next."""


def draw_layers(ax, bars, shortcuts=()):
    """Draw layers from top to bottom, with the shapes of their outputs."""
    kinds = list(dict.fromkeys(bar.kind for bar in bars))
    colour = dict(zip(kinds, COLORS, strict=False))
    widest = max(bar.shape[-1] for bar in bars)
    places, y, part = [], 0.0, bars[0].part
    for bar in bars:
        y += 1.0 if bar.part != part else 0.0
        part = bar.part
        places.append(y)
        y += 1.0
    named = set()
    for bar, place in zip(bars, places, strict=True):
        width = bar.shape[-1]
        ax.barh(
            place,
            width,
            height=0.7,
            color=colour[bar.kind],
            label=None if bar.kind in named else bar.kind,
        )
        named.add(bar.kind)
        shape = " × ".join(f"{size:,}" for size in bar.shape)
        ax.text(width + 0.015 * widest, place, shape, va="center", fontsize=8)
    at = 0.56 * widest
    for start, end in shortcuts:
        top, bottom = places[start] + 0.15, places[end] - 0.15
        ax.plot([at - 0.02 * widest, at, at], [top, top, bottom], color="0.3", lw=1.0)
        ax.annotate(
            "",
            (at - 0.025 * widest, bottom),
            (at + 0.002 * widest, bottom),
            arrowprops={
                "arrowstyle": "-|>",
                "color": "0.3",
                "lw": 1.0,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
    ax.set_yticks(places, [bar.label for bar in bars])
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 1.3 * widest), ylim=(places[-1] + 0.6, -0.6))
    ax.set_xlabel("numbers per position, or per vector")
    ax.grid(False, axis="y")
    ax.legend(loc="upper right", fontsize=8)
