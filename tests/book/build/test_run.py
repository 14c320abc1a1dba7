"""Running chapters: order, parallel work, failures, restarts, and what is kept."""

import json
import os
import platform
import shutil
import subprocess
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
from zslib.protocols.processes import processes

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.book, pytest.mark.usefixtures("light_runs")]


FIRST = "demo/01_first"


def run(names, parameters=None, *, full=False, **options):
    runs = plan(names, parameters, full=full)
    return runs, run_chapters(runs, progress=False, **options)


def test_run_keeps_records_provenance_and_a_clean_notebook(tiny_book):
    tiny_book.write(FIRST)
    runs, executed = run([FIRST], {"level": 7, "n_seeds": 3})
    assert executed == [FIRST]
    one = runs[FIRST]
    records = read_records(one.folder)
    assert latest_records(FIRST) == records
    assert [r["value"] for r in records] == [7.0, 8.0, 9.0]
    kept = records.run
    assert kept["key"] == one.key == one.folder.name
    assert (kept["parameters"], kept["digests"]) == (one.parameters, one.digests)
    assert kept["parameters"]["level"] == 7.0
    assert kept["wall_seconds"] >= 0 and kept["peak_memory_mib"] > 1
    assert {"version", "commit", "data", "device", "date", "machine"} <= set(kept)
    notebook = nbformat.read(one.notebook, as_version=4)
    nbformat.validate(notebook)
    assert "papermill" not in json.dumps(notebook)
    (injected,) = (
        c for c in notebook.cells if "injected-parameters" in c.metadata.get("tags", [])
    )
    assert "level = 7.0" in injected.source and "n_seeds = 3" in injected.source
    assert "quick" not in injected.source  # defaults stand where they are declared
    assert list(one.folder.parent.glob(".unfinished-*")) == []


def test_finished_runs_are_not_run_again_until_something_changes(tiny_book):
    path = tiny_book.write(FIRST)
    first, executed = run([FIRST])
    assert executed == [FIRST]
    assert run([FIRST]) == (first, [])
    before = first[FIRST].notebook.read_bytes()
    assert run([FIRST], force=True)[1] == [FIRST]
    for given, executed, level in (({"level": 7.0}, [FIRST], 7.0), ({}, [], 1.5)):
        assert run([FIRST], given)[1] == executed
        assert latest_records(FIRST)[0]["value"] == level  # of what was asked for last
    replace(path, "Text of", "New text of")
    told = plan([FIRST])[FIRST]
    assert told.done  # what prose says is no matter of the run
    ran, page = (nb.cells for nb in (nbformat.read(told.notebook, as_version=4), page_of(told)))
    assert [cell.source.replace("New text", "Text") for cell in page] == [c.source for c in ran]
    assert "New text of the chapter." in page[0].source
    assert [c.outputs for c in page[1:]] == [c.outputs for c in ran[1:]]
    replace(path, "seed=s)", "seed=s)  # why")
    assert not plan([FIRST])[FIRST].done
    # Times are in the run card alone; all else is equal byte for byte.
    after = first[FIRST].notebook.read_bytes()
    assert before.splitlines()[:-80] == after.splitlines()[:-80]


READER, SOURCE = "demo/01_reader", "demo/02_source"
SUM = f"""
read = book.latest_records("{SOURCE}")
chapter.record(metric="sum", value=sum(read.values(metric="level")))
"""


@pytest.fixture
def source(tiny_book):
    """The path of a chapter whose records another sums."""
    tiny_book.write(READER, SUM, depends=[SOURCE])
    return tiny_book.write(SOURCE)


def summed():
    return latest_records(READER).value(metric="sum")


def replace(path, text, other):
    path.write_text(path.read_text().replace(text, other))


def test_an_executor_runs_chapters_after_those_they_read_and_keys_chain(source):
    with ProcessPoolExecutor(1) as executor:
        runs, executed = run([READER], {"level": 5.0}, executor=executor)
    assert executed == [SOURCE, READER]
    assert all(one.done for one in runs.values())
    assert summed() == 11.0
    replace(source, "level + s", "level + s + 0")
    assert plan([READER], {"level": 5.0})[READER].key != runs[READER].key


def test_full_records_are_of_the_latest_run_if_that_is_a_full_one(tiny_book, source):
    replace(source.with_name("01_reader.md"), "latest_records", "full_records")
    run([READER], {"level": 5.0})
    assert summed() == 11.0  # nothing is published
    run([SOURCE], full=True)
    publish([SOURCE])
    shutil.rmtree(tiny_book.place.results / READER)
    run([READER], {"level": 5.0})
    assert summed() == 4.0
    replace(source, "level + s", "level - s")
    run([READER], full=True)
    assert summed() == 2.0


def test_a_chapter_that_is_read_keeps_its_data_where_it_has_none_of_those_asked_for():
    images, words = "together/04_hubness_explains", "hubness/06_corrections"
    runs = plan([images], {"dataset": "awa1"}, root=ROOT)
    given = {name: run.given for name, run in runs.items()}
    assert given[images]["dataset"] == given["leaderboard/01_systems"]["dataset"] == "awa1"
    assert "dataset" not in given[words]
    with pytest.raises(ValueError, match="names no data set"):
        plan([words], {"dataset": "awa1"}, root=ROOT)


def test_published_records_stand_for_full_runs_of_the_same_sources(tiny_book, source):
    run([SOURCE], full=True)
    publish([SOURCE])
    shutil.rmtree(tiny_book.place.results / "demo")
    assert list(plan([READER])) == [SOURCE, READER]
    assert len(plan([READER], {"level": 5.0}, full=True)) == 2
    assert len(plan([READER, SOURCE], full=True)) == 2
    assert run([READER], full=True)[1] == [READER]
    assert summed() == 4.0
    replace(source, "level + s", "level - s")
    assert len(plan([READER], full=True)) == 2


def test_chapters_start_when_what_they_read_is_there_the_longest_chain_first(tiny_book):
    # The last is read by the second and the third, the third by the second.
    tiny_book.write("demo/01_alone")
    tiny_book.write("demo/02_last", depends=["demo/04_first", "demo/03_middle"])
    tiny_book.write("demo/03_middle", depends=["demo/04_first"])
    first = tiny_book.write("demo/04_first")
    tiny_book.write("demo/05_alone")
    names = {path.name[:2]: f"demo/{path.stem}" for path in sorted(first.parent.iterdir())}

    def ready(started=(), finished=()):
        places = ({names[number] for number in numbers} for numbers in (started, finished))
        return [name[5:7] for name in _ready(plan(names.values()), *places)]

    assert ready() == ["04", "01", "05"]
    assert ready(["04", "01"], ["01"]) == ["05"]
    assert ready(["04", "01"], ["04"]) == ["03", "05"]
    assert ready(["04", "03", "01"], ["04", "03"]) == ["02", "05"]  # what has waited first
    published = tiny_book.place.published / "demo/05_alone"
    published.mkdir(parents=True)
    (published / "run.json").write_text('{"wall_seconds": 2.5}')
    assert ready() == ["04", "05", "01"]


@pytest.mark.parametrize("default", ["ikea", "synthetic+ikea"])
def test_a_chapter_whose_own_data_set_is_not_here_takes_what_is(tiny_book, monkeypatch, default):
    path = tiny_book.write(FIRST)
    replace(path, 'dataset: str = "synthetic"', f'dataset: str = "{default}"')
    replace(path, "zslib:\n", "zslib:\n  settings: [pairs]\n")
    named = plan([FIRST])[FIRST]
    assert (named.parameters["dataset"], named.given) == (default, {})
    monkeypatch.setattr("zslib.datasets.locate.data_folders", lambda: [tiny_book.root / "data"])
    assert plan([FIRST])[FIRST].given == {"dataset": "auto"}
    with pytest.raises(FileNotFoundError, match="the files of 'ikea' are not here"):
        plan([FIRST], {"dataset": default})


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
    tiny_book.write("demo/05_dead", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    replace(tiny_book.write("demo/06_endless"), "chapter.finish()", "None")
    tiny_book.write("clarel/06_calibrations")  # claims ask for other records
    names = tiny_book.place.names()
    runs = plan(names)
    with pytest.raises(ChaptersFailed) as caught:
        run_chapters(runs, progress=False)
    message = str(caught.value)
    for said in (
        "5 chapter(s) failed: ",
        "=== demo/02_broken ===\nCell 3 of 4: NameError: name 'absent_name' is not",
        "records of these: demo/03_reader",
        "list it under zslib: depends:",
        "kernel died in cell 3 of 4, for want of memory perhaps:\nimport os, signal\nos.kill(",
        "the chapter ended without chapter.finish()",
        "asks for metric='AUSUC, mean absolute difference'",
        "nearest: metric='level'",
    ):
        assert said in message
    assert "nbclient" not in message
    assert [name for name in names if runs[name].done] == ["demo/01_good"]
    assert not any(
        list(runs[name].folder.parent.glob(".unfinished-*"))
        for name in ("demo/01_good", "demo/02_broken")
    )
    failed = runs["demo/02_broken"].folder.parent / "failed.ipynb"
    assert f"As far as it came: {os.path.relpath(failed)}" in message
    assert "absent_name" in str(nbformat.read(failed, as_version=4).cells[-2].outputs)
    assert not (runs["demo/01_good"].folder.parent / "failed.ipynb").exists()
    replace(broken, "absent_name + 1", "chapter.parameters")
    assert run(["demo/01_good", "demo/03_reader"])[1] == ["demo/02_broken", "demo/03_reader"]
    assert not failed.exists()


# While the cell runs, it asks where it is.
ASKING = """
from book.build.plan import plan
from book.build.run import _where
from zslib.protocols.sweep import _trial

# Comments and imports are passed over.
asked = lambda parameters=None: {"where": _where(plan([chapter.name])[chapter.name])}
during = _trial(asked, {}, None, "candidate 2 of 2 of a toy")["where"]
chapter.record(metric="where", value=1.0, during=during, after=asked()["where"])
"""


def test_running_chapters_are_told_with_their_cell_and_the_candidate_of_a_sweep(tiny_book):
    tiny_book.write(FIRST, ASKING)
    one = plan([FIRST])[FIRST]
    assert _where(one) is None
    with unfinished(one.folder.parent, one.key):
        assert _where(one) == FIRST
    run([FIRST])
    (record,) = latest_records(FIRST)
    assert record["during"] == "demo/01_first 3/4 candidate 2 of 2 of a toy"
    assert record["after"] == 'demo/01_first 3/4 asked = lambda parameters=None: {"where": _where'
    assert not (one.folder / "progress.txt").exists()


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
    names = [FIRST, SOURCE][:jobs]
    for name in names:
        tiny_book.write(name, THREADS)
    monkeypatch.setattr("book.build.run.processes", processes)  # with the threads of this test
    run(names, jobs=jobs)
    for name in names:
        by_library = {row["metric"]: row["value"] for row in latest_records(name)}
        if set(by_library) != {"numpy", "another"}:
            pytest.skip("one library serves NumPy and SciPy")
        assert (by_library["numpy"], by_library["another"]) == threads


# Pages that are new to the process when it fills 64 MiB for the second time.
MEMORY = """
import resource

for _ in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    b"x" * 2**26
    new = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
chapter.record(metric="pages", value=new * resource.getpagesize())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of this library")
@pytest.mark.parametrize("jobs", [1, 2])  # a process of its own, and forks
def test_a_kernel_keeps_the_memory_that_a_freed_array_had(tiny_book, jobs):
    names = [FIRST, SOURCE][:jobs]
    for name in names:
        tiny_book.write(name, MEMORY)
    run(names, jobs=jobs)
    for name in names:
        (record,) = latest_records(name)
        assert record["value"] < 2**24


def test_plain_papermill_runs_the_paired_notebook_with_names_that_the_chapter_has(tiny_book):
    from papermill import PapermillExecutionError, execute_notebook

    tiny_book.write(FIRST)
    files = pair(FIRST, tiny_book.place), tiny_book.root / "out.ipynb"
    with pytest.raises(PapermillExecutionError, match=r"'levle' \(did you mean 'level'"):
        execute_notebook(*files, {"levle": 3.0}, progress_bar=False)
    assert not tiny_book.place.results.exists()
    given = {"level": 3.0, "n_seeds": 1}
    execute_notebook(*files, given, progress_bar=False)
    records = latest_records(FIRST)
    assert records.values(metric="level") == [3.0]
    # The same key as `zslib run` gives to the same run.
    planned = plan([FIRST], given)[FIRST]
    assert (records.run["key"], records.run["digests"]) == (planned.key, planned.digests)


def test_pairing_with_a_notebook_changes_no_key(tiny_book):
    path = tiny_book.write(FIRST)
    before = plan([FIRST])[FIRST].key
    path.write_text(path.read_text().replace("---\n", "---\nauthor: someone\n", 1))
    assert plan([FIRST])[FIRST].key == before
    notebook = pair(FIRST, tiny_book.place)
    assert plan([FIRST])[FIRST].key == before
    os.utime(notebook, (2e9, 2e9))
    replace(path, "Text of", "Words of")
    os.utime(path, (1e9, 1e9))
    assert pair(FIRST, tiny_book.place) == path
    assert plan([FIRST])[FIRST].key == before
    assert path.read_text().startswith("---\nauthor: someone\n")


def test_of_two_equal_runs_at_once_one_executes(tiny_book):
    tiny_book.write(FIRST, "absent_name")
    one = plan([FIRST])[FIRST]
    with ThreadPoolExecutor(1) as pool, unfinished(one.folder.parent, one.key) as folder:
        second = pool.submit(execute, one)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.2)
        for name in ("records.jsonl", "notebook.ipynb"):
            (folder / name).touch()
        publish_run(folder, one.folder.parent, one.key)
    assert second.result() is None


STARTS = """
import os, subprocess

chapter.record(metric="child", value=subprocess.Popen(["sleep", "600"]).pid)
chapter.record(metric="hash", value=hash("a word") % 1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("forks", [False, True])
def test_a_kernel_takes_with_it_what_it_started_and_hashes_words_alike(tiny_book, forks):
    tiny_book.write(FIRST, STARTS)
    assert execute(plan([FIRST])[FIRST], forks=forks) is None
    child, word = latest_records(FIRST).values()
    state = Path(f"/proc/{child:.0f}/status")
    assert not state.exists() or "zombie" in state.read_text()
    alike = [sys.executable, "-c", "print(hash('a word') % 1000)"]
    told = subprocess.run(alike, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True)
    assert int(told.stdout) == word
