"""Commands that README and pages print: the command line takes them, with these chapters."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from zslib.book.parameters import Source, parse_text
from zslib.book.paths import layout
from zslib.cli import _parser

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "book").glob("*.md"))]
_PLACES = {"…", "N", "NAME", "FILE", "CHAPTER"}
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
    assert {"README.md", "CONTRIBUTING.md", "book/how_to.md"} <= {page for page, _ in COMMANDS}


@pytest.mark.parametrize(
    ("page", "words"), COMMANDS, ids=lambda of: of if isinstance(of, str) else " ".join(of)
)
def test_printed_commands_parse(page, words):
    arguments = _parser().parse_args(words)
    for name in getattr(arguments, "chapters", ()):
        known = Source.read(name, layout(ROOT)).parameters
        parse_text(known, dict(getattr(arguments, "parameter", ())), name)


# Those that take seconds, in an order in which the last find what the first leave.
QUICKLY = (
    "list",
    "data list",
    "data where",
    "run hubness/02_hubness --quick",
    "report",
    "report --against published",
    "publish --check",
)


def test_printed_commands_run_in_a_copy(tmp_path):
    printed = {" ".join(words) for _, words in COMMANDS}
    for name in ("chapters", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "results/published", tmp_path / "results/published")
    environment = os.environ | {"ZSLIB_BOOK": "", "PYTHONPATH": str(ROOT)}
    for words in QUICKLY:
        assert words in printed
        command = [sys.executable, "-m", "zslib", *words.split()]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        stale = words == "publish --check" and "stale" in done.stdout
        assert done.returncode == int(stale), f"{words}: {done.stdout}{done.stderr}"
        assert done.stdout
    assert (tmp_path / "book/generated/scorecard.md").is_file()
    assert (tmp_path / "results/hubness/02_hubness/latest").is_file()
