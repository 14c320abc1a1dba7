"""The scorecard: every claim with the verdict of this build beside the published one."""

from __future__ import annotations

from zslib.papers.claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    check_claims,
)
from zslib.papers.printed import PAPERS, read_data

__all__ = ["scorecard_markdown"]

_MARKS = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", UNDECIDED: "?", NOT_TESTABLE: "–"}


def _cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def _told(verdict):
    """A verdict with its number and reason, as one cell."""
    if verdict.verdict == NOT_TESTABLE:
        return f"{_MARKS[verdict.verdict]} {NOT_TESTABLE}: {verdict.why}"
    return f"{_MARKS[verdict.verdict]} **{verdict.verdict}**, {verdict.ours}: {verdict.why}"


def scorecard_markdown(records, published=()):
    """Every claim, its verdict by ``records`` beside that by ``published``: one table a paper."""
    parts = []
    for paper in PAPERS:
        own, shown = check_claims(paper, records), check_claims(paper, published)
        lines = [f"## {read_data(paper, 'claims')['title']}", ""]
        for name, verdicts in (("This build", own), ("Published run", shown)):
            counts = [f"{sum(v.verdict == kind for v in verdicts)} {kind}" for kind in _MARKS]
            names = {
                part + (" (synthetic)" if v.synthetic else "")
                for v in verdicts
                if v.dataset
                for part in v.dataset.split(" and ")
            }
            data = ", ".join(sorted(names)) or "no records"
            lines.append(f"- **{name}** ({data}): {', '.join(counts)}.")
        lines += ["", "| claim | paper | this build | published run |", "|---|---|---|---|"]
        for a, b in zip(own, shown, strict=True):
            claim = a.claim
            where = f"{{doc}}`{claim.where} <executed/{claim.chapter}>`"
            setting = f", {claim.setting}" if claim.setting else ""
            cells = (f"{claim.says} ({where}{setting})", a.paper_value, _told(a), _told(b))
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
