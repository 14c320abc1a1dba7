"""Verdicts in units of what the paper prints, 0 for no effect and 1 for its own; their size."""

import math
from dataclasses import dataclass

from book.papers.claims import printed_difference
from book.papers.verdicts import FAILED, NOT_AS_READ, NOT_TESTABLE, Verdict
from zslib.protocols.intervals import Estimate, independent_mean

# What a verdict says of the size of an effect whose size the paper prints.
AS_PRINTED, SMALLER, LARGER = "as printed", "smaller", "larger"
OPPOSITE, UNEQUAL, CANNOT_TELL = "opposite", "unequal", "cannot tell"


@dataclass(frozen=True)
class Ratio:
    """Our effect over the printed one, with its interval if it has one, and what it is of.

    ``error`` is half the width of the printed effect's interval, in the same unit.
    """

    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    whole: bool = True
    error: float = 0.0

    def __str__(self):
        text = f"{self.value:.2f}"
        if self.low is not None:
            text += f" [{self.low:.2f}, {self.high:.2f}]"
        return text.replace("-", "−")


def ratios(verdict):
    """`Ratio` of a verdict's number, then of each of its data sets; none without a printed effect.

    ``whole`` tells the former, if there is one, from the latter. Where several marks carry a
    claim, those of each.

    Examples
    --------
    >>> from book.papers import check_claims
    >>> record = {"metric": "P@1", "method": "max-margin - ridge", "space": "full"}
    >>> record |= {"setting": "cross-linguistic", "value": 4.35, "low": 0.87, "high": 7.83}
    >>> [str(r) for v in check_claims("hubness", [record]) for r in ratios(v)]
    ['0.50 [0.10, 0.90]']
    """
    return [ratio for mark in verdict.carrying for ratio in _of_mark(mark)]


def _of_mark(verdict):
    effect = printed_difference(verdict.claim, verdict.mark)
    if effect is None:
        return []
    voting = [
        one
        for one in (verdict, *verdict.parts)
        if one.value is not None and one.verdict != NOT_TESTABLE
    ]
    return [_ratio(one, effect, one is verdict) for one in voting]


def _ratio(verdict, effect, whole):
    scaled = [
        None if end is None else (end - verdict.mark.without) / effect
        for end in (verdict.value, verdict.low, verdict.high)
    ]
    low, high = scaled[1:] if effect > 0 else scaled[:0:-1]
    error = 0.0 if low is None else (high - low) / 2  # as wide as ours: of as many items
    return Ratio(scaled[0], low, high, verdict, whole, error)


def size(verdict):
    """How large the effect is against the printed one, in words; empty where none is printed.

    The printed number has an error too, which is taken to be as ours. Ours is as printed where
    the two intervals of the difference and of no effect leave no other reading; where both
    sizes, the printed one and none, are possible, the run cannot tell. Marks that carry the
    claim on one data set each are taken together; else each has a size of its own, a mean over
    data sets. Those that tell are unequal if they differ, and so are data sets whose intervals
    leave each other out, unless each alone has the same size. A verdict that failed has no
    size.

    Examples
    --------
    >>> from book.papers import check_claims
    >>> record = {"metric": "P@1", "method": "max-margin - ridge", "space": "full"}
    >>> record |= {"setting": "cross-linguistic", "value": 2.0, "low": 0.5, "high": 3.5}
    >>> [size(v) for v in check_claims("hubness", [record]) if ratios(v)]
    ['smaller']
    """
    if verdict.verdict in (FAILED, NOT_AS_READ, NOT_TESTABLE):
        return ""
    alike = {}
    for one in verdict.carrying:
        alike.setdefault(_but_for_data(one.mark), []).extend(_of_mark(one))
    groups = [ratios for ratios in alike.values() if ratios]
    each = [_mean([r for r in ratios if r.whole] or ratios) for ratios in groups]
    if not each or None in each:
        return ""
    told = _told(each)
    apart = any(_apart([r for r in ratios if not r.whole] or ratios, told) for ratios in groups)
    return told.pop() if len(told) == 1 and not apart else UNEQUAL


def _but_for_data(mark):
    """What a mark asks, the same for marks that differ in their data set alone."""
    record = sorted((name, value) for name, value in mark.record.items() if name != "dataset")
    return (*record, mark.setting, mark.chapter, mark.holds, mark.without)


def _told(ratios):
    """The sizes of those that tell."""
    return {_size(ratio) for ratio in ratios} - {CANNOT_TELL} or {CANNOT_TELL}


def _apart(parts, told):
    """Whether the intervals of two data sets leave each other out, and their sizes are not it."""
    parts = [part for part in parts if part.low is not None]
    if not parts or max(part.low for part in parts) <= min(part.high for part in parts):
        return False
    return _told(parts) != told


def _mean(ratios):
    """Mean of ratios taken as independent; None where one has no interval."""
    if any(ratio.low is None for ratio in ratios):
        return None
    mean = independent_mean(Estimate(r.value, r.low, r.high, 1) for r in ratios)
    error = math.hypot(*(ratio.error for ratio in ratios)) / len(ratios)
    return Ratio(mean.mean, mean.low, mean.high, ratios[0].verdict, error=error)


def _size(ratio):
    if ratio.high < 0:
        return OPPOSITE
    short = ratio.value < 1
    towards = ratio.high - ratio.value if short else ratio.value - ratio.low
    if abs(1 - ratio.value) > math.hypot(towards, ratio.error):
        return SMALLER if short else LARGER
    return CANNOT_TELL if ratio.low <= 0 <= ratio.high else AS_PRINTED
