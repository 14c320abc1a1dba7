"""The page of errata: misprints, readings, and what cannot be told, with evidence of now."""

from __future__ import annotations

from html import escape

from book.build.scorecard import details, filters, raw
from book.papers.errata import KINDS, load_errata
from book.papers.printed import PAPERS, read_data

__all__ = ["errata_page"]

_ABOUT = {
    "misprint": "What stands there cannot be meant.",
    "claim": "Sentences that a paper's own numbers, or a short argument, qualify.",
    "open": "What the text leaves open, what we took, and what the authors' public code does.",
    "unknown": "Neither text, numbers nor public code decide: the authors may know.",
    "verified": "Derived numbers that recompute as printed.",
}
_OPEN = ("misprint", "unknown")


def _entry(entry, evidence):
    """One note: what it is on; below, what is printed, what we take, and what shows it."""
    chip = ""
    if evidence:
        kind, mark = ("held", "✓ shown") if evidence.confirmed else ("failed", "✗ not confirmed")
        chip = f'<span class="chip {kind}">{mark}</span>'
    says = f"{escape(entry.title)} <small>{escape(entry.where)}</small>"
    return details(
        f'<span class="says">{says}</span>{chip}',
        [
            ("Printed", escape(entry.printed)),
            ("Meant" if entry.kind == "misprint" else "We take", escape(entry.reading)),
            ("Authors' code", escape(entry.code)),
            ("Recomputed", escape(evidence.text) if evidence else ""),
            ("Parameter", entry.parameter and f"<code>{escape(entry.parameter)}</code>"),
        ],
        name=f"erratum-{entry.id}",
        shown=entry.kind in _OPEN,
        paper=entry.paper,
    )


def errata_page():
    """The body of the page, in Markdown: a part for each kind of note, in it paper by paper."""
    notes = [(entry, entry.evidence()) for entry in load_errata()]
    titles = {paper: read_data(paper, "claims")["title"] for paper in PAPERS}
    checked = [evidence for _, evidence in notes if evidence]
    wrong = sum(not evidence.confirmed for evidence in checked)
    told = f"**{wrong} did not come out as described.**" if wrong else "all came out as described."
    parts = [
        f"Of {len(notes)} notes {len(checked)} are recomputed whenever this page is built; {told}",
        raw(filters(paper=titles)),
    ]
    for kind, head in KINDS.items():
        lines = []
        for paper, title in titles.items():
            of = [_entry(e, found) for e, found in notes if (e.kind, e.paper) == (kind, paper)]
            if of:
                rows = "\n".join(of)
                lines.append(f'<div class="entries"><h3>{title}</h3>\n{rows}\n</div>')
        parts += [f"## {head}", _ABOUT[kind], raw("\n".join(lines))]
    return "\n\n".join(parts) + "\n"
