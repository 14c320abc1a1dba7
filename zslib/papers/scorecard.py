"""The scorecard: every claim with the verdict of this run beside the published run's."""

from __future__ import annotations

from zslib.papers.claims import (
    KINDS,
    MIXED,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    check_claims,
)
from zslib.papers.printed import PAPERS, read_data

__all__ = ["scorecard_markdown"]

_MARKS = {REPRODUCED: "✓", MIXED: "±", NOT_REPRODUCED: "✗", UNDECIDED: "?", NOT_TESTABLE: "–"}

_HEADS = {"result": "results", "check": "sanity checks", "theorem": "theorems"}


def _cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def _told(verdict):
    """A verdict with its number and reason, as one cell."""
    if verdict.verdict == NOT_TESTABLE:
        return f"{_MARKS[verdict.verdict]} {NOT_TESTABLE}: {verdict.why}"
    return f"{_MARKS[verdict.verdict]} **{verdict.verdict}**, {verdict.found}: {verdict.why}"


def counts(verdicts):
    """How many claims of each kind got each verdict, as text."""
    told = []
    for kind in KINDS:
        of = [v.verdict for v in verdicts if v.claim.kind == kind]
        found = [f"{of.count(verdict)} {verdict}" for verdict in _MARKS if verdict in of]
        if found:
            told.append(f"{_HEADS[kind]}: {', '.join(found)}")
    return "; ".join(told)


def scorecard_markdown(records, published=(), *, stale=None):
    """Every claim, its verdict by ``records`` beside that by ``published``: one table a paper.

    ``stale`` has, by chapter, what of the sources its published run no longer matches.
    """
    stale = stale or {}
    parts = []
    for paper in PAPERS:
        own, shown = check_claims(paper, records), check_claims(paper, published)
        lines = [f"## {read_data(paper, 'claims')['title']}", ""]
        for name, verdicts in (("This run", own), ("Published run", shown)):
            names = {
                part + (" (synthetic)" if v.synthetic else "")
                for v in verdicts
                if v.dataset
                for part in v.dataset.split(" and ")
            }
            data = ", ".join(sorted(names)) or "no records"
            lines.append(f"- **{name}** ({data}): {counts(verdicts)}.")
        old = {v.claim.chapter for v in shown} & set(stale)
        if old:
            told = "; ".join(f"{chapter} ({stale[chapter]})" for chapter in sorted(old))
            lines.append(f"- **Stale**, published before the sources changed: {told}.")
        lines += ["", "| claim | paper | this run | published run |", "|---|---|---|---|"]
        for a, b in zip(own, shown, strict=True):
            claim = a.claim
            where = f"{{doc}}`{claim.where} <executed/{claim.chapter}>`"
            setting = f", {claim.setting}" if claim.setting else ""
            mark = " (stale)" if claim.chapter in stale else ""
            note = f", {claim.note}" if claim.note else ""
            cells = (
                f"{claim.says} ({where}{setting}{note})",
                a.paper_value,
                _told(a),
                _told(b) + mark,
            )
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
