"""Verdicts follow the intervals: of one record, of data sets, and of the marks of a claim."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from book.papers import chapter_verdicts
from book.papers.claims import Claim, Mark
from book.papers.discoveries import discoveries, p_value, survivors
from book.papers.verdicts import judge

MARK = Mark("one", "c", "", {"metric": "m"}, (">", 0.0), [])
CLAIM = Claim("id", "hubness", "1", "says", (MARK,))
YES, MAYBE, NO = (2.0, 1.0, 3.0), (2.0, -1.0, 5.0), (-2.0, -3.0, -1.0)
MAYBE_NOT = (-2.0, -5.0, 1.0)


def claim(**fields):
    """The claim with one mark, whose fields, or the claim's, are changed."""
    of_mark = {name: fields.pop(name) for name in [*fields] if hasattr(MARK, name)}
    return replace(CLAIM, marks=(replace(MARK, **of_mark),), **fields)


def on(dataset, ends, **columns):
    value, low, high = ends
    return {"metric": "m", "dataset": dataset, "value": value, "low": low, "high": high} | columns


@pytest.mark.parametrize(
    ("record", "verdict", "why"),
    [
        ({"value": 2.0, "low": 1.0, "high": 3.0}, "held", "whole interval > 0"),
        ({"value": 2.0, "low": -1.0, "high": 5.0}, "open", "cannot tell"),
        ({"value": -2.0, "low": -3.0, "high": -1.0}, "failed", "other side"),
        ({"value": 2.0, "n_seeds": 1}, "held", "2 (asked: > 0) in one run, without an interval"),
        ({"value": -2.0}, "failed", "−2 (asked: > 0)"),
        ({"value": -2.0, "low": -2.0, "high": -2.0}, "failed", "lies at 0"),
        ({"value": 0.0, "low": 0.0, "high": 0.0}, "not testable here", "all answers are the same"),
        ({"value": 2.0, "low": 1.0, "high": 3.0, "unit": "runs"}, "held", "trainings alone"),
        ({"value": 2.0, "low": 0.05, "high": 3.9, "unit": "words"}, "open", "other draws may"),
        ({"value": 2.0, "low": 0.05, "high": 3.9, "unit": "runs"}, "held", "whole interval"),
        ({"value": 2.0, "low": 0.14, "high": 3.9, "unit": "words"}, "held", "whole interval"),
        ({"value": 2.0, "low": 0.14, "high": 3.9, "unit": "classes"}, "open", "other draws may"),
        ({"value": -2.0, "low": -3.9, "high": -0.05, "unit": "words"}, "open", "other draws may"),
    ],
)
def test_verdicts(record, verdict, why):
    judged = judge(CLAIM, [{"metric": "m"} | record])
    assert judged.verdict == verdict
    assert why in judged.why


def test_what_is_ours_and_does_not_hold_is_not_as_we_read_it():
    judged = judge(claim(own_threshold=True), [on("a", NO)])
    assert (judged.verdict, judged.claim.group) == ("not as we read it", "reading")
    sets = judge(claim(own_threshold=True, pooled=False), [on("a", YES), on("b", NO)])
    assert sets.verdict == "mixed"


SMALL = [["table3", "cross-modal", method, "P@1"] for method in ("max-margin", "ridge")]


@pytest.mark.parametrize(
    ("fields", "ends", "margin"),
    [
        ({"record": {"metric": "ACC"}}, (0.1, -0.5, 0.9), 1.0),
        ({"record": {"metric": "ACC"}}, (0.1, -0.5, 1.1), None),
        ({"record": {"metric": "rho"}}, (0.1, -0.5, 0.9), None),
        ({"record": {"metric": "rho"}, "margin": 2.0}, (0.1, -0.5, 1.9), 2.0),
        # The paper's effect, 0.8 points of P@1, is smaller than a point.
        ({"record": {"metric": "P@1"}, "printed": SMALL}, (0.1, -0.7, 0.7), 0.8),
        # A factor, of which no effect is one: a point would be everything up to twice as much.
        (
            {"record": {"metric": "times"}, "printed": SMALL[:1], "without": 1.0},
            (0.1, -0.7, 0.7),
            None,
        ),
    ],
)
def test_an_open_claim_may_say_that_there_is_no_effect_worth_the_name(fields, ends, margin):
    judged = judge(claim(**fields), [on("a", ends) | fields["record"]])
    assert judged.verdict == "open"
    assert judged.within == (None if margin is None else pytest.approx(margin))
    told = "the run cannot tell" if margin is None else "no effect beyond"
    assert told in judged.why


@pytest.mark.parametrize(
    ("fields", "ends", "columns", "sample"),
    [
        # The interval reaches 4 towards 0 and must reach 2: 2² times as many.
        ({}, (2.0, -2.0, 6.0), {"unit": "classes", "n_units": 40}, "about 160 classes"),
        ({}, (-2.0, -6.0, 2.0), {"unit": "runs"}, "4 times as many runs"),
        ({}, (0.1, -2.0, 6.0), {"unit": "runs"}, "over 100 times as many runs"),
        # Before it leaves out 0 it lies within the margin of 3: its half of 3 must be 2.
        ({"margin": 3.0}, (1.0, -2.0, 4.0), {"unit": "words", "n_units": 40}, "about 90 words"),
        ({}, (2.0, -2.0, 6.0), {"over": "all sets"}, "4 times as many runs in each set"),
        # The longer side decides whether all of it is within 2.5: 3.5 must be 2.
        ({"margin": 2.5}, (0.5, -3.0, 0.6), {"unit": "runs"}, "3.1 times as many runs"),
        ({}, (0.0, -1.0, 0.0), {"unit": "runs"}, "over 100 times as many runs"),
    ],
)
def test_where_the_run_cannot_tell_a_sample_is_named_that_would(fields, ends, columns, sample):
    beside = [on("a", MAYBE), on("b", MAYBE)] if "over" in columns else []
    judged = judge(claim(**fields), [*beside, on("a", ends) | columns])
    assert judged.sample == sample
    assert f"cannot tell; {sample} would, if the effect is as here" in judged.why
    assert not judge(claim(margin=6.0), [on("a", ends)]).sample


def test_of_several_marks_those_that_are_open_name_their_samples():
    marks = tuple(replace(MARK, name=n, record={"metric": "m", "dataset": n}) for n in "ab")
    units = {"unit": "classes", "n_units": 40}
    records = [on("a", YES), on("b", (2.0, -2.0, 6.0), **units)]
    judged = judge(replace(CLAIM, marks=marks), records)
    assert judged.why.endswith("; to tell, if effects are as here: b about 160 classes")


@pytest.mark.parametrize(
    ("sets", "mean", "verdict"),
    [
        ((YES, YES), None, "held"),
        ((YES, NO), None, "mixed"),
        ((YES, MAYBE), None, "open"),
        ((NO, NO), None, "failed"),
        ((NO, MAYBE), None, "open"),
        ((YES, NO), YES, "mixed"),
        ((MAYBE, NO), YES, "mixed"),
        ((YES, MAYBE), YES, "held"),
        ((MAYBE, MAYBE), NO, "failed"),
        ((YES, MAYBE), MAYBE, "open"),
    ],
)
def test_each_data_set_then_all(sets, mean, verdict):
    records = [on(name, ends) for name, ends in zip("ab", sets, strict=True)]
    if mean:
        records.append(on("a and b", mean, over="all sets"))
    for wanted in ({"metric": "m"}, {"metric": "m", "over": "all sets"}):
        judged = judge(claim(record=wanted, pooled=False), records)
        assert judged.verdict == verdict
        assert [part.dataset for part in judged.parts] == ["a", "b"]
        assert judged.value == (mean[0] if mean else None)
    alone = judge(claim(record={"metric": "m", "dataset": "b"}), records)
    assert alone.verdict == judged.parts[1].verdict


def test_without_a_recorded_mean_that_of_independent_sets_decides():
    judged = judge(CLAIM, [on("a", YES), on("b", (1.0, -1.5, 3.5))])
    assert judged.verdict == "held" and judged.dataset == "a and b"
    half = np.hypot(1.0, 2.5) / 2
    assert (judged.value, judged.low, judged.high) == pytest.approx((1.5, 1.5 - half, 1.5 + half))
    assert judged.why == "mean: whole interval > 0; held on a; open on b"
    # Differences between settings share their sets, and are no independent ones.
    pairs = [on("a and c", YES), on("b and c", (1.0, -1.5, 3.5))]
    assert judge(CLAIM, pairs).verdict == "open"


def test_what_several_sets_say_is_told():
    judged = judge(claim(pooled=False), [on("a", YES), on("b", NO)])
    assert judged.found == "a 2 [1, 3]; b −2 [−3, −1]"
    assert judged.why == "held on a; failed on b"


@pytest.mark.parametrize(
    ("levels", "verdict", "end"),
    [
        ((0.2, 0.9), "not testable here", "floor"),
        ((99.2, 99.9), "not testable here", "ceiling"),
        ((0.9, 1.1), "held", ""),
        ((50.0, 99.9), "held", ""),
    ],
)
def test_a_set_at_the_end_of_the_scale_has_no_vote(levels, verdict, end):
    record = {"metric": "P@1", "space": "full", "method": "new - old"}
    rule, row = claim(record=record), on("a", YES) | record
    ends = [
        record | {"dataset": "a", "value": value, "method": name}
        for name, value in zip(("new", "old"), levels, strict=True)
    ]
    judged = judge(rule, [row, *ends])
    assert (judged.verdict, end in judged.why) == (verdict, True)
    assert judge(rule, [row, *(one | {"dataset": "b"} for one in ends)]).verdict == "held"


def test_a_claim_is_judged_by_records_of_its_metric_and_chapter():
    row = {"metric": "m", "value": 2.0}
    assert judge(CLAIM, [row | {"chapter": "c"}]).verdict == "held"
    for other in ({"metric": "other"}, {"chapter": "another"}):
        assert judge(CLAIM, [row | other]).verdict == "not testable here"


def judged_by(*marks):
    """The verdict on a claim with marks (role, ends)."""
    each = tuple(
        replace(MARK, name=f"mark {i}", record={"metric": f"m{i}"}, role=role)
        for i, (role, _) in enumerate(marks)
    )
    rows = [on("a", ends) | {"metric": f"m{i}"} for i, (_, ends) in enumerate(marks)]
    return judge(replace(CLAIM, marks=each), rows)


@pytest.mark.parametrize(
    ("carrying", "verdict"),
    [
        ((YES, YES), "held"),
        ((YES, NO), "mixed"),
        ((YES, MAYBE), "open"),
        ((NO, MAYBE), "failed"),
        ((MAYBE, MAYBE), "open"),
    ],
)
def test_marks_that_carry_a_claim_must_all_hold(carrying, verdict):
    judged = judged_by(*(("carries", ends) for ends in carrying))
    assert judged.verdict == verdict
    assert [one.mark.name for one in judged.marks] == ["mark 0", "mark 1"]
    assert judged.found.startswith("mark 0: ") and "; mark 1: " in judged.found
    first, second = judged.marks
    nameless = replace(second, mark=replace(second.mark, name=""))
    assert replace(judged, marks=(first, nameless)).found.endswith(f"; {second.found}")


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ((YES, YES), (NO, MAYBE), "mixed"),
        ((YES, YES), (YES, MAYBE), "open"),
        ((YES, MAYBE), (NO, MAYBE), "mixed"),
        ((NO, NO), (YES, MAYBE), "mixed"),
        ((NO, NO), (NO, MAYBE), "failed"),
    ],
)
def test_a_data_set_of_another_mark_contradicts(first, second, verdict):
    marks = tuple(replace(MARK, name=name, record={"metric": name}) for name in "xy")
    records = [
        on(dataset, ends) | {"metric": metric}
        for metric, each in (("x", first), ("y", second))
        for dataset, ends in zip("ab", each, strict=True)
    ]
    judged = judge(replace(CLAIM, marks=marks, pooled=False), records)
    assert judged.marks[1].verdict == "open"
    assert judged.verdict == verdict
    assert ("by data set" in judged.why) == (verdict == "mixed")


BARELY = (2.0, 0.2, 3.8)


@pytest.mark.parametrize(
    ("first", "role", "beside", "verdict"),
    [
        (YES, "look", (NO,), "mixed"),
        (NO, "level", (YES,), "mixed"),
        (YES, "level", (MAYBE,), "held"),
        (MAYBE, "level", (YES, MAYBE), "held"),
        # A level that leans the other way does not decide.
        (MAYBE, "level", (NO,), "open"),
        (MAYBE_NOT, "level", (NO,), "failed"),
        (MAYBE_NOT, "level", (YES,), "open"),
        (MAYBE, "level", (YES, NO), "held"),
        (MAYBE, "look", (YES,), "open"),
        # Clear alone, and not as one of two looks.
        (MAYBE, "level", (BARELY,), "open"),
        (YES, "reading", (YES,), "held"),
        (YES, "reading", (NO,), "open"),
        (YES, "reading", (MAYBE,), "open"),
        (NO, "reading", (YES,), "open"),
        (NO, "reading", (MAYBE,), "failed"),
        (MAYBE, "reading", (YES,), "open"),
    ],
)
def test_levels_decide_looks_contradict_and_one_reading_is_not_enough(
    first, role, beside, verdict
):
    assert judged_by(("carries", first), *((role, ends) for ends in beside)).verdict == verdict


def test_no_other_draw_turns_a_theorem():
    row = on("a", (2.0, 0.0, 4.0)) | {"unit": "words"}
    at_least = replace(CLAIM, marks=(replace(MARK, holds=(">=", 0.0)),))
    assert judge(at_least, [row]).verdict == "open"
    assert judge(replace(at_least, kind="theorem"), [row]).verdict == "held"


@pytest.mark.parametrize("count", [7, 29])
def test_intervals_over_few_classes_cover_what_they_promise(count):
    """Percentile intervals of means, as the protocols draw them."""
    rng = np.random.default_rng(count)
    covered = []
    for sample in rng.normal(size=(800, count)):
        means = rng.choice(sample, (600, count)).mean(axis=1)
        ends = sample.mean(), *np.quantile(means, (0.025, 0.975))
        judged = judge(CLAIM, [on("a", ends) | {"unit": "classes", "n_units": count}])
        covered.append(judged.low <= 0 <= judged.high)
    assert 0.93 <= np.mean(covered) <= 0.975


def test_of_many_classes_the_interval_stays():
    row = on("a", YES) | {"unit": "classes"}
    assert judge(CLAIM, [row | {"n_units": 30}]).low == 1.0
    assert judge(CLAIM, [row | {"n_units": 29}]).low < 1.0


def test_false_discoveries_are_those_of_a_list_worked_by_hand():
    # Benjamini and Hochberg (1995), section 3.2: of fifteen p-values four survive at 0.05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert discoveries(p) == [True] * 4 + [False] * 11
    assert discoveries([]) == []


def test_p_is_that_of_a_normal_distribution_with_this_interval():
    half = NormalDist().inv_cdf(0.975)
    ends = (2.0, 2.0 - half, 2.0 + half)
    p = pytest.approx(2 * (1 - NormalDist().cdf(2.0)))
    assert p_value(judge(CLAIM, [on("a", ends)])) == p
    assert p_value(judged_by(("carries", ends), ("carries", YES))) == p
    assert p_value(judge(CLAIM, [{"metric": "m", "value": 1.0}])) is None


def test_only_what_decides_survives_or_not():
    verdicts = [judge(replace(CLAIM, id=str(i)), [on("a", e)]) for i, e in enumerate((YES, MAYBE))]
    assert survivors(verdicts) == {("hubness", "0"): True}


def test_a_chapter_says_where_it_judges_without_the_looks_of_others():
    weight = {"metric": "weight on easy triplets, %", "over": "all sets", "stage": "end"}
    seen = [weight | {"view": v, "reading": "chosen", "value": 3.0} for v in ("images", "labels")]
    judged = {v.claim.id: v for v in chapter_verdicts("dark/03_hardness", seen)}
    assert judged["easy-ones-count"].why.endswith("the scorecard hears others too")
