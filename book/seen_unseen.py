"""Accuracies on unseen against seen classes: curves of many systems, and single points."""

import numpy as np

from zslib.show.figures import look
from zslib.show.layout import annotate, axes_grid, labelled, legend_above
from zslib.show.systems import name_points

# What the book's forests call the gammas that are marked here.
_GAMMAS = {"γ = 0": "none", "γ fixed": "fixed", "γ chosen": "chosen"}


def draw_seen_unseen(panels, *, columns=4, behind=False):
    """Accuracy on unseen against seen classes over all gamma, one small plot for each system."""
    from matplotlib import pyplot

    rows = -(-len(panels) // columns)
    fig, axes = pyplot.subplots(
        rows, columns, figsize=(7.6, 1.9 * rows + 0.5), sharex=True, sharey=True, squeeze=False
    )
    curves = [curve for lines in panels.values() for curve, _ in lines.values()]
    crowd = [_few_points(curve, 30) for curve in curves] if behind else []
    labels = list(dict.fromkeys(label for lines in panels.values() for label in lines))
    marks = {}
    for ax, (title, lines) in zip(axes.flat, panels.items(), strict=False):
        for path in crowd:
            ax.plot(*path, "0.85", lw=0.8)
        for label, (curve, points) in lines.items():
            style = look(label, labels)
            color, line = style["color"], style["linestyle"] if len(lines) > 1 else "-"
            named = {"label": label} if len(lines) > 1 else {}
            ax.plot(*_few_points(curve, 200), color=color, ls=line, lw=1.5, **named)
            for name, gamma in points.items():
                marker = look(_GAMMAS.get(name, name), list(points))["marker"]
                place = 100 * np.array(curve.at(gamma))
                ax.plot(*place, marker, color=color, ms=6, mec="white")
                mark = pyplot.Line2D([], [], ls="", marker=marker, color="0.3", label=name)
                marks.setdefault(name, mark)
        ax.set_title(title)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()  # and not removed: the others keep their size
    axes[0, 0].set(xlim=(0, None), ylim=(0, None))
    fig.supxlabel("accuracy on seen classes, %", fontsize="medium")
    fig.supylabel("accuracy on unseen classes, %", fontsize="medium")
    legend_above(fig, labelled(*axes.flat) | marks)
    return fig


def draw_balance(rows):
    """A point for each system, one plot for each data set, with curves of equal H.

    ``rows`` have the metrics "seen" and "unseen", in percent; who lacks one is left out. Each
    plot has a scale of its own.
    """
    accuracies = {}
    for row in rows:
        value = getattr(row["value"], "mean", row["value"])
        if row["metric"] in ("seen", "unseen") and not isinstance(value, str | None):
            place = accuracies.setdefault(row["dataset"], {}).setdefault(row["method"], {})
            place[row["metric"]] = value
    panels = {
        data: {name: (p["seen"], p["unseen"]) for name, p in systems.items() if len(p) == 2}
        for data, systems in accuracies.items()
    }
    fig, axes = axes_grid(len(panels), 2, 7.2, 3.1, 0.2)
    for ax, (title, points) in zip(axes, panels.items(), strict=True):
        places = np.array(list(points.values()) or [(0, 0), (100, 100)])
        around = 2 + 0.2 * np.ptp(places, axis=0)  # room for names
        corners = places.min(axis=0) - around, places.max(axis=0) + around
        (left, bottom), (right, top) = np.clip(corners, 0.1, 100)
        ax.set(title=title, xlim=(left, right), ylim=(bottom, top))
        ax.grid(False)
        seen, unseen = np.meshgrid(*np.linspace((left, bottom), (right, top), 200).T)
        levels = np.arange(step := 2 if top - bottom < 30 else 5, 100, step)
        drawn = ax.contour(
            seen, unseen, 2 * seen * unseen / (seen + unseen), levels=levels, colors="0.8"
        )
        drawn.set_linewidth(0.7)
        for h in levels[levels < 2 * right]:  # its name where the curve ends
            end = right, h * right / (2 * right - h)
            if bottom < end[1] < top:
                annotate(ax, f"H = {h}", end, (2, 0), va="center", color="0.4", fontsize=6)
        for name, place in points.items():
            ax.plot(*place, ms=6, **(look(name, list(points)) | {"linestyle": ""}))
    fig.supxlabel("accuracy on seen classes, %", fontsize="medium")
    fig.supylabel("accuracy on unseen classes, %", fontsize="medium")
    fig.canvas.draw()
    for ax, points in zip(axes, panels.values(), strict=True):
        name_points(ax, points, size=7)
    return fig


def _few_points(curve, n):
    """A curve in percent at ``n`` even places, more than its drawing can tell apart."""
    seen, unseen = (100 * np.asarray(side, dtype=float) for side in (curve.seen, curve.unseen))
    order = np.lexsort((-unseen, seen))
    places = np.linspace(seen.min(), seen.max(), n)
    return places, np.interp(places, seen[order], unseen[order])
