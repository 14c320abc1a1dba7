"""Drawings of CLAREL: the model as a diagram, softmax matrices, what rescaling moves."""

import textwrap

import numpy as np
from matplotlib import pyplot
from matplotlib.colors import PowerNorm
from matplotlib.patches import FancyBboxPatch

from zslib.arrays import to_host
from zslib.compatibility.clarel.loss import embedding_distances
from zslib.show.figures import COLORS, look
from zslib.show.layout import axes_grid, labelled, legend_above

_IMAGE, _TEXT, _LOSS = COLORS[0], COLORS[2], COLORS[1]


def draw_method(pairs, model):
    """Figure 1 of Oreshkin et al. (2019) with the numbers of a ``model`` on its `HeldOutPairs`.

    Both branches, the matrix of their distances, and the four losses.
    """
    held, (rows, own, _) = pairs.problem, pairs.batch()
    width, n_features = model.network_.encoder.width, held.features.shape[1]
    dimension, linear = model.embedding_dim, f"dropout {model.dropout:.0%},\nlinear,\n"
    image = [
        f"image:\n{batch_names(pairs)[0]}",
        f"{n_features:,} features\nof a network\nthat is not trained",
    ]
    text = ["text", f"vector of {width},\nmean of those drawn"]
    if pairs.n_words:
        shown = textwrap.shorten(held.texts[own[0]], 54, placeholder=" …")
        quoted = "\n".join(textwrap.wrap(f"“{shown}”", 19))
        text = [quoted, f"{pairs.n_words:,} words:\nembeddings of {width},\nmean"]
    fig, ax = pyplot.subplots(figsize=(9.5, 5.0))
    ax.set(xlim=(0, 100), ylim=(0, 56))
    ax.axis("off")
    for name, vector, boxes, size, y, up, color in (
        ("image", "v", image, n_features, 43, 1.0, _IMAGE),
        ("text", "t", text, width, 13, -1.0, _TEXT),
    ):
        boxes = [*boxes, f"{linear}{size:,} × {dimension}"]
        for label, left, across in zip(boxes, (0.5, 18.0, 36.5), (15.0, 16.0, 13.5), strict=True):
            _box(ax, left, y, across, 9, label, color)
        _box(ax, 54, y, 9, 9, f"$z_{vector}$\n{dimension}", color, filled=True)
        for start, end in ((15.5, 18.0), (34.0, 36.5), (50.0, 54)):
            _arrow(ax, (start, y), (end, y))
        outside = y + up * 10.5
        loss = f"{name} classification, $J_{{{name[0].upper()}C}}$"
        classes = f"linear, softmax over {len(held.seen_classes)} classes: {loss}"
        _words(ax, 58.5, outside, classes, _LOSS)
        _arrow(ax, (58.5, y + up * 4.5), (58.5, outside - up * 1.3))
    distances = to_host(embedding_distances(*pairs.embedded(model, rows, own)))
    matrix = ax.inset_axes((68, 16, 22, 24), transform=ax.transData)
    matrix.imshow(-distances, cmap="Greys_r", aspect="auto")
    matrix.set(xticks=[], yticks=[])
    matrix.set_title("minus distance", fontsize=8)
    matrix.set_ylabel("images", fontsize=8, color=_IMAGE)
    matrix.set_xlabel("texts", fontsize=8, color=_TEXT)
    n = len(distances)
    matrix.plot(range(n), range(n), "s", mfc="none", mec=_LOSS, ms=max(2.0, 90.0 / n))
    matrix.grid(False)
    _arrow(ax, (63, 43), (66.8, 35))
    _arrow(ax, (63, 13), (66.8, 19))
    _arrow(ax, (90.5, 28), (93, 28))
    _arrow(ax, (79, 12.8), (79, 10.2))
    searches = "softmax of\neach row:\ntext\nretrieval,\n$J_{TR}$"
    _words(ax, 96.5, 28, searches, _LOSS)
    _words(ax, 79, 7.8, "softmax of each column:\nimage retrieval, $J_{IR}$", _LOSS)
    return fig


def _words(ax, x, y, text, color):
    ax.text(x, y, text, ha="center", va="center", fontsize=8, color=color)


def _box(ax, left, y, width, height, label, color, *, filled=False):
    corner = left, y - height / 2
    style = {"boxstyle": "round,pad=0,rounding_size=0.8", "ec": color, "lw": 1.2}
    face = color if filled else "white"
    ax.add_patch(FancyBboxPatch(corner, width, height, fc=face, **style))
    _words(ax, left + width / 2, y, label, "white" if filled else "black")


def _arrow(ax, start, end):
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "0.35", "lw": 1.0})


def draw_wedge(panels):
    """Images by their distances to the nearest seen and unseen class, and what alpha moves.

    ``panels`` is {title: (seen, unseen, alpha)}, the distances (n,) each; returns the figure.
    """
    fig, axes = axes_grid(len(panels), len(panels), 7.2, 3.8)
    for ax, (title, (seen, unseen, alpha)) in zip(axes, panels.items(), strict=True):
        stays = (1 + alpha) * seen < unseen
        moves = (seen < unseen) & ~stays
        for color, which, label in (
            (look("unseen")["color"], ~(stays | moves), "unseen class in any case"),
            (COLORS[3], moves, "moved by α"),
            (look("seen")["color"], stays, "seen class in any case"),
        ):
            # Thousands of dots are lighter as an image.
            ax.plot(
                unseen[which], seen[which], ".", color=color, ms=3, alpha=0.6, label=label,
                rasterized=True,
            )  # fmt: skip
        reach = np.array([0.98 * unseen.min(), 1.02 * unseen.max()])
        ax.plot(reach, reach, "--", color="0.3", lw=1)
        ax.plot(reach, reach / (1 + alpha), "-", color="0.3", lw=1)
        ax.set(title=f"{title}, α = {alpha:.2f}", xlabel="distance to nearest unseen class")
    axes[0].set_ylabel("distance to nearest seen class")
    legend_above(fig, labelled(axes[0]), 3, markerscale=3)
    fig.set_dpi(200)  # of that image: sharp on dense screens too
    return fig


def draw_batch(pairs, models):
    """Both softmaxes of one batch, for each of ``models``, {title: model}.

    One square for each image and text, the right ones framed; crosses for equal texts.
    """
    names, (_, _, same) = batch_names(pairs), pairs.batch()
    places = range(len(names))
    rows, columns = np.nonzero(same & ~np.eye(len(names), dtype=bool))
    fig, axes = pyplot.subplots(len(models), 2, figsize=(8.6, 4.0 * len(models)), squeeze=False)
    for panels, (title, model) in zip(axes, models.items(), strict=True):
        softmaxes = pairs.batch_probabilities(model)
        for ax, (name, (p, loss)) in zip(panels, softmaxes.items(), strict=True):
            drawn = ax.imshow(p, cmap="Blues", norm=PowerNorm(0.5, 0.0, 1.0))
            ax.plot(columns, rows, "x", color=COLORS[1], ms=4, mew=1.0, ls="none")
            ax.plot(places, places, "s", mfc="none", mec="0.45", mew=0.5, ms=4.6, ls="none")
            ax.set(title=f"{name}, {title}: loss {loss:.2f}", xlabel="texts", xticks=[], yticks=[])
            ax.tick_params(length=0)
            ax.grid(False)
        panels[0].set_yticks(places, names, fontsize=7)
        panels[0].set_ylabel("images, by their class")
    fig.colorbar(drawn, ax=axes, shrink=0.5, label="probability", ticks=[0, 0.05, 0.2, 0.5, 1])
    return fig


def draw_shares_of_images(counts):
    """Bars of what images serve for; ``counts`` is {name: (kept, put aside, validation)}."""
    fig, ax = pyplot.subplots(figsize=(7.2, 1.0 + 0.32 * len(counts)))
    parts = "training classes, kept", "training classes, put aside", "validation classes"
    table = np.array(list(counts.values()), dtype=float)  # (ways of counting, parts)
    looks = zip(parts, table.T, (COLORS[0], COLORS[5], COLORS[1]), strict=True)
    left = np.zeros(len(table))
    for part, values, color in looks:
        bars = ax.barh(list(counts), values, left=left, color=color, height=0.6, label=part)
        sizes = [f"{value:,.0f}" if value > 0.06 * table.sum(1).max() else "" for value in values]
        ax.bar_label(bars, sizes, label_type="center", color="white", fontsize=7)
        left += values
    ax.set(xlabel="images", ylim=(len(counts) - 0.5, -0.5))
    ax.grid(False, axis="y")
    fig.legend(loc="outside upper center", ncols=3, fontsize="small")
    return fig


def batch_names(pairs):
    """Short names of the classes of the batch shown."""
    held, (rows, _, _) = pairs.problem, pairs.batch()
    labels = held.labels[rows]
    return [str(held.class_names[label]).replace("_", " ")[:18] for label in labels]
