"""The page of errata: misprints, readings, and what cannot be told, with evidence of now."""

from book.build.render import render
from book.build.scorecard import titles
from book.papers.errata import KINDS, load_errata


def errata_page():
    """The body of the page, in Markdown: a part for each kind of note, in it paper by paper."""
    notes = [(note, note.evidence()) for note in load_errata()]
    return render("errata.md", titles=titles(), kinds=KINDS, notes=notes)
