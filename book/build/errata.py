"""The page of errata: misprints, readings, and what cannot be told, with evidence of now."""

from book.build.render import render
from book.build.scorecard import titles
from book.papers.errata import KINDS, load_errata

__all__ = ["errata_page"]

_ABOUT = {
    "misprint": "What stands there cannot be meant.",
    "claim": "Sentences that a paper's own numbers, or a short argument, qualify.",
    "open": "What the text leaves open, what we took, and what the authors' public code does.",
    "unknown": "Neither text, numbers nor public code decide: the authors may know.",
    "verified": "Derived numbers that recompute as printed.",
}


def errata_page():
    """The body of the page, in Markdown: a part for each kind of note, in it paper by paper."""
    notes = [(note, note.evidence()) for note in load_errata()]
    confirmed = [evidence.confirmed for _, evidence in notes if evidence]
    papers = {
        kind: {
            title: [pair for pair in notes if (pair[0].kind, pair[0].paper) == (kind, paper)]
            for paper, title in titles().items()
        }
        for kind in KINDS
    }
    return render(
        "errata.md",
        n_notes=len(notes),
        n_checked=len(confirmed),
        n_wrong=confirmed.count(False),
        titles=titles(),
        kinds=KINDS,
        about=_ABOUT,
        papers=papers,
    )
