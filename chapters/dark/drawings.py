"""What the chapters on DARK draw: an image's rivals, triplets, margins and the two scored."""

import numpy as np
from matplotlib import pyplot
from matplotlib.ticker import EngFormatter

from chapters.dark.ranking import SYSTEMS
from zslib.arrays import to_host
from zslib.compatibility.ranking.dark_objective import density_margin, prototypes
from zslib.compatibility.ranking.loss import every_violation
from zslib.nn import sigmoid
from zslib.show.figures import COLORS, look
from zslib.show.layout import annotate

_SIGMOID = {"color": look("DARK")["color"], "ls": "-", "label": "sigmoid (DARK)"}
_THRESHOLD = {"color": look("DARK-H")["color"], "ls": "--", "label": "threshold (DARK-H)"}


def ranking_projection(points, direction):
    """Points by how a direction ranks them, and by how they differ most besides.

    The (n, 2) places are inner products of the (n, r) ``points`` (labels yV, or images xU) with
    the ``direction`` (the image's xU, or the label's yV), which are the scores F; and coordinates
    along the direction of the largest spread at a right angle to it.
    """
    scores = points @ direction
    unit = direction / np.linalg.norm(direction)
    rest = points - np.outer(points @ unit, unit)
    _, _, axes = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)
    return np.stack([scores, rest @ axes[0]], axis=1)


def draw_two_views(scored, model, example):
    """The image of a `WorkedExample` that ranks labels, and its label that ranks images."""
    own, features = example.own, np.asarray(scored.features, float)
    U, V = (to_host(a).astype(float) for a in (model.U_, model.V_))
    X, S = features @ U, to_host(scored.held.class_embeddings)[scored.classes].astype(float) @ V
    sets = prototypes(features, scored.codes, len(S)) @ U
    fig, (left, right) = pyplot.subplots(1, 2, figsize=(7.6, 4.6))
    _draw_ranking(left, scored, own, S, X[example.image], crowd=X[:0])
    _draw_ranking(right, scored, own, sets, S[own], crowd=X)
    left.set_title(f"an image ({scored.names[own]}) ranks labels")
    right.set_title(f"a label ({scored.names[own]}) ranks images")
    return fig


def _draw_ranking(ax, scored, own, points, direction, *, crowd):
    """One view: what is ranked, by score from left to right, with the margin to be kept.

    The own point and its three strongest rivals have a colour, and marks the area of their
    weights. Small points are images of the ``crowd`` that belong to these.
    """
    scores = points @ direction
    (margin,), _, (weights,) = SYSTEMS["DARK"].assess(scores[None, :], np.array([own]))
    named = [own, *[c for c in np.argsort(-scores) if c != own][:3]]
    codes = scored.codes[: len(crowd)]
    members = np.isin(codes, named)
    places = ranking_projection(np.vstack([points, crowd[members]]), direction)
    places, images = places[: len(points)], places[len(points) :]
    sizes = 4 + 160.0 * weights
    others = np.setdiff1d(np.arange(len(points)), named)
    ax.scatter(*places[others].T, s=sizes[others], color="0.6", alpha=0.45, lw=0)
    for color, c in zip(COLORS, named, strict=False):
        ax.scatter(*images[codes[members] == c].T, s=5, color=color, alpha=0.35, lw=0)
        look = {"marker": "*", "s": 208.0} if c == own else {"s": sizes[c]}
        look |= {"color": color, "edgecolor": "black", "lw": 0.8}
        ax.scatter(*places[c], label=scored.names[c], **look)
    ax.axvline(scores[own], color="0.25", lw=1, label="own score")
    edge = {"ls": "--", "label": "own score minus the margin"}
    ax.axvline(scores[own] - margin[0], color="0.25", lw=1, **edge)
    ax.set(xlabel="score F", ylabel="main other direction")
    legend = ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8)
    for handle in legend.legend_handles[:-2]:  # of one size: here their area means nothing
        handle.set_sizes([45.0])


def draw_triplet_weights(lowest):
    """Sigmoid and step, and what a triplet adds to the loss under each; ``lowest`` is marked."""
    R = np.linspace(-8, 8, 801)
    fig, axes = pyplot.subplots(1, 2, figsize=(7.2, 3))
    for weight, kind in ((sigmoid, _SIGMOID), (every_violation, _THRESHOLD)):
        axes[0].plot(R, weight(R), **kind)
        axes[1].plot(R, R * weight(R), **kind)
    depth = float(lowest * sigmoid(np.array([lowest]))[0])
    axes[1].plot(lowest, depth, "o", color=_SIGMOID["color"])
    text = f"{depth:.3f} at R = {lowest:.2f}".replace("-", "−")
    annotate(axes[1], text, (lowest, depth), (0, -16), ha="center", fontsize="medium")
    axes[0].set(xlabel="residual R", ylabel="weight Δ")
    axes[1].set(xlabel="residual R", ylabel="part of the loss, ΔR", xlim=(-5, 2), ylim=(-0.7, 2))
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return fig


def draw_residuals(moments):
    """Histograms of the residuals of both views at each `Moment`, the two weights over them."""
    fig, axes = pyplot.subplots(2, len(moments), figsize=(7.4, 4.6), sharey=True)
    for row, view in zip(axes, ("images", "labels"), strict=True):
        for ax, moment in zip(row, moments.values(), strict=True):
            R = moment.residuals(view).ravel()
            low, high = np.quantile(R, [0.002, 0.998])
            low, high = min(low, -4), max(high, 4)
            _outline(ax, R, 60, (low, high), fill=True, color="0.8", label="triplets")
            x = np.linspace(low, high, 1201)
            ax.plot(x, sigmoid(x), **_SIGMOID)
            ax.plot(x, every_violation(x), **_THRESHOLD)
            ax.set_xlim(low, high)
            ax.locator_params(axis="x", nbins=4)
            ax.xaxis.set_major_formatter(EngFormatter(sep=""))
        row[0].set_ylabel(f"triplets of {view},\nhighest = 1")
    for ax, stage in zip(axes[0], moments, strict=True):
        ax.set_title(stage)
    fig.supxlabel("residual R", fontsize="medium")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), ncols=3, loc="outside upper center")
    return fig


def draw_margins(scored, margin):
    """Eq. 3 above own scores before and after training, and the margins of both views after it."""
    before, after = (scored.own(kind)[0] for kind in ("before training", "DARK"))
    sets = np.diag(scored.sets(scored.scores["DARK"][0]))
    places = [["rule", "margins"], ["scores", "margins"]]
    fig, axes = pyplot.subplot_mosaic(places, figsize=(7.6, 4.2), height_ratios=(2, 1))
    rule, scores, margins = axes["rule"], axes["scores"], axes["margins"]
    low, high = np.quantile(np.r_[before, after], (0.001, 0.999))
    reach = min(low, -3.0), max(high, 3.0)
    F = np.linspace(*reach, 400)
    one = {"color": "0.4", "ls": "--", "lw": 1, "label": "1, as in other systems"}
    trained = {"color": COLORS[3], "alpha": 0.5, "fill": True}
    rule.axhline(1.0, **one)
    rule.plot(F, np.maximum(margin * F, 0.0), color=COLORS[1], ls=":", label="max(0, m F)")
    rule.plot(F, density_margin(F, margin), color=COLORS[0], label="Eq. 3")
    rule.legend(loc="upper left", fontsize="small")
    rule.set(ylabel="margin", xlim=reach)
    _outline(scores, before, color="0.6", fill=True, label="before training")
    _outline(scores, after, **trained, label="after training")
    scores.legend(loc="upper center", ncols=2, fontsize="small")
    scores.set(xlabel="own score F", ylabel="images", xlim=reach, ylim=(0, 1.8), yticks=[])
    label = "labels rank images"
    _outline(margins, density_margin(after, margin), **trained, label="images rank labels")
    _outline(margins, density_margin(sets, margin), 15, color=COLORS[4], label=label)
    margins.axvline(1.0, **one)
    margins.legend(loc="upper right", fontsize="small")
    margins.set(xlabel="margin after training", ylabel="images, or labels")
    margins.set(ylim=(0, 1.5), yticks=[])
    return fig


def _outline(ax, values, bins=40, reach=None, **look):
    """A histogram that is 1 where it is highest."""
    counts, edges = np.histogram(values, bins, reach)
    ax.stairs(counts / counts.max(), edges, **look)


def draw_example(example):
    """Scores of the labels of a `WorkedExample`, and the weight of each under each system."""
    fig, (ax, grid) = pyplot.subplots(1, 2, figsize=(7.6, 3.8), width_ratios=(1, 1.4), sharey=True)
    n, own = len(example.names), example.scores[0]
    ax.barh(np.arange(n), example.scores, color=[COLORS[2]] + ["0.7"] * (n - 1))
    ax.axvline(0.0, color="0.25", lw=0.8)
    for name, margin in example.margins.items():
        kind = "margin of Eq. 3" if name == "DARK" else "margin 1"
        label = f"{kind}: rivals violate from {own - margin:.2f} on".replace("-", "−")
        ax.axvline(own - margin, color=look(name)["color"], ls="--", label=label)
    ax.set_yticks(np.arange(n), example.names)
    ax.set(xlabel="score F", ylim=(n - 0.5, -0.5))
    grid.imshow(example.weights.T, cmap="Blues", vmin=0, vmax=1.5, aspect="auto")
    for (j, i), value in np.ndenumerate(example.weights):
        text = "own" if i == 0 else f"{value:.2f}" if value > 0 else "0"
        color = "0.6" if i == 0 or value == 0 else "black" if value < 1 else "white"
        grid.text(j, i, text, ha="center", va="center", fontsize=8, color=color)
    grid.set_xticks(np.arange(len(SYSTEMS)), SYSTEMS, rotation=35, ha="right")
    grid.set_title("weight of the rival")
    grid.grid(visible=False)
    fig.legend(loc="outside upper left", fontsize="small")
    return fig
