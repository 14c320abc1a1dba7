"""The box at the top of a chapter: sentences filled from records, chips that count verdicts."""

import ast
import json
import re
from pathlib import Path

import pytest

from book.build.opening import answers, differences, exercises, filled, opening
from book.build.publishing import stale
from book.papers import chapter_verdicts
from book.parameters import ChapterText, parse_text
from book.paths import Layout
from book.results import Results
from book.store import published_records

ROOT = Path(__file__).parents[3]
PLACE = Layout(ROOT)

RECORDS = [
    {"metric": "P@1", "method": "a", "dataset": "x", "value": 29.66, "low": 27.0, "high": 31.0},
    {"metric": "P@1", "method": "a - b", "dataset": "x", "value": -2.0, "low": -3.1, "high": -0.9},
    {"metric": "P@1", "method": "b - c", "dataset": "x", "value": 1.0, "low": -1.0, "high": 3.0},
    {"metric": "size", "value": 12345.0, "k": 2, "space": "all words"},
    {"metric": "error", "value": 2.13e-7},
    {"metric": "alone", "value": 3.0},
    {"metric": "alone", "value": 3.1, "over": "all sets"},
    {"metric": "ACC", "value": 2.0, "low": 0.1, "high": 4.0, "unit": "classes", "n_units": 10},
    {"metric": "times", "value": 2.0, "low": 1.2, "high": 3.0},
    {"metric": "ahead", "value": 2.0, "low": 0.05, "high": 3.9, "unit": "words"},
]
RUN = {"date": "2026-01-02T03:04", "data": [], "parameters": {}}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("{P@1; a; x}%", "29.7%"),
        ("{P@1; a; x; .0f} or {P@1; a; interval; .1f}", "30 or 29.7 [27.0, 31.0]"),
        ("{P@1; a - b; +.1f; interval}", "−2.0 [−3.1, −0.9]"),
        ("{P@1; a | up | down | level}", "up"),
        ("{P@1; a - b | up | down | level}", "down"),
        ("{P@1; b - c | up | down | level}", "level"),
        ("{ACC | up | down | level}", "level"),  # of few classes, as for verdicts
        ("{ACC; .1f; interval}", "2.0 [−0.3, 4.4]"),
        ("{ahead | up | down | level}", "level"),  # other draws may turn it, as for verdicts
        ("{times; than 1 | more | fewer | as many}", "more"),
        ("{P@1; b - c; than 1 | more | fewer | as many}", "as many"),
        ("{P@1; b - c; +.1f}", "+1.0"),
        ("{size; k=2; space=all words}, {size; .2f}", "12,345, 12345.00"),
        ("{error}, {error; .0%}", "2.13·10⁻⁷, 0%"),
        ("{paper; table3; cross-modal; ridge; P@1}", "1.1"),
        ("{alone; .0f}", "3"),  # not the mean over this one data set
    ],
)
def test_fields_are_filled(sentence, wanted):
    assert filled(sentence, RECORDS, "hubness") == wanted


@pytest.mark.parametrize("field", ["{P@2}", "{P@1}", "{P@1; a; y}", "{paper; table99}"])
def test_a_field_without_its_one_record_is_refused(field):
    with pytest.raises(LookupError):
        filled(field, RECORDS, "hubness")


def test_the_box_counts_verdicts_and_leaves_out_what_is_not_there():
    both = {"metric": "AUSUC, mean absolute difference", "over": "all systems and sets"}
    rows = [
        both | {"method": "surprisal and stacking", "value": 0.08, "low": 0.05, "high": 0.12},
        both | {"method": "own distance and stacking", "value": 2.0, "low": 1.5, "high": 2.5},
    ]
    used = ("own_cub", "tiny_imagenet", "tiny_imagenet_classes")  # the last two have one name
    run = RUN | {"data": [{"name": name} for name in used], "parameters": {"n_seeds": 1}}
    records = Results(rows, run=run)
    said = f"By {{{both['metric']}; surprisal and stacking}} points."
    about = {"question": "Do they differ?", "finding": [said, "By {P@1} more."]}
    chapter = "clarel/06_calibrations"
    *head, sentence, _, last, end = opening(chapter, about, records).split("\n")
    assert (*head, end) == (":::{admonition} Do they differ?", ":class: finding", "", ":::")
    assert sentence == "By 0.08 points."
    assert '<a class="chip mixed" href="#tbl-clarel-claims-6">1 mixed</a>' in last
    assert "2 claims" in last and "1 not testable here" in last
    assert last.endswith("Run of 2026-01-02 on own-cub, Tiny ImageNet, 1 seed.")
    assert "ublished" not in opening(chapter, about, records, records)
    about["finding"] = about["finding"][1:]
    assert "\nThe answer needs data that this run leaves out" in opening(chapter, about, records)
    assert opening(chapter, {}, records) == ""
    assert opening(chapter, about, None) == ""


CHAPTER = "hubness/02_hubness"
BETTER = {"metric": "P@1", "method": "max-margin - ridge", "space": "full"}
BETTER["setting"] = "cross-linguistic"


@pytest.mark.parametrize(
    ("here", "published", "words"),
    [
        ((2.0, 1.0, 3.0), (-2.0, -3.0, -1.0), ("held, above 0", "failed, below 0")),
        ((2.0, 1.0, 3.0), (2.0, -1.0, 5.0), ("held", "open")),
        ((-0.2, -1.0, 5.0), (2.0, -1.0, 5.0), ("open, below 0", "open, above 0")),
        ((2.0, 1.0, 3.0), (4.0, 3.0, 5.0), None),
        ((2.0, 1.0, 3.0), None, ("held", "not testable here")),
    ],
)
def test_the_box_names_the_claims_that_the_published_run_judges_otherwise(here, published, words):
    ends = "value", "low", "high"
    ours, theirs = (
        Results([BETTER | dict(zip(ends, values, strict=True))] if values else [], run=RUN)
        for values in (here, published)
    )
    found = differences(*(chapter_verdicts(CHAPTER, records) for records in (ours, theirs)))
    found = [one for one in found if "more right words" in one[0]]
    assert [two for _, *two in found] == ([list(words)] if words else [])
    box = opening(CHAPTER, {"question": "Why?"}, ours, theirs)
    for headline, mine, other in found:
        assert f"<li>{headline}: our full run: <b>{other}</b>; here: <b>{mine}</b></li>" in box


def test_a_run_that_read_others_names_the_data_of_its_records():
    box = opening("hubness/05_roadmap", {"question": "What?"}, Results(RECORDS[:3], run=RUN))
    assert "\nRun of 2026-01-02 on x.\n" in box


@pytest.fixture(params=PLACE.names())
def name(request):
    """Of each chapter of the book."""
    return request.param


def lacks(name, what):
    """A published run of earlier sources may lack what its chapter by now records."""
    assert name in stale([name], data=False, root=ROOT), what
    pytest.skip(f"the published run is of earlier sources: {what}")


def test_each_chapter_asks_and_its_published_run_answers_in_few_words(name):
    """A box has at most sixty words and three numbers; "the 1,000 labels" is a name."""
    about = ChapterText.read(name, PLACE).about
    assert about["question"].endswith("?")
    assert 1 <= len(about["finding"]) <= 4
    records = published_records(name, root=ROOT)
    if records is None:
        pytest.skip(f"{name} was not published yet")
    box = " ".join(answers(name, about["finding"], records))
    box = re.sub(r"\{[^}]*\}`[^`]*`|\[[^\]]*\]|the 1,000", "", box)
    assert len(box.split()) <= 60, box
    assert len(re.findall(r"\d[\d.,]*", box)) <= 3, box
    texts = [*about["finding"], *(exercise["answer"].strip() for exercise in about["exercises"])]
    for text in texts:
        try:
            told = filled(text, records, name.split("/")[0])
        except LookupError as error:
            lacks(name, error)
        assert "{" not in told and told.endswith(".")


# Messages of what is run only when it is asked for.
ASKED = ("On the products the text network is {H;",)


def test_messages_have_the_numbers_that_they_speak_of(name):
    """Of the quick run or the published one: a wrong field leaves a message out in silence."""
    golden = (ROOT / "tests" / "golden" / f"{name}.jsonl").read_text(encoding="utf-8")
    stand_in = {"value": 1.0, "low": 0.5, "high": 1.5}  # of numbers that follow last bits
    rows = [stand_in | json.loads(line) for line in golden.splitlines()]
    runs = [Results(rows), published_records(name, root=ROOT)]
    for node in ast.walk(ast.parse(ChapterText.read(name, PLACE).recording_code)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "chapter.message":
            texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            if not texts or texts[0].startswith(ASKED):
                continue
            if not any(answers(name, texts, records) for records in runs):
                lacks(name, f"no record for: {texts[0]}")


def test_exercises_run(name):
    source = ChapterText.read(name, PLACE)
    several = source.about["exercises"]
    assert 2 <= len(several) <= 4
    for exercise in several:
        assert exercise["ask"].endswith("?")
        command = exercise.get("run", "")
        given = dict(re.findall(r"-p (\w+) (\S+)", command))
        assert len(given) == len(command.split()) / 3
        parse_text(source.parameters, given, name)
        exec(exercise.get("code", ""), {})  # solutions check themselves by assertions
        assert "code" not in exercise or "assert" in exercise["code"]


@pytest.mark.parametrize(
    ("percent", "words"),
    [(62.3, "62%"), (50, "one in two"), (18.5, "one in five"), (0.4, "one in 250"), (0, "none")],
)
def test_a_share_is_told_as_one_in(percent, words):
    assert filled("{hubs; one in}", [{"metric": "hubs", "value": percent}]) == words


def test_a_solution_in_code_stands_in_its_answer():
    about = {"exercises": [{"ask": "Can you?", "answer": "Yes.", "code": "assert True"}]}
    shown = exercises("demo/01_a", about, [])
    assert shown.endswith("Yes.\n\n```python\nassert True\n```\n::::")
    assert "zslib run" not in shown


def test_exercises_have_a_command_and_an_answer_of_this_run_or_of_the_full_one():
    about = {"exercises": [{"ask": "Why?", "run": "-p seed 1", "answer": "By {P@1; a; x}."}]}
    shown = exercises("demo/01_a", about, RECORDS)
    assert shown.startswith("## Exercises\n\n**1.** Why?\n\n::::{dropdown} Answer\n```\n")
    assert "zslib run demo/01_a -p seed 1" in shown
    assert "By 29.7." in shown
    alone = exercises("demo/01_a", about, None)
    assert "By" not in alone and "{dropdown} How to run it" in alone
    other = [record | {"dataset": "elsewhere"} for record in RECORDS]
    assert "\nIn our full run: By 29.7.\n" in exercises("demo/01_a", about, other, RECORDS)
    assert exercises("demo/01_a", {}, RECORDS) == ""
    about = {"exercises": [{"ask": "Why?", "answer": "Because."}]}
    shown = exercises("demo/01_a", about, RECORDS).partition("**1.**")[2]
    assert shown.split() == ["Why?", "::::{dropdown}", "Solution", "Because.", "::::"]
