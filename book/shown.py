"""How a chapter's rows are shown: as tables and as figures. Nothing here is recorded."""

import re
from dataclasses import replace
from functools import wraps
from itertools import zip_longest
from textwrap import fill

import numpy as np

from book.figures import figure
from book.names import called
from book.papers.verdicts import expanded
from zslib.protocols.attributes.outcome import MEASURES
from zslib.show.figures import IN_COLOR, ONE_PANEL, OTHERS, look
from zslib.show.layout import annotate, axes_grid, labelled, legend_above
from zslib.show.tables import Column, Markdown, Table

NOT_TRAINED = "not trained"

# What a caption says of means over data sets, and over trainings: not true of one.
_OVER_SETS = re.compile(r",? means? over data sets")
_OVER_RUNS = re.compile(
    r",? means? (of|over) (the )?(trainings|seeds|runs|1 run)"
    r"|,? mean (and range|± standard deviation) over (seeds|runs)"
)


def caption_of(text, data, chapter, units=""):
    """A caption with the data's names and what intervals are over in parentheses.

    Means that this run has not are left out.
    """
    if "," not in data and " and " not in data:
        text = _OVER_SETS.sub("", text)
    if getattr(chapter, "parameters", {}).get("n_seeds") == 1:
        text = _OVER_RUNS.sub("", text)
    beside = "; ".join(filter(None, (called(data), units)))
    return f"{text} ({beside})." if beside else f"{text}."


def _or_nothing(show):
    """Where there are no rows a sentence stands in the place of a table or a figure."""

    @wraps(show)
    def shown(self, name, caption, **options):
        if self:
            return show(self._of(map(_as_judged, self)), name, caption, **options)
        return Markdown(f"*Not in this run: {caption[:1].lower()}{caption[1:]}.*")

    return shown


def _as_judged(row):
    """A row with the interval that verdicts take; that of a level stays on its scale."""
    value = row["value"]
    if not getattr(value, "unit", ""):
        return row
    _, low, high = expanded({"value": value.mean, **vars(value)})
    if value.low >= 0 and not any(" - " in str(text) for text in row.values()):
        low = max(low, 0.0)
    metric = str(row.get("metric", ""))
    if value.high <= 100 and (metric in MEASURES or metric.endswith("%")):
        high = min(high, 100.0)
    return row | {"value": replace(value, low=low, high=high)}


class Shown:
    """What `book.results.Results` shows of its rows."""

    @_or_nothing
    def table(
        self, name, caption, *, rows, columns, paper=None, heads=None, formats=None, corner="",
        folded=False,
    ):  # fmt: skip
        """Cross table of the values, the paper's beside ours.

        Parameters
        ----------
        name, caption : str
            As of `Table`; the data's names are added to the caption.
        rows, columns : str or tuple of str
            Columns of the results whose values head the rows and the columns. Several columns
            for the rows give several header cells; for the columns they join as "a: b".
        paper : callable, optional
            ``paper(row)`` gives the printed number beside a result, or None.
        heads : dict, optional
            Other words for row and column heads.
        formats : str or dict, optional
            Number format, or number formats by column head; ".1f" otherwise.
        corner : str or list of str
            Heads of the header cells; the names of ``rows`` where it has none.
        folded : bool
            As of `Table`.
        """
        down, across = _as_tuple(rows), _as_tuple(columns)
        heads, formats = heads or {}, formats or {}
        cells, beside = {}, {}
        for row in self if paper else self._telling():
            place = tuple(row.get(c) for c in down), tuple(row.get(c) for c in across)
            if place in cells:
                raise ValueError(f"two results at {place} of table {name!r}: name more columns")
            cells[place] = row["value"]
            beside[place] = paper(row) if paper else None
        groups = list(dict.fromkeys(place[1] for place in cells))
        cells |= self._untrained(down, across, groups)
        lines = list(dict.fromkeys(place[0] for place in cells))
        printed = {place[1] for place, number in beside.items() if number is not None}
        names = {"dataset": "data", "label_set": "labels"}
        columns_shown = [
            given or names.get(name, name.replace("_", " "))
            for given, name in zip_longest(_as_tuple(corner), down, fillvalue="")
        ]
        body = [[_said(part, heads) for part in line] for line in lines]
        for group in groups:
            head = ": ".join(str(_said(part, heads)) for part in group if part is not None)
            form = formats if isinstance(formats, str) else formats.get(head, ".1f")
            both = {f"{head}, paper": beside, f"{head}, ours": cells}
            for header, numbers in (both if group in printed else {head: cells}).items():
                columns_shown.append(Column(header, form))
                for line, row in zip(lines, body, strict=True):
                    row.append(numbers.get((line, group)))
        return Table(name, self._caption(caption), columns_shown, body, folded=folded)

    def _untrained(self, down, across, groups):
        """Cells of the methods that could not be trained, in a table with a line a method."""
        names = self.of("method")
        by_method = "method" in down and set(down) <= {"method", "dataset"}
        if not by_method or all(" - " in name for name in names):
            return {}
        cells, sets = {}, self.of("dataset")
        for name, data in getattr(self.chapter, "failed", ()):
            if data in sets and name not in self.only(dataset=data).of("method"):
                line = tuple({"method": name, "dataset": data}[column] for column in down)
                for group in groups:
                    if dict(zip(across, group, strict=True)).get("dataset", data) == data:
                        cells[line, group] = NOT_TRAINED
        return cells

    @_or_nothing
    def bars(
        self, name, caption, *, groups, series, ylabel, alt, panels=None, paper=None, heads=None
    ):
        """Grouped bars with their intervals; crosses are what ``paper(row)`` gives.

        Here and below, ``heads`` has other words for legends and for the names of groups.
        """
        heads = heads or {}
        fig, axes, parts = self._telling()._panels(panels, ylabel)
        for ax, part in zip(axes, parts, strict=True):
            across, names = part.of(groups), part.of(series)
            width = 0.8 / len(names)
            for i, s in enumerate(names):
                rows = [row for g in across for row in part.only(**{groups: g, series: s})]
                x = [
                    across.index(row[groups]) + width * (i - (len(names) - 1) / 2) for row in rows
                ]
                middle, reach = _ends([row["value"] for row in rows])
                s = heads.get(s, s)
                style = look(s, [heads.get(o, o) for o in names])
                hatch = "" if style["linestyle"] == "-" else "///"
                drawn = {"color": style["color"], "hatch": hatch, "ec": "white", "lw": 0}
                ax.bar(x, middle, 0.95 * width, label=s, **drawn)
                ax.errorbar(x, middle, reach, fmt="none", ecolor="0.3", capsize=2, lw=1)
                for place in np.array(x)[middle == 0]:  # else it looks like a gap
                    annotate(ax, "0", (place, 0), (0, 2), ha="center", color=style["color"])
                for place, row in zip(x, rows, strict=True):
                    if paper and (printed := paper(row)) is not None:
                        ax.plot(place, printed, "x", color="black", ms=5, label="paper", ls="")
            names = [str(_said(g, heads)).replace(" (", "\n(") for g in across]
            letters = sum(max(map(len, n.split("\n"))) for n in names)
            crowded = len(axes) * letters > 7.5 * fig.get_figwidth()
            turned = {"rotation": 20, "ha": "right"} if crowded else {}
            ax.set_xticks(range(len(across)), names, **turned)
        return self._figure(fig, axes, name, caption, alt)

    @_or_nothing
    def curves(
        self, name, caption, *, x, series, xlabel, ylabel, alt, panels=None, xscale="linear",
        yscale="linear", levels=None, lines=None, bottom=0, heads=None, sharey=False,
        intervals=True,
    ):  # fmt: skip
        """Values against a column, one line a series, with bands where values have intervals.

        Few places are no curve: there intervals are bars, side by side, and lines are faint.

        Of many series the five that change most have a color, and the others their names beside
        them. ``levels`` and ``lines`` are ``{label: place}`` of horizontal and vertical lines;
        ``bottom`` is where the vertical axis begins, None for wherever the values do; ``sharey``
        gives all panels the same; without ``intervals`` bands are no such, and the caption says
        nothing of them.
        """
        from matplotlib.ticker import LogLocator, NullFormatter

        fig, axes, parts = self._panels(panels, ylabel, sharey)
        told = sorted(self.of(series), key=lambda s: self._spread(**{series: s}))[-IN_COLOR:]
        for ax, part in zip(axes, parts, strict=True):
            labels = {s: (heads or {}).get(s, s) for s in part.of(series)}
            for i, (s, label) in enumerate(labels.items()):
                rows = sorted(part.only(**{series: s}), key=lambda row: row[x])
                places = [row[x] for row in rows]
                middle, reach = _ends([row["value"] for row in rows])
                if s in told:
                    style = look(label, list(labels.values())) | {"label": label}
                else:
                    style = OTHERS | {"lw": 0.8, "zorder": 1}
                    end = places[-1], middle[-1]
                    annotate(ax, label, end, (3, 0), va="center", color="0.4")
                if len(places) > 20:
                    style.pop("marker")
                if np.any(reach > 0) and len(places) < 4 and xscale == "linear":
                    aside = (i - (len(labels) - 1) / 2) * 0.02 * np.ptp(places)
                    ax.plot(places, middle, color=style["color"], lw=0.8, alpha=0.4)
                    style["linestyle"] = "none"
                    ax.errorbar(np.add(places, aside), middle, reach, capsize=2, **style)
                    continue
                ax.plot(places, middle, **style)
                if np.any(reach > 0):
                    band = middle - reach[0], middle + reach[1]
                    ax.fill_between(places, *band, color=style["color"], alpha=0.15, lw=0)
            for i, (label, place) in enumerate((levels or {}).items()):
                ax.axhline(place, color="gray", ls=(":", "--", "-.")[i % 3], lw=1.2, label=label)
            for label, place in (lines or {}).items():
                ax.axvline(place, color="gray", lw=0.8, label=label)
            ax.set(xlabel=xlabel, xscale=xscale, yscale=yscale)
            places = part.of(x)
            if xscale != "linear" and len(places) < 9:
                ax.set_xticks(places, [f"{p:.{3 if p < 1 else 6}g}" for p in places])
                ax.xaxis.minorticks_off()
                _thin_labels(ax)
            elif xscale == "linear" and all(isinstance(place, int) for place in places):
                ax.xaxis.get_major_locator().set_params(integer=True)
            if yscale == "log":  # 0.5, 1, 2 where there is room, and never 2 × 10⁰
                ticks = (1,) if np.divide(*ax.get_ylim()[::-1]) > 1e4 else (1, 2, 5)
                ax.yaxis.set_major_locator(LogLocator(subs=ticks, numticks=20))
                ax.yaxis.set_major_formatter("{x:g}")
                ax.yaxis.set_minor_formatter(NullFormatter())
            if bottom is not None and yscale == "linear":
                top = ax.get_ylim()[1]
                ax.set_ylim(bottom, top + 0.04 * (top - bottom))
        return self._figure(fig, axes, name, caption, alt, intervals)

    @_or_nothing
    def scatter(self, name, caption, *, x, y, series, xlabel, ylabel, alt, panels=None):
        """Metric ``y`` against metric ``x``, one mark for each pair of rows that is alike."""
        fig, axes, parts = self._panels(panels, ylabel)
        for ax, part in zip(axes, parts, strict=True):
            names = part.of(series)
            other = {_alike(row): _middle(row["value"]) for row in part.only(metric=y)}
            for row in part.only(metric=x):
                style = look(row[series], names) | {"linestyle": "none"}
                if _alike(row) in other:
                    place = _middle(row["value"]), other[_alike(row)]
                    ax.plot(*place, label=row[series], ms=6, **style)
            ax.set_xlabel(xlabel)
        return self._figure(fig, axes, name, caption, alt, intervals=False)

    @_or_nothing
    def forest(
        self, name, caption, *, rows, xlabel, alt, paper=None, series=None, zero=0.0, heads=None
    ):
        """Estimates with their intervals, one line each; crosses are the paper's.

        A line stands at ``zero``; with None there is none, and the axis begins where values do.
        """
        down, heads, rows_shown = _as_tuple(rows), heads or {}, self._telling()
        names = rows_shown.of(series) if series else []
        lines = list(dict.fromkeys(tuple(row.get(c) for c in down) for row in rows_shown))
        height = 0.8 + 0.33 * len(lines) * max(1, 0.6 * len(names))
        fig, (ax,) = axes_grid(1, 1, ONE_PANEL, height)
        if zero is not None:
            ax.axvline(zero, color="gray", lw=0.8)
        for row in rows_shown:
            i = lines.index(tuple(row.get(c) for c in down))
            shift = 0.6 * ((names.index(row[series]) + 0.5) / len(names) - 0.5) if names else 0.0
            style = look(row[series], names) if names else {"color": "C0", "marker": "o"}
            style |= {"linestyle": "none", "label": _said(row[series], heads) if names else None}
            middle, reach = _ends([row["value"]])
            ax.errorbar(middle, [i + shift], xerr=reach, capsize=2, **style)
            if paper and (printed := paper(row)) is not None:
                ax.plot(printed, i + shift, "x", color="black", ms=6, label="paper", ls="")
        names = [", ".join(str(_said(part, heads)) for part in line) for line in lines]
        ax.set_yticks(range(len(lines)), [fill(name, 26) for name in names])
        ax.set_ylim(len(lines) - 0.5, -0.5)
        fig.supxlabel(xlabel, fontsize="medium")  # longer than the axis beside long names
        return self._figure(fig, [ax], name, caption, alt)

    def clear(self, *sides):
        """How many rows have an interval, as verdicts take it, on these sides of zero: 1, -1."""
        return sum(_as_judged(row)["value"].side(1, -1, 0) in sides for row in self)

    def _spread(self, **fields):
        """How far apart the values of some rows lie."""
        values = [float(_middle(row["value"])) for row in self.only(**fields)]
        return np.ptp([v for v in values if np.isfinite(v)] or [0.0])

    def _telling(self):
        """Means over data sets where there is one are of that set, which most of them repeat."""
        alone = [row for row in self if row.get("dataset") != "mean"]
        sets = {row.get("dataset") for row in alone}
        averaged = {name for row in self for name in getattr(row.get("dataset"), "labels", ())}
        if len(sets) != 1 or averaged - sets:
            return self
        (name,) = sets
        but = ("dataset", "setting", "value")
        known = [_alike(row, but) for row in alone]
        others = [row for row in self if _alike(row, but) not in known]
        return self._of(alone + [row | {"dataset": name} for row in others])

    def _panels(self, panels, ylabel, sharey=False):
        """A figure, its axes, and the rows of each; the first of a row has the label.

        Axes stand beside each other, and in two rows where they are many.
        """
        values = self.of(panels) if panels else [None]
        across = len(values) if len(values) <= 4 else -(-len(values) // 2)
        width = {1: ONE_PANEL, 2: 7.2}.get(across, 2.6 * across)
        fig, axes = axes_grid(len(values), across, width, 3.3, sharey=sharey)
        for ax, value in zip(axes, values, strict=True):
            ax.set_title(called(value or ""))
            ax.set_ylabel(ylabel if ax.get_subplotspec().is_first_col() else "")
        parts = [self.only(**{panels: value}) if panels else self for value in values]
        return fig, axes, parts

    def _figure(self, fig, axes, name, caption, alt, intervals=True):
        if labels := labelled(*axes):
            room = 14.7 * fig.get_figwidth()  # letters, of which a handle takes 9
            widest = max(map(len, labels)) + 9
            fits = sum(len(label) + 9 for label in labels) < room
            columns = len(labels) if fits else max(1, int(room / widest))
            legend_above(fig, labels, columns)
        return figure(fig, name=name, caption=self._caption(caption, intervals), alt=alt)

    def _caption(self, caption, intervals=True):
        names = [n for n in self.of("dataset") if n not in (None, "mean")]
        data = ", ".join(names) or self.chapter.data
        units = _units(row["value"] for row in self if intervals)
        return caption_of(caption, data, self.chapter, units)


def _thin_labels(ax):
    """Leave out labels of the horizontal axis that would run into the one before."""
    reach = -np.inf
    for label in sorted(ax.get_xticklabels(), key=lambda label: label.get_position()[0]):
        box = label.get_window_extent()
        label.set_visible(box.x0 > reach + 4)
        reach = box.x1 if label.get_visible() else reach


def _units(values):
    """What intervals there are, as "95% intervals over 10 to 50 classes"; empty without any."""
    numbers = {}
    estimates = [v for v in values if not np.isnan(getattr(v, "low", np.nan))]
    for value in estimates:
        if value.unit:
            numbers.setdefault(value.unit, set()).add(value.n_units)
    counts = [
        f"{min(n):,} {unit}" if len(n) == 1 else f"{min(n):,} to {max(n):,} {unit}"
        for unit, n in numbers.items()
    ]
    over = f" over {' or '.join(counts)}" if counts else ""
    return f"95% intervals{over}" if estimates else ""


def _said(part, heads):
    """What a table or figure calls a value of a column: "a − b" for the method "a - b"."""
    return heads.get(part, called(part).replace(" - ", " − ") if isinstance(part, str) else part)


def _as_tuple(names):
    return (names,) if isinstance(names, str) else tuple(names)


def _alike(row, but=("metric", "value")):
    return tuple((k, v) for k, v in sorted(row.items()) if k not in but)


def _middle(value):
    return value if isinstance(value, np.generic) else getattr(value, "mean", value)


def _ends(values):
    """Middles, and how far the intervals reach below and above: (n,), (2, n)."""
    middle = np.array([float(_middle(v)) for v in values])
    low, high = ([getattr(v, end, _middle(v)) for v in values] for end in ("low", "high"))
    return middle, np.nan_to_num(np.abs(np.array([low, high], dtype=float) - middle))
