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
GUIDES = ("README.md", "CONTRIBUTING.md", "book/pages/how_to.md")
PROGRAMS = ("zslib", "python", "make", "pip", "pytest", "source", "papermill")
_PLACES = {"…", "N", "NAME", "FILE", "FOLDER", "CHAPTER"}


def commands_of(page):
    """Words of each command of a page but those with a place to fill in."""
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(rf"(?<!`)`((?:{'|'.join(PROGRAMS)})\s[^`]+)`", text)
    if page.startswith("chapters/"):  # what to try is of the chapter itself
        chapter = page.removeprefix("chapters/").removesuffix(".md")
        lines += [f"zslib run {chapter} {of}" for of in re.findall(r"`(-p [^`]+)`", text)]
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[:1] and words[0] in PROGRAMS and not _PLACES & {w.strip("[]") for w in words}:
            yield words


PAGES = [*GUIDES[:2], *(f"book/pages/{p.name}" for p in (ROOT / "book/pages").glob("*.md"))]
PAGES += [p.relative_to(ROOT).as_posix() for p in ROOT.glob("chapters/*/*.md")]
COMMANDS = [
    (page, words[1:])
    for page in sorted(PAGES)
    for words in commands_of(page)
    if words[0] == "zslib" and len(words) > 1
]


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
    "python tests/counts.py",
)
ELSEWHERE = {
    "make book": "by .ci/run, in quick mode",
    "make book FULL=1": "takes hours",
    "make test": "this is it",
    'make test ARGS=tests/golden -k "devise and 01"': "by tests/golden",
    "make lint": "by .ci/run",
    "make format": "would change the sources",
    "make help": "by tests/test_packaging.py",
    "make notebooks": "by tests/book/test_notebooks.py",
    "make kernels": "nightly, by .github/workflows/book.yml",
    "make cupy": "nightly, by .github/workflows/book.yml",
    "make archive": "is of a commit without changes",
    "papermill chapters/hubness/02_hubness.ipynb out.ipynb -p n_seeds 10": "takes minutes; "
    "a small chapter by tests/book/build/test_run.py",
    "pip install .": "by tests/test_distribution.py, without a network",
    "pip install .[cuda12]": "needs a network",
    "pip freeze": "of other environments",
    "source .venv/bin/activate": "of the shell",
    "zslib data fetch dinu2015": "needs a network",
    "zslib build": "by `make book QUICK=1` in .ci/run",
    "zslib run devise/01_data --quick": "by tests/test_additions.py",
    "zslib run hubness/02_hubness -p n_seeds 10 -o my.ipynb": "takes minutes",
    "zslib run --all": "takes minutes",
    "zslib run --all --jobs 4 --quick": "takes minutes; by `make book QUICK=1` in .ci/run",
    "zslib run dark/05_comparison --full": "takes most of an hour",
    "zslib compare my_features.npz --jobs 4": "takes minutes; fewer systems by tests/compare",
}


def test_each_command_of_the_guides_runs_or_has_a_reason():
    printed = {" ".join(words) for page in GUIDES for words in commands_of(page)}
    assert printed == {*READER, *ELSEWHERE}


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
def test_the_guides_commands_run_in_a_copy(call, tmp_path):
    assert all(call(command) for command in READER)
    assert (tmp_path / "_build/source/parts/scorecard.md").is_file()
    assert (tmp_path / "my.ipynb").is_file()
    text = (ROOT / "book/pages/how_to.md").read_text("utf-8")
    (lines,) = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert "'label_set': '2-hop'" in call(f"python -c {shlex.quote(lines)}")
