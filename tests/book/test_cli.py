"""The command line: what it prints, what it refuses, and with which status."""

import errno
import io
import subprocess
import sys

import nbformat
import pytest

import book
import zslib
from book import parameters
from book.paths import layout
from zslib.cli import _parser, main


@pytest.fixture
def copy(tiny_book, monkeypatch):
    """A book of one chapter, with a folder of it as the working folder."""
    tiny_book.write("demo/01_first")
    (tiny_book.root / "below").mkdir()
    monkeypatch.chdir(tiny_book.root / "below")
    return tiny_book.root


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.strip() == f"zslib {zslib.__version__}"


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for command in ("run", "list", "data", "compare", "report", "publish", "build"):
        assert f"\n    {command} " in text


def test_the_command_starts_fast_without_the_book_tools():
    code = "import sys, zslib.cli; zslib.cli._parser(); print({'book', 'numpy'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


def test_list_shows_parameters(copy, capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split("  ") == ["demo/01_first", "A chapter"]
    assert main(["list", "demo"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "demo/01_first",
        "  dataset: str = 'synthetic'  (name of the data)",
        """  device: str = 'cpu'  ("cpu", "gpu" or "auto")""",
        "  seed: int = 0  (first seed)",
        "  n_seeds: int = 2  (number of seeds)",
        "  quick: bool = False  (small and fast)",
        "  level: float = 1.5  (what is recorded)",
    ]


@pytest.mark.parametrize(
    "words",
    ["list", "run --all", "run a/01", "report", "report --against published", "publish --check",
     "build"],
)  # fmt: skip
def test_outside_of_a_book_says_where_to_go(tmp_path, monkeypatch, capsys, words):
    monkeypatch.delenv("ZSLIB_BOOK", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 1
    error = capsys.readouterr().err
    assert f"no chapters in {tmp_path}" in error
    assert "call zslib from a copy of the repository" in error
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="set ZSLIB_BOOK to its folder"):
        book.start("demo/01_first", parameters=globals())


def test_the_extra_that_is_missing_is_named(copy, monkeypatch, capsys):
    parameters._parsed.cache_clear()
    monkeypatch.setitem(sys.modules, "jupytext", None)
    assert main(["list", "demo"]) == 1
    assert "jupytext" in (error := capsys.readouterr().err)
    assert "chapters need what 'pip install \".[book]\"' adds" in error


def test_chapters_are_named_by_path_part_and_pattern(copy):
    paths = "demo/01_first", "demo/01_first.md", "../chapters/demo/01_first.md"
    others = "chapters/demo/01_first.ipynb", "demo", "demo/", "../chapters/demo/", "*/01*"
    for words in ([*paths, *others], ["demo/*", "demo/01_first"], *([w] for w in paths + others)):
        assert layout().matching(words) == ["demo/01_first"], words


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
@pytest.mark.parametrize("words", ["list", "list demo", "run demo/書…", "data list"])
def test_terminals_that_lack_letters_are_written_to(copy, encoding, words, monkeypatch):
    chapter = copy / "chapters" / "demo" / "01_first.md"
    text = chapter.read_text().replace("A chapter", "γ ≥ 0 … 書").replace("small", "≤ 書")
    chapter.write_text(text, encoding="utf-8")
    terminals = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patched:
        for name, terminal in zip(("stdout", "stderr"), terminals, strict=True):
            patched.setattr(sys, name, terminal)
        status = main(words.split())
    for terminal in terminals:
        terminal.flush()
    printed = b"".join(terminal.buffer.getvalue() for terminal in terminals).decode(encoding)
    assert status == int("…" in words)
    assert "?" in printed or words == "data list"


@pytest.mark.parametrize("folder", ["results", "/proc/nobody/results"])
def test_results_that_cannot_be_written_are_told_with_the_remedy(
    copy, folder, capsys, monkeypatch
):
    (copy / "results").write_text("no folder")
    monkeypatch.setenv("ZSLIB_RESULTS", str(copy / folder))
    assert main(["run", "demo"]) == 1
    assert "cannot be written: set ZSLIB_RESULTS to a folder" in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOENT])
def test_a_home_that_cannot_be_written_is_told_with_the_remedy(number, capsys, monkeypatch):
    def refuse():
        raise OSError(number, "no home", "/nowhere")

    monkeypatch.setattr("zslib.datasets.registry.data_status", refuse)
    assert main(["data", "list"]) == 1
    assert "/nowhere': where a folder, HOME or another, cannot" in capsys.readouterr().err


@pytest.mark.book
@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_a_killed_worker_is_told(copy, capsys):
    chapter = copy / "chapters" / "demo" / "01_first.md"
    # A fork's parent is the server, which its worker asked for it.
    kill = "import os, multiprocessing as mp\n\nworker = mp.parent_process()\n"
    kill += "os.kill(worker.pid if worker else os.getppid(), 9)\n"
    chapter.write_text(chapter.read_text().replace("import book\n", kill))
    assert main(["run", "demo/01_first"]) == 1
    assert "zslib: a worker process was killed" in capsys.readouterr().err


def test_the_module_runs_and_takes_a_closed_pipe(copy):
    command = [sys.executable, "-m", "zslib", "data", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_published_runs_are_checked(copy, capsys):
    assert main(["publish", "--check"]) == 1
    assert capsys.readouterr().out == "demo/01_first: missing\n"


@pytest.mark.book
@pytest.mark.usefixtures("light_runs")
def test_a_run_goes_where_the_environment_and_the_option_say(copy, capsys, monkeypatch):
    (copy / "results").write_text("no folder")
    monkeypatch.setenv("ZSLIB_RESULTS", str(copy / "aside"))
    words = ["run", "demo/01_first", "-p", "seed", "7", "--quick", "-o", "out.ipynb"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("demo/01_first: run, ../aside/demo/01_first/")
    assert len(list(copy.glob("aside/demo/01_first/*/records.jsonl"))) == 1
    notebook = nbformat.read("out.ipynb", as_version=4)
    assert "seed = 7\nquick = True" in notebook.cells[2].source
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("demo/01_first: there, ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "demo/02"], "there is no chapter 'demo/02' in"),
        (["run", "demo/01_frist"], "nearest: demo/01_first"),
        (["list", "elsewhere"], "see zslib list"),
        (["run", "*/02*"], "there is no chapter '*/02*' in"),
        (["run", "demo", "-o", "my.txt"], "-o my.txt: it writes a notebook"),
        (["run", "demo", "-o", "no/such/my.ipynb"], "there is no folder no/such: make it first"),
        (["run", "demo", "-o", "."], "-o .: it writes a notebook"),
        (["run"], "name the chapters to run, or pass --all"),
        (["run", "demo/01_first", "--all"], "name the chapters to run, or pass --all"),
        (["run", "--all", "-p", "sede", "1"], "'sede' (did you mean 'seed'?); it has: dataset: "),
        (["run", "--all", "-p", "seed", "one"], "01_first must be int (first seed), got 'one'"),
        (["run", "--all", "-p", "dataset", "nothing"], "unknown dataset 'nothing'"),
        (["run", "--all", "-p", "seed", "1_0"], "must be int (first seed), got '1_0'"),
        (["publish", "demo/01_first"], "chapter 'demo/01_first' has no records yet"),
        (["publish", "demo/01_first", "--carry", ""], "--carry '': there is no such folder"),
        (["publish", "demo/01_first", "--no-data"], "--no-data goes with --check"),
        (["run", "--all", "-p", "seed", "-1"], "'seed' of demo/01_first must be >= 0 (first"),
        (["publish"], "name the chapters to publish, or pass --all"),
        (["publish", "demo/01_first", "--all"], "name the chapters to publish, or pass --all"),
        (["report", "demo/01_first"], "chapters and --keep go with --against published"),
        (["report", "--against", "published", "demo/02"], "there is no chapter 'demo/02' in"),
        (["data", "fetch", "nothing"], "unknown dataset 'nothing'"),
        (["run", "demo", *(2 * ["-p", "seed", "1"])], "is given twice: give each of seed once"),
    ],
)
def test_mistakes_are_one_message(copy, capsys, words, message):
    assert main(words) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("zslib: ")
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_the_chapter_that_was_named_is_named(copy, capsys):
    text = (copy / "chapters" / "demo" / "01_first.md").read_text()
    reading = text.replace("depends: []", "depends: [demo/01_first]")
    (copy / "chapters" / "demo" / "02_second.md").write_text(reading)
    assert main(["run", "demo/02_second", "-p", "seed", "-1"]) == 1
    assert "'seed' of demo/02_second must be >= 0" in capsys.readouterr().err


def test_lists_of_several_options_are_one():
    words = "compare a.csv --unseen fox --methods SAE --unseen hen,owl --methods ESZSL"
    given = _parser().parse_args(words.split())
    assert (given.unseen, given.methods) == (["fox", "hen", "owl"], ["SAE", "ESZSL"])
    assert _parser().parse_args(["compare", "a.csv"]).unseen is None


def test_jobs_must_be_positive(copy, capsys):
    for jobs in ("0", "-1", "two"):
        with pytest.raises(SystemExit, match="2"):
            main(["run", "--all", "--jobs", jobs])
        assert (
            f"--jobs: must be a whole number of at least 1, got {jobs}" in capsys.readouterr().err
        )


@pytest.mark.book
@pytest.mark.usefixtures("light_runs")
def test_a_failed_chapter_gives_its_traceback_and_a_status(copy, capsys):
    path = copy / "chapters" / "demo" / "01_first.md"
    path.write_text(path.read_text().replace("chapter.finish()", "1 / 0"))
    assert main(["run", "--all"]) == 1
    error = capsys.readouterr().err
    assert "1 chapter(s) failed: demo/01_first" in error
    assert "ZeroDivisionError: division by zero" in error
