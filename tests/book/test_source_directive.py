"""The directive that shows the package's code: what it shows, links to, and refuses."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from book.paths import Layout

ROOT = Path(__file__).parents[2]

MODULE = (
    '''
"""A room."""

SIZE = 3

def double(x):
    """Twice.

    Examples
    --------
    >>> double(1)
    2
    """

    # A reason.
    return 2 * x

def checked(x, k):
    """Checked."""
    check_x(x)
    k = check_k(k)
    if k > x:
        shown = x
        raise ValueError(f"k is larger than {shown}")
    if k < 0:
        k = -k
    return x + k

class Scale:
    """Scales."""

    def apply(self, x):
        """Once."""
        return self.factor * x

    @property
    def factor(self):
        """Of length."""
        return double(SIZE)

    @staticmethod
    def plain(x):
        return x

def long(x):
    """Long."""
'''
    + "    x += 1\n" * 30
)


@pytest.fixture(scope="module")
def package_source(load):
    return load("package_source")


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "toyroom").mkdir()
    (tmp_path / "toyroom" / "__init__.py").write_text("from toyroom.scale import double\n")
    (tmp_path / "toyroom" / "scale.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "toyroom" / "scale.py"
    for name in ("toyroom", "toyroom.scale"):
        sys.modules.pop(name, None)


# Without what only refuses bad input.
CHECKED = """\
def checked(x, k):
    k = check_k(k)
    if k < 0:
        k = -k
    return x + k"""
DOUBLE = "def double(x):\n    # A reason.\n    return 2 * x"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scale.double", DOUBLE),
        ("double", DOUBLE),
        ("scale.Scale.apply", "def apply(self, x):\n    return self.factor * x"),
        ("scale.Scale.factor", "@property\ndef factor(self):\n    return double(SIZE)"),
        ("scale.Scale.plain", "@staticmethod\ndef plain(x):\n    return x"),
        ("scale.checked", CHECKED),
    ],
)
def test_code_is_shown_without_docstring_and_indentation(package_source, room, name, text):
    assert package_source.code(f"toyroom.{name}") == (text.split("\n"), str(room))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("toyroom.scale.triple", "toyroom.scale has no 'triple'"),
        ("toyroom.scale.Scale.turn", "Scale has no 'turn'"),
        ("toyattic.scale", "no such module; give the dotted name in full"),
        ("double", "no such module"),
        ("toyroom.scale.Scale", "is a class: name the methods"),
        ("toyroom.scale.SIZE", "is of type int: name a function"),
        ("toyroom.scale.long", "31 lines of code and a page shows 30 at most"),
    ],
)
@pytest.mark.usefixtures("room")
def test_what_cannot_be_shown_is_refused_with_what_to_do(package_source, name, message):
    with pytest.raises(package_source.NotShown, match=message):
        package_source.code(name)


REFERENCE = """# Reference

```{eval-rst}
.. automodule:: toyroom
   :members:
   :imported-members:

.. autoclass:: toyroom.scale.Scale
```
"""


@pytest.mark.usefixtures("room")
def test_a_page_shows_the_code_links_to_the_reference_and_is_built_anew(site):
    text = "# One\n\n```{source} toyroom.scale.double\ntoyroom.scale.Scale.apply\n```\n"
    text += "\n```{toctree}\nreference\n```\n"
    html, warnings, env = site({"index": text, "reference": REFERENCE}, "package_source")
    assert warnings == ""
    page = html["index"]
    shown = re.sub(r"<[^>]+>", "", page)
    assert "def double(x):\n    # A reason.\n    return 2 * x\n\ndef apply(self, x):" in shown
    assert 'href="reference.html#toyroom.double"' in page
    assert 'href="reference.html#toyroom.scale.Scale"' in page  # its method has no entry
    assert any(str(d).endswith("toyroom/scale.py") for d in env.dependencies["index"])


@pytest.mark.usefixtures("room")
def test_a_page_with_an_unknown_name_warns(site):
    pages = {"index": "# One\n\n```{source}\ntoyroom.scale.triple\n```\n"}
    warnings = site(pages, "package_source")[1]
    assert "index.md:3: ERROR: source: toyroom.scale.triple: toyroom.scale has no" in warnings


def test_chapters_name_what_can_be_shown(package_source):
    for path in sorted(Layout(ROOT).chapters.glob("*/*.md")):
        for fence in re.findall(r"^```\{source\}(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            for name in fence.replace(",", " ").split():
                assert package_source.code(name)[0], path.name
