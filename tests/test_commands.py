"""Commands that README and pages print: the command line takes them, with these chapters."""

from __future__ import annotations

import re
import shlex
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
