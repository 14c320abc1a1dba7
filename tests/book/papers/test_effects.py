"""Effects of ours over printed ones, against the numbers of both."""

from dataclasses import replace

import numpy as np
import pytest

from book.papers import check_claims, load_claims, printed
from book.papers.claims import printed_difference
from book.papers.effects import ratios, size
from book.papers.printed import PAPERS
from book.papers.verdicts import judge

CLAIMS = {f"{claim.paper}/{claim.id}": claim for p in PAPERS for claim in load_claims(p)}
RISES = CLAIMS["hubness/max-margin-beats-ridge-languages"]
FALLS = CLAIMS["hubness/chimeras-lower-pollution"]


def printed_effect(claim):
    return printed_difference(claim, claim.marks[0])


def marked(**fields):
    return replace(RISES, marks=(replace(RISES.marks[0], **fields),))


def judged(claim, *records):
    mark = claim.marks[0]
    rows = [mark.record | {"chapter": mark.chapter} | record for record in records]
    return next(v for v in check_claims(claim.paper, rows) if v.claim.id == claim.id)


@pytest.mark.parametrize("claim", [RISES, FALLS], ids=lambda claim: claim.id)
def test_the_printed_numbers_are_one_and_no_difference_is_none(claim):
    ours, theirs = (printed(claim.paper, *path) for path in claim.marks[0].printed)
    (one,) = ratios(judged(claim, {"value": ours - theirs}))
    (none,) = ratios(judged(claim, {"value": 0.0}))
    assert (one.value, none.value) == (pytest.approx(1), 0)
    assert (one.low, one.high) == (None, None)


@pytest.mark.parametrize("claim", [RISES, FALLS], ids=lambda claim: claim.id)
def test_an_interval_keeps_its_order_and_its_verdict(claim):
    effect = printed_effect(claim)
    low, value, high = sorted(np.copysign((1.0, 2.0, 3.0), effect))
    (ratio,) = ratios(judged(claim, {"value": value, "low": low, "high": high}))
    one, two, three = (n / abs(effect) for n in (1, 2, 3))
    assert (ratio.low, ratio.value, ratio.high) == pytest.approx((one, two, three))
    assert ratio.verdict.verdict == "held"
    assert str(ratio) == f"{two:.2f} [{one:.2f}, {three:.2f}]"


def test_each_data_set_follows_the_mean():
    def found(*records):
        every = ratios(judged(RISES, *records))
        return [(r.verdict.dataset, round(r.value, 9), r.whole) for r in every]

    sets = [{"dataset": name, "value": value} for name, value in (("a", 8.7), ("b", 17.4))]
    apart = [("a", 1, False), ("b", 2, False)]
    assert found(*sets) == apart
    mean = {"dataset": "a and b", "over": "all sets", "value": 13.05}
    assert found(*sets, mean) == [("a and b", 1.5, True), *apart]


# The paper prints 8.7 points, with an error as large as ours.
@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((8.0, 6.0, 10.0), "as printed"),
        ((2.0, 1.0, 3.0), "smaller"),
        ((2.0, -1.0, 5.0), "smaller"),
        ((5.0, -3.0, 13.0), "cannot tell"),
        ((20.0, 18.0, 22.0), "larger"),
        # 8.7 lies beyond this end, and within the root of the sum of both squares.
        ((6.5, 4.7, 8.3), "as printed"),
        ((6.0, 4.2, 7.8), "smaller"),
        ((-2.0, -3.0, -1.0), ""),
    ],
)
def test_a_size_knows_the_errors_of_both_numbers(ends, verdict):
    record = dict(zip(("value", "low", "high"), ends, strict=True))
    assert size(judged(RISES, record)) == verdict


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ((1.0, 18.0), "unequal"),  # far less on one data set, far more on the other
        ((2.0, 5.0), "smaller"),  # apart, and less than printed on both
        ((7.7, 9.7), "as printed"),
    ],
)
def test_a_mean_of_data_sets_that_are_apart_has_no_size(values, word):
    sets = [
        {"dataset": name, "value": value, "low": value - 1.1, "high": value + 1.1}
        for name, value in zip("ab", values, strict=True)
    ]
    assert size(judged(RISES, *sets)) == word


def test_marks_on_one_data_set_each_are_taken_together():
    marks = tuple(
        replace(RISES.marks[0], name=name, record=RISES.marks[0].record | {"dataset": name})
        for name in "ab"
    )
    rows = [
        mark.record | {"chapter": mark.chapter, "value": 0.5, "low": -6.5, "high": 7.5}
        for mark in marks
    ]
    # Either alone cannot tell the printed 8.7 from none.
    alone = judge(replace(RISES, marks=marks[:1]), rows)
    both = judge(replace(RISES, marks=marks), rows)
    assert (size(alone), size(both)) == ("cannot tell", "smaller")


def test_without_an_interval_or_a_printed_number_nothing_is_said_of_size():
    assert size(judged(RISES, {"value": 2.0})) == ""
    assert size(judged(CLAIMS["dark/robust"], {"value": 2.0, "low": 1, "high": 3})) == ""


def test_times_faster_start_at_one():
    claim = CLAIMS["hardneg/converges-faster"]
    times = float(printed("hardneg", *claim.marks[0].printed[0]))
    (none,), (one,) = (ratios(judged(claim, {"value": value})) for value in (1.0, times))
    assert (none.value, one.value) == (0, 1)


def test_what_has_no_printed_effect():
    assert printed_effect(RISES) > 0
    kinds = [replace(RISES, kind=kind) for kind in ("check", "theorem")]
    for claim in (*kinds, marked(printed=[]), marked(holds=("<", 0.0))):
        assert printed_effect(claim) is None, claim
