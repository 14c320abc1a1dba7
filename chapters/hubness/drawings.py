"""What the chapters on Hubness and Pollution draw: hubs, shrunken columns, an intruder."""

from itertools import product

import numpy as np
from matplotlib import pyplot

from zslib.arrays import unit_rows
from zslib.show.figures import COLORS, look
from zslib.show.layout import axes_grid, labelled, legend_above

_MOST_QUERIES = 1500


def draw_occurrences(panels, k=20, printed=None):
    """How many elements occur in how many lists of ``k``, in the first of the outcomes.

    ``panels`` is ``{title: {method: outcomes}}``; of a cross-fitted outcome, its first fold.
    ``printed`` has the paper's largest of a method, drawn as a line in its color.
    """
    fig, axes = axes_grid(len(panels), len(panels), 7.2, 3.3)
    for ax, (title, outcomes) in zip(axes, panels.items(), strict=True):
        for method, (first, *_) in outcomes.items():
            counts = first.parts[0].counts
            values, elements = np.unique(counts[counts > 0], return_counts=True)
            style = look(method, list(outcomes)) | {"linestyle": "none"}
            ax.plot(values, elements, markersize=4, alpha=0.75, label=method, **style)
        for method, largest in (printed or {}).items():
            style = {"color": look(method)["color"], "ls": "--", "lw": 1.2}
            ax.axvline(largest, label=f"largest {method} hub, paper", **style)
        ax.set(title=title, xlabel=f"lists of {k} with the element, $N_{{{k}}}$", yscale="log")
    axes[0].set_ylabel("elements of the space")
    legend_above(fig, labelled(axes[0]))
    return fig


def draw_pollution(panels):
    """Queries and targets in a plane, and the queries' largest cosine with either kind of target.

    ``panels`` is ``{title: Outcome}``. The plane is that of the targets of the first one: from the
    others' mean to the mean of those trained on, and where they vary most at right angles to that.
    Below, a query right of the diagonal is polluted. A diamond is the queries' mean, a hollow
    one that of another panel.
    """
    fig, (above, below) = pyplot.subplots(
        2, len(panels), figsize=(7.2, 6.6), squeeze=False, sharex="row", sharey="row"
    )
    plane, centres = None, []
    small = {"ms": 3, "mew": 0.7, "mfc": "none", "alpha": 0.35, "linestyle": "none"}
    for top, ax, (title, outcome) in zip(above, below, panels.items(), strict=True):
        unit = unit_rows(outcome.problem.targets[outcome.rows])
        trained = outcome.problem.is_training_target[outcome.rows]
        plane = _plane(unit, trained) if plane is None else plane
        cosines = outcome.directions @ unit.T
        seen, new = (cosines[:, part].max(axis=1) for part in (trained, ~trained))
        places = outcome.directions @ plane
        centres.append((places.mean(axis=0), (seen.mean(), new.mean())))
        some = np.linspace(0, len(seen) - 1, min(_MOST_QUERIES, len(seen))).astype(int)
        for name, targets, queries, label in (
            ("seen", trained, seen > new, "training label"),
            ("unseen", ~trained, seen <= new, "other label"),
        ):
            style, rows = look(name), some[queries[some]]
            dots = {"color": style["color"], "ms": 4, "alpha": 0.7, "zorder": 3}
            # As pixels: there are thousands of them.
            top.plot(*(unit[targets] @ plane).T, label=label, rasterized=True, **style | small)
            top.plot(*places[rows].T, ".", label=f"image: {label} first", **dots)
            ax.plot(seen[rows], new[rows], ".", **dots)
        ax.axline((new[0], new[0]), slope=1, color="gray", lw=0.8)
        share = 100 * np.mean(seen > new)
        top.set(title=f"{title}: {share:.0f}% polluted", xlabel="towards the mean training label")
        ax.set(xlabel="cosine with nearest training label")
    for row, places in zip((above, below), zip(*centres, strict=True), strict=True):
        for (i, ax), (j, place) in product(enumerate(row), enumerate(places)):
            style = {"mfc": "black", "ms": 6} if i == j else {"mfc": "none", "ms": 11}
            label = "mean of the images" if i == j else "mean in the other panel"
            ax.plot(*place, "D", mec="black", label=label, zorder=4, **style)
    above[0].set_ylabel("where labels vary most")
    below[0].set_ylabel("cosine with nearest other label")
    for handle in legend_above(fig, labelled(above[0]), 3).legend_handles:
        handle.set_markersize(8)
    return fig


def _plane(unit, trained):
    """Orthonormal (d, 2): towards the mean of ``trained``, and where the rest varies most."""
    along = unit[trained].mean(axis=0) - unit[~trained].mean(axis=0)
    along /= np.linalg.norm(along)
    rest = unit - unit.mean(axis=0)
    rest -= np.outer(rest @ along, along)
    return np.stack([along, np.linalg.svd(rest, full_matrices=False)[2][0]], axis=1)


def draw_columns(panels):
    """Variance of columns after mapping against gold: {title: {penalty: (gold, mapped)}}."""
    fig, axes = axes_grid(len(panels), len(panels), 7.2, 3.3)
    for ax, (title, columns) in zip(axes, panels.items(), strict=True):
        for penalty, color, mark in zip(columns, COLORS, "os^", strict=False):
            gold, mapped = columns[penalty]
            label = f"penalty {penalty:g}" if penalty else "least squares"
            ax.plot(gold, mapped, mark, color=color, markersize=3, alpha=0.6, label=label)
        ends = [0.8 * gold.min(), 1.2 * gold.max()]
        ax.plot(ends, ends, color="gray", lw=0.8, label="equality")
        ax.set(title=title, xlabel="gold variance of a column", xscale="log", yscale="log")
    axes[0].set_ylabel("variance after mapping")
    legend_above(fig, labelled(axes[0]))
    return fig


def draw_intruder(vectors):
    """Arrows of ``{name: vector}`` in the plane that holds most of them, names side by side."""
    fig, ax = pyplot.subplots(figsize=(7.2, 3.3))
    stacked = np.stack(list(vectors.values()))
    plane = np.linalg.svd(stacked, full_matrices=False)[2][:2]
    ends = stacked @ plane.T
    reach = np.abs(ends).max()
    for right in (True, False):
        # Names stand in two columns, in the order of their arrows, at least a line apart.
        last = -np.inf
        for y, i in sorted((y, i) for i, (x, y) in enumerate(ends) if (x >= 0) == right):
            last = max(y, last + 0.16 * reach)
            color, x = COLORS[i], 1.15 * reach * (1 if right else -1)
            arrow = {"arrowstyle": "->", "color": color, "lw": 1.8}
            ax.annotate("", ends[i], (0, 0), arrowprops=arrow)
            ax.plot([ends[i][0], x], [y, last], color=color, lw=0.6, ls=":")
            style = {"color": color, "ha": "left" if right else "right", "va": "center"}
            ax.text(x, last, f" {list(vectors)[i]} ", **style)
    width = 2.8 * reach
    low, high = min(0, ends[:, 1].min()) - 0.2 * reach, max(0, ends[:, 1].max()) + 0.4 * reach
    ax.set(xlim=(-width, width), ylim=(low, high), aspect="equal")  # angles are compared
    fig.set_figheight(0.8 + 3.2 * (high - low) / width)
    ax.set(xlabel="first shared direction", ylabel="second shared direction")
    return fig
