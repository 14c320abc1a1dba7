"""Numbers as the papers print them, read from one data file beside each paper's chapters."""

import tomllib
from functools import lru_cache
from pathlib import Path

from book.paths import text_of

PAPERS = ("hubness", "devise", "hardneg", "dark", "clarel")
"""Short names of the five papers, in the order of the book."""

OURS = ("together",)
"""Folders of chapters with claims of this book's own, which count apart."""

CHAPTERS = Path(__file__).parents[2] / "chapters"
"""Folder of this copy of the repository that has each paper's chapters and data."""


@lru_cache(maxsize=32)
def read_data(paper, name):
    """Parsed ``chapters/<paper>/<name>.toml``; empty where a paper has none yet."""
    if paper not in (*PAPERS, *OURS):
        raise ValueError(f"paper must be one of {', '.join(PAPERS)}, got {paper!r}")
    return tomllib.loads(text_of(CHAPTERS / paper / f"{name}.toml"))


def printed_table(paper, table):
    """Values of one printed table, as nested dictionaries.

    Parameters
    ----------
    paper : str
        Short name: "hubness", "devise", "hardneg", "dark" or "clarel".
    table : str
        "table1", "table2", …, or "text" for numbers in the running text.

    Returns
    -------
    dict

    Raises
    ------
    KeyError
        When the paper has no such table here; the message lists those it has.

    Examples
    --------
    >>> printed_table("hubness", "table4")["cross-modal"]["ridge"]
    55.8
    """
    tables = read_data(paper, "printed")
    if table not in tables:
        raise KeyError(f"no table {table!r} of {paper!r}; there are {', '.join(tables)}")
    return tables[table]["values"]


def printed(paper, table, *path):
    """One printed number, found along ``path`` in the table; None where the paper prints none.

    Examples
    --------
    >>> printed("hubness", "table3", "cross-linguistic", "ridge", "P@1")
    29.7
    >>> printed("hubness", "table1", "data augmentation", "cross-linguistic") is None
    True
    """
    value = printed_table(paper, table)
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
    return value


def printed_curves(paper, figure):
    """Curves of a figure, ``{data: {curve: {x: value}}}``, from the paper's ``curves.toml``.

    Examples
    --------
    >>> printed_curves("clarel", "lambda")["CUB"]["H"][0.5]
    55.87
    """
    printed = read_data(paper, "curves")[figure]
    return {
        data: {name: dict(zip(printed["x"], line, strict=True)) for name, line in curves.items()}
        for data, curves in printed["values"].items()
    }
