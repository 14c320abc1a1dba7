"""Effects of ours over printed ones, against the numbers of both."""

from dataclasses import replace

import pytest

from book.papers import check_claims, load_claims, printed
from book.papers.effects import printed_effect, ratios
from book.papers.printed import PAPERS

CLAIMS = {f"{claim.paper}/{claim.id}": claim for p in PAPERS for claim in load_claims(p)}
RISES = CLAIMS["hubness/max-margin-raises-p1-languages"]
FALLS = CLAIMS["hubness/chimeras-lower-pollution"]


def judged(claim, *records):
    rows = [claim.record | {"chapter": claim.chapter} | record for record in records]
    return next(v for v in check_claims(claim.paper, rows) if v.claim.id == claim.id)


@pytest.mark.parametrize("claim", [RISES, FALLS], ids=lambda claim: claim.id)
def test_the_printed_numbers_are_one_and_no_difference_is_none(claim):
    ours, theirs = (printed(claim.paper, *path) for path in claim.printed)
    (one,) = ratios(judged(claim, {"value": ours - theirs}))
    (none,) = ratios(judged(claim, {"value": 0.0}))
    assert (one.value, none.value) == (pytest.approx(1), 0)
    assert (one.low, one.high) == (None, None)


@pytest.mark.parametrize("claim", [RISES, FALLS], ids=lambda claim: claim.id)
def test_an_interval_keeps_its_order_and_its_verdict(claim):
    sign = 1 if printed_effect(claim) > 0 else -1
    ends = sorted((sign * 1.0, sign * 3.0))
    (ratio,) = ratios(judged(claim, {"value": sign * 2.0, "low": ends[0], "high": ends[1]}))
    effect = abs(printed_effect(claim))
    assert (ratio.low, ratio.value, ratio.high) == pytest.approx(
        (1 / effect, 2 / effect, 3 / effect)
    )
    assert ratio.verdict.verdict == "held"
    assert str(ratio) == f"{2 / effect:.2f} [{1 / effect:.2f}, {3 / effect:.2f}]"


def test_each_data_set_follows_the_mean():
    sets = [{"dataset": name, "value": value} for name, value in (("a", 8.7), ("b", 17.4))]
    apart = ratios(judged(RISES, *sets))
    assert [(r.verdict.dataset, round(r.value, 9), r.whole) for r in apart] == [
        ("a", 1, False),
        ("b", 2, False),
    ]
    mean = {"dataset": "a and b", "over": "all sets", "value": 13.05}
    assert [(round(r.value, 9), r.whole) for r in ratios(judged(RISES, *sets, mean))] == [
        (1.5, True),
        (1, False),
        (2, False),
    ]


def test_times_faster_start_at_one():
    claim = CLAIMS["hardneg/faster-than-random"]
    (none,) = ratios(judged(claim, {"value": 1.0}))
    (one,) = ratios(judged(claim, {"value": float(printed("hardneg", *claim.printed[0]))}))
    assert (none.value, one.value) == (0, 1)


@pytest.mark.parametrize(
    "claim",
    [
        replace(RISES, kind="check"),
        replace(RISES, kind="theorem"),
        replace(RISES, effect=False),
        replace(RISES, printed=[]),
        replace(RISES, holds=("<", 0.0)),
    ],
)
def test_what_has_no_printed_effect(claim):
    assert printed_effect(RISES) > 0
    assert printed_effect(claim) is None


def test_levels_and_probabilities_are_no_effects():
    for name in ("hubness/cross-tab-ridge-gold/cross-modal", "devise/head", "devise/four-terms"):
        assert CLAIMS[name].printed and printed_effect(CLAIMS[name]) is None
