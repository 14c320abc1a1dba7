"""How far Table 1 of DeViSE is off, by where the tree has the misfits."""

from __future__ import annotations

from zslib.book.figures import ONE_PANEL, look

__all__ = ["draw_homes"]


def draw_homes(rows):
    """A line for each tree, a mark for each label set; filled where the tree gives the hop lists.

    ``rows`` are those of `zslib.protocols.hierarchy.table1.homes_of_misc`.
    """
    from matplotlib import pyplot

    rows = list(rows)
    names = list(dict.fromkeys(row["method"] for row in rows))
    gives = {row["method"] for row in rows if row["value"] is True}
    off = [row for row in rows if not isinstance(row["value"], bool)]
    sets = list(dict.fromkeys(row["label_set"] for row in off))
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.9 + 0.3 * len(names)))
    for row in off:
        style = look(row["label_set"], sets) | {"linestyle": "none"}
        filled = row["method"] in gives
        ax.plot(
            row["value"], names.index(row["method"]), ms=7, label=row["label_set"],
            mfc=style["color"] if filled else "white", **style,
        )  # fmt: skip
    ax.set_yticks(range(len(names)), [name.removeprefix("Misc under ") for name in names])
    ax.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="largest deviation from Table 1, %")
    ax.set_ylabel("Misc's children under")
    legend = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    fig.legend(legend.values(), legend, loc="outside upper center", ncols=4, fontsize="small")
    return fig
