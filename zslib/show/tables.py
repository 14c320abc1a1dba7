"""Numbered tables whose cells come from code."""

import html
import re
from dataclasses import dataclass, field

import numpy as np

from zslib.validation import is_missing

# What stands in a cell without a number: the paper has none, or this run has none.
NOT_PRINTED, NO_DATA = "·", "–"

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_NUMBER = re.compile(r"[−+-]?[\d.,]+(e[−+-]?\d+)?( ?%| ± .*| \[.*\])?")
_FIXED = re.compile(r"(,?)\.(\d)f")
_LARGE = re.compile(r"[\d.]+e\+\d+")
_MINUS_ZERO = re.compile(r"-(0(?:\.0*)?)(?![\d.])")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>$|~#&^:@])")


class Markdown(str):
    """Text that is Markdown already (``$N_{20}$``, a link), not to escape, of a table or a page.

    Examples
    --------
    >>> Markdown("$N_{20}$")
    '$N_{20}$'
    >>> Markdown("by -1.5 points")._repr_markdown_()
    'by −1.5 points'
    """

    __slots__ = ()

    def _repr_markdown_(self):
        return re.sub(r"(?<=[\s(\[])-(?=\d)", "−", self)  # a minus, no hyphen


@dataclass(frozen=True)
class Column:
    """Header and number format of a column of `Table`.

    Parameters
    ----------
    header : str
        Shown as Markdown.
    format : str
        Format of real numbers and estimates, as in `format`; integers are shown whole. Of fixed
        decimals no more are shown than make three digits.
    align : {"left", "right", None}
        None: right where the column holds numbers.

    Examples
    --------
    >>> Column("$p$", format=".1e")
    Column(header='$p$', format='.1e', align=None)
    """

    header: str
    format: str = ".1f"
    align: str | None = None


def escape(text):
    """Markdown that shows ``text`` as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def _is_number(value):
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


def _is_whole(value):
    """Whether a value is shown as a whole number; a truth value is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _takes_format(value):
    """Whether a number format applies: to real numbers, and to estimates."""
    return _is_number(value) or (hasattr(value, "mean") and not callable(value.mean))


def _size(value):
    return abs(float(value if _is_number(value) else value.mean))


def _digits(number_format, values):
    """Formats that show three digits: of the numbers up to 100, and of those above."""
    fixed = _FIXED.fullmatch(number_format)
    if not fixed:
        return number_format, number_format
    largest = max((size for size in map(_size, values) if size <= 100), default=100)
    decimals = min(int(fixed[2]), 1 if largest >= 10 else 2 if largest >= 1 else 3)
    return f"{fixed[1]}.{decimals}f", f"{fixed[1]}.0f"


def _shown(value, number_format):
    """Text of a cell, not escaped."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if _is_whole(value):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if _takes_format(value):
        # What rounds to zero has no sign.
        text = _MINUS_ZERO.sub(r"\1", format(value, number_format)).replace("-", "−")
        if number_format[-1:] == "g":
            text = _LARGE.sub(lambda number: f"{float(number[0]):,.0f}", text)
        # An interval without width says nothing.
        return re.sub(r"^(\S+) \[\1, \1\]$", r"\1", text)
    return str(value)


def _markdown_cell(value, text):
    if isinstance(value, Markdown):
        return text.replace("|", "\\|")
    if _takes_format(value):
        # Lines are not broken between the ends of an interval.
        return escape(text).replace(", ", ",\N{NO-BREAK SPACE}")
    return escape(text)


@dataclass
class Table:
    """A table that any page of the book can refer to by ``{numref}`name```.

    The book shows it as a numbered MyST ``{table}``; Jupyter as HTML; a terminal as text. Cells
    are strings (escaped, unless `Markdown`), numbers, True or False, anything that takes a number
    format, as `zslib.protocols.Estimate` does, or None: a dot in a column that is headed "paper",
    for what it does not print, and else a dash, for no data. ``...`` is a place that the cell
    before it takes too.

    Parameters
    ----------
    name : str
        Label, unique in the book: ``"tbl-hubness-3"``.
    caption : str
        One sentence of Markdown that names the data.
    columns : sequence of str or Column
        Headers, Markdown.
    rows : sequence of sequences
        One per row, as long as ``columns``.
    sortable : bool
        Whether a page's reader can sort and filter the rows (``zslib/compare/sortable.js``).
    folded : bool
        Whether a page shows the caption alone until it is opened: for what a figure shows too.

    Raises
    ------
    ValueError
        For a name that is no label, an empty or multi-line caption, or a row of another length.
        NaN and infinity are refused too, of estimates as well: pass None for what is not there.
    TypeError
        For an array or a series in a cell.

    Examples
    --------
    >>> table = Table("tbl-a", "Two numbers.", ["method", "P@1"], [["ridge", 29.66], ["*", None]])
    >>> print(table._repr_mimebundle_()["text/markdown"])
    ````{table} Two numbers.
    :name: tbl-a
    <BLANKLINE>
    | method | P@1 |
    | :-- | --: |
    | ridge | 29.7 |
    | \\* | – |
    ````
    """

    name: str
    caption: str
    columns: list
    rows: list = field(default_factory=list)
    sortable: bool = False
    folded: bool = False

    def __post_init__(self):
        check_label(self.name, self.caption)
        self.columns = [c if isinstance(c, Column) else Column(c) for c in self.columns]
        self.rows = list(map(list, self.rows))
        if not self.columns:
            raise ValueError(f"table {self.name!r} needs at least one column")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {i} of table {self.name!r} has {len(row)} cells, but there are "
                    f"{len(self.columns)} columns"
                )
            for column, value in zip(self.columns, row, strict=True):
                place = f"row {i}, column {column.header!r} of table {self.name!r}"
                if hasattr(value, "mean") and not (_takes_format(value) or np.isscalar(value)):
                    raise TypeError(f"{place} is of type {type(value).__name__}: pass one number")
                none = value is not None and not isinstance(value, str) and is_missing(value)
                if none or (_takes_format(value) and not np.isfinite(_size(value))):
                    raise ValueError(
                        f"{place} is {value}: pass None for a number that is not there"
                    )

    def _right(self, index):
        if (align := self.columns[index].align) is not None:
            return align == "right"
        shown = [row[index] for row in self.rows if not self._spans(row, index)]
        values = [value for value in shown if value not in (None, NOT_PRINTED, NO_DATA)]
        return bool(values) and all(
            _takes_format(v) or (isinstance(v, str) and _NUMBER.fullmatch(v)) for v in values
        )

    @staticmethod
    def _spans(row, index):
        """Whether a place belongs to a cell of several."""
        return row[index] is ... or row[index + 1 : index + 2] == [...]

    def _texts(self, convert):
        texts = [[] for _ in self.rows]
        for i, column in enumerate(self.columns):
            values = [row[i] for row in self.rows]
            fractions = [v for v in values if _takes_format(v) and not _is_whole(v)]
            form, large = _digits(column.format, fractions)
            missing = NOT_PRINTED if re.search(r"\bpaper\)?$", column.header) else NO_DATA
            for row, value in zip(texts, values, strict=True):
                wide = _takes_format(value) and _size(value) > 100
                text = "" if value is ... else missing
                if value is not None and value is not ...:
                    text = _shown(value, large if wide else form)
                row.append(convert(value, text))
        return texts

    def _markdown(self):
        headers = [column.header.replace("|", "\\|") for column in self.columns]
        rules = ["--:" if self._right(i) else ":--" for i in range(len(self.columns))]
        rows = [headers, rules, *self._texts(_markdown_cell)]
        lines = (f"| {' | '.join(cells)} |" for cells in rows)
        head = [f"````{{table}} {self.caption}", f":name: {self.name}"]
        kinds = ["sortable"] * self.sortable + ["folded"] * self.folded
        head += [f":class: {' '.join(kinds)}"] * bool(kinds)
        return "\n".join([*head, "", *lines, "````"])

    def _html(self):
        cells = self._texts(lambda value, text: html.escape(text))
        sides = ["right" if self._right(i) else "left" for i in range(len(self.columns))]
        style = [f' style="text-align: {side}"' for side in sides]
        heads = (html.escape(column.header) for column in self.columns)
        head = "".join(f"<th{s}>{text}</th>" for s, text in zip(style, heads, strict=True))

        def cell(row, i, text):
            if self._spans(row, i):
                return f'<td colspan="{1 + row[i + 1 :].count(...)}">{text}</td>'
            return f"<td{style[i]}>{text}</td>"

        lines = []
        for row, texts in zip(self.rows, cells, strict=True):
            line = (cell(row, i, text) for i, text in enumerate(texts) if row[i] is not ...)
            lines.append(f"<tr>{''.join(line)}</tr>")
        body = "\n".join(lines)
        kind = ' class="sortable"' if self.sortable else ""
        return (
            f"<table{kind}>\n<caption>{caption_html(self.caption)}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    def __str__(self):
        grid = [[c.header for c in self.columns], *self._texts(lambda value, text: text)]
        grid.insert(1, ["-" * max(map(len, column)) for column in zip(*grid, strict=True)])
        return "\n".join([self.caption, "", *aligned(grid, self._right)])

    __repr__ = __str__

    def _repr_mimebundle_(self, include=None, exclude=None):
        # The book prefers Markdown, Jupyter HTML: see nb_mime_priority_overrides in _config.yml.
        return {
            "text/markdown": self._markdown(),
            "text/html": self._html(),
            "text/plain": str(self),
        }


def power(value):
    r"""A small number in words of powers of ten, as a formula.

    Examples
    --------
    >>> power(5.3e-7)
    '$5 \\cdot 10^{-7}$'
    """
    digit, exponent = f"{value:.0e}".split("e")
    return rf"${digit} \cdot 10^{{{int(exponent)}}}$"


def aligned(grid, right=lambda column: False):
    """Rows of text as lines in columns; ``right(i)`` tells which columns end alike."""
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    for row in grid:
        cells = (
            cell.rjust(width) if right(i) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def caption_html(caption):
    """A caption in HTML: bold words set, formulas left to Jupyter."""
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(caption, quote=False))


def check_label(name, caption):
    """Refuse a ``name`` that MyST would change and a ``caption`` that is not one line."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"name must be lower-case letters, digits and hyphens, such as 'tbl-hubness-3', "
            f"got {name!r}"
        )
    check_line(caption, f"the caption of {name!r}")


def check_line(text, what):
    """Refuse what is not one line of text."""
    if not isinstance(text, str) or not text.strip() or "\n" in text:
        raise ValueError(f"{what} must be one line of text, got {text!r}")
