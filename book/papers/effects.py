"""Verdicts in units of what the paper prints: 0 is no effect, 1 the printed one."""

from __future__ import annotations

from dataclasses import dataclass

from book.papers.claims import Verdict
from book.papers.printed import printed


@dataclass(frozen=True)
class Ratio:
    """Our effect over the printed one, with its interval if it has one, and what it is of."""

    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    whole: bool = True

    def __str__(self):
        value = f"{self.value:.2f}"
        return value if self.low is None else f"{value} [{self.low:.2f}, {self.high:.2f}]"


def printed_effect(claim):
    """The effect that the paper prints, in the units of the claim's record; None without one.

    Of two printed numbers it is the difference, of one the number less ``claim.without``. Checks
    and theorems have none, nor has a claim that its own printed numbers do not satisfy.

    Examples
    --------
    >>> from book.papers import load_claims
    >>> claims = {claim.id: claim for claim in load_claims("hubness")}
    >>> round(printed_effect(claims["max-margin-raises-p1-languages"]), 1)
    8.7
    """
    values = [printed(claim.paper, *path) for path in claim.printed]
    if claim.kind != "result" or not claim.effect or not 1 <= len(values) <= 2:
        return None
    effect = values[0] - (values[1] if len(values) == 2 else claim.without)
    return effect if (effect if claim.holds[0].startswith(">") else -effect) > 0 else None


def ratios(verdict):
    """`Ratio` of a verdict's number, then of each of its data sets; none without a printed effect.

    ``whole`` tells the former, if there is one, from the latter.

    Examples
    --------
    >>> from book.papers import check_claims
    >>> record = {"metric": "P@1", "method": "max-margin - ridge", "space": "full"}
    >>> record |= {"setting": "cross-linguistic", "value": 4.35, "low": 0.87, "high": 7.83}
    >>> [str(r) for v in check_claims("hubness", [record]) for r in ratios(v)]
    ['0.50 [0.10, 0.90]']
    """
    effect = printed_effect(verdict.claim)
    if effect is None:
        return []
    verdicts = [(verdict, True), *((part, False) for part in verdict.parts)]
    return [_ratio(one, effect, whole) for one, whole in verdicts if one.value is not None]


def _ratio(verdict, effect, whole):
    scaled = [
        None if end is None else (end - verdict.claim.without) / effect
        for end in (verdict.value, verdict.low, verdict.high)
    ]
    low, high = scaled[1:] if effect > 0 else scaled[:0:-1]
    return Ratio(scaled[0], low, high, verdict, whole)
