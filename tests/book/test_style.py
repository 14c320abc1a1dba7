"""Floors of how chapters are written: messages first, a named example, a reason."""

import ast
import re
from pathlib import Path

import pytest

from book.keys import label_place
from book.parameters import ChapterText
from book.paths import layout
from tests.book.test_prose import prose

ROOT = Path(__file__).parents[2]
NAMES = sorted(f"{p.parent.name}/{p.stem}" for p in ROOT.glob("chapters/*/[0-9]*.md"))

REASON = r"\b(because|since|therefore|thus|hence|reason|why|so|explains?|causes?)\b"
# A word, a bird or a digit by its name, or a sentence that announces one.
EXAMPLE = (
    r"\b(for example|for instance|suppose|imagine|consider|take|picture|think of|such as|say)\b"
    r"|(?<![\w*])\*[a-zà-ü][^*\n]*\*(?![\w*])"
)
LONG = 150  # words of a section that owes its reader both


def sections(text):
    """Prose of each section, by its heading."""
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    parts = re.split(r"^## (.*)$", body, flags=re.M)
    return {head: prose(part) for head, part in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("what", "pattern"), [("reason", REASON), ("named example", EXAMPLE)])
def test_a_long_section_has_a_reason_and_a_named_example(name, what, pattern):
    text = (ROOT / "chapters" / f"{name}.md").read_text(encoding="utf-8")
    for head, words in sections(text).items():
        short = len(words.split()) <= LONG
        assert short or re.search(pattern, words, flags=re.I), f"{head!r} has no {what}"


def shown(code):
    """Calls that show a figure or a table: its label, its caption and whether it is folded."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and (place := label_place(node)) is not None:
            options = {k.arg: k.value for k in node.keywords}
            caption = [*node.args[place + 1 : place + 2], options.get("caption")][0]
            yield node.args[place].value, caption, "folded" in options


def opens_with_message(caption):
    """Whether a caption begins in bold: as written, or with a message of the run's records."""
    if isinstance(caption, ast.BinOp):
        return opens_with_message(caption.left)
    if isinstance(caption, ast.JoinedStr):
        return opens_with_message(caption.values[0])
    if isinstance(caption, ast.FormattedValue):
        return opens_with_message(caption.value)
    if isinstance(caption, ast.Constant):
        return str(caption.value).startswith("**")
    if isinstance(caption, ast.IfExp):
        return opens_with_message(caption.body) and opens_with_message(caption.orelse)
    # A message is made by a function of that name, or kept under it.
    return "message" in ast.unparse(caption)


@pytest.mark.parametrize("name", NAMES)
def test_captions_begin_with_their_message(name):
    """Those of tables that are folded, to look things up, need none."""
    for label, caption, folded in shown(ChapterText.read(name, layout(ROOT)).recording_code):
        assert folded or (caption and opens_with_message(caption)), label
