"""What is kept with the sources, and the pages that records write."""

import csv
import json
import shutil

import pytest

from book.build.plan import plan
from book.build.publishing import carry, publish, stale
from book.build.report import (
    against_published,
    current_records,
    runs_page,
    scorecard,
    shown_runs,
    write_pages,
)
from book.papers.printed import PAPERS
from book.results import Results
from book.store import latest_records, published, published_records

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
    manifest = (tiny_book.place.published / "manifest.tsv").read_text().splitlines()
    (row,) = csv.DictReader(manifest, delimiter="\t")
    run = latest_records("demo/01_first").run
    assert (row["chapter"], row["key"], row["processor"]) == (
        "demo/01_first",
        run["key"],
        "Some | CPU",
    )
    assert float(row["wall_seconds"]) == run["wall_seconds"]


def test_quick_and_synthetic_runs_are_not_published(tiny_book):
    keep(tiny_book, parameters={"quick": True})
    with pytest.raises(ValueError, match="is a quick one: run it in full first"):
        publish(["demo/01_first"])
    keep(tiny_book, data=[RUN["data"][0] | {"synthetic": True}])
    source = tiny_book.place.chapter_file("demo/01_first")
    about_synthetic = source.read_text(encoding="utf-8")
    source.write_text(about_synthetic.replace('"synthetic"', '"auto"'), encoding="utf-8")
    with pytest.raises(ValueError, match="on synthetic data alone"):
        publish(["demo/01_first"])
    assert published() == {}
    source.write_text(about_synthetic, encoding="utf-8")
    publish(["demo/01_first"])
    assert list(published()) == ["demo/01_first"]
    tiny_book.write("demo/02_never")
    with pytest.raises(FileNotFoundError, match="run it with `zslib run demo/02_never`"):
        publish(["demo/02_never"])


def test_the_scorecard_reads_the_runs_of_the_book_and_else_the_latest(tiny_book):
    assert current_records() == {}
    keep(tiny_book)
    assert current_records()["demo/01_first"].run["key"] == RUN["key"]
    keep(tiny_book, key="fedcba9876543210")
    assert current_records()["demo/01_first"].run["key"] == "fedcba9876543210"
    shown = {"demo/01_first": RUN["key"], "demo/02_gone": "0"}
    (tiny_book.place.results / "book.json").write_text(json.dumps(shown))
    assert {n: r.run["key"] for n, r in current_records().items()} == {"demo/01_first": RUN["key"]}


def test_the_published_run_stands_beside_smaller_runs_alone(tiny_book):
    one = plan([tiny_book.write(CHAPTER) and CHAPTER])[CHAPTER]
    keep(tiny_book, parameters=one.parameters)
    publish([CHAPTER])
    assert set(shown_runs(tiny_book.place)) == {"this"}
    keep(tiny_book, parameters=one.parameters | {"n_seeds": 1}, key="fedcba9876543210")
    runs = shown_runs(tiny_book.place)
    assert [runs[name][CHAPTER].run["key"] for name in ("this", "published")] == [
        "fedcba9876543210",
        RUN["key"],
    ]


def test_runs_are_listed_with_data_cost_and_machine():
    here = {"b/02_b": Results(run=RUN), "a/01_a": Results(run=RUN | {"data": []})}
    before, _, after = runs_page(this=here, published={}).partition("**Published run**")
    assert before.startswith("**This run**") and "No runs." in after
    rows = before.strip().splitlines()[4:]
    assert [row.split(" | ")[0] for row in rows] == ["| a/01\\_a", "| b/02\\_b"]
    assert "europarl (abababab) | 3 | full | 61 | 1,234 | Some \\| CPU, 2 cores, cpu" in rows[1]


def test_pages_are_written_once(tiny_book):
    keep(tiny_book)
    write_pages()
    pages = {p.name: p for p in tiny_book.place.parts.iterdir()}
    names = ["front", "map", "scorecard", "followed", "runs", "errata", "repeats"]
    names += [f"overview_{name}" for name in (*PAPERS, "together")]
    assert set(pages) == {f"{name}.md" for name in names}
    assert "Hubness and Pollution" in scorecard()
    before = {name: p.stat().st_mtime_ns for name, p in pages.items()}
    write_pages()
    assert {name: p.stat().st_mtime_ns for name, p in pages.items()} == before


def test_published_runs_are_checked(tiny_book):
    chapter = "demo/01_first"
    one = plan([tiny_book.write(chapter) and chapter])[chapter]
    assert stale([chapter]) == {chapter: "missing"}
    keep(tiny_book, parameters=one.parameters)
    publish([chapter])
    assert stale([chapter]) == {chapter: "stale: before digests"}
    keep(tiny_book, parameters=one.parameters, digests=one.digests)
    publish([chapter])
    assert stale([chapter]) == {}
    path = tiny_book.place.published / chapter / "records.jsonl"
    text = path.read_text()
    path.write_text(text + text.splitlines()[0] + "\n")
    assert stale([chapter]) == {chapter: "broken: records.jsonl not as in manifest.tsv"}
    path.write_text(text)
    digests = one.digests | {"package": "old", "data": "old"}
    keep(tiny_book, parameters=one.parameters, digests=digests)
    publish([chapter])
    assert stale([chapter]) == {chapter: "stale: package, data"}
    assert stale([chapter], data=False) == {chapter: "stale: package"}


def test_a_published_run_must_have_the_parameters_of_its_chapter(tiny_book):
    keep(tiny_book, parameters={"seed": 0, "sede": 1})
    publish(["demo/01_first"])
    said = r"run\.json names the parameter 'sede', which the chapter does not declare: run it"
    with pytest.raises(ValueError, match=said):
        against_published(["demo/01_first"])
    assert stale(["demo/01_first"])["demo/01_first"].startswith("broken: ")
    (tiny_book.place.published / "demo/01_first/records.jsonl").write_text("{")
    assert "line 1 of" in stale(["demo/01_first"])["demo/01_first"]


def test_stale_runs_are_told_once(tiny_book):
    chapter = "clarel/06_calibrations"
    tiny_book.write(chapter)
    folder = tiny_book.place.published / chapter
    folder.mkdir(parents=True)
    (folder / "records.jsonl").write_text("")
    one = plan([chapter])[chapter]
    for digests, told in [(one.digests, 0), ({"chapter": "old"}, 1)]:
        run = RUN | {"parameters": one.parameters, "digests": one.digests | digests}
        (folder / "run.json").write_text(json.dumps(run))
        assert scorecard().count("of earlier sources in 1 of 1 chapters") == told


def test_numbers_apart_from_the_published_are_listed_the_farthest_first(tiny_book):
    folder = keep(tiny_book, parameters={"seed": 0, "n_seeds": 5})
    values = {"near": 10.0, "far": 10.0, "same": 10.0}
    lines = [json.dumps({"metric": m, "value": v}) + "\n" for m, v in values.items()]
    (folder / "records.jsonl").write_text("".join(lines))
    publish(["demo/01_first"])
    changed = "".join(lines[2:]) + '{"metric": "new", "value": 1.0}\n'
    changed += '{"metric": "near", "value": 11.0}\n{"metric": "far", "value": 20.0}\n'
    (folder / "records.jsonl").write_text(changed)
    (folder / "run.json").write_text(json.dumps(RUN | {"parameters": {"seed": 0, "n_seeds": 1}}))
    _, total, _, _, first, second = against_published().splitlines()
    assert total.split()[:7] == ["demo/01_first", "4", "1", "0", "2", "1", "2026-01-02"]
    assert total.endswith("n_seeds 1 instead of 5")
    assert first.split() == ["demo/01_first", "far", "20", "10"]
    assert second.split() == ["demo/01_first", "near", "11", "10"]
    tiny_book.write("demo/02_other")
    with pytest.raises(FileNotFoundError, match="has no records yet"):
        against_published(["demo/02_other"])


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
        ("here", {"record": {"value": 2.0}}, "1 numbers differ, first m"),
        ("here", {"record": {"low": 0.5, "high": 2.0}}, "1 numbers differ, first m"),
        ("before", {"record": {"low": 0.5, "high": 2.0}}, "1 numbers differ, first m"),
        ("here", {"record": {"std": 0.5}}, "1 numbers differ, first m"),
        ("here", {"record": {"n_seeds": 2}}, "1 numbers differ, first m"),
        ("here", {"parameters": {"seed": 1}}, "the two runs have other parameters"),
        ("here", {"digests": {"data": "other"}}, "the two runs are of other data"),
        ("here", {"digests": {"chapter": "other"}}, "is of other sources: run it there anew"),
        ("before", {"digests": {"package": "older"}}, "before is of other sources"),
    ],
)
def test_other_runs_do_not(runs, where, change, why):
    book, before, _ = runs
    folder = {
        "here": book.place.results / CHAPTER / RUN["key"],
        "before": before / "results" / CHAPTER / RUN["key"],
    }[where]
    if "record" in change:
        record = {"metric": "m", "value": 1.0} | change["record"]
        (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
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


def test_a_run_of_other_data_is_not_carried(runs):
    book, before, now = runs
    keep(book, parameters=now.parameters, digests=now.digests | {"package": "", "data": "other"})
    publish([CHAPTER])
    assert "data changed too: run it in full" in carry([CHAPTER], before)[CHAPTER]
    assert "carried" not in published_records(CHAPTER).run


def test_what_was_altered_shows_whatever_is_published_or_carried_beside(runs):
    book, before, now = runs
    path = book.place.published / CHAPTER / "records.jsonl"
    path.write_text(path.read_text() * 2)
    broken = {CHAPTER: "broken: records.jsonl not as in manifest.tsv"}
    assert "records.jsonl not as in manifest.tsv" in carry([CHAPTER], before)[CHAPTER]
    assert stale([CHAPTER]) == broken
    other = "demo/02_second"
    book.write(other)
    shutil.copytree(book.place.results / CHAPTER, book.place.results / other)
    publish([other])
    assert stale([CHAPTER]) == broken
    keep(book, parameters=now.parameters, digests=now.digests)
    publish([CHAPTER])
    assert stale([CHAPTER]) == {}
