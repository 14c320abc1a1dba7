"""Tables of names and numbers: CSV files with commas, semicolons or tabs, heads or none."""

import csv
import io
import itertools
import operator
import re
from typing import NamedTuple

import numpy as np

from zslib.datasets.content import numbers_of, text_of
from zslib.validation import as_float32, check_choice

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
# What a column of classes is called, in small letters without signs.
_CLASS_HEADS = {"class", "classid", "classname", "label", "labels", "labelid", "target"}
_NAME_HEADS = _CLASS_HEADS | {
    *("name", "names", "id", "category", "species", "classes", "classids", "classnames")
}
_INDEX_HEADS = {"", "unnamed0", "index", "rowid", "rownames"}
_COUNTED_HEADS = _INDEX_HEADS | {"id", "imageid"}  # of a later column
_NO_HEADS = {"", "na", "n/a", "nan", "null", "none", "inf", "-inf", "?", "-"}
_BEGINS = re.compile(r"[+.,-]?\d|[+.-]$")
_WHOLE = re.compile("[+-]?[0-9]+")
_SIGNED = re.compile("[+-]?[0-9][0-9.,]*")
# Groups of three digits, which may be thousands, and no fraction.
_GROUPED = {sign: re.compile(rf"[+-]?[1-9][0-9]{{0,2}}(?:[{sign}][0-9]{{3}})+") for sign in ".,"}
_PADDED = re.compile("[,;\t] | [,;\t]")
_SHOWN = 60  # letters of a line of heads
_LOOKED_AT = 100  # lines at most, for what only their text tells
_NAMED = "name the decimal sign, decimal='.' or decimal=','"
_REMEDY = "write a name and then numbers, with commas between"


class Table(NamedTuple):
    """Names (n,), their numbers (n, q) as float32, and the line of heads, or ``""``.

    ``columns`` are the heads of the numbers where these name each column, else None.
    """

    names: np.ndarray
    rows: np.ndarray
    heads: str
    columns: list | None


class _Line(NamedTuple):
    number: int
    name: str
    cells: list
    values: np.ndarray | None

    def refused(self, message):
        """The error that says what is wrong in this line."""
        return _Refused(self.number, message)


class _Refused(ValueError):
    """What is wrong in a line, which is the argument ``line``."""

    def __init__(self, line, message):
        super().__init__(f", line {line}{message}")
        self.line = line


def read_table(path, labels=(), encoding=None, decimal=None):
    """Read a table with a name and its numbers on each line.

    The separator is the one of comma, semicolon and tab under which every line is a name and
    equally many numbers, with a point or, but between commas, a decimal comma. Excel's first line
    ``sep=;`` names it. Where every sign between digits may separate thousands, as in 1.234 and
    56.789 between semicolons, ``decimal`` must say which sign is the decimal one.

    A first line without numbers has heads. One of numbers has heads too where its first cell is
    empty or called as a column is ("class", "name"), and where the other first cells are numbers,
    and its own is none. It is a class where ``labels`` have its first cell, or count the lines
    and need it. Where it may be either, for instance because its numbers count up, as pandas' do,
    above lines that all have fractions, it is refused. So is a later column whose head says that
    it has the classes, or, above whole numbers that are all different, numbers of rows or images.

    Parameters
    ----------
    path : path
    labels : array
        Labels of images, of which the table has the classes: names, or numbers of lines from 0.
    encoding : str, optional
        As in `text_of`.
    decimal : {".", ","}, optional
        The decimal sign; the other one then separates thousands.

    Raises
    ------
    ValueError
        For what is outside this grammar, and where two readings are left.
    """
    check_choice(decimal, "decimal", (None, ".", ","))
    text = text_of(path, encoding, wanted="a CSV file").removeprefix("\ufeff")
    try:
        first, lines = _lines(text, decimal)
        heads = first is not None and _is_heads(first, lines, np.asarray(labels))
        if first is not None:
            lines = lines if heads else [first, *lines]
            _check_columns(first, lines, heads, not len(labels))
    except ValueError as error:
        raise ValueError(f"{path}{error}") from error
    if not lines:
        raise ValueError(f"{path} has no vector: write a name and its numbers on each line")
    rows = as_float32(np.stack([line.values for line in lines]), f"{path}: the table of numbers")
    shown = ",".join([first.name, *first.cells])[:_SHOWN] if heads else ""
    # Numbers, as pandas writes them, name nothing.
    # Nor do heads that have blanks around, which pandas takes for a part of them.
    line = text.splitlines()[first.number - 1 : first.number] if heads else ()
    named = heads and not any(map(_PADDED.search, line))
    named = named and len({*first.cells}) == len(first.cells)
    named = named and not any(not cell or _values([cell]) is not None for cell in first.cells)
    names = np.array([line.name for line in lines], dtype=str)
    return Table(names, rows, shown, list(first.cells) if named else None)


def _lines(text, asked):
    """The first line and the others, under the one separator that fits."""
    named = re.match(r'"?sep=(.)"?\r?(\n|\Z)', text)
    if named and named[1] not in _SEPARATORS:
        raise ValueError(f" has {named[0].strip()!r} as its first line: use one of , ; or a tab")
    tried = named[1] if named else [one for one in _SEPARATORS if one in text] or ","
    start = (text[named.end() :], 2) if named else (text, 1)
    read, refused = {}, {}
    for separator in tried:
        # In quotes between commas, "1,234" may have a decimal comma or thousands.
        for decimal in asked or (".," if separator != "," else "."):
            try:
                read.setdefault(separator, _read(*start, separator, decimal, bool(asked)))
                break
            except _Refused as error:
                refused.setdefault(separator, []).append(error)
    for separator, kind in itertools.product(refused.keys(), read.keys()):
        if separator not in read and (name := _cut_name(*read[kind], separator)):
            error = max(reversed(refused[separator]), key=_line)
            between = f"with {_SEPARATORS[kind]} between"
            raise ValueError(f"{error}; {between}, {name!r} would be the name of a class")
    if not read:
        raise max(reversed([*itertools.chain(*refused.values())]), key=_line)
    if len(read) > 1:
        kinds = " and with ".join(_SEPARATORS[separator] for separator in read)
        raise ValueError(
            f" can be read with {kinds} between: name one in a first line, for instance sep=;"
        )
    return next(iter(read.values()))


_line = operator.attrgetter("line")


def _cut_name(first, lines, separator):
    """A name, if each ends in a number, or a sign for none, after another ``separator``."""
    names = [line.name for line in lines or filter(None, [first])]
    cells = [end.strip() for _, cut, end in (name.rpartition(separator) for name in names) if cut]
    numbers = all(cell.lower() in _NO_HEADS or _values([cell]) is not None for cell in cells)
    return names[0] if 0 < len(cells) == len(names) and numbers else None


def _read(text, start, separator, decimal, asked=False):
    """The first line and the others, which have as many cells, all but the first numbers."""
    first, lines, grouped = None, [], None
    doubtful = separator != "," and not asked  # while all signs may separate thousands
    for number, (name, *cells) in _rows(text, start, separator):
        if not cells or (first and not name):
            lack = "name" if cells else _SEPARATORS[separator][:-1]
            raise _Refused(number, f" has no {lack}: {_REMEDY}")
        if asked:
            other = ".,"[decimal == "."]
            cells = [
                c.replace(other, "") if _GROUPED[other].fullmatch(c.partition(decimal)[0]) else c
                for c in cells
            ]
        line = _Line(number, name, cells, _values(cells, decimal))
        if doubtful and line.values is not None:
            signed = [cell for cell in cells if decimal in cell]
            doubtful = all(map(_GROUPED[decimal].fullmatch, signed))
            grouped = grouped or next(iter(signed), None)
        if first is None:
            first = line
            continue
        if line.values is None:
            raise _no_number(line, decimal, first, asked)
        if len(cells) != len(first.cells):
            raise line.refused(
                f" has {len(cells)} numbers and the first one {len(first.cells)}: give as many"
            )
        lines.append(line if len(lines) < _LOOKED_AT else line._replace(cells=None))
    if doubtful and grouped:
        raise ValueError(
            f" has {grouped!r} and the like alone, where {decimal!r} may part thousands: {_NAMED}"
        )
    if separator == "," and lines:
        _refuse_halves(([] if first.values is None else [first]) + lines[:_LOOKED_AT])
    return first, lines


def _no_number(line, decimals, first=None, asked=False):
    none = (
        at
        for at, cell in enumerate(line.cells)
        if all(_values([cell], one) is None for one in decimals)
    )
    at = next(none, 0)
    odd, above = line.cells[at], first.cells[at : at + 1] if first else ()
    signed = "," in odd or any(pattern.fullmatch(odd) for pattern in _GROUPED.values())
    remedy = _NAMED if signed and _SIGNED.fullmatch(odd) else _REMEDY
    if odd.lower() in _NO_HEADS or odd.startswith("#"):
        remedy = "fill this cell, or leave out its line, or its column where that is empty"
    elif above and _plain(above[0]) in _NAME_HEADS:
        remedy = f"line {first.number} {_misplaced(first, at, [line.name])}"
    elif asked and _values([odd], ".,"[decimals == "."]) is not None:
        remedy = f"decimal={decimals!r} is of every CSV file: write all of them with this sign"
    return line.refused(f": {odd!r} is not a number: {remedy}")


def _rows(text, start, separator):
    """The lines that are not blank, with their numbers, without an empty last cell."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    number = start
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if any(cells):
                yield number, cells[:-1] if len(cells) > 2 and not cells[-1] else cells
            number = reader.line_num + start
    except csv.Error as error:
        raise _Refused(number, f" is no line of a CSV file: {error}") from error


def _values(cells, decimal="."):
    """The cells as float64, or None where one is no number."""
    if decimal == ",":
        cells = [cell.replace(".", "?").replace(",", ".") for cell in cells]
    values = numbers_of([cell.encode() for cell in cells])
    return None if values is None or not np.isfinite(values).all() else values


def _refuse_halves(lines):
    """Refuse decimal commas between commas, which make of each number two whole ones."""
    cells = np.array([line.cells for line in lines])
    if cells.shape[1] % 2 or not all(map(_WHOLE.fullmatch, cells.flat)):
        return
    before, after = cells[:, ::2], cells[:, 1::2]
    signs = np.strings.startswith(before, "-")
    padded = np.strings.startswith(after, "0") & (np.strings.str_len(after) > 1)
    sure = padded.any() or (before == "-0").any() or (signs.any(axis=0).sum() > 1 < signs.sum())
    if sure and not np.strings.startswith(after, "-").any():
        raise lines[0].refused(
            f": {','.join(lines[0].cells[:4])} looks like numbers with decimal commas, between "
            "commas: write points, or semicolons between"
        )


def _is_heads(first, lines, labels):
    """Whether a first line has heads; all that could contradict is looked at."""
    names = {line.name for line in lines}
    if labels.dtype.kind == "U":
        names |= set(labels.tolist())
    by_line = labels.size and labels.dtype.kind in "iu"
    needed = by_line and int(labels.max()) == len(lines)
    called = not first.name or _plain(first.name) in _NAME_HEADS
    if first.values is None:
        # Cells that begin as numbers do, or stand for one that is missing, are of no head.
        damaged = any(cell.lower() in _NO_HEADS or _BEGINS.match(cell) for cell in first.cells)
        alike = len(first.cells) > 1 == len(set(first.cells))
        if (damaged and not called) or alike or needed or (first.name and first.name in names):
            raise _no_number(first, ".,")
        return True
    whole = all(map(_WHOLE.fullmatch, first.cells))
    if not first.name:
        if not whole:
            raise first.refused(f" has no name: {_REMEDY}")
        return True
    if first.name in names or not lines:
        return False
    coded = all(_WHOLE.fullmatch(line.name) for line in lines)
    called = called or (coded and not _WHOLE.fullmatch(first.name))
    if needed and not called:
        return False
    steps = np.diff(first.values)
    alone = whole and not any((line.values == np.rint(line.values)).all() for line in lines)
    doubtful = alone and not coded and len(steps) > 1 and (steps == 1).all()
    if by_line:  # without the first every line may be the class of some image
        spare = len(np.unique(labels)) == len(lines)
        rising = len(steps) > 1 and (steps > 0).all()
        apart = len(np.unique(first.values)) == len(first.values)  # as names of columns are
        doubtful = alone or (whole and (spare or apart)) or (spare and rising)
    if needed or (doubtful and not called):
        raise first.refused(
            " may be heads or a class: delete it, or, if a class, write heads of words above it"
        )
    return called


def _plain(head):
    return re.sub(r"[\W_]", "", head.lower())


def _misplaced(first, at, names):
    """What to do about a column of classes after the first one."""
    remedy = "put the classes in the first column"
    if _plain(first.name) in _NAME_HEADS or _values(names) is None:
        remedy = "delete it if the classes are in the first column, else put them there"
    return f"calls column {at + 2} {first.cells[at]!r}: {remedy}"


def _counted(heads, rows):
    """Place of the first column whose head and numbers are those of rows or images, or None."""
    for at, head in enumerate(heads):
        head = str(head).strip()
        plain = re.sub("^unnamed[0-9]+$", "", _plain(head))  # as pandas calls a blank head
        if plain in _COUNTED_HEADS and (plain or not head or head.lower().startswith("unnamed")):
            column = np.array([row[at] for row in rows])
            whole = (column == np.rint(column)).all()
            if whole and len(np.unique(column)) == len(column) > 1:
                return at
    return None


def check_heads(heads, rows, what):
    """Refuse a data frame with a column of classes or of numbers of rows among its numbers."""
    heads = heads or []
    named = (
        at
        for at, head in enumerate(heads)
        if _plain(str(head)) in _CLASS_HEADS and (rows[:, at] == np.rint(rows[:, at])).all()
    )
    at, why = next(named, None), " above whole numbers"
    if at is None:
        at, why = _counted(heads, rows), " above whole numbers that are all different"
    if at is not None:
        raise ValueError(
            f"{what} has the column {heads[at]!r}{why}: leave it out, or call it otherwise if it "
            "belongs to the vectors"
        )


def _check_columns(first, lines, heads, images):
    """Refuse a table whose first column is not the one of the names, or not the only one."""
    named = [heads and _plain(cell) in _CLASS_HEADS for cell in first.cells]
    if any(named):
        names = [line.name for line in lines]
        raise first.refused(f" {_misplaced(first, named.index(True), names)}")
    _check_first(first, lines, heads, images)
    at = _counted(first.cells if heads else (), [line.values for line in lines])
    if at is not None:
        raise first.refused(
            f" calls column {at + 2} {first.cells[at]!r}, and its numbers are whole and all "
            "different: delete the column, or call it otherwise if it is none of row numbers"
        )


def _check_first(first, lines, heads, images):
    """Refuse numbers of rows, or of the vectors, in the place of the names."""
    names = _values([line.name for line in lines])
    if names is None or not lines:
        return
    if (names != np.rint(names)).any():
        raise lines[0].refused(
            f" has the number {lines[0].name} for the name of a class: write the names first"
        )
    counted = heads and _plain(first.name) in _INDEX_HEADS and len(set(names)) == len(names) > 1
    second = np.array([line.values[0] for line in lines])
    # Of classes each has a number of its own; that of images is their class's.
    alike = images or len(set(second)) == len(lines)
    if counted and alike and (second == np.rint(second)).all():
        raise first.refused(
            f" has the head {first.name!r} above numbers that are all different, as pandas writes "
            "the index of a frame: write it by to_csv(index=False) if the classes are in the "
            "second column, by to_csv(index_label='class') if they are in the first"
        )
