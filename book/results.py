"""Results of a chapter as tidy rows: recorded once, then shown."""

from __future__ import annotations

import numpy as np

from book.shown import Shown

__all__ = ["Results", "measure"]


class Results(Shown):
    """Rows of results, each a dict with ``dataset``, ``metric``, ``method``, ``value`` and others.

    Made by `Chapter.measure` and `Chapter.collect`, or from rows that are shown and not recorded.
    ``dataset`` is the short name of the data, ``setting`` its setting.

    Parameters
    ----------
    chapter : Chapter
        Its data are named in captions.
    rows : iterable of dict
        ``value`` is a number, an Estimate, text, or None.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> results = Results(SimpleNamespace(data="synthetic"), [
    ...     {"method": "ridge", "metric": "P@1", "value": 30.0},
    ...     {"method": "max-margin", "metric": "P@1", "value": 38.0},
    ... ])
    >>> results.value(method="ridge")
    30.0
    >>> print(results.table("tbl-p", "Precision in percent", rows="method", columns="metric"))
    Precision in percent (synthetic).
    <BLANKLINE>
    method       P@1
    ----------  ----
    ridge       30.0
    max-margin  38.0
    """

    def __init__(self, chapter, rows):
        self.chapter = chapter
        self.rows = [dict(row) for row in rows]

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __add__(self, other):
        return Results(self.chapter, [*self.rows, *other])

    def __radd__(self, other):
        """So that ``sum`` joins several results."""
        return self if other == 0 else NotImplemented

    def without(self, *columns):
        """The rows without these columns."""
        kept = [{k: v for k, v in row.items() if k not in columns} for row in self.rows]
        return Results(self.chapter, kept)

    def only(self, **columns):
        """The rows with these values; a list or tuple means any of its values."""
        keep = self.rows
        for name, wanted in columns.items():
            several = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
            keep = [row for row in keep if row.get(name) in several]
        return Results(self.chapter, keep)

    def of(self, column):
        """The different values of a column, in the order of the rows."""
        return list(dict.fromkeys(row[column] for row in self.rows if column in row))

    def value(self, **columns):
        """The value of the one row with these columns."""
        found = self.only(**columns).rows
        if len(found) != 1:
            raise LookupError(f"{len(found)} results with {columns}: name more or other columns")
        return found[0]["value"]

    def mean(self, *, metric="{}", dataset=None, over="all sets", **columns):
        """Means over data sets of what is otherwise alike, recorded; rows of the data set "mean".

        Where a value is missing (None) or text, so is the mean.

        Parameters
        ----------
        metric : str
            Name of the mean's metric, from that of the parts.
        dataset : list, optional
            Short names of the data sets that count (see `Chapter.counted`); default: all.
        over : str or None
            Column ``over`` of the records.
        **columns
            More columns of the records.
        """
        from zslib.protocols.intervals import independent_mean

        used = self.of("dataset") if dataset is None else dataset
        groups = {}
        for row in self.rows:
            if row.get("dataset") in used:
                alike = {k: v for k, v in row.items() if k not in ("dataset", "setting", "value")}
                groups.setdefault(tuple(alike.items()), []).append(row)
        shown = []
        for alike, parts in groups.items():
            values = [part["value"] for part in parts]
            if any(value is None or isinstance(value, str) for value in values):
                shown.append(dict(alike) | columns | {"value": None, "dataset": "mean"})
                continue
            estimates = hasattr(values[0], "low")
            value = independent_mean(values) if estimates else float(np.mean(values))
            row = dict(alike) | columns | {"value": value}
            extra = {"over": over} if over else {}
            self.chapter.record(
                **(row | {"metric": metric.format(row["metric"])} | extra),
                **self.chapter.joined([part["dataset"] for part in parts]),
            )
            shown.append(row | {"dataset": "mean"})
        return Results(self.chapter, shown)


def measure(chapter, runs, measures, *, minus=(), methods=None, mean=False, **columns):
    """Estimate and record every measure of every method, and differences of methods: `Results`.

    Parameters
    ----------
    chapter : Chapter
    runs : dict
        ``{problem: {method: one run per seed}}``.
    measures : dict
        ``{metric: estimate}``; ``estimate(runs, minus=None)`` gives an Estimate, of the paired
        difference where ``minus`` has the runs of another method.
    minus : sequence of (method, method), or dict
        Pairs whose differences are measured too, as the method "a - b", or by the dict's names.
    methods : sequence of str, optional
        Those that are measured by themselves; default: all.
    mean : bool
        Whether to add means over the data sets: see `Results.mean`.
    **columns
        More columns of the records.
    """
    rows = []
    named = minus if isinstance(minus, dict) else {f"{a} - {b}": (a, b) for a, b in minus}
    for problem, of in runs.items():
        pairs = {m: (m, None) for m in of if methods is None or m in methods}
        pairs |= {name: pair for name, pair in named.items() if set(pair) <= set(of)}
        for metric, estimate in measures.items():
            for method, (a, b) in pairs.items():
                value = estimate(of[a], of[b] if b else None)
                rows.append(
                    {"dataset": problem, "metric": metric, "method": method, "value": value}
                    | columns
                )
    results = chapter.collect(rows)
    return results + results.mean() if mean else results
