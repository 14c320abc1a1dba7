"""What a paper's author is sent: whose data, every question with its verdict, and why."""

import tomllib

from book.build.forest import results
from book.build.picture import constant_picture
from book.build.render import render
from book.build.scorecard import line, titles
from book.names import called
from book.papers import check_claims, load_errata
from book.papers.claims import printed_difference
from book.papers.printed import read_data
from book.papers.verdicts import (
    FAILED,
    HELD,
    MIXED,
    NOT_AS_READ,
    NOT_TESTABLE,
    OPEN,
    READING,
    asked,
)

HEADS = {
    HELD: "What held",
    MIXED: "What came out both ways",
    FAILED: "What failed",
    OPEN: "What stays open",
    NOT_TESTABLE: "What we could not test",
}
"""Each verdict's part of the page."""

TOGETHER = ("leaderboard", "together")


def _question(verdict, other):
    """A result's line, its place in the paper with the paper's number and ours, and why.

    Reasons are of the published run; where ``other`` is its verdict, they are said to be.
    """
    mark = verdict.deciding
    effect, paper = printed_difference(verdict.claim, mark.mark), mark.paper_value
    paper = "" if paper == "–" else paper
    if effect is not None and " against " in paper:
        paper = f"{effect:.3g} ({paper})".replace("-", "−")
    ours = _told(mark)
    here = [*_both_ways(verdict)] if verdict.verdict == MIXED else [f"here {ours}"] * bool(ours)
    numbers = [f"printed {paper}"] * bool(paper) + here
    name = "" if verdict.verdict == MIXED else mark.mark.name
    place = ", ".join(filter(None, (verdict.claim.where, verdict.claim.measured, name)))
    told = line(verdict, verdict)
    otherwise = other and other.verdict != verdict.verdict
    whose = "This run does" if otherwise else "Our data do"
    untested = f"{whose} not give this number." * (verdict.verdict == NOT_TESTABLE)
    if verdict.why.startswith(READING):
        numbers.append(verdict.why)
    if otherwise:
        numbers.append(f"our full run: {other.verdict}")
    why = f"In our full run: {told['why']}" if other and told["why"] else told["why"]
    return {
        "line": told,
        "numbers": ": ".join(filter(None, (place, "; ".join(numbers)))),
        "why": why or untested,
    }


def _both_ways(verdict):
    """Of a mixed verdict a mark or a data set that held, and one that did not, as texts."""
    marks = verdict.marks or (verdict,)
    several = [*verdict.marks, *(part for mark in marks for part in mark.parts)]
    for word in (HELD, FAILED, NOT_AS_READ):
        if one := next((one for one in several if one.verdict == word), None):
            where = one.mark.name if one in verdict.marks else called(one.dataset)
            yield ": ".join(filter(None, (word, where, _told(one))))


def _told(verdict):
    """A verdict's number as text, and what it had to be where that is not a side of zero."""
    if verdict.found == "–":
        return ""
    _, threshold = verdict.mark.holds
    return called(verdict.found) + f" {asked(verdict.mark)}" * bool(threshold)


def overview(paper, records, questions, *, note="", published=()):
    """A paper's results by verdict, each that failed or is open with its reason, in Markdown.

    Parameters
    ----------
    paper : str
    records : sequence of dict
        Each with its ``chapter``.
    questions : dict
        What each of the book's chapters asks, by name.
    note : str
        A sentence on the run that the records are of.
    published : sequence of dict
        The published run's records, where the site shows a smaller one.
    """
    verdicts = check_claims(paper, records)
    others = {v.claim.id: v for v in check_claims(paper, published)} if published else {}
    measured = results(verdicts)
    looks = {mark.chapter for verdict in verdicts for mark in verdict.claim.marks}
    used = {
        called(name)
        for record in [*records, *published]
        if record.get("chapter") in looks
        for name in (record.get("dataset") or "").split(" and ")
    }
    whose = {}  # several names of one set, such as its two editions, say the same
    for name, text in read_data(paper, "claims").get("whose", {}).items():
        if called(name) in used or not used:
            whose.setdefault(called(name), text)
    return render(
        "overview.md",
        note=note,
        whose=whose,
        verdicts=measured,
        heads=HEADS,
        questions=[_question(verdict, others.get(verdict.claim.id)) for verdict in measured],
        apart=len(verdicts) - len(measured),
        notes=sum(note.paper == paper for note in load_errata()),
        chapters=_of(questions, [paper]),
    )


def together(records, questions):
    """The head of the chapters that compare the papers, in Markdown."""
    return render(
        "together.md", shared=constant_picture(records), chapters=_of(questions, TOGETHER)
    )


def _of(questions, folders):
    return {name: text for name, text in questions.items() if name.split("/")[0] in folders}


def map_page(place):
    """Routes through the book and what each chapter builds on, in Markdown; empty without a map.

    Of ``map.toml`` it shows what the book has.
    """
    file = place.pages / "map.toml"
    if not file.is_file():
        return ""
    chart = tomllib.loads(file.read_text(encoding="utf-8"))
    sources = place.pages.rglob("*.md")
    pages = (page.relative_to(place.pages).with_suffix("").as_posix() for page in sources)
    there = {*place.names(), *pages}
    folders = {"afternoon": "The afternoon", **titles()} | dict.fromkeys(TOGETHER, "Together")
    papers = {}
    for name, needed in chart["builds_on"].items():
        if name in there:
            papers.setdefault(folders[name.split("/")[0]], {})[name] = needed
    return render("map.md", routes=chart["routes"], papers=papers, there=there)
