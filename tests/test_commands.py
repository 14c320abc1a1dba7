"""Commands that README and pages print: the command line takes them, and those that can run do."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from book.parameters import ChapterText, parse_text
from book.paths import layout
from zslib.cli import _parser, main

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "book" / "pages").glob("*.md")),
]
_PLACES = {"…", "N", "NAME", "FILE", "FOLDER", "CHAPTER"}
FENCED = re.compile(r"^```bash\n(.*?)^```", re.M | re.S)


def printed_commands():
    """Pairs (page, words) of all commands but those with a place to fill in."""
    for page in [*PAGES, *sorted(ROOT.glob("chapters/*/*.md"))]:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT).as_posix()
        lines = [line for block in FENCED.findall(text) for line in block.splitlines()]
        lines += re.findall(r"`(zslib\s[^`]+)`", text)
        if name.startswith("chapters/"):  # what to try is of the chapter itself
            chapter = name.removeprefix("chapters/").removesuffix(".md")
            lines += [f"zslib run {chapter} {of}" for of in re.findall(r"`(-p [^`]+)`", text)]
        for line in lines:
            words = shlex.split(line, comments=True)
            if (
                words[:1] == ["zslib"]
                and len(words) > 1
                and not any(word.strip("[]") in _PLACES for word in words)
            ):
                yield name, words[1:]


COMMANDS = list(printed_commands())


def test_the_pages_print_commands():
    assert {"README.md", "CONTRIBUTING.md", "book/pages/how_to.md"} <= {
        page for page, _ in COMMANDS
    }


@pytest.mark.parametrize(
    ("page", "words"), COMMANDS, ids=lambda of: of if isinstance(of, str) else " ".join(of)
)
def test_printed_commands_parse(page, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = _parser().parse_args(words)
    for name in getattr(arguments, "chapters", ()):
        known = ChapterText.read(name, layout(ROOT)).parameters
        given = dict(getattr(arguments, "parameter", ()))
        for file in (v for k, v in given.items() if known[k].rules == ("file",)):
            (tmp_path / file).touch()  # a user has it
        parse_text(known, given, name)


# In an order in which the last find what the first leave.
READER = (
    "zslib list",
    "zslib data list",
    "zslib data where",
    "zslib run devise/01_data -p validation 0.2 -o my.ipynb",
    "zslib report",
    "zslib report --against published",
    "zslib publish --check",
)
CONTRIBUTOR = (
    "python tests/counts.py",
    "zslib run devise/01_data --quick",
)
PROGRAMS = ("zslib", "python", "make", "pip", "pytest", "source", "papermill")
ELSEWHERE = {
    "make book": "by .ci/run, in quick mode",
    "make book FULL=1": "takes hours",
    "make test": "this is it",
    'make test ARGS=tests/golden -k "devise and 01"': "by tests/golden",
    "make lint": "by .ci/run",
    "make format": "would change the sources",
    "make help": "by tests/test_packaging.py",
    "make notebooks": "by tests/book/test_notebooks.py",
    "make archive": "is of a commit without changes",
    "papermill chapters/hubness/02_hubness.ipynb out.ipynb -p n_seeds 10": (
        "takes minutes; a small chapter by tests/book/build/test_run.py"
    ),
    "pip install .": "by tests/test_distribution.py, without a network",
    "pip install .[cuda12]": "needs a network",
    "pip freeze": "of other environments",
    "source .venv/bin/activate": "of the shell",
    "zslib data fetch dinu2015": "needs a network",
    "zslib build": "by `make book QUICK=1` in .ci/run",
    "zslib run hubness/02_hubness -p n_seeds 10 -o my.ipynb": "takes minutes",
    "zslib run --all": "takes minutes",
    "zslib run --all --jobs 4 --quick": "takes minutes; by `make book QUICK=1` in .ci/run",
    "zslib run dark/05_comparison --full": "takes most of an hour",
    "zslib compare my_features.npz --jobs 4": "takes minutes; fewer systems by tests/compare",
}


def test_each_command_of_the_guides_runs_or_has_a_reason():
    printed = set()
    for page in ("README.md", "CONTRIBUTING.md", "book/pages/how_to.md"):
        text = (ROOT / page).read_text("utf-8")
        lines = [line for block in FENCED.findall(text) for line in block.splitlines()]
        lines += re.findall(rf"`((?:{'|'.join(PROGRAMS)}) [^`\n]+)`", text)
        words = [shlex.split(line, comments=True) for line in lines]
        printed |= {
            " ".join(line)
            for line in words
            if line[0] in PROGRAMS and not any(word.strip("[]") in _PLACES for word in line)
        }
    assert printed == {*READER, *CONTRIBUTOR, *ELSEWHERE}


@pytest.fixture
def call(tmp_path, monkeypatch, capfd, light_runs):
    """Runs a command in a copy of the sources; its status, and what it says."""
    for name in ("book", "chapters", "data", "zslib", "tests", "_toc.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "results/published", tmp_path / "results/published")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(command):
        first, *words = shlex.split(command)
        if first == "zslib":  # in this process: to start one takes longer than most of them
            status = main(words)
        else:
            status = subprocess.run([sys.executable, *words], check=False).returncode
        said, complaints = capfd.readouterr()
        stale = command == "zslib publish --check" and "stale" in said
        assert status == int(stale), f"{command}: {said}{complaints}"
        return said

    return run


@pytest.mark.book
def test_a_reader_s_commands_run_in_a_copy(call, tmp_path):
    assert all(call(command) for command in READER)
    assert (tmp_path / "_build/source/parts/scorecard.md").is_file()
    assert (tmp_path / "my.ipynb").is_file()
    text = (ROOT / "book/pages/how_to.md").read_text("utf-8")
    (lines,) = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert "'label_set': '2-hop'" in call(f"python -c {shlex.quote(lines)}")


@pytest.mark.book
def test_a_contributor_s_commands_run_in_a_copy(call):
    assert all(call(command) for command in CONTRIBUTOR)
