"""The scorecard: every claim with its verdict, as a page and as a table for the terminal."""

import textwrap

from book.build.forest import MARKS, hyphens, tally
from book.build.render import render, template_filter
from book.chapter import verdicts_label
from book.names import NAMES, called
from book.papers import check_claims
from book.papers.claims import GROUPS, printed_difference, whose_data
from book.papers.discoveries import survivors
from book.papers.effects import ratios, size
from book.papers.printed import OURS, PAPERS, read_data
from book.papers.verdicts import HELD, NOT_TESTABLE
from zslib.show.tables import NO_DATA, NOT_PRINTED, aligned


def titles(names=PAPERS):
    """Each paper's title, by its name; of ``names`` those of this book's own claims too."""
    return {name: read_data(name, "claims")["title"] for name in names}


def counts(verdicts):
    """How many claims of each kind got each verdict, as text."""
    tallies = [
        (name, tally(v for v in verdicts if v.claim.group == g)) for g, name in GROUPS.items()
    ]
    return "; ".join(f"{name}: {text}" for name, text in tallies if text)


def datasets(*verdicts):
    """Names of the data sets that verdicts speak of."""
    names = [name for v in verdicts for name in v.dataset.replace("_", "-").split(" and ")]
    return list(dict.fromkeys(name for name in names if name))


def _alike(name):
    """The first name of a data set that prose calls the same."""
    return next((other for other, word in NAMES.items() if word == called(name)), name)


@template_filter
def reason(verdict):
    """What a verdict rests on, as text: the number, and why that decides."""
    if verdict.verdict == NOT_TESTABLE:
        return "no such record" if verdict.why.startswith("the run has no") else verdict.why
    number, why = hyphens(verdict.found), hyphens(verdict.why)
    return why if why.startswith(number) else f"{number}; {why}"


def line(ours, shown, survives=None):
    """A claim with its verdicts as the pages tell them.

    The verdict that is ``shown`` counts; ``ours`` is of another run, named where it differs.
    ``survives`` says whether it stands beside all other claims; None where it has no interval, or
    decides nothing.
    """
    claim = shown.claim
    effects = [printed_difference(claim, mark) for mark in claim.carrying]
    page = claim.chapter.split("/")[1][3:].replace("_", " ")
    where = datasets(shown, *shown.parts, *shown.marks) or datasets(ours)
    return {
        "claim": claim,
        "ours": ours,
        "shown": shown,
        "survives": survives,
        # In the plot, among results without a printed size, or apart from results.
        "group": "apart" if claim.group != "result" else "tiles" if None in effects else "forest",
        "size": size(shown),
        "another": ours.verdict not in (shown.verdict, NOT_TESTABLE),
        "data": " ".join(dict.fromkeys(map(_alike, where))),
        "whose": whose_data(claim.paper, datasets(shown, *shown.marks)),
        # The numbers of several marks stand beside.
        "grounds": hyphens(shown.why) if shown.marks else reason(shown),
        "why": claim.because if shown.verdict not in (HELD, NOT_TESTABLE) else "",
        "evidence": f"{claim.chapter}.html#{claim.see}" if claim.see else "",
        "link": f"{claim.chapter}.html#{verdicts_label(claim.chapter)}",
        "place": f"{titles([claim.paper])[claim.paper]}: {page}, its verdicts",
    }


def scorecard_page(records, published=(), *, note=""):
    """Every claim by ``published``, with what ``records`` say beside: one forest plot a paper.

    This book's own claims come last, and are no part of the false discovery rate of the papers'.
    ``note`` is a sentence on the published run.
    """
    papers, sets, scored = [], set(), titles((*PAPERS, *OURS))
    every = {name: check_claims(name, published) for name in scored}
    alive = survivors(verdict for name in PAPERS for verdict in every[name])
    alive |= survivors(verdict for name in OURS for verdict in every[name])
    for name, title in scored.items():
        ours, shown = check_claims(name, records), every[name]
        sets.update(map(_alike, datasets(*ours, *shown)))
        pairs = zip(ours, shown, strict=True)
        lines = [line(a, b, alive.get((name, b.claim.id))) for a, b in pairs]
        paper = {"name": name, "title": title, "ours": name in OURS}
        papers.append(paper | {"counts": counts(shown), "lines": lines})
    choices = {
        "paper": scored,
        "verdict": {verdict: verdict for verdict in MARKS},
        "data": {name: called(name) for name in sorted(sets)},
    }
    return render("scorecard.md", choices=choices, note=note, papers=papers)


def scorecard_text(records, published=(), *, note=""):
    """The scorecard for a terminal: a line a claim, with both verdicts."""
    parts = [note] if note else []
    ran = {record.get("chapter") for record in records}  # without a chapter: of any

    def was_run(claim):
        return not ran.isdisjoint((None, *(mark.chapter for mark in claim.marks)))

    for paper, title in titles((*PAPERS, *OURS)).items():
        ours, shown = check_claims(paper, records), check_claims(paper, published)
        rows = [["claim", "printed", "published run", "size", "×", "this run"]]
        for a, b in zip(ours, shown, strict=True):
            claim = b.claim
            headline = textwrap.shorten(claim.headline, 64, placeholder=" …")
            sizes = [f"{r.value:.1f}" for r in ratios(b)]
            rows.append(
                [
                    headline + (f", {claim.setting}" if claim.setting else ""),
                    b.carrying[0].paper_value.replace(NO_DATA, NOT_PRINTED),
                    f"{MARKS[b.verdict]} {b.verdict}",
                    size(b),
                    ", ".join(sizes[:2]) + " …" * (len(sizes) > 2),
                    f"{MARKS[a.verdict]} {a.verdict}" if was_run(claim) else "not run",
                ]
            )
        told = counts([v for v in ours if was_run(v.claim)]) or "no chapter of these was run"
        tallies = [f"published: {counts(shown)}", f"this run:  {told}"]
        parts.append("\n".join([title, "=" * len(title), *tallies, "", *aligned(rows)]))
    parts.append("×: our effect over the printed one (0: none, 1: as printed).")
    return "\n\n".join(parts)
