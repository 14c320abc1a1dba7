"""Systems as named points."""

from collections import Counter

import numpy as np

from zslib.show.figures import IN_COLOR, ONE_PANEL, OTHERS, look
from zslib.show.layout import annotate, axes_grid, labelled, legend_above


def draw_against(panels, groups, *, xlabel, ylabel, xscale="linear", same=False):
    """Systems as points with their names: ``panels`` is ``{title: {name: (x, y)}}``.

    ``groups`` has the group of each name, which is its color and marker; of many groups the five
    with most names. With ``same`` a line stands where both numbers are equal.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    columns = min(2, len(panels))
    fig, axes = axes_grid(len(panels), columns, 7.6, 3.9 if columns > 1 else 5.2)
    kinds = [kind for kind, _ in Counter(groups.values()).most_common(IN_COLOR)]
    for ax, (title, points) in zip(axes, panels.items(), strict=True):
        for name, place in points.items():
            kind = groups[name] if groups[name] in kinds else "others"
            style = OTHERS if kind == "others" else look(kind, kinds)
            ax.plot(*place, ms=5, label=kind, **style | {"linestyle": ""})
        ax.set(title=title, xlabel=xlabel, xscale=xscale)
        across = [x for x, _ in points.values()]
        if xscale == "log" and points and min(across) > 0 and max(across) < 30 * min(across):
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7), numticks=20))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(NullFormatter())
        if same and points:
            ends = min(map(min, points.values())), max(map(max, points.values()))
            ax.plot(ends, ends, color="gray", lw=0.8, zorder=0)
        ax.set_ylabel(ylabel if ax.get_subplotspec().is_first_col() else "")
    legend_above(fig, labelled(*axes), 4)
    fig.canvas.draw()  # places are known from here on
    for ax, points in zip(axes, panels.values(), strict=True):
        name_points(ax, points)
    return fig


def draw_estimates(values, groups, *, xlabel, line=None):
    """Systems as dots with their intervals, one below the other in the order of ``values``.

    Parameters
    ----------
    values : dict of str to Estimate
    groups : dict of str to str
        The group of each name, whose `look` it has.
    xlabel : str
    line : (str, float), optional
        A number that all are held against, such as chance, and its name.
    """
    from matplotlib import pyplot

    names = list(values)
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 1.1 + 0.19 * len(names)))
    kinds = list(dict.fromkeys(groups[name] for name in names))
    for place, name in enumerate(names):
        value, style = values[name], look(groups[name], kinds) | {"linestyle": ""}
        ax.plot([value.low, value.high], [place, place], color=style["color"], lw=1.2)
        ax.plot(value.mean, place, ms=5, label=groups[name], **style)
        end = value.mean if np.isnan(value.high) else value.high
        annotate(ax, f"{value.mean:.1f}", (end, place), (4, 0), va="center", fontsize=7)
    if line is not None:
        ax.axvline(line[1], color="gray", lw=1, ls="--")
        annotate(ax, line[0], (line[1], len(names) - 0.2), (3, 0), color="0.3", fontsize=7)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.set(xlabel=xlabel, ylim=(len(names) + 0.2, -0.6))
    ax.margins(x=0.08)
    ax.grid(False, axis="y")
    legend_above(fig, labelled(ax), 2)
    return fig


def name_points(ax, points, size=6):
    """A name next to each point, where it covers the least; in a crowd, none."""
    unit = ax.figure.dpi / 72
    marks = ax.transData.transform(list(points.values())) / unit
    left, right = (end / unit for end in ax.bbox.intervalx)
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in marks]
    taken += [(left - 999, -9999, left, 9999), (right, -9999, right + 999, 9999)]
    for (name, place), (x, y) in zip(points.items(), marks, strict=True):
        wide = 0.55 * size * len(name)
        free = []
        for dy in (0, size, -size, 2 * size, -2 * size):
            for dx in (4, -4 - wide):
                box = x + dx, y + dy - size / 2, x + dx + wide, y + dy + size / 2
                free.append((sum(_cover(box, other) for other in taken), len(free), dx, dy, box))
        covered, _, dx, dy, box = min(free)
        if covered > size * size / 6:
            continue
        taken.append(box)
        shift, side = ((4, dy), "left") if dx > 0 else ((-4, dy), "right")
        annotate(ax, name, place, shift, ha=side, va="center", fontsize=size)


def _cover(a, b):
    """The area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, wide) * max(0.0, high)
