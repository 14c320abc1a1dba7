"""What the papers misprint or leave open, and how this project reads it; recomputed when shown."""

import importlib
import inspect
from dataclasses import dataclass, field
from functools import lru_cache

from book.papers.printed import PAPERS, read_data
from zslib.validation import check_choice

KINDS = {
    "misprint": "Misprints",
    "claim": "Sentences beside their tables",
    "open": "Readings",
    "unknown": "What we cannot tell",
    "verified": "Looked at, and right",
}
"""Kinds of entries, with the headings that the page gives them."""


@dataclass(frozen=True)
class Erratum:
    """One place of a paper that cannot be taken as it stands, or was recomputed.

    Attributes
    ----------
    id, paper, title : str
        Name of the entry, short name of the paper, heading.
    kind : str
        A key of `KINDS`.
    where, printed, reading : str
        Place in the paper, what is printed there, what is taken instead; in our words.
    code : str
        What the authors' public code does there; empty where there is none, or it does not say.
    parameter : str
        What switches the reading, as ``module.Class(parameter, …)``; empty where nothing does.
    check : str
        Name of the recomputation, a function of ``chapters/<paper>/errata.py``; empty
        where nothing can be recomputed.
    numbers : dict
        What the recomputation needs beside the printed tables.
    """

    id: str
    paper: str
    title: str
    kind: str
    where: str
    printed: str
    reading: str
    code: str = ""
    parameter: str = ""
    check: str = ""
    numbers: dict = field(default_factory=dict)

    def evidence(self):
        """Recompute: whether the entry is confirmed, and the numbers; None without a check.

        Examples
        --------
        >>> entry = next(e for e in load_errata() if e.id == "clarel-harmonic-mean")
        >>> print(entry.evidence().text)
        Of 21 triples u, s and H in Tables 1 and 3, 21 agree with 2us/(u+s) ...
        """
        return checks(self.paper)[self.check](self.numbers) if self.check else None


@lru_cache
def checks(paper):
    """The recomputations of a paper by name: of an entry's numbers each gives `Evidence`."""
    module = importlib.import_module(f"chapters.{paper}.errata")
    own = inspect.getmembers(module, lambda f: getattr(f, "__module__", "") == module.__name__)
    return {name: check for name, check in own if not name.startswith("_")}


def load_errata():
    """All entries, paper by paper in the order of the book."""
    return _entries(e | {"paper": p} for p in PAPERS for e in read_data(p, "errata")["erratum"])


def _entries(records):
    entries = [Erratum(**record) for record in records]
    seen = set()
    for entry in entries:
        check_choice(entry.paper, f"{entry.id}: paper", PAPERS)
        check_choice(entry.kind, f"{entry.id}: kind", KINDS)
        check_choice(entry.check, f"{entry.id}: check", ["", *checks(entry.paper)])
        if entry.id in seen:
            raise ValueError(f"{entry.id}: the id occurs twice")
        seen.add(entry.id)
    return entries
