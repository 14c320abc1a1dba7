"""Running chapters: order, parallel work, failures, restarts, and what is kept."""

import json
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from book.build.plan import plan
from book.build.publishing import publish
from book.build.run import ChaptersFailed, _ready, _where, execute, page_of, run_chapters
from book.notebooks import pair
from book.store import latest_records, publish_run, read_records
from book.unfinished import unfinished

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.book, pytest.mark.usefixtures("light_runs")]


def run(names, parameters=None, *, full=False, **options):
    runs = plan(names, parameters, full=full)
    return runs, run_chapters(runs, progress=False, **options)


def test_run_keeps_records_provenance_and_a_clean_notebook(tiny_book):
    tiny_book.write("demo/01_first")
    runs, executed = run(["demo/01_first"], {"level": 7, "n_seeds": 3})
    assert executed == ["demo/01_first"]
    one = runs["demo/01_first"]
    records = read_records(one.folder)
    assert [r["value"] for r in records] == [7.0, 8.0, 9.0]
    assert records.run["key"] == one.key == one.folder.name
    assert records.run["parameters"] == one.parameters
    assert records.run["digests"] == one.digests
    assert set(one.digests) == {"chapter", "package", "data"}
    assert records.run["parameters"]["level"] == 7.0
    assert records.run["wall_seconds"] >= 0
    assert records.run["peak_memory_mib"] > 1
    assert {"version", "commit", "data", "device", "date", "machine"} <= set(records.run)
    assert latest_records("demo/01_first") == records
    notebook = nbformat.read(one.notebook, as_version=4)
    nbformat.validate(notebook)
    assert "papermill" not in json.dumps(notebook)
    injected = [c for c in notebook.cells if "injected-parameters" in c.metadata.get("tags", [])]
    assert "level = 7.0" in injected[0].source
    assert "n_seeds = 3" in injected[0].source
    assert "quick" not in injected[0].source  # defaults stand where they are declared
    assert list(one.folder.parent.glob(".*")) == []


def test_finished_runs_are_not_run_again_until_something_changes(tiny_book):
    path = tiny_book.write("demo/01_first")
    first, executed = run(["demo/01_first"])
    assert executed == ["demo/01_first"]
    again, executed = run(["demo/01_first"])
    assert executed == []
    assert again == first
    before = first["demo/01_first"].notebook.read_bytes()
    _, executed = run(["demo/01_first"], force=True)
    assert executed == ["demo/01_first"]
    other = plan(["demo/01_first"], {"seed": 1})["demo/01_first"]
    assert not other.done
    path.write_text(path.read_text().replace("Text of", "New text of"))
    told = plan(["demo/01_first"])["demo/01_first"]
    assert told.done  # what prose says is no matter of the run
    ran, page = (nb.cells for nb in (nbformat.read(told.notebook, as_version=4), page_of(told)))
    assert [cell.source.replace("New text", "Text") for cell in page] == [c.source for c in ran]
    assert "New text of the chapter." in page[0].source
    assert [c.outputs for c in page[1:]] == [c.outputs for c in ran[1:]]
    path.write_text(path.read_text().replace("seed=s)", "seed=s)  # why"))
    changed = plan(["demo/01_first"])["demo/01_first"]
    assert changed.key != first["demo/01_first"].key
    assert not changed.done
    # Times are in the run card alone; all else is equal byte for byte.
    after = first["demo/01_first"].notebook.read_bytes()
    assert before.splitlines()[:-80] == after.splitlines()[:-80]


def test_latest_is_the_run_that_was_asked_for_last(tiny_book):
    tiny_book.write("demo/01_first")
    run(["demo/01_first"], {"level": 1.0})
    run(["demo/01_first"], {"level": 2.0})
    assert latest_records("demo/01_first")[0]["value"] == 2.0
    _, executed = run(["demo/01_first"], {"level": 1.0})
    assert executed == []
    assert latest_records("demo/01_first")[0]["value"] == 1.0


def write_source_and_reader(tiny_book):
    """Write a chapter that sums what another records; the path of that other."""
    tiny_book.write(
        "demo/01_reader",
        """
        read = book.latest_records("demo/02_source")
        chapter.record(metric="sum", value=sum(read.values(metric="level")))
        """,
        depends=["demo/02_source"],
    )
    return tiny_book.write("demo/02_source")


def test_chapters_run_after_those_they_read_and_keys_chain(tiny_book):
    path = write_source_and_reader(tiny_book)
    runs, executed = run(["demo/01_reader"], {"level": 5.0})
    assert executed == ["demo/02_source", "demo/01_reader"]
    assert latest_records("demo/01_reader").value(metric="sum") == 11.0
    path.write_text(path.read_text().replace("level + s", "level + s + 0"))
    after = plan(["demo/01_reader"], {"level": 5.0})
    assert after["demo/01_reader"].key != runs["demo/01_reader"].key


def test_full_records_are_of_the_latest_run_if_that_is_a_full_one(tiny_book):
    path = write_source_and_reader(tiny_book)
    reader = path.with_name("01_reader.md")
    reader.write_text(reader.read_text().replace("latest_records", "full_records"))
    run(["demo/01_reader"], {"level": 5.0})
    assert latest_records("demo/01_reader").value(metric="sum") == 11.0  # nothing is published
    run(["demo/02_source"], full=True)
    publish(["demo/02_source"])
    shutil.rmtree(tiny_book.place.results / "demo/01_reader")
    run(["demo/01_reader"], {"level": 5.0})
    assert latest_records("demo/01_reader").value(metric="sum") == 4.0
    path.write_text(path.read_text().replace("level + s", "level - s"))
    run(["demo/01_reader"], full=True)
    assert latest_records("demo/01_reader").value(metric="sum") == 2.0


def test_a_chapter_that_is_read_keeps_its_data_where_it_has_none_of_those_asked_for():
    images, words = "together/04_hubness_explains", "hubness/06_corrections"
    given = {
        name: run.given for name, run in plan([images], {"dataset": "awa1"}, root=ROOT).items()
    }
    assert given[images]["dataset"] == given["leaderboard/01_systems"]["dataset"] == "awa1"
    assert "dataset" not in given[words]
    with pytest.raises(ValueError, match="names no data set"):
        plan([words], {"dataset": "awa1"}, root=ROOT)


def test_published_records_stand_for_full_runs_of_the_same_sources(tiny_book):
    path = write_source_and_reader(tiny_book)
    run(["demo/02_source"], full=True)
    publish(["demo/02_source"])
    shutil.rmtree(tiny_book.place.results / "demo")
    assert list(plan(["demo/01_reader"])) == ["demo/02_source", "demo/01_reader"]
    assert len(plan(["demo/01_reader"], {"level": 5.0}, full=True)) == 2
    assert len(plan(["demo/01_reader", "demo/02_source"], full=True)) == 2
    _, executed = run(["demo/01_reader"], full=True)
    assert executed == ["demo/01_reader"]
    assert latest_records("demo/01_reader").value(metric="sum") == 4.0
    path.write_text(path.read_text().replace("level + s", "level - s"))
    assert len(plan(["demo/01_reader"], full=True)) == 2


def test_a_chapter_whose_sources_are_there_does_not_wait_for_those_without(tiny_book):
    tiny_book.write("demo/01_source")
    tiny_book.write("demo/02_reader", depends=["demo/01_source"])
    tiny_book.write("demo/03_alone")
    names = ["demo/01_source", "demo/02_reader", "demo/03_alone"]
    assert _ready(plan(names), set(names[:1]), set(names[:1])) == names[1:]


def test_chapters_start_when_what_they_read_is_there_the_longest_chain_first(tiny_book):
    # The last is read by the second and the third, the third by the second.
    tiny_book.write("demo/01_alone")
    tiny_book.write("demo/02_last", depends=["demo/04_first", "demo/03_middle"])
    tiny_book.write("demo/03_middle", depends=["demo/04_first"])
    tiny_book.write("demo/04_first")
    tiny_book.write("demo/05_alone")
    names = [f"demo/{n}" for n in ("01_alone", "02_last", "03_middle", "04_first", "05_alone")]
    todo = {name: plan(names)[name] for name in names}

    def ready(started, finished):
        ids = {name[5:7]: name for name in names}
        ready = _ready(todo, {ids[n] for n in started}, {ids[n] for n in finished})
        return [name[5:7] for name in ready]

    assert ready([], []) == ["04", "01", "05"]
    published = tiny_book.place.published / "demo/05_alone"
    published.mkdir(parents=True)
    (published / "run.json").write_text('{"wall_seconds": 2.5}')
    todo = {name: plan(names)[name] for name in names}
    assert ready([], []) == ["04", "05", "01"]
    published.joinpath("run.json").unlink()
    todo = {name: plan(names)[name] for name in names}
    assert ready(["04", "01"], ["01"]) == ["05"]
    assert ready(["04", "01"], ["04"]) == ["03", "05"]
    assert ready(["04", "03", "01"], ["04", "03"]) == ["02", "05"]


def test_chapters_run_by_a_given_executor(tiny_book):
    tiny_book.write("demo/01_reader", depends=["demo/02_source"])
    tiny_book.write("demo/02_source")
    runs = plan(["demo/01_reader"])
    with ProcessPoolExecutor(1) as executor:
        finished = run_chapters(runs, progress=False, executor=executor)
    assert finished == ["demo/02_source", "demo/01_reader"]
    assert all(run.done for run in plan(["demo/01_reader"]).values())


@pytest.mark.parametrize("default", ["ikea", "synthetic+ikea"])
def test_a_chapter_whose_own_data_set_is_not_here_takes_what_is(tiny_book, monkeypatch, default):
    path = tiny_book.write("demo/01_first")
    text = path.read_text().replace('dataset: str = "synthetic"', f'dataset: str = "{default}"')
    path.write_text(text.replace("zslib:\n", "zslib:\n  settings: [pairs]\n"))
    named = plan(["demo/01_first"])["demo/01_first"]
    assert (named.parameters["dataset"], named.given) == (default, {})
    folders = tiny_book.root / "data"
    monkeypatch.setattr("zslib.datasets.locate.data_folders", lambda: [folders])
    without = plan(["demo/01_first"])["demo/01_first"]
    assert without.given == {"dataset": "auto"}
    with pytest.raises(FileNotFoundError, match="the files of 'ikea' are not here"):
        plan(["demo/01_first"], {"dataset": default})


def test_a_circle_of_chapters_is_refused(tiny_book):
    tiny_book.write("demo/01_a", depends=["demo/02_b"])
    tiny_book.write("demo/02_b", depends=["demo/01_a"])
    with pytest.raises(ValueError, match="read each other's records: demo/0"):
        plan(["demo/01_a"])


def test_failures_are_told_at_the_end_and_the_others_finish(tiny_book):
    tiny_book.write("demo/01_good")
    broken = tiny_book.write("demo/02_broken", "absent_name + 1")
    tiny_book.write("demo/03_reader", depends=["demo/02_broken"])
    tiny_book.write("demo/04_sly", 'book.latest_records("demo/01_good")')
    names = ["demo/01_good", "demo/02_broken", "demo/03_reader", "demo/04_sly"]
    runs = plan(names)
    with pytest.raises(ChaptersFailed) as caught:
        run_chapters(runs, progress=False)
    message = str(caught.value)
    assert message.startswith("2 chapter(s) failed: ")
    assert "=== demo/02_broken ===\nCell 3 of 4: NameError: name 'absent_name' is not" in message
    assert "list it under zslib: depends:" in message
    assert "records of these: demo/03_reader" in message
    assert [name for name in names if runs[name].done] == ["demo/01_good"]
    assert not any(list(runs[name].folder.parent.glob(".*")) for name in names[:2])
    failed = runs["demo/02_broken"].folder.parent / "failed.ipynb"
    assert f"As far as it came: {os.path.relpath(failed)}" in message
    assert "absent_name" in str(nbformat.read(failed, as_version=4).cells[-2].outputs)
    assert not (runs["demo/01_good"].folder.parent / "failed.ipynb").exists()
    broken.write_text(broken.read_text().replace("absent_name + 1", "chapter.parameters"))
    _, executed = run(names[:3])
    assert executed == ["demo/02_broken", "demo/03_reader"]
    assert not failed.exists()


def test_running_chapters_are_told_with_their_cell(tiny_book):
    tiny_book.write("demo/01_first")
    one = plan(["demo/01_first"])["demo/01_first"]
    assert _where(one) is None
    with unfinished(one.folder.parent, one.key):
        assert _where(one) == "demo/01_first"
    asking = """
    from book.build.plan import plan
    from book.build.run import _where

    # While the cell runs, it asks.
    place = _where(plan([chapter.name])[chapter.name])
    chapter.record(metric="where", value=1.0, place=place)
    """
    tiny_book.write("demo/01_first", asking)
    run(["demo/01_first"])
    assert latest_records("demo/01_first")[0]["place"] == (
        "demo/01_first 3/4 place = _where(plan([chapter.name])[chapter.name"
    )


def test_the_candidate_that_a_sweep_tries_is_told(tiny_book):
    asking = """
    from book.build.plan import plan
    from book.build.run import _where
    from zslib.protocols.sweep import _trial

    def attempt(parameters):
        return {"where": _where(plan([chapter.name])[chapter.name])}

    during = _trial(attempt, {}, None, "candidate 2 of 2 of a toy")["where"]
    after = _where(plan([chapter.name])[chapter.name])
    chapter.record(metric="where", value=1.0, during=during, after=after)
    """
    tiny_book.write("demo/01_first", asking)
    runs, _ = run(["demo/01_first"])
    (record,) = latest_records("demo/01_first")
    assert record["during"] == "demo/01_first 3/4 candidate 2 of 2 of a toy"
    assert record["after"].endswith("def attempt(parameters):")
    assert not (runs["demo/01_first"].folder / "progress.txt").exists()


@pytest.mark.parametrize(
    ("name", "line", "other", "words"),
    [
        ("demo/01_first", "chapter.finish()", "None", r"without chapter\.finish\(\)"),
        ("clarel/06_calibrations", "", "", r"asks for metric=.*nearest: metric='level'"),
        (
            "demo/01_first",
            "for s in",
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nfor s in",
            r"kernel died in cell 3 of 4(.|\n)*signal\.SIGKILL",
        ),
    ],
    ids=["without finish", "a claim without its record", "a dead kernel"],
)
def test_what_a_chapter_fails_of_is_told(tiny_book, name, line, other, words):
    path = tiny_book.write(name)
    path.write_text(path.read_text().replace(line, other))
    with pytest.raises(ChaptersFailed, match=words) as caught:
        run([name])
    assert "nbclient" not in str(caught.value)


THREADS = """
from threadpoolctl import threadpool_info

for library in threadpool_info():
    if library["user_api"] == "blas":
        name = "numpy" if "numpy" in library["filepath"] else "another"
        chapter.record(metric=name, value=library["num_threads"])
"""


@pytest.mark.parametrize(("jobs", "threads"), [(1, (2, 1)), (2, (1, 1))])
def test_a_kernel_gives_its_threads_to_one_library_and_kernels_at_once_take_one(
    tiny_book, monkeypatch, jobs, threads
):
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "2")
    names = ["demo/01_a", "demo/02_b"]
    for name in names:
        tiny_book.write(name, THREADS)
    run(names, jobs=jobs)
    for name in names:
        by_library = {row["metric"]: row["value"] for row in latest_records(name)}
        if set(by_library) != {"numpy", "another"}:
            pytest.skip("one library serves NumPy and SciPy")
        assert (by_library["numpy"], by_library["another"]) == threads


def test_plain_papermill_runs_the_paired_notebook(tiny_book):
    import jupytext
    import papermill

    path = tiny_book.write("demo/01_first")
    paired = path.with_suffix(".ipynb")
    jupytext.write(jupytext.read(path), paired)
    output = tiny_book.root / "out.ipynb"
    papermill.execute_notebook(
        str(paired), str(output), {"level": 3.0, "n_seeds": 1}, progress_bar=False
    )
    assert output.is_file()
    records = latest_records("demo/01_first")
    assert records.values(metric="level") == [3.0]
    # The same key as `zslib run` gives to the same run.
    planned = plan(["demo/01_first"], {"level": 3.0, "n_seeds": 1})["demo/01_first"]
    assert (records.run["key"], records.run["digests"]) == (planned.key, planned.digests)


def test_plain_papermill_is_told_of_a_name_that_the_chapter_lacks(tiny_book):
    import papermill

    tiny_book.write("demo/01_first")
    notebook = pair("demo/01_first", tiny_book.place)
    with pytest.raises(papermill.PapermillExecutionError, match=r"'levle' \(did you mean 'level'"):
        papermill.execute_notebook(
            str(notebook), str(tiny_book.root / "out.ipynb"), {"levle": 3.0}, progress_bar=False
        )
    assert not tiny_book.place.results.exists()


def test_pairing_with_a_notebook_changes_no_key(tiny_book):
    path = tiny_book.write("demo/01_first")
    before = plan(["demo/01_first"])["demo/01_first"].key
    path.write_text(path.read_text().replace("---\n", "---\nauthor: someone\n", 1))
    assert plan(["demo/01_first"])["demo/01_first"].key == before
    notebook = pair("demo/01_first", tiny_book.place)
    assert plan(["demo/01_first"])["demo/01_first"].key == before
    os.utime(notebook, (2e9, 2e9))
    path.write_text(path.read_text().replace("Text of", "Words of"))
    os.utime(path, (1e9, 1e9))
    assert pair("demo/01_first", tiny_book.place) == path
    assert plan(["demo/01_first"])["demo/01_first"].key == before
    assert path.read_text().startswith("---\nauthor: someone\n")


@pytest.mark.skipif(sys.platform == "win32", reason="has no lock")
def test_of_two_equal_runs_at_once_one_executes(tiny_book):
    tiny_book.write("demo/01_first", "absent_name")
    one = plan(["demo/01_first"])["demo/01_first"]
    with ThreadPoolExecutor(1) as pool, unfinished(one.folder.parent, one.key) as folder:
        second = pool.submit(execute, one)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.2)
        for name in ("records.jsonl", "notebook.ipynb"):
            (folder / name).touch()
        publish_run(folder, one.folder.parent, one.key)
    assert second.result() == ("demo/01_first", None)
