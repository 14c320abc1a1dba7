"""Errata of the papers and how this project reads them, recomputed whenever they are shown."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

from zslib.papers.errata_checks import CHECKS, Evidence
from zslib.papers.printed import PAPERS

__all__ = ["KINDS", "Erratum", "Evidence", "errata_markdown", "load_errata"]

KINDS = {
    "misprint": "misprint",
    "open": "left open",
    "claim": "not as stated",
    "verified": "recomputes",
}
"""Kinds of entries, with the words that the page uses."""


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
    parameter : str
        What switches the reading, as ``module.Class(parameter, …)``; empty where nothing does.
    check : str
        Name of the recomputation, a function of ``zslib.papers.errata_checks.<paper>``; empty
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
        return CHECKS[self.paper][self.check](self.numbers) if self.check else None


@lru_cache(maxsize=1)
def _data():
    file = resources.files("zslib.papers").joinpath("errata.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def load_errata():
    """All entries, paper by paper in the order of the book."""
    return _entries(_data()["erratum"])


def _entries(records):
    entries = [Erratum(**record) for record in records]
    seen = set()
    for entry in entries:
        if entry.paper not in PAPERS:
            raise ValueError(f"{entry.id}: paper must be one of {', '.join(PAPERS)}")
        if entry.kind not in KINDS:
            raise ValueError(f"{entry.id}: kind must be one of {', '.join(KINDS)}")
        if entry.check and entry.check not in CHECKS[entry.paper]:
            raise ValueError(
                f"{entry.id}: no check {entry.check!r} for {entry.paper}; there are "
                f"{', '.join(CHECKS[entry.paper])}"
            )
        if entry.id in seen:
            raise ValueError(f"{entry.id}: the id occurs twice")
        seen.add(entry.id)
    return sorted(entries, key=lambda entry: PAPERS.index(entry.paper))


def _section(entry, evidence):
    lines = [
        f"(erratum-{entry.id})=",
        f"### {entry.title}",
        "",
        f"*{entry.where} · {KINDS[entry.kind]}*",
        "",
        f"- **Printed:** {entry.printed}",
        f"- **We take:** {entry.reading}",
    ]
    if evidence:
        mark = "✓" if evidence.confirmed else "✗ not confirmed:"
        lines.append(f"- **Recomputed:** {mark} {evidence.text}")
    if entry.parameter:
        lines.append(f"- **Parameter:** `{entry.parameter}`")
    return "\n".join(lines)


def errata_markdown():
    """The errata page's body: MyST Markdown, with evidence recomputed now.

    One section per paper, one short subsection per entry with a target ``erratum-<id>``.
    """
    entries = load_errata()
    evidence = {entry.id: entry.evidence() for entry in entries}
    checked = [found for found in evidence.values() if found]
    confirmed = sum(found.confirmed for found in checked)
    kinds = ", ".join(
        f"{words} {sum(entry.kind == kind for entry in entries)}" for kind, words in KINDS.items()
    )
    parts = [
        f"{len(entries)} entries: {kinds}. {len(checked)} of them are recomputed from the "
        f"printed tables, or shown by a small calculation, when this page is built; {confirmed} "
        "came out as described."
    ]
    for paper, title in _data()["papers"].items():
        parts.append(f"## {title}")
        parts += [_section(e, evidence[e.id]) for e in entries if e.paper == paper]
    return "\n\n".join(parts) + "\n"
