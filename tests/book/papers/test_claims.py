"""Claims are well formed, point at printed numbers, and chapters record what they ask for."""

import itertools
import operator
import re
from functools import partial

import pytest

from book.keys import outdated
from book.papers import check_claims, check_records, claims, load_claims, printed
from book.papers.claims import claims_of, marks_in, whose_data
from book.papers.printed import CHAPTERS, OURS, PAPERS
from book.papers.verdicts import HELD, NOT_TESTABLE, looks_again
from book.parameters import ChapterText
from book.paths import layout
from book.store import published, published_records

# Names with digits, of which a sentence that has no numbers may speak.
NAMES = re.compile("AwA1|Caltech-101|ImageNet-1k")
OPERATORS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}


@pytest.mark.parametrize("paper", [*PAPERS, *OURS])
def test_ids_are_distinct_and_every_printed_path_exists(paper):
    claims = load_claims(paper)
    assert len({claim.id for claim in claims}) == len(claims) >= 10
    for claim in claims:
        assert claim.carrying, claim.id
        names = [mark.name for mark in claim.marks]
        assert len(set(names)) == len(names), claim.id
        for mark in claim.marks:
            assert mark.holds[0] in OPERATORS
            for path in mark.printed:
                assert isinstance(printed(paper, *path), (int, float)), (claim.id, path)


def test_one_question_is_asked_once_in_the_whole_book():
    records = [
        (repr(sorted(mark.record.items())), mark.chapter, mark.holds, claim.own_threshold)
        for paper in (*PAPERS, *OURS)
        for claim in load_claims(paper)
        for mark in claim.marks
    ]
    assert len(set(records)) == len(records)


def test_the_papers_own_numbers_satisfy_the_claims_that_compare_two_of_them():
    compared = 0
    for claim in load_claims("hubness"):
        for mark in claim.carrying:
            if len(mark.printed) == 2:
                first, second = (printed("hubness", *path) for path in mark.printed)
                comparison, threshold = mark.holds
                assert OPERATORS[comparison](first - second, threshold), claim.id
                compared += 1
    assert compared > 20


@pytest.fixture(scope="module")
def verdicts():
    """Those of the published run, by paper."""
    flat = [r | {"chapter": name} for name, rows in published().items() for r in rows]
    return {name: check_claims(name, flat) for name in (*PAPERS, *OURS)}


def test_what_did_not_hold_has_a_reason_and_what_shows_it(verdicts):
    sources = [p for p in CHAPTERS.glob("*/*") if p.suffix in (".md", ".py")]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    labels = {"", *re.findall(r'"((?:fig|tbl)-[a-z0-9-]+)"', text)}
    for verdict in itertools.chain(*verdicts.values()):
        claim = verdict.claim
        if verdict.verdict not in (HELD, NOT_TESTABLE):
            assert claim.because and claim.see, (claim.id, verdict.verdict)
        assert not re.search(r"\d", NAMES.sub("", claim.because)), claim.id
        assert claim.see in labels, (claim.id, claim.see)


def test_of_every_published_number_it_is_said_whose_data_it_is_of(verdicts):
    for verdict in itertools.chain(*verdicts.values()):
        claim = verdict.claim
        for mark in verdict.marks or (verdict,):
            names = mark.dataset.split(" and ") if claim.group == "result" else ()
            for name in filter(None, names):
                assert whose_data(claim.paper, [name]), (claim.id, name)


TERMS = "devise/02_terms"


def asked_records(chapter):
    """The records that the claims of a chapter ask for."""
    claims = load_claims(chapter.split("/")[0])
    marks = [mark for claim in claims for mark in claim.marks if mark.chapter == chapter]
    return [mark.record | {"value": 1.0} for mark in marks]


@pytest.mark.parametrize(
    "chapter", sorted({m.chapter for p in PAPERS for c in load_claims(p) for m in c.marks})
)
def test_published_records_have_what_each_claim_asks_for(chapter):
    records = published_records(chapter, root=layout().root)
    if records is None:
        pytest.skip("this chapter has no published run")
    if outdated(records.run, ChapterText.read(chapter, layout()), data=False):
        pytest.skip("the chapter has changed since it was published")
    there = {name: {r.get(name) for r in records} for name in ("metric", "dataset", "method")}
    run = records.run.get("skipped", ())
    skipped = [{name: value for name, value in one.items() if name != "why"} for one in run]
    for record in asked_records(chapter):
        del record["value"]
        # A claim may be younger than the published run, or of data or methods that it was not on.
        if all(record[name] in there[name] for name in there if name in record):
            excused = any(fields.items() <= record.items() for fields in skipped)
            assert excused or any(record.items() <= r.items() for r in records), record


def test_a_misspelt_field_is_refused_with_the_nearest_records():
    records = asked_records(TERMS)
    for record in records:
        record["metric"] = record["metric"].replace("terms per synset", "terms per sinset")
    with pytest.raises(ValueError) as caught:
        check_records(TERMS, records)
    said = str(caught.value)
    asks = "four-terms asks for metric='terms per synset', label_set='1K'"
    assert f"chapters/devise/claims.toml: {asks}" in said
    assert "nearest: metric='terms per sinset', label_set='1K' / " in said
    assert said.count("asks for") == 1
    check_records(TERMS, records, [{"metric": "terms per synset"}])


def test_a_question_of_one_paper_may_have_a_mark_in_a_chapter_of_another():
    chapter = "hardneg/06_intruders"
    (claim,) = (c for c in claims_of(chapter) if c.chapter != chapter)
    assert claim.chapter.startswith("hubness/")
    records = [m.record | {"value": 2.0, "dataset": "cub"} for m in marks_in(claim, chapter)]
    again = looks_again(chapter, records)
    assert {one.claim.id for one in again} == {claim.id}
    assert [one.verdict for one in again] == ["held"] * len(records)
    assert whose_data("hubness", ["cub"])


def test_records_of_other_data_are_enough():
    records = [{**r, "dataset": "made up", "setting": "other"} for r in asked_records(TERMS)]
    check_records(TERMS, records)


ENTRY = {"id": "x", "where": "§1", "says": "A.", "chapter": "devise/01_data", "holds": "> 0"}


def read(**changes):
    return claims._claim("devise", ENTRY | changes)


UNASKED = (TERMS, asked_records(TERMS), [{"metric": "terms"}])
REFUSALS = [
    (partial(check_claims, "nobody", []), "paper must be one of hubness"),
    (partial(printed, "hubnes", "table1"), "one of hubness, devise"),
    (partial(printed, "dark", "table9"), "'table9' of 'dark'; there are table2, table3", KeyError),
    (partial(check_records, TERMS, []), "asks for .*; nearest: no records"),
    (partial(check_records, *UNASKED), "skipped, but no claim asks for it: metric='terms'"),
    (read, "devise/claims.toml: x lacks printed"),
    (partial(read, printed=[], sees="fig"), "x has 'sees', which is none of also, because"),
    (partial(read, printed=[], also=[{"nam": "y"}]), "x, also has 'nam', which is none of chap"),
]


def test_what_is_unknown_or_missing_or_read_by_none_is_named(refusal):
    refusal()
