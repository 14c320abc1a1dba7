"""What the chapters on Hubness and Pollution draw: hubs, shrunken columns, an intruder."""

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
    """Each query's cosine with the nearest training target, and with the nearest other target.

    ``panels`` is ``{title: Outcome}``. Right of the diagonal a query is polluted.
    """
    fig, axes = axes_grid(len(panels), len(panels), 7.2, 3.6, sharex=True, sharey=True)
    for ax, (title, outcome) in zip(axes, panels.items(), strict=True):
        trained = outcome.problem.is_training_target[outcome.rows]
        cosines = outcome.directions @ unit_rows(outcome.problem.targets[outcome.rows]).T
        seen, new = (cosines[:, part].max(axis=1) for part in (trained, ~trained))
        some = np.linspace(0, len(seen) - 1, min(_MOST_QUERIES, len(seen))).astype(int)
        for name, queries in (("seen", seen > new), ("unseen", seen <= new)):
            rows = some[queries[some]]
            label = f"{'training' if name == 'seen' else 'other'} label first"
            style = {"color": look(name)["color"], "ms": 4, "alpha": 0.7}
            ax.plot(seen[rows], new[rows], ".", label=label, **style)
        ax.axline((new[0], new[0]), slope=1, color="gray", lw=0.8)
        ax.set_title(f"{title}: {100 * np.mean(seen > new):.0f}% polluted")
        ax.set_xlabel("cosine with nearest training label")
    axes[0].set_ylabel("cosine with nearest other label")
    legend_above(fig, labelled(axes[0]), 2)
    return fig


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
