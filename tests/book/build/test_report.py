"""What is kept with the sources, and the pages that records write."""

import csv
import json
import shutil

import pytest

from book.agreement import other_parameters
from book.build import report
from book.build.plan import plan
from book.build.publishing import carry, publish, stale
from book.build.render import render
from book.papers.printed import PAPERS
from book.results import Results
from book.store import latest_records, published, published_records

CHAPTER = "demo/01_first"
RUN = {
    "chapter": CHAPTER, "key": "0123456789abcdef", "commit": None, "device": "cpu",
    "parameters": {"dataset": "synthetic", "n_seeds": 2, "seed": 0, "quick": False, "level": 1.5},
    "date": "2026-01-02T03:04:05+00:00",
    "data": [{"name": "europarl", "synthetic": False, "checksum": "ab" * 32}],
    "wall_seconds": 61.2, "peak_memory_mib": 1234,
    "machine": {"processor": "Some | CPU", "cores": 2, "python": "3.11.7", "numpy": "2.4.6"},
}  # fmt: skip
RECORD = {"metric": "m", "value": 1.0}


def write_rows(folder, rows):
    (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def keep(tiny_book, **changes):
    """A chapter with one run, as if it had been executed."""
    tiny_book.write(CHAPTER)
    run = RUN | changes
    folder = tiny_book.place.results / CHAPTER / run["key"]
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder, [RECORD])
    (folder / "run.json").write_text(json.dumps(run))
    (folder.parent / "latest").write_text(run["key"] + "\n")
    return folder


@pytest.fixture
def one(tiny_book):
    """The run of the chapter that is planned."""
    tiny_book.write(CHAPTER)
    return plan([CHAPTER])[CHAPTER]


def test_publishing_keeps_a_full_run_on_real_data(tiny_book):
    keep(tiny_book)
    assert published() == {}
    assert published_records(CHAPTER) is None
    (folder,) = publish([CHAPTER])
    assert folder == tiny_book.place.published / CHAPTER
    assert sorted(p.name for p in folder.iterdir()) == ["records.jsonl", "run.json"]
    assert published() == {CHAPTER: latest_records(CHAPTER)}
    assert published_records(CHAPTER).run["machine"]["processor"] == "Some | CPU"
    manifest = (tiny_book.place.published / "manifest.tsv").read_text().splitlines()
    (row,) = csv.DictReader(manifest, delimiter="\t")
    noted = [row[name] for name in ("chapter", "key", "processor", "wall_seconds")]
    assert noted == [CHAPTER, RUN["key"], "Some | CPU", "61.2"]


def test_smaller_and_synthetic_runs_are_not_published(tiny_book):
    keep(tiny_book, parameters=RUN["parameters"] | {"n_seeds": 1})
    with pytest.raises(ValueError, match=f"is no full one: zslib run --full {CHAPTER}"):
        publish([CHAPTER])
    synthetic = [RUN["data"][0] | {"synthetic": True}]
    keep(tiny_book, data=synthetic, parameters=RUN["parameters"] | {"dataset": "auto"})
    source = tiny_book.place.chapter_file(CHAPTER)
    source.write_text(source.read_text().replace('"synthetic"', '"auto"'))
    with pytest.raises(ValueError, match="on synthetic data alone"):
        publish([CHAPTER])
    assert published() == {}
    keep(tiny_book, data=synthetic)
    publish([CHAPTER])
    assert list(published()) == [CHAPTER]
    tiny_book.write("demo/02_never")
    with pytest.raises(FileNotFoundError, match="run it with `zslib run demo/02_never`"):
        publish(["demo/02_never"])


def test_the_scorecard_reads_the_runs_of_the_book_and_else_the_latest(tiny_book):
    assert report.current_records() == {}
    keep(tiny_book)
    assert report.current_records()[CHAPTER].run["key"] == RUN["key"]
    keep(tiny_book, key="fedcba9876543210")
    assert report.current_records()[CHAPTER].run["key"] == "fedcba9876543210"
    shown = {CHAPTER: RUN["key"], "demo/02_gone": "0"}
    (tiny_book.place.results / "book.json").write_text(json.dumps(shown))
    assert {n: r.run["key"] for n, r in report.current_records().items()} == {CHAPTER: RUN["key"]}


def test_the_published_run_stands_beside_smaller_runs_alone(tiny_book, one):
    keep(tiny_book, parameters=one.parameters)
    publish([CHAPTER])
    assert set(report.shown_runs(tiny_book.place)) == {"this"}
    keep(tiny_book, parameters=one.parameters | {"n_seeds": 1}, key="fedcba9876543210")
    runs = report.shown_runs(tiny_book.place)
    keys = [runs[name][CHAPTER].run["key"] for name in ("this", "published")]
    assert keys == ["fedcba9876543210", RUN["key"]]


def test_runs_are_listed_with_data_cost_and_machine():
    here = {"b/02_b": Results(run=RUN), "a/01_a": Results(run=RUN | {"data": []})}
    runs, ours = {"this": here, "published": {}}, RUN["parameters"]
    full = {"a/01_a": ours | {"n_seeds": 9}, "b/02_b": ours}
    page = render("runs.md", runs=runs, full=full, other_parameters=other_parameters)
    this, _, others = page.partition("**Published run**")
    assert this.startswith("**This run**") and "No runs." in others
    rows = this.strip().splitlines()[4:]
    assert [row.split(" | ")[0] for row in rows] == ["| a/01\\_a", "| b/02\\_b"]
    assert "| – | 2 | n\\_seeds 2 instead of 9 | 61" in rows[0]
    assert "europarl (abababab) | 2 | full | 61 | 1,234 | Some \\| CPU, 2 cores, cpu" in rows[1]


def test_pages_are_written_once(tiny_book):
    keep(tiny_book)
    report.write_pages()
    pages = {p.name: p for p in tiny_book.place.parts.iterdir()}
    names = ["front", "map", "scorecard", "followed", "runs", "errata", "repeats"]
    names += [f"overview_{name}" for name in (*PAPERS, "together")]
    assert set(pages) == {f"{name}.md" for name in names}
    assert "Hubness and Pollution" in report.scorecard()
    before = {name: p.stat().st_mtime_ns for name, p in pages.items()}
    report.write_pages()
    assert {name: p.stat().st_mtime_ns for name, p in pages.items()} == before


def test_published_runs_are_checked(tiny_book, one):
    assert stale([CHAPTER]) == {CHAPTER: "missing"}
    old = one.digests | {"package": "old", "data": "old"}
    for run, why in (
        ({}, {CHAPTER: "stale: chapter, package, data"}),
        ({"digests": one.digests}, {}),
        ({"digests": old}, {CHAPTER: "stale: package, data"}),
    ):
        keep(tiny_book, parameters=one.parameters, **run)
        publish([CHAPTER])
        assert stale([CHAPTER]) == why
    assert stale([CHAPTER], data=False) == {CHAPTER: "stale: package"}


def test_a_published_run_must_have_the_parameters_of_its_chapter(tiny_book):
    keep(tiny_book, parameters=RUN["parameters"] | {"sede": 1})
    publish([CHAPTER])
    said = r"run\.json names the parameter 'sede', which the chapter does not declare: run it"
    with pytest.raises(ValueError, match=said):
        report.against_published([CHAPTER])
    assert stale([CHAPTER])[CHAPTER].startswith("broken: ")
    (tiny_book.place.published / "demo/01_first/records.jsonl").write_text("{")
    assert "line 1 of" in stale([CHAPTER])[CHAPTER]


def test_stale_runs_are_told_once(tiny_book, one):
    for digests, told in [({}, 0), ({"chapter": "old"}, 1)]:
        keep(tiny_book, parameters=one.parameters, digests=one.digests | digests)
        publish([CHAPTER])
        assert report.scorecard().count("of earlier sources in 1 of 1 chapters") == told


def test_numbers_apart_from_the_published_are_listed_the_farthest_first(tiny_book):
    folder = keep(tiny_book)
    theirs = {"near": 10.0, "far": 10.0, "same": 10.0}
    write_rows(folder, [{"metric": m, "value": v} for m, v in theirs.items()])
    publish([CHAPTER])
    ours = {"same": 10.0, "new": 1.0, "near": 11.0, "far": 20.0}
    write_rows(folder, [{"metric": m, "value": v} for m, v in ours.items()])
    fewer = RUN | {"parameters": RUN["parameters"] | {"n_seeds": 1}}
    (folder / "run.json").write_text(json.dumps(fewer))
    _, total, _, _, first, second = report.against_published().splitlines()
    assert total.split()[:7] == [CHAPTER, "4", "1", "0", "2", "1", "2026-01-02"]
    assert total.endswith("n_seeds 1 instead of 2")
    assert first.split() == [CHAPTER, "far", "20", "10"]
    assert second.split() == [CHAPTER, "near", "11", "10"]
    tiny_book.write("demo/02_other")
    with pytest.raises(FileNotFoundError, match="has no records yet"):
        report.against_published(["demo/02_other"])


@pytest.fixture
def before(tiny_book, one):
    """A copy of the book at earlier sources; its run is published, and another ran here since."""
    keep(tiny_book, parameters=one.parameters, digests=one.digests | {"package": "then"})
    publish([CHAPTER])
    copy = shutil.copytree(tiny_book.root, tiny_book.root.parent / "before")
    keep(tiny_book, parameters=one.parameters, digests=one.digests, commit="c0ffee")
    return copy


def test_equal_runs_carry_it_over(before, one):
    assert stale([CHAPTER]) == {CHAPTER: "stale: package"}
    assert carry([CHAPTER], before) == {}
    assert stale([CHAPTER]) == {}
    run = published_records(CHAPTER).run
    assert run["digests"] == one.digests
    note = {"chapter": one.digests["chapter"], "package": "then"}
    note |= {"by": "c0ffee", "date": RUN["date"], "equal numbers": 1}
    assert run["carried"] == [note]
    assert carry([CHAPTER], before) == {}
    assert published_records(CHAPTER).run["carried"] == [note]


@pytest.mark.parametrize(
    ("where", "change", "why"),
    [
        ("here", [RECORD | {"value": 2.0}], "1 numbers differ, first m"),
        ("here", [RECORD | {"low": 0.5, "high": 2.0}], "1 numbers differ, first m"),
        ("before", [RECORD | {"low": 0.5, "high": 2.0}], "1 numbers differ, first m"),
        ("here", [RECORD | {"std": 0.5}], "1 numbers differ, first m"),
        ("here", [RECORD | {"n_seeds": 2}], "1 numbers differ, first m"),
        ("here", [], "1 numbers differ, first m"),
        ("here", [RECORD, RECORD | {"metric": "n"}], "1 numbers differ, first n"),
        ("here", {"parameters": {"seed": 1}}, "the two runs have other parameters"),
        ("here", {"digests": {"data": "other"}}, "the two runs are of other data"),
        ("here", {"digests": {"chapter": "other"}}, "is of other sources: run it there anew"),
        ("before", {"digests": {"package": "older"}}, "before is of other sources"),
    ],
)
def test_other_runs_do_not(tiny_book, before, where, change, why):
    root = {"here": tiny_book.root, "before": before}[where]
    folder = root / "results" / CHAPTER / RUN["key"]
    if isinstance(change, list):
        write_rows(folder, change)
    else:
        ((name, values),) = change.items()
        run = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps(run | {name: run[name] | values}))
    assert why in carry([CHAPTER], before)[CHAPTER]
    assert CHAPTER in stale([CHAPTER])
    assert "carried" not in published_records(CHAPTER).run


def test_a_run_of_other_data_is_not_carried(tiny_book, before, one):
    digests = one.digests | {"package": "", "data": "other"}
    keep(tiny_book, parameters=one.parameters, digests=digests)
    publish([CHAPTER])
    assert "data changed too: run it in full" in carry([CHAPTER], before)[CHAPTER]
    assert "carried" not in published_records(CHAPTER).run


def test_what_was_altered_shows_whatever_is_published_or_carried_beside(tiny_book, before, one):
    path = tiny_book.place.published / CHAPTER / "records.jsonl"
    path.write_text(path.read_text() * 2)
    broken = {CHAPTER: "broken: records.jsonl not as in manifest.tsv"}
    assert "records.jsonl not as in manifest.tsv" in carry([CHAPTER], before)[CHAPTER]
    assert stale([CHAPTER]) == broken
    other = "demo/02_second"
    tiny_book.write(other)
    shutil.copytree(tiny_book.place.results / CHAPTER, tiny_book.place.results / other)
    publish([other])
    assert stale([CHAPTER]) == broken
    keep(tiny_book, parameters=one.parameters, digests=one.digests)
    publish([CHAPTER])
    assert stale([CHAPTER]) == {}
