"""Pictures of digits, of their seven segments, and of what becomes of them."""

from itertools import product

import numpy as np
from matplotlib import pyplot

from zslib.metrics import k_occurrence
from zslib.show.figures import COLORS, ONE_PANEL, look
from zslib.show.layout import axes_grid

_UNSEEN = COLORS[1]
# Ends of the segments a to g on a display that is 1 wide and 2 high.
_ENDS = np.array([
    [[0, 2], [1, 2]], [[1, 2], [1, 1]], [[1, 1], [1, 0]], [[0, 0], [1, 0]],
    [[0, 1], [0, 0]], [[0, 2], [0, 1]], [[0, 1], [1, 1]],
])  # fmt: skip


def _bare(ax, color=None):
    """No ticks; a frame in ``color``, or none."""
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set(visible=color is not None, color=color, linewidth=2)


def draw_image(ax, pixels, color=None):
    """An image of 8 x 8 pixels, dark on white, with a frame in ``color``."""
    ax.imshow(np.reshape(pixels, (8, 8)), cmap="Greys", vmin=0, vmax=1)
    _bare(ax, color)


def draw_display(ax, lit, color=None):
    """A display whose segment i is as dark as ``lit[i]``, from 0, unlit, to 1; and a frame."""
    for ends, strength in zip(_ENDS, np.clip(lit, 0, 1), strict=True):
        ax.plot(*ends.T, color=str(0.9 * (1 - strength)), lw=4, solid_capstyle="round")
    ax.set(xlim=(-0.7, 1.7), ylim=(-0.4, 2.4), aspect="equal")
    ax.grid(False)
    _bare(ax, color)


def draw_digits(problem):
    """An image of each digit, and under it its description; unseen digits have a frame."""
    n = len(problem.class_names)
    fig, axes = pyplot.subplots(2, n, figsize=(ONE_PANEL, 1.7))
    for c, (top, bottom) in enumerate(axes.T):
        frame = _UNSEEN if c in problem.unseen_classes else None
        draw_image(top, problem.features[np.argmax(problem.labels == c)], frame)
        top.set_title(problem.class_names[c], color=frame or "black", fontsize=7.7)
        draw_display(bottom, problem.class_embeddings[c])
    return fig


def draw_path(image, mapped, problem, answer):
    """From an image over the mapped segments to the unseen descriptions, the ``answer`` framed."""
    unseen = problem.unseen_classes
    fig, axes = pyplot.subplots(1, 2 + len(unseen), figsize=(ONE_PANEL, 1.4))
    draw_image(axes[0], image)
    draw_display(axes[1], mapped)
    titles = ["image", "mapped"]
    for ax, c in zip(axes[2:], unseen, strict=True):
        draw_display(ax, problem.class_embeddings[c], COLORS[2] if c == answer else None)
        titles.append(f"{problem.class_names[c]}{' ✓' * bool(c == answer)}")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize="small")
    return fig


def article(name):
    """A digit's name with its article."""
    return f"{'an' if name[0] in 'aei' else 'a'} {name}"  # a one


def draw_confusion(problem, rows, answers):
    """Three images by their digit (down) and the answer (across), each cell with its share."""
    unseen, truth = problem.unseen_classes, problem.labels[rows]
    n = len(unseen)
    fig, axes = pyplot.subplots(n, n, figsize=(ONE_PANEL, 0.4 + 0.85 * n), squeeze=False)
    for ax, (digit, answer) in zip(axes.flat, product(unseen, unseen), strict=True):
        chosen = rows[(truth == digit) & (answers == answer)]
        strip = np.zeros((8, 27))
        for k, row in enumerate(chosen[:: max(1, len(chosen) // 3)][:3]):
            strip[:, 9 * k : 9 * k + 8] = problem.features[row].reshape(8, 8)
        ax.imshow(strip, cmap="Greys", vmin=0, vmax=1)
        _bare(ax, COLORS[2] if digit == answer else "0.8")
        ax.set_title(f"{len(chosen) / np.sum(truth == digit):.0%}", fontsize="small", pad=3)
        ax.set_ylabel(article(problem.class_names[digit]))
        ax.set_xlabel(f"answered: {problem.class_names[answer]}")
        ax.label_outer()
    return fig


def draw_choices(accuracies, ours, chance):
    """How often each accuracy came out over all choices of unseen digits, ours and chance."""
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 2.6))
    ax.hist(accuracies, bins=np.arange(0, 101, 5), color="0.75")
    for value, color, name in ((chance, "black", "chance"), (ours, _UNSEEN, "this page")):
        ax.axvline(value, color=color, ls="--" if name == "chance" else "-")
        ax.text(value + 1, 0.97 * ax.get_ylim()[1], name, color=color, va="top")
    ax.set(xlabel="per-class accuracy on the unseen digits, %", ylabel="choices of three digits")
    return fig


def draw_near_misses(problem, rows, losses, wrong):
    """Wrong digits by how often they still teach, with the image for which each costs most."""
    size = {"figsize": (ONE_PANEL, 2.6), "height_ratios": (1, 1.6)}
    fig, axes = pyplot.subplots(2, len(wrong), sharey="row", **size)
    shares = 100 * (losses > 0).mean(axis=0)
    for (top, bottom), c in zip(axes.T, wrong, strict=True):
        if shares[c]:
            draw_image(top, problem.features[rows[np.argmax(losses[:, c])]])
        else:
            top.set_axis_off()
        bottom.bar([0], shares[c], color=_UNSEEN, width=0.6)
        bottom.bar_label(bottom.containers[0], fmt="%.0f%%", fontsize="small")
        bottom.set(xticks=[], xlabel=problem.class_names[c], xlim=(-0.6, 0.6))
    axes[1, 0].set(ylabel="still teaches, %", ylim=(0, 1.25 * max(1, shares.max())))
    return fig


def draw_planes(pairs, penalties, find):
    """Mapped queries and the targets they find, a panel a penalty; orange: the largest hub."""
    fig, axes = axes_grid(len(penalties), 2, ONE_PANEL, 2.4, sharex=True, sharey=True)
    targets = pairs[3][:, :2]
    for ax, penalty in zip(axes, penalties, strict=True):
        queries, found = find(pairs, 2, penalty)
        counts = k_occurrence(found, len(targets))
        for query, target in zip(queries, targets[found[:, 0]], strict=True):
            ax.plot(*zip(query, target, strict=True), color="0.8", lw=0.8)
        hub = counts == counts.max()
        for which, color in ((~hub, COLORS[0]), (hub, COLORS[1])):
            ax.scatter(*targets[which].T, s=5 + 8 * counts[which], color=color, zorder=2)
        ax.plot(*queries.T, "x", color="black", ms=3, zorder=3)
        ax.set(title=f"λ = {penalty:g}: {counts.max()}", xticks=[], yticks=[])
        ax.set_aspect("equal")
    return fig


def draw_training(curves):
    """Means over trainings by epoch: ``{panel: {(name, kind, line): (runs, epochs)}}``."""
    fig, axes = pyplot.subplots(1, len(curves), figsize=(7.2, 2.9))
    for ax, (title, lines) in zip(axes, curves.items(), strict=True):
        ends = []
        for (name, kind, line), runs in lines.items():
            color = look(kind)["color"]
            epochs, mean, spread = np.arange(1, runs.shape[1] + 1), runs.mean(0), runs.std(0)
            ax.plot(epochs, mean, color=color, ls=line)
            ax.fill_between(epochs, mean - spread, mean + spread, color=color, alpha=0.15, lw=0)
            ends.append((mean[-1], name, color))
        room, lowest = 0.07 * np.ptp(ax.get_ylim()), -np.inf
        for end, name, color in sorted(ends):  # names that would overlap are moved up
            lowest = max(end, lowest + room)
            ax.text(epochs[-1], lowest, f" {name}", color=color, va="center", fontsize="small")
        top = max(ax.get_ylim()[1], lowest + room)
        ax.set(title=title, xlabel="epoch", ylabel="%", ylim=(None, top))
        ax.set(xticks=epochs[4::5], xlim=(1, 1.5 * epochs[-1]))
    return fig
