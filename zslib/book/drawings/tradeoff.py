"""Accuracy on unseen against seen classes, over all constants taken off the scores of seen ones."""

from __future__ import annotations

import numpy as np

from zslib.book.figures import look

__all__ = ["draw_tradeoffs"]


def draw_tradeoffs(panels, columns=4):
    """One small plot for each of ``panels``, {title: {label: (outcome, gamma)}}; a figure.

    The marks are at gamma, where it is not None.
    """
    from matplotlib import pyplot

    rows = -(-len(panels) // columns)
    columns = min(columns, len(panels))
    size = (7.2, max(3.4, 2.2 * rows))
    fig, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
    for ax, (title, outcomes) in zip(axes.flat, panels.items(), strict=False):
        for label, (outcome, gamma) in outcomes.items():
            style, curve = look(label, list(outcomes)), outcome.curve
            marker = style.pop("marker")
            ax.plot(100 * np.asarray(curve.seen), 100 * np.asarray(curve.unseen), label=label, **style)
            if gamma is not None:
                s, u = curve.at(gamma)
                ax.plot(100 * s, 100 * u, marker, color=style["color"], ms=6, mec="white")
        ax.set(title=title, xlim=(0, None), ylim=(0, None))
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    fig.supxlabel("accuracy on seen classes, %", fontsize="medium")
    fig.supylabel("accuracy on unseen classes, %", fontsize="medium")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return fig
