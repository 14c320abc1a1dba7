"""Forest plots of verdicts: which lines, marks and signs they have; `forest.html` draws them.

They are SVG that takes the page's width and colours. A plot's scale is our effect over the printed
one, from `LEFT` to `RIGHT`.
"""

from collections import Counter

from book.build.render import TEMPLATES, template_filter
from book.names import called
from book.papers.effects import ratios
from book.papers.verdicts import FAILED, HELD, MIXED, NOT_AS_READ, NOT_TESTABLE, OPEN

KINDS = {kind: kind for kind in (HELD, MIXED, FAILED)}
KINDS |= {NOT_AS_READ: "unread", OPEN: OPEN, NOT_TESTABLE: "untested"}
"""Each verdict's class in the style sheet."""

MARKS = {HELD: "✓", MIXED: "±", FAILED: "✗", NOT_AS_READ: "≠", OPEN: "?", NOT_TESTABLE: "∅"}

LEFT, RIGHT = -1.5, 3.0

TEMPLATES.globals |= {"KINDS": KINDS, "MARKS": MARKS, "LEFT": LEFT, "RIGHT": RIGHT}
TEMPLATES.globals["ratios"] = ratios


@template_filter
def hyphens(text):
    """Names of data as the book writes them."""
    return called(text).replace("_", "-")


@template_filter
def named(ratio):
    """A ratio after the data that it is of, and the mark where a claim has several."""
    several = len(ratio.verdict.claim.carrying) > 1
    name = ratio.verdict.mark.name if several and ratio.whole else ratio.verdict.dataset
    return hyphens(f"{name} {ratio}")


@template_filter
def anchor(claim):
    """Where a claim stands on the scorecard."""
    return f"claim-{claim.paper}-{claim.id}"


def results(verdicts):
    """The verdicts on what a paper measured: no readings of ours, theorems, or sanity checks."""
    return [verdict for verdict in verdicts if verdict.claim.group == "result"]


@template_filter
def verdict_counts(verdicts):
    """How many there are of each verdict that occurs."""
    counts = Counter(verdict.verdict for verdict in verdicts)
    return {verdict: counts[verdict] for verdict in KINDS if counts[verdict]}


@template_filter
def tally(verdicts):
    """The same as text."""
    counts = verdict_counts(verdicts)
    words = KINDS | {NOT_AS_READ: NOT_AS_READ}
    return ", ".join(f"{count} {words[verdict]}" for verdict, count in counts.items())
