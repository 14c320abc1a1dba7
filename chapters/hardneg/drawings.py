"""What the chapters on metric learning draw: pairs, negatives by class, and what rules see."""

import numpy as np
from matplotlib import pyplot

from chapters.hardneg.metric_learning import pair_distances, threshold_distance
from chapters.hardneg.rules import RULES
from zslib.compatibility.metric.objective import HINGES, pair_hinge
from zslib.show.figures import COLORS, look
from zslib.show.layout import axes_grid, labelled, legend_above


def draw_hinges():
    """The loss of positive and negative pairs by distance, for both forms of Eq. 3."""
    threshold = 1.7
    fig, axes = pyplot.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    distances = np.linspace(0.0, 2.8, 300)
    for ax, hinge, tau in zip(axes, HINGES, (threshold**2, threshold), strict=True):
        for color, sign, kind in ((COLORS[0], 1, "positive"), (COLORS[1], -1, "negative")):
            loss = pair_hinge(distances**2, sign, np.array([tau]), hinge)[0]
            line = "-" if sign == 1 else "--"
            ax.plot(distances, loss, color=color, ls=line, label=f"{kind} pairs")
        ax.axvline(threshold, color="0.4", ls=":", label="threshold")
        ax.set(xlabel="distance S, in units of the metric")
    axes[0].set(title="square on S", ylabel="loss of a pair")
    axes[1].set(title="as printed")
    legend_above(fig, labelled(axes[0]), 3)
    return fig


def draw_pairs(runs):
    """Histograms of the distances of positive and negative pairs, a panel for each named run."""
    fig, axes = axes_grid(len(runs), -(-len(runs) // 2), 7.2, 2.4)
    for ax, (name, run) in zip(axes, runs.items(), strict=True):
        groups = [distances.ravel() for distances in pair_distances(run)]
        bins = np.linspace(0.0, max(np.quantile(group, 0.999) for group in groups), 50)
        for i, kind in enumerate(("positive", "negative")):
            filled = {"color": COLORS[i], "alpha": 0.5, "hatch": ("", "///")[i]}
            ax.hist(groups[i], bins, density=True, label=f"{kind} pairs", **filled)
        edge = threshold_distance(run.model)
        ax.axvline(edge, color="black", ls=":", label="threshold")
        ax.set(title=name, xlabel="distance S, in units of the metric", ylabel="density of pairs")
    legend_above(fig, labelled(axes[0]), 3)
    return fig


def draw_shares(shares, names):
    """Which classes the negatives of some classes come from, ``{way: (C, C)}`` in percent.

    Classes from the one with the most peaked shares of "uncertainty" to the flattest.
    """
    reference, names = shares["uncertainty"], [str(n).replace("_", " ")[:30] for n in names]
    sharpest = np.argsort(-reference.max(axis=1), kind="stable")
    few = min(4, len(names))
    fig, axes = axes_grid(few, -(-few // 2), 7.2, 2.7)
    height = 0.8 / len(shares)
    shown = sharpest[np.linspace(0, len(names) - 1, few).astype(int)]
    for ax, c in zip(axes, shown, strict=True):
        first = np.argsort(-reference[c], kind="stable")[: min(6, len(names) - 1)]
        for i, (way, share) in enumerate(shares.items()):
            places = np.arange(len(first)) + (i - (len(shares) - 1) / 2) * height
            ax.barh(places, share[c, first], height, color=look(way, shares)["color"], label=way)
        ax.set_yticks(np.arange(len(first)), [names[j] for j in first], fontsize=8)
        ax.invert_yaxis()
        ax.set(xlabel="share of the negatives, %")
        ax.set_title(f"negatives of: {names[c]}", fontsize="small")
    legend_above(fig, labelled(axes[0]), len(shares))
    return fig


def draw_rules(views, names, title):
    """The training classes as one image's possible negatives, a panel for each named view.

    A class's height is its cosine with the mapped image, its place that with the right answer,
    its size its chance under "uncertainty".
    """
    fig, axes = axes_grid(len(views), len(views), 7.2, 4.6)
    for ax, (kind, view) in zip(axes, views.items(), strict=True):
        near, truth = (cosines[0] for cosines in view.cosines)
        others = view.rivals[0]
        chances = view.preferences("uncertainty")[0]
        sizes = 8 + 90 * np.exp(chances - chances.max())[others]
        dots = {"color": COLORS[0], "alpha": 0.4, "label": "training classes"}
        ax.scatter(truth[others], near[others], sizes, **dots)
        for rule, size in (("nearest", 9), ("intruder", 6)):
            j = int(view.preferences(rule)[0].argmax())
            mark = look(rule, RULES) | {"linestyle": "none"}
            ax.plot(truth[j], near[j], ms=size, label=f"{rule}: {names[j]}", **mark)
        ends = [f([f(truth[others]), f(near[others])]) for f in (np.min, np.max)]
        ax.plot(ends, ends, ls=":", color="0.4", label="equal cosines")
        ax.set(xlabel="cosine with the right answer", ylabel="cosine with the mapped image")
        ax.set_title(f"{kind}: {title}", fontsize="small")
        ax.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.2))
    return fig
