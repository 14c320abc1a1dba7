"""One claim followed from the paper's sentence to its mark, on the page that explains verdicts."""

from book.build.render import render
from book.build.scorecard import datasets, titles
from book.papers import check_claims
from book.papers.claims import printed_difference, whose_data
from book.papers.discoveries import p_value, survivors
from book.papers.effects import size

FOLLOWED = "hubness", "max-margin-beats-ridge-languages"
"""The paper and the claim: it has a printed size, several marks and several data sets."""


def followed_page(records):
    """The claim's way through these records, in Markdown: a step a list entry."""
    paper = FOLLOWED[0]
    every = [verdict for name in titles() for verdict in check_claims(name, records)]
    [verdict] = (v for v in every if (v.claim.paper, v.claim.id) == FOLLOWED)
    first, *others = verdict.marks or (verdict,)
    return render(
        "followed.md",
        verdict=verdict,
        first=first,
        others=others,
        paper=titles()[paper],
        printed=printed_difference(verdict.claim, first.mark),
        size=size(verdict),
        whose=whose_data(paper, datasets(verdict, *verdict.marks)),
        n_tests=sum(v.claim.group == "result" and p_value(v) is not None for v in every),
        survives=survivors(every).get(FOLLOWED),
    )
