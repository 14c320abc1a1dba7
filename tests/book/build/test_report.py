"""What is kept with the sources, and the pages that records write."""

from __future__ import annotations

import json

import pytest

from zslib.book.build.report import (
    current_records,
    finding,
    publish,
    runs_markdown,
    scorecard,
    write_pages,
)
from zslib.book.records import Records
from zslib.book.store import latest_records, published, published_records

RUN = {
    "chapter": "demo/01_first",
    "key": "0123456789abcdef",
    "version": "0.1.0",
    "commit": None,
    "parameters": {"n_seeds": 3, "quick": False},
    "data": [
        {
            "name": "europarl",
            "setting": "cross-linguistic",
            "synthetic": False,
            "description": "vectors",
            "checksum": "ab" * 32,
        }
    ],
    "device": "cpu",
    "wall_seconds": 61.2,
    "peak_memory_mib": 1234,
    "date": "2026-01-02T03:04:05+00:00",
    "machine": {
        "system": "Linux x86_64",
        "processor": "Some | CPU",
        "cores": 2,
        "python": "3.11.7",
        "numpy": "2.4.6",
    },
}


def keep(tiny_book, **changes):
    """A chapter with one run, as if it had been executed."""
    tiny_book.write("demo/01_first")
    run = RUN | changes
    folder = tiny_book.place.results / "demo/01_first" / run["key"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "records.jsonl").write_text('{"metric": "m", "value": 1.0}\n')
    (folder / "run.json").write_text(json.dumps(run))
    (folder.parent / "latest").write_text(run["key"] + "\n")
    return folder


def test_publishing_keeps_a_full_run_on_real_data(tiny_book):
    keep(tiny_book)
    assert published() == {}
    assert published_records("demo/01_first") is None
    (folder,) = publish(["demo/01_first"])
    assert folder == tiny_book.place.published / "demo/01_first"
    assert sorted(p.name for p in folder.iterdir()) == ["records.jsonl", "run.json"]
    assert published() == {"demo/01_first": latest_records("demo/01_first")}
    assert published_records("demo/01_first").run["machine"]["processor"] == "Some | CPU"


def test_quick_and_synthetic_runs_are_not_published(tiny_book):
    keep(tiny_book, parameters={"quick": True})
    with pytest.raises(ValueError, match="is a quick one: run it in full first"):
        publish(["demo/01_first"])
    keep(tiny_book, data=[RUN["data"][0] | {"synthetic": True}])
    with pytest.raises(ValueError, match="on synthetic data alone"):
        publish(["demo/01_first"])
    tiny_book.write("demo/02_never")
    with pytest.raises(FileNotFoundError, match="run it with `zslib run demo/02_never`"):
        publish(["demo/02_never"])
    assert published() == {}


def test_the_scorecard_reads_the_runs_of_the_book_and_else_the_latest(tiny_book):
    assert current_records() == {}
    keep(tiny_book)
    assert current_records()["demo/01_first"].run["key"] == RUN["key"]
    keep(tiny_book, key="fedcba9876543210")
    assert current_records()["demo/01_first"].run["key"] == "fedcba9876543210"
    shown = {"demo/01_first": RUN["key"], "demo/02_gone": "0"}
    (tiny_book.place.results / "book.json").write_text(json.dumps(shown))
    assert {n: r.run["key"] for n, r in current_records().items()} == {"demo/01_first": RUN["key"]}


def test_runs_are_listed_with_data_cost_and_machine():
    text = runs_markdown({"b/02_b": Records(run=RUN), "a/01_a": Records(run=RUN | {"data": []})})
    rows = text.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| a/01\\_a", "| b/02\\_b"]
    assert "europarl (abababab) | 3 | full | 61 | 1,234 | Some \\| CPU, 2 cores, cpu" in rows[1]


def test_pages_are_written_once(tiny_book):
    keep(tiny_book)
    write_pages()
    pages = {p.name: p for p in tiny_book.place.generated.iterdir()}
    assert set(pages) == {"scorecard.md", "runs.md", "errata.md"}
    assert "Hubness and Pollution" in scorecard()
    before = {name: p.stat().st_mtime_ns for name, p in pages.items()}
    write_pages()
    assert {name: p.stat().st_mtime_ns for name, p in pages.items()} == before


def test_the_finding_of_a_chapter_is_that_of_its_published_run(tiny_book):
    place, chapter = tiny_book.place, "clarel/06_calibrations"
    assert finding(chapter, place) == finding("demo/01_first", place) == ""
    folder = place.published / chapter
    folder.mkdir(parents=True)
    both = {"metric": "AUSUC, mean absolute difference", "over": "all systems and sets"}
    records = [
        both | {"method": "surprisal and stacking", "value": 0.08, "low": 0.05, "high": 0.12},
        both | {"method": "own distance and stacking", "value": 2.0, "low": 1.5, "high": 2.5},
    ]
    (folder / "records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    (folder / "run.json").write_text(json.dumps(RUN))
    head, _, _, first, second, last, _ = finding(chapter, place).split("\n")
    assert head == ":::{admonition} Of 2 claims: 1 reproduced, 1 not reproduced"
    assert "**reproduced**, ours 0.08 [0.05, 0.12]" in first
    assert "**not reproduced**, ours 2 [1.5, 2.5]" in second
    assert "on europarl; {numref}`tbl-clarel-claims-6`" in last
