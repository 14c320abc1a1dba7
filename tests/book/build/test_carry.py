"""Published runs that stand for changed sources, where runs before and after are equal."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.book.build.test_report import RUN, keep
from zslib.book.build.carry import carry
from zslib.book.build.plan import plan
from zslib.book.build.report import publish, stale
from zslib.book.store import published_records

CHAPTER = "demo/01_first"


@pytest.fixture
def runs(tiny_book):
    """A published run of earlier sources, a copy of the book as it was then, and a run since."""
    now = plan([tiny_book.write(CHAPTER) and CHAPTER])[CHAPTER]
    then = now.digests | {"package": "then"}
    keep(tiny_book, parameters=now.parameters, digests=then)
    publish([CHAPTER])
    before = shutil.copytree(tiny_book.place.root, tiny_book.place.root.parent / "before")
    keep(tiny_book, parameters=now.parameters, digests=now.digests, commit="c0ffee")
    return tiny_book, before, now


def test_equal_runs_carry_it_over(runs):
    _, before, now = runs
    assert stale([CHAPTER]) == {CHAPTER: "stale: package"}
    assert carry([CHAPTER], before) == {}
    assert stale([CHAPTER]) == {}
    run = published_records(CHAPTER).run
    (note,) = run["carried"]
    assert run["digests"] == now.digests
    assert note == {
        "chapter": now.digests["chapter"],
        "package": "then",
        "by": "c0ffee",
        "date": RUN["date"],
        "equal numbers": 1,
    }
    assert carry([CHAPTER], before) == {}
    assert published_records(CHAPTER).run["carried"] == [note]


@pytest.mark.parametrize(
    ("where", "change", "why"),
    [
        ("here", {"value": 2.0}, "1 of 1 numbers differ, first m"),
        ("here", {"parameters": {"seed": 1}}, "the two runs have other parameters"),
        ("here", {"digests": {"data": "other"}}, "the two runs are of other data"),
        ("here", {"digests": {"chapter": "other"}}, "is of other sources: run it there anew"),
        ("before", {"digests": {"package": "older"}}, "before is of other sources"),
        ("published", {"digests": {"data": "other"}}, "data changed too: run it in full"),
    ],
)
def test_other_runs_do_not(runs, where, change, why):
    book, before, _ = runs
    folder = {
        "here": book.place.results / CHAPTER / RUN["key"],
        "before": before / "results" / CHAPTER / RUN["key"],
        "published": book.place.published / CHAPTER,
    }[where]
    if "value" in change:
        (folder / "records.jsonl").write_text('{"metric": "m", "value": 2.0}\n')
    else:
        run = json.loads((folder / "run.json").read_text())
        ((name, values),) = change.items()
        run[name] |= values
        (folder / "run.json").write_text(json.dumps(run))
    refused = carry([CHAPTER], before)[CHAPTER]
    assert why in refused
    assert CHAPTER in stale([CHAPTER])
    assert "carried" not in published_records(CHAPTER).run


def test_a_number_more_or_less_is_no_equal_run(runs):
    book, before, _ = runs
    file = book.place.results / CHAPTER / RUN["key"] / "records.jsonl"
    both = file.read_text() + '{"metric": "n", "value": 1.0}\n'
    for text in (both, ""):
        file.write_text(text)
        assert "differ" in carry([CHAPTER], before)[CHAPTER]
