"""Records: tidy, finite, and never averaged over unlike things."""

import json
import math
import os
import types
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import book
from book.papers import load_claims
from book.results import Results
from book.store import published, published_records, read_records, write_records
from zslib.protocols import Estimate


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return start(seed=0, device="cpu")


OF_DATA = {"dataset": "synthetic-crosslingual", "setting": "cross-linguistic", "synthetic": True}
PROBLEM = types.SimpleNamespace(
    name=OF_DATA["dataset"], setting=OF_DATA["setting"], synthetic=True, checksum="0123abcd" * 8,
    description="synthetic data (a test)", coverage={"pairs listed": 10, "pairs dropped": 1},
)  # fmt: skip


def test_values_become_plain_numbers_and_text(chapter):
    columns = {"flag": np.bool_(True), "word": np.str_("a"), "absent": None}
    for i, value in enumerate([1, 0.1 + 0.2, True, np.float32(0.5), np.int64(3), np.array(4.0)]):
        chapter.record(metric="m", value=value, seed=np.int64(i), **columns)
    assert chapter.records.values() == [1, 0.1 + 0.2, True, 0.5, 3, 4.0]
    given = {"metric": "m", "value": 1, "seed": 0, "flag": True, "word": "a", "absent": None}
    assert chapter.records[0] == given
    for name, kind in {"seed": int, "flag": bool, "word": str}.items():
        assert type(chapter.records[0][name]) is kind
    json.dumps(chapter.records, allow_nan=False)


def test_an_estimate_is_kept_with_its_interval(chapter):
    chapter.record(metric="m", value=Estimate(1.0, 0.5, 1.5, 3))
    chapter.record(metric="n", value=Estimate(1.0, math.nan, math.nan, 1))
    assert chapter.records == [
        {"metric": "m", "value": 1.0, "low": 0.5, "high": 1.5, "n_seeds": 3},
        {"metric": "n", "value": 1.0, "n_seeds": 1},
    ]


def test_a_cell_can_run_twice_but_not_with_another_value(chapter):
    for _ in range(2):
        chapter.record(metric="m", value=1.0, method="a")
    assert len(chapter.records) == 1
    with pytest.raises(ValueError, match="add a column that tells the two apart"):
        chapter.record(metric="m", value=2.0, method="a")


def test_a_problem_in_use_names_its_data(chapter):
    with pytest.raises(ValueError, match=r"call chapter\.note"):
        chapter.coverage(name="tbl-data", caption="Data.")
    assert chapter.note(PROBLEM) is PROBLEM
    chapter.record(metric="m", value=1.0, dataset=PROBLEM)
    chapter.record(metric="n", value=1.0, dataset="synthetic-crosslingual")
    assert all(OF_DATA.items() <= record.items() for record in chapter.records)
    table = chapter.coverage(name="tbl-data", caption="Data.")
    assert ["synthetic-crosslingual", "pairs dropped", 1] in table.rows
    chapter.finish()
    assert chapter.records.run["data"][0]["checksum"] == PROBLEM.checksum


def test_finish_writes_all_or_nothing(chapter, tmp_path, monkeypatch):
    chapter.record(metric="m", value=1.0, word="Größe")
    card = chapter.finish()
    folder = tmp_path / "results" / "demo/01_a"
    key = (folder / "latest").read_text().strip()
    assert {*os.listdir(folder)} == {key, "latest", f".lock-{key}"}
    assert read_records(folder / key) == chapter.records
    assert "Größe" in (folder / key / "records.jsonl").read_text("utf-8")
    assert f"demo/01_a/{key}" in repr(card)
    assert "This run" in card._repr_mimebundle_()["text/markdown"]

    chapter.record(metric="n", value=2.0)
    chapter.finish()  # the same key: the old folder is replaced
    assert len(read_records(folder / key)) == 2
    assert sorted(os.listdir(folder / key)) == ["records.jsonl", "run.json"]

    monkeypatch.setattr("book.store.os.replace", Mock(side_effect=OSError("disk full")))
    chapter.record(metric="o", value=3.0)
    with pytest.raises(OSError, match="disk full"):
        chapter.finish()
    assert len(read_records(folder / key)) == 2


def test_parameters_must_be_those_that_the_source_declares(tiny_book):
    tiny_book.write("demo/01_first")
    with pytest.raises(ValueError, match=r"no parameter 'sede' \(did you mean 'seed'"):
        book.start("demo/01_first", parameters={"seed": 0, "sede": 1})
    with pytest.raises(ValueError, match="parameters of demo/01_first lack dataset, device"):
        book.start("demo/01_first", parameters={"seed": 0})


RESULTS = Results(
    {"metric": "P@1", "value": value, "method": method, "seed": seed, "space": "full"}
    for method, values in {"a": [3.0, 5.0, 4.0], "b": [1.0, 2.0, 3.5]}.items()
    for seed, value in enumerate(values)
)


def test_only_takes_values_and_lists():
    assert RESULTS.only(method="a", seed=[0, 1]).values() == [3.0, 5.0]
    assert RESULTS.only(seed=7) == RESULTS.values(method="c") == []


def start(**parameters):
    return book.start("demo/01_a", parameters=parameters)


def record(**columns):
    start().record(**({"metric": "m", "value": 1.0} | columns))


NO_NUMBER = (None, "1", [1.0], np.ones(2), 1j)
NOT_FINITE = (math.nan, -math.inf, np.float32("nan"))
REFUSALS = {
    start: [({"device": "tpu"}, "device must be")],
    record: [
        *(({"value": v}, "value must be one number", TypeError) for v in NO_NUMBER),
        *(({"value": v}, "a record holds a finite number") for v in NOT_FINITE),
        *(({"other": v}, "column 'other' is") for v in NOT_FINITE),
        ({"words": ["a"]}, "column 'words' must be", TypeError),
    ],
    RESULTS.only: [({"methods": "a"}, "no row has a column 'methods'; columns: me", KeyError)],
    RESULTS.value: [
        ({"method": "c"}, "0 results with {'method': 'c'}", LookupError),
        ({"method": "a"}, "3 results with {'method': 'a'}", LookupError),
    ],
}


@pytest.mark.usefixtures("chapter")
def test_what_cannot_be_started_recorded_or_answered_is_refused(refusal):
    refusal()


NUMBERS = st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=20)
@given(st.lists(st.dictionaries(st.text(min_size=1), st.text() | NUMBERS, min_size=1)))
def test_records_come_back_as_they_were_written(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("records")
    write_records(folder, records, {"key": "a"})
    found = read_records(folder)
    assert (found, found.run) == (records, {"key": "a"})


def test_a_broken_line_is_named_with_its_file(tmp_path):
    write_records(tmp_path, [{"metric": "m", "value": 1.0}], {})
    path = tmp_path / "records.jsonl"
    path.write_text(path.read_text() + '\n{"metric": "n", "val')
    with pytest.raises(ValueError, match=r"line 3 of .*records\.jsonl is not a JSON object"):
        read_records(tmp_path)
    path.write_text("1\n")
    with pytest.raises(ValueError, match=r"line 1 of .*it is 1\): restore the file"):
        read_records(tmp_path)


RUN = {"data": [], "date": "2026-01-02", "parameters": {}}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "results/published/demo/01_a"
    place.mkdir(parents=True)
    return place


@pytest.mark.parametrize(
    ("records", "run", "words"),
    [
        ([], {"data": [], "parameters": {}}, r"run\.json lacks 'date'"),
        ([{"metric": "m", "value": 1}, {"metric": "m"}], RUN, r"record 2 of .*lacks .*'value'"),
    ],
)
def test_a_published_run_has_what_is_read_of_it(tmp_path, folder, records, run, words):
    write_records(folder, records, run)
    with pytest.raises(ValueError, match=words):
        published(root=tmp_path)


@pytest.mark.parametrize("gone", ["run.json", "records.jsonl"])
def test_half_a_published_run_is_refused(tmp_path, folder, gone):
    assert published_records("demo/01_a", root=tmp_path) is None
    write_records(folder, [], RUN)
    assert published(root=tmp_path) == {"demo/01_a": []}
    (folder / gone).unlink()
    with pytest.raises(FileNotFoundError, match=r"demo/01_a lacks " + gone):
        published_records("demo/01_a", root=tmp_path)


def test_claims_that_are_not_testable_share_a_row_by_their_reason(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    chapter = book.start("hardneg/05_convergence", parameters={"seed": 0, "device": "cpu"})
    claims = [c for c in load_claims("hardneg") if c.chapter == "hardneg/05_convergence"]
    chapter.record(value=100.0, dataset="cub", **claims[0].marks[0].record)
    chapter.skip(why="no attributes of single images")
    *tested, last = chapter.verdicts().rows
    assert tested[0][0].startswith(claims[0].says)
    assert last[0] == claims[-1].says and len(claims) == len(tested) + 1 == 2
    assert "not testable here**: no attributes of single images" in str(last[3])
