"""Claims are well formed, point at printed numbers, and verdicts follow the intervals."""

import operator
from dataclasses import replace

import pytest

from book.keys import outdated
from book.papers import check_claims, check_records, load_claims, printed
from book.papers.claims import Claim, _judge
from book.papers.printed import PAPERS
from book.parameters import ChapterText
from book.paths import layout
from book.store import published_records

CLAIM = Claim("id", "hubness", "1", "says", "c", "s", {"metric": "m"}, (">", 0.0), [])


@pytest.mark.parametrize("paper", PAPERS)
def test_ids_are_distinct_and_every_printed_path_exists(paper):
    claims = load_claims(paper)
    assert len({claim.id for claim in claims}) == len(claims) > 10
    for claim in claims:
        assert claim.holds[0] in (">", "<", ">=", "<=")
        for path in claim.printed:
            assert isinstance(printed(claim.paper, *path), (int, float)), (claim.id, path)


def test_the_papers_own_numbers_satisfy_the_claims_that_compare_two_of_them():
    operators = {">": operator.gt, "<": operator.lt, "<=": operator.le}
    compared = 0
    for claim in load_claims("hubness"):
        if len(claim.printed) == 2:
            first, second = (printed(claim.paper, *path) for path in claim.printed)
            assert operators[claim.holds[0]](first - second, claim.holds[1]), claim.id
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("record", "verdict", "why"),
    [
        ({"value": 2.0, "low": 1.0, "high": 3.0}, "held", "whole interval > 0"),
        ({"value": 2.0, "low": -1.0, "high": 5.0}, "open", "cannot tell"),
        ({"value": -2.0, "low": -3.0, "high": -1.0}, "failed", "other side"),
        ({"value": 2.0}, "held", "2 > 0"),
        ({"value": 2.0, "n_seeds": 1}, "held", "2 > 0 in one run, without an interval"),
        ({"value": -2.0}, "failed", "−2 not > 0"),
        ({"value": 0.0, "low": 0.0, "high": 0.0}, "failed", "lies at 0"),
    ],
)
def test_verdicts(record, verdict, why):
    judged = _judge(CLAIM, [{"metric": "m"} | record])
    assert judged.verdict == verdict
    assert why in judged.why


@pytest.mark.parametrize(
    ("rho", "verdict"), [((0.1, 0.3), "held"), ((-0.3, -0.1), "not testable here")]
)
def test_a_claim_whose_premise_fails_is_not_judged(rho, verdict):
    rule = replace(CLAIM, given=({"metric": "rho", "method": "r"}, (">", 0.0)))
    records = [
        {"metric": "m", "value": 2.0, "low": 1.0, "high": 3.0},
        {"metric": "rho", "method": "r", "value": sum(rho) / 2, "low": rho[0], "high": rho[1]},
    ]
    judged = _judge(rule, records)
    assert judged.verdict == verdict
    assert ("premise fails" in judged.why) == (verdict == "not testable here")


YES, MAYBE, NO = (2.0, 1.0, 3.0), (2.0, -1.0, 5.0), (-2.0, -3.0, -1.0)


def on(dataset, ends, **columns):
    return {"metric": "m", "dataset": dataset, **dict(zip(ENDS, ends, strict=True))} | columns


ENDS = ("value", "low", "high")


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
        judged = _judge(replace(CLAIM, record=wanted), records)
        assert judged.verdict == verdict
        assert [part.dataset for part in judged.parts] == ["a", "b"]
        assert judged.value == (mean[0] if mean else None)
    alone = _judge(replace(CLAIM, record={"metric": "m", "dataset": "b"}), records)
    assert alone.verdict == judged.parts[1].verdict


def test_what_several_sets_say_is_told():
    judged = _judge(CLAIM, [on("a", YES), on("b", NO)])
    assert judged.found == "a 2 [1, 3]; b −2 [−3, −1]"
    assert judged.why == "held on a; failed on b"


def test_a_premise_is_that_of_the_same_data():
    rule = replace(CLAIM, given=({"metric": "rho", "method": "r"}, (">", 0.0)))
    rho = [on("a", YES, metric="rho", method="r"), on("b", NO, metric="rho", method="r")]
    judged = _judge(rule, [on("a", YES), on("b", NO), *rho])
    assert judged.verdict == "held"
    assert [part.verdict for part in judged.parts] == ["held", "not testable here"]


@pytest.mark.parametrize(
    ("columns", "verdict"),
    [
        ({"metric": "other"}, "not testable here"),
        ({"chapter": "c"}, "held"),
        ({"chapter": "another"}, "not testable here"),
    ],
)
def test_a_claim_is_judged_by_records_of_its_metric_and_chapter(columns, verdict):
    assert _judge(CLAIM, [{"metric": "m", "value": 2.0} | columns]).verdict == verdict


TERMS = "devise/02_terms"


def asked_records(chapter):
    """The records that the claims of a chapter ask for."""
    claims = [c for c in load_claims(chapter.split("/")[0]) if c.chapter == chapter]
    return [r | {"value": 1.0} for c in claims for r in (c.record, *c.given[:1])]


@pytest.mark.parametrize(
    "chapter", sorted({c.chapter for paper in PAPERS for c in load_claims(paper)})
)
def test_published_records_have_what_each_claim_asks_for(chapter):
    records = published_records(chapter, root=layout().root)
    if records is None:
        pytest.skip("this chapter has no published run")
    if outdated(records.run, ChapterText.read(chapter, layout()), data=False):
        pytest.skip("the chapter has changed since it was published")
    there = {name: {r.get(name) for r in records} for name in ("metric", "dataset", "method")}
    for claim in load_claims(chapter.split("/")[0]):
        # A claim may be younger than the published run, or of data or methods that it was not on.
        known = all(claim.record[name] in there[name] for name in there if name in claim.record)
        if claim.chapter == chapter and known:
            assert any(claim.record.items() <= r.items() for r in records), claim.id


def test_a_misspelt_field_is_refused_with_the_nearest_records():
    records = asked_records(TERMS)
    for record in records:
        if record["metric"] == "terms per synset":
            record["metric"] = "terms per sinset"
    with pytest.raises(ValueError) as caught:
        check_records(TERMS, records)
    said = str(caught.value)
    assert "devise/claims.toml" in said
    assert "four-terms asks for metric='terms per synset', label_set='1K'" in said
    assert "nearest: metric='terms per sinset', label_set='1K' / " in said
    assert said.count("asks for") == 1
    check_records(TERMS, records, [{"metric": "terms per synset"}])


def test_records_of_other_data_are_enough():
    records = [{**r, "dataset": "made up", "setting": "other"} for r in asked_records(TERMS)]
    check_records(TERMS, records)


@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (ValueError, lambda: check_claims("nobody", []), "paper must be one of hubness"),
        (ValueError, lambda: printed("hubnes", "table1"), "one of hubness, devise"),
        (
            KeyError,
            lambda: printed("dark", "table9"),
            "no table 'table9' of 'dark'; there are table2, table3",
        ),
        (ValueError, lambda: check_records(TERMS, []), "crane asks for .*; nearest: no records"),
        (
            ValueError,
            lambda: check_records(TERMS, asked_records(TERMS), [{"metric": "terms"}]),
            "skipped, but no claim asks for it: metric='terms'",
        ),
    ],
)
def test_what_is_unknown_or_missing_is_named(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_a_chapter_of_no_paper_has_no_claims():
    check_records("demo/01_first", [])
