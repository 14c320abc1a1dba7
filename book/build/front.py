"""What stands on the first page: each paper's question and finding, and all results in little."""

from book.build.forest import hyphens, results
from book.build.render import render
from book.build.scorecard import titles
from book.papers import check_claims
from book.papers.claims import printed_difference
from book.papers.printed import PAPERS, read_data


def _numbers(verdict, number, place):
    """The run's number, or that of each data set with its ``place``; empty without any."""
    if verdict.value is not None:
        return number(verdict.value)
    return " and ".join(
        number(part.value) + place.format(hyphens(part.dataset))
        for part in verdict.parts
        if part.value is not None
    )


def _signed(value):
    return f"{value:+.1f}".replace("-", "−")


def finding(paper, verdicts):
    """What a paper's published verdicts come to, in a sentence: its words follow the verdicts."""
    by_id = {verdict.claim.id: verdict for verdict in verdicts}
    clauses = []
    for piece in read_data(paper, "claims")["finding"]:
        verdict = by_id[piece["claim"]]
        first = verdict.carrying[0]
        effect = printed_difference(verdict.claim, first.mark)
        clauses.append(
            piece.get(verdict.verdict, piece["open"]).format(
                size=_numbers(first, lambda value: f"{abs(value):.1f}", " ({})"),
                signed=_numbers(first, _signed, " on {}") or "no number",
                printed="" if effect is None else f"{abs(effect):.3g}",
            )
        )
    return "; ".join(clauses) + "."


def questions_page(published, chapters, *, note=""):
    """The papers' questions with the finding of each and a bar of its verdicts, in Markdown.

    ``chapters`` are the book's, by name: a question leads to that of its paper's first finding.
    """
    papers = []
    for name in PAPERS:
        data, verdicts = read_data(name, "claims"), check_claims(name, published)
        by_id = {verdict.claim.id: verdict.claim for verdict in verdicts}
        chapter = by_id[data["finding"][0]["claim"]].chapter
        papers.append(
            {key: data[key] for key in ("title", "question", "authors")}
            | {
                "name": name,
                "chapter": chapter if chapter in chapters else None,
                "finding": finding(name, verdicts),
                "verdicts": results(verdicts),
            }
        )
    return render("questions.md", papers=papers, note=note)


def results_page(published, today=()):
    """All results in little, a panel a paper, and where the book goes on, in Markdown.

    ``today`` has the chapters that ask what one would do today: name, question, and what was
    found, as far as there are records; of the last one this is told.
    """
    papers = [
        {"name": name, "title": title, "verdicts": results(check_claims(name, published))}
        for name, title in titles().items()
    ]
    return render("results.md", papers=papers, today=today)
