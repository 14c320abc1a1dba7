"""Tidy records: one number per record, with the columns that say what it is."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["RESULT", "Records", "clean_column", "clean_value"]

# Columns that hold the result; the others say what it is the result of.
RESULT = ("value", "low", "high", "n_seeds", "unit", "n_units", "std")


class Records(list):
    """A list of records (dictionaries) with the few questions that tables ask of it.

    Attributes
    ----------
    run : dict
        Where the records come from: version, commit, parameters, data with checksums, device,
        wall time, peak memory, date and machine; empty for a run that has not ended.

    Examples
    --------
    >>> records = Records([
    ...     {"metric": "P@1", "value": 30.0, "method": "ridge", "seed": 0},
    ...     {"metric": "P@1", "value": 32.0, "method": "ridge", "seed": 1},
    ...     {"metric": "P@1", "value": 38.0, "method": "max-margin", "seed": 0},
    ... ])
    >>> records.values(method="ridge")
    [30.0, 32.0]
    >>> records.value(method="max-margin")
    38.0
    >>> len(records.select(method=["ridge", "max-margin"], seed=0))
    2
    """

    def __init__(self, records=(), *, run=None):
        super().__init__(records)
        self.run = dict(run or {})

    def select(self, **columns):
        """Records whose columns equal the given ones; a list means any of its values.

        Raises
        ------
        KeyError
            For a column that no record has: a misspelt name would select nothing, silently.
        """
        for name in columns:
            if self and not any(name in record for record in self):
                known = ", ".join(sorted({key for record in self for key in record}))
                raise KeyError(f"no record has a column {name!r}; columns: {known}")
        wanted = {
            name: value if isinstance(value, (list, tuple, set, frozenset)) else [value]
            for name, value in columns.items()
        }
        return Records(
            (
                record
                for record in self
                if all(record.get(name) in values for name, values in wanted.items())
            ),
            run=self.run,
        )

    def values(self, **columns):
        """Values of the selected records, in the order they were recorded.

        Raises
        ------
        LookupError
            When nothing is selected.
        """
        found = self.select(**columns)
        if not found:
            raise LookupError(f"no record with {_named(columns)}")
        return [record["value"] for record in found]

    def value(self, **columns):
        """The value of the one selected record.

        Raises
        ------
        LookupError
            When none or several are selected.
        """
        values = self.values(**columns)
        if len(values) > 1:
            raise LookupError(f"{len(values)} records with {_named(columns)}: name more columns")
        return values[0]

    def over(self, column, **columns):
        """``{value of column: value of record}`` of the selected records, in recorded order.

        Raises
        ------
        LookupError
            When nothing is selected, or ``column`` does not tell the records apart.

        Examples
        --------
        >>> records = Records([{"metric": "P@1", "value": 30.0, "seed": 4}])
        >>> records.over("seed", metric="P@1")
        {4: 30.0}
        """
        self.values(**columns)
        found = self.select(**columns)
        result = {record.get(column): record["value"] for record in found}
        if len(result) < len(found):
            raise LookupError(
                f"several records with {_named(columns)} share one {column}: name more columns"
            )
        return result

    def mean_interval(self, *, over=("seed",), **columns):
        """Mean and 95% t interval of the selected records.

        Parameters
        ----------
        over : sequence of str
            Columns that the mean is taken over. The selected records may differ in these alone:
            a forgotten column would average unlike things.
        **columns
            As in `select`.

        Returns
        -------
        zslib.protocols.Estimate
            With ``mean``, ``low``, ``high``; of one number alone, low and high are NaN.

        Raises
        ------
        LookupError
            When nothing is selected.
        ValueError
            When the selected records differ in other columns than ``over``.
        """
        from zslib.protocols.intervals import mean_estimate

        self._check_alike(over, columns)
        return mean_estimate(self.values(**columns))

    def paired_difference(self, of, minus, *, over=("seed",), **columns):
        """Mean and 95% t interval of the difference between two methods, seed by seed.

        Parameters
        ----------
        of, minus : str or dict
            The two sides: a method's name, or the columns that select it.
        over : sequence of str
            Columns by which records pair.
        **columns
            What both sides share.

        Returns
        -------
        zslib.protocols.Estimate

        Raises
        ------
        LookupError
            When a side is empty.
        ValueError
            When the two sides do not have the same seeds.

        Examples
        --------
        >>> records = Records([
        ...     {"metric": "P@1", "value": value, "method": method, "seed": seed}
        ...     for method, values in {"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 2.5]}.items()
        ...     for seed, value in enumerate(values)
        ... ])
        >>> print(records.paired_difference("a", "b", metric="P@1"))
        0.8 [0.1, 1.6]
        """
        from zslib.protocols.intervals import paired_difference

        sides = []
        for side in (of, minus):
            chosen = columns | (side if isinstance(side, dict) else {"method": side})
            self._check_alike(over, chosen)
            self.values(**chosen)
            sides.append(
                {tuple(r.get(name) for name in over): r["value"] for r in self.select(**chosen)}
            )
        if sides[0].keys() != sides[1].keys():
            raise ValueError(
                f"the two sides of the difference do not have the same {', '.join(over)}: "
                f"{sorted(sides[0])} and {sorted(sides[1])}"
            )
        pairs = sorted(sides[0])
        return paired_difference([sides[0][p] for p in pairs], [sides[1][p] for p in pairs])

    def _check_alike(self, over, columns):
        found = self.select(**columns)
        names = {name for record in found for name in record} - {*RESULT, *over}
        differing = [
            name for name in sorted(names) if len({record.get(name) for record in found}) > 1
        ]
        if differing:
            raise ValueError(
                f"records with {_named(columns)} differ in {', '.join(differing)} too: name "
                "these columns, or list them in over= to average over them"
            )

    def joined(self):
        """Records with the run's provenance in each, ready for a data frame.

        Examples
        --------
        >>> Records([{"metric": "P@1", "value": 30.0}], run={"version": "0.1.0"}).joined()
        [{'metric': 'P@1', 'value': 30.0, 'version': '0.1.0'}]
        """
        flat = {k: v for k, v in self.run.items() if not isinstance(v, (dict, list))}
        return [{**record, **flat} for record in self]


def _named(columns):
    return ", ".join(f"{name}={value!r}" for name, value in columns.items()) or "any columns"


def clean_value(value, name="value"):
    """A finite number or a bool, as plain Python."""
    if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0:
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(
            f"{name} must be one number, True or False, got {type(value).__name__}: record what "
            "was measured, and leave out what was not"
        )
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}: a record holds a finite number")
    return value


def clean_column(value, name):
    """A column's value: text, a finite number, a bool or None, as plain Python."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return clean_value(value, f"column {name!r}")
