"""What stands on the first page: each paper's question and finding, and all results in little."""

from __future__ import annotations

from html import escape

from book.build.forest import bar, key, names, panel
from book.build.scorecard import raw
from book.papers import check_claims
from book.papers.effects import printed_effect
from book.papers.printed import PAPERS, read_data

__all__ = ["finding", "questions_page", "results", "results_page"]


def _told(verdict, number, place):
    """The run's number, or that of each data set with its ``place``; empty without any."""
    parts = verdict.parts if verdict.value is None else [verdict]
    return " and ".join(
        number(part.value) + place.format(part.dataset.replace("_", "-")) * (part is not verdict)
        for part in parts
        if part.value is not None
    )


def _signed(value):
    return f"{value:+.1f}".replace("-", "−")


def finding(paper, verdicts):
    """What a paper's published verdicts come to, in a sentence: its words follow the verdicts."""
    by_id = {verdict.claim.id: verdict for verdict in verdicts}
    told = []
    for piece in read_data(paper, "claims")["finding"]:
        verdict = by_id[piece["claim"]]
        effect = printed_effect(verdict.claim)
        told.append(
            piece.get(verdict.verdict, piece["open"]).format(
                size=_told(verdict, lambda value: f"{abs(value):.1f}", " ({})"),
                signed=_told(verdict, _signed, " on {}") or "no number",
                printed="" if effect is None else f"{abs(effect):.3g}",
            )
        )
    return "; ".join(told) + "."


def results(verdicts):
    """The verdicts on what a paper measured, without theorems and sanity checks."""
    return [verdict for verdict in verdicts if verdict.claim.kind == "result"]


def questions_page(published, chapters, *, note=""):
    """The papers' questions with the finding of each and a bar of its verdicts, in Markdown.

    ``chapters`` are the book's, by name: a question leads to that of its paper's first finding.
    """
    rows = []
    for paper in PAPERS:
        data = read_data(paper, "claims")
        verdicts = check_claims(paper, published)
        by_id = {verdict.claim.id: verdict.claim for verdict in verdicts}
        question, chapter = escape(data["question"]), by_id[data["finding"][0]["claim"]].chapter
        if chapter in chapters:
            question = f'<a href="{chapter}.html">{question}</a>'
        found = escape(finding(paper, verdicts))
        rows.append(
            f'<div class="paper"><p><b>{question}</b> <small>{escape(data["authors"])}</small><br>'
            f'{found}</p><a class="tally" href="scorecard.html#{paper}-claims" '
            f'aria-label="Claims of {escape(data["title"])}">{bar(results(verdicts))}</a>'
            "</div>"
        )
    html = f'<div class="papers">\n{"".join(rows)}\n</div>'
    return raw(html + (f'\n<p class="note">{escape(note)}</p>' if note else "")) + "\n"


def results_page(published, today=()):
    """All results in little, a panel a paper, and where the book goes on, in Markdown.

    ``today`` has the chapters that ask what one would do today: name, question, and what was
    found, as far as there are records; of the last one this is told.
    """
    panels = []
    for paper in PAPERS:
        title = read_data(paper, "claims")["title"]
        judged = results(check_claims(paper, published))
        panels.append(
            f'<div class="panel"><a href="scorecard.html#{paper}-claims"><b>{title}</b>'
            f"{panel(judged, title)}</a>{names(judged)}</div>"
        )
    parts = [raw(f'<div class="panels">\n{"".join(panels)}\n</div>\n<p class="key">{key()}</p>')]
    if today:
        *others, (last, _, found) = today
        asked = [f"- {{doc}}`{question} <{name}>`" for name, question, _ in others]
        told = f"{found} {{doc}}`The recipe <{last}>`.".lstrip()
        parts += ["## What would we do today?", told, "\n".join(asked)]
    return "\n\n".join(parts) + "\n"
