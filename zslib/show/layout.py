"""Axes in a grid, a legend above them, and texts beside points."""


def axes_grid(n, columns, width, height, more=0.0, **options):
    """A figure and its ``n`` axes, in rows of ``columns``; each row is ``height`` inches high.

    The figure is ``more`` inches higher than its rows; ``options`` are those of matplotlib's
    ``subplots``.
    """
    from matplotlib import pyplot

    rows = -(-n // columns)
    size = width, height * rows + more
    fig, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, **options)
    for ax in axes.flat[n:]:
        ax.remove()
    return fig, axes.flat[:n]


def labelled(*axes):
    """``{label: handle}`` of what axes show; of each label the first."""
    handles = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    return handles


def legend_above(fig, handles, columns=5, **style):
    """A legend of ``{label: handle}`` above all axes, where it lies on no data."""
    style |= {"loc": "outside upper center", "ncols": columns, "fontsize": "small"}
    return fig.legend(handles.values(), handles, **style)


def annotate(ax, text, place, shift, *, fontsize="small", **style):
    """A text so many points across and up from a place."""
    ax.annotate(text, place, shift, textcoords="offset points", fontsize=fontsize, **style)
