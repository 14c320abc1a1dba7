"""Many claims are tested at once: which verdicts survive control of the false discovery rate."""

from scipy.stats import false_discovery_control

from book.papers.verdicts import FAILED, MIXED, NOT_TESTABLE, OPEN, p_of_mark

RATE = 0.05
"""Share of false ones among the verdicts that survive, in the mean."""


def p_value(verdict):
    """Two-sided p of a verdict, from the intervals of the marks that carry it; None without one.

    Where several must hold, the largest of theirs; where one decided against the claim, the
    smallest, times their number.

    Examples
    --------
    >>> from book.papers import check_claims
    >>> record = {"metric": "pollution at 1", "method": "intruder - random", "space": "labels"}
    >>> record |= {"setting": "cross-modal", "value": -2.0, "low": -3.96, "high": -0.04}
    >>> verdicts = check_claims("hubness", [record])
    >>> [round(p, 3) for p in map(p_value, verdicts) if p is not None]
    [0.046]
    """
    values = [p_of_mark(mark) for mark in verdict.carrying if mark.verdict != NOT_TESTABLE]
    if not values or None in values:
        return None
    return min(1.0, min(values) * len(values)) if verdict.verdict == FAILED else max(values)


def discoveries(p_values):
    """Which of the p-values survive the procedure of Benjamini and Hochberg (1995), as truths.

    Examples
    --------
    >>> discoveries([0.01, 0.04, 0.03, 0.5])
    [True, False, False, False]
    """
    return (false_discovery_control(p_values) <= RATE).tolist()


def survivors(verdicts):
    """``{(paper, id): truth}``: which of the results that have an interval survive, all together.

    The others, and what is not testable here, are left out.
    """
    results = ((v, p_value(v)) for v in verdicts if v.claim.group == "result")
    tested = [(verdict, p) for verdict, p in results if p is not None]
    alive = discoveries([p for _, p in tested])
    return {
        (verdict.claim.paper, verdict.claim.id): survives
        for (verdict, _), survives in zip(tested, alive, strict=True)
        if verdict.verdict not in (OPEN, MIXED)
    }
