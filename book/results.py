"""Results as tidy rows: recorded once, kept on disk, read again, shown."""

import numpy as np

from book.shown import Shown


class OverSets(str):
    """In the place of a data set: the mean over several, whose short names are its ``labels``."""

    def __new__(cls, labels):
        name = super().__new__(cls, "mean")
        name.labels = list(labels)
        return name


class Results(Shown, list):
    """Rows of results, each a dict with ``metric``, ``method``, ``dataset``, ``value`` and others.

    Of a chapter: made by `Chapter.measure`, `Chapter.collect` and `Chapter.rows`; ``dataset`` is
    the short name of the data, ``setting`` its setting, and values may have intervals. From disk:
    records as they were written, with the ``run`` that wrote them.

    Parameters
    ----------
    rows : iterable of dict
        ``value`` is a number, an Estimate, text, or None.
    chapter : Chapter, optional
        Its data are named in captions.
    run : dict, optional
        Where the rows come from: version, commit, parameters, data with checksums, device, wall
        time, peak memory, date and machine; empty for a run that has not ended.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> results = Results([
    ...     {"method": "ridge", "metric": "P@1", "value": 30.0},
    ...     {"method": "max-margin", "metric": "P@1", "value": 38.0},
    ... ], chapter=SimpleNamespace(data="synthetic"))
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

    def __init__(self, rows=(), *, chapter=None, run=None):
        super().__init__(map(dict, rows))
        self.chapter, self.run = chapter, dict(run or {})

    def _of(self, rows):
        """Other rows of the same chapter and run."""
        return Results(rows, chapter=self.chapter, run=self.run)

    def __add__(self, other):
        return self._of([*self, *other])

    def __radd__(self, other):
        """So that ``sum`` joins several results."""
        return self if other == 0 else NotImplemented

    def without(self, *columns):
        """The rows without these columns."""
        return self._of({k: v for k, v in row.items() if k not in columns} for row in self)

    def only(self, **columns):
        """The rows with these values; a list, tuple or set means any of its values.

        Raises
        ------
        KeyError
            For a column that no row has: a misspelt name would select nothing, silently.
        """
        for name in columns:
            if self and not any(name in row for row in self):
                known = ", ".join(sorted({key for row in self for key in row}))
                raise KeyError(f"no row has a column {name!r}; columns: {known}")
        wanted = {
            name: value if isinstance(value, (list, tuple, set)) else [value]
            for name, value in columns.items()
        }
        return self._of(r for r in self if all(r.get(name) in v for name, v in wanted.items()))

    def of(self, column):
        """The different values of a column, in the order of the rows."""
        return list(dict.fromkeys(row[column] for row in self if column in row))

    def values(self, **columns):
        """The values of the rows with these columns, in their order."""
        return [row["value"] for row in self.only(**columns)]

    def value(self, **columns):
        """The value of the one row with these columns."""
        values = self.values(**columns)
        if len(values) != 1:
            raise LookupError(f"{len(values)} results with {columns}: name more or other columns")
        return values[0]

    def mean(self, **columns):
        """Means over data sets of what is otherwise alike, as rows of the data set "mean".

        Where a value is missing (None) or text, so is the mean. Of what failed on some data no
        mean stands beside those over all. `Chapter.means` records them.

        Parameters
        ----------
        **columns
            What all of them are given.
        """
        from zslib.protocols.intervals import independent_mean

        groups = {}
        for row in self:
            alike = {k: v for k, v in row.items() if k not in ("dataset", "setting", "value")}
            groups.setdefault(tuple(alike.items()), []).append(row)
        rows = []
        failed = {data for _, data in getattr(self.chapter, "failed", ())}
        n_sets = len(failed.union(self.of("dataset"))) if failed else 0
        for alike, parts in groups.items():
            if len(parts) < n_sets:
                continue
            values = [part["value"] for part in parts]
            if any(value is None or isinstance(value, str) for value in values):
                value = None
            elif hasattr(values[0], "low"):
                value = independent_mean(values)
            else:
                value = float(np.mean(values))
            over = OverSets(part["dataset"] for part in parts)
            rows.append(dict(alike) | columns | {"value": value, "dataset": over})
        return self._of(rows)
