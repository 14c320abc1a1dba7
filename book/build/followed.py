"""One claim followed from the paper's sentence to its mark, on the page that explains verdicts."""

from book.build.forest import anchor, hyphens, named
from book.build.render import render
from book.build.scorecard import datasets, titles
from book.papers import check_claims
from book.papers.claims import printed_difference, whose_data
from book.papers.discoveries import p_value, survivors
from book.papers.effects import ratios, size
from book.papers.verdicts import NOT_TESTABLE

FOLLOWED = "hubness", "max-margin-beats-ridge-languages"
"""The paper and the claim: it has a printed size, several marks and several data sets."""


def followed_page(records):
    """The claim's way through these records, in Markdown: a step a list entry."""
    paper = FOLLOWED[0]
    every = [verdict for name in titles() for verdict in check_claims(name, records)]
    [verdict] = (v for v in every if (v.claim.paper, v.claim.id) == FOLLOWED)
    marks = [
        {
            "name": one.mark.name,
            "printed": printed_difference(verdict.claim, one.mark),
            "paper": one.paper_value,
            "found": one.found,
            "verdict": one.verdict,
            "parts": [(hyphens(p.dataset), p.found, p.verdict) for p in one.parts],
        }
        for one in verdict.marks or (verdict,)
    ]
    return render(
        "followed.md",
        claim=verdict.claim,
        verdict=verdict,
        testable=verdict.verdict != NOT_TESTABLE,
        paper=titles()[paper],
        anchor=anchor(verdict.claim),
        first=marks[0],
        marks=marks[1:],
        size=size(verdict),
        ratios=[hyphens(named(ratio)) for ratio in ratios(verdict)],
        whose=whose_data(paper, datasets(verdict, *verdict.marks)),
        n_tests=sum(v.claim.group == "result" and p_value(v) is not None for v in every),
        survives=survivors(every).get(FOLLOWED),
    )
