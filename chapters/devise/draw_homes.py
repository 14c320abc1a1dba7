"""How far Table 1 of DeViSE is off, by reading and by where the tree has the misfits."""

from matplotlib import pyplot

from zslib.show.figures import ONE_PANEL, look
from zslib.show.layout import legend_above


def draw_deviations(rows, ylabel):
    """A line for each tree, a mark for each label set.

    ``rows`` are deviations by method and label set, as in `chapters.devise.table1`.
    Where some tell, as truth values, which trees give the hop lists, only these are filled.
    """
    rows = [
        row | {"method": row["method"].removeprefix("Misc under ").split(",")[0]} for row in rows
    ]
    names = list(dict.fromkeys(row["method"] for row in rows))
    gives = {row["method"]: row["value"] for row in rows if isinstance(row["value"], bool)}
    off = [row for row in rows if not isinstance(row["value"], bool)]
    sets = list(dict.fromkeys(row["label_set"] for row in off))
    fig, ax = pyplot.subplots(figsize=(ONE_PANEL, 0.9 + 0.3 * len(names)))
    for row in off:
        style = look(row["label_set"], sets) | {"linestyle": "none", "label": row["label_set"]}
        face = style["color"] if gives.get(row["method"], True) else "white"
        ax.plot(row["value"], names.index(row["method"]), ms=7, mfc=face, **style)
    ax.set_yticks(range(len(names)), names)
    ax.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="largest deviation from Table 1, %")
    ax.set_ylabel(ylabel)
    legend = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    legend_above(fig, legend, 4)
    return fig
