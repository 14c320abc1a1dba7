"""The directive that shows the package's code: what it shows, links to, and refuses."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
import textwrap
from pathlib import Path

import pytest
from sphinx.application import Sphinx

from book.paths import Layout

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location(
    "package_source", ROOT / "book" / "_ext" / "package_source.py"
)
package_source = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package_source)

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


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "toyroom").mkdir()
    (tmp_path / "toyroom" / "__init__.py").write_text("from toyroom.scale import double\n")
    (tmp_path / "toyroom" / "scale.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "package_source", package_source)
    yield tmp_path / "toyroom" / "scale.py"
    for name in ("toyroom", "toyroom.scale"):
        sys.modules.pop(name, None)


def test_code_without_docstring_and_indentation_with_its_comments(room):
    lines, file = package_source.code("toyroom.scale.double")
    assert lines == ["def double(x):", "    # A reason.", "    return 2 * x"]
    assert file == str(room)
    assert package_source.code("toyroom.double")[0] == lines
    assert package_source.code("toyroom.scale.Scale.apply")[0] == [
        "def apply(self, x):",
        "    return self.factor * x",
    ]
    assert package_source.code("toyroom.scale.Scale.factor")[0][0] == "@property"
    assert package_source.code("toyroom.scale.Scale.plain")[0][-1] == "    return x"


def test_what_only_refuses_bad_input_is_left_out(room):
    assert package_source.code("toyroom.scale.checked")[0] == [
        "def checked(x, k):",
        "    k = check_k(k)",
        "    if k < 0:",
        "        k = -k",
        "    return x + k",
    ]


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
def test_what_cannot_be_shown_is_refused_with_what_to_do(room, name, message):
    with pytest.raises(package_source.NotShown, match=message):
        package_source.code(name)


def build(folder, text):
    """Page of one Markdown text, the warnings, and the files that it depends on."""
    source = folder / "site"
    source.mkdir()
    (source / "index.md").write_text(textwrap.dedent(text))
    (source / "reference.rst").write_text(
        ":orphan:\n\nReference\n=========\n\n.. automodule:: toyroom\n"
        "   :members:\n   :imported-members:\n\n.. autoclass:: toyroom.scale.Scale\n"
    )
    warnings = io.StringIO()
    app = Sphinx(
        source, None, folder / "out", folder / "trees", "html",
        confoverrides={
            "extensions": ["myst_parser", "sphinx.ext.autodoc", "package_source"],
            "html_theme": "basic",
        },
        status=None, warning=warnings,
    )  # fmt: skip
    app.build()
    return (folder / "out" / "index.html").read_text(), warnings.getvalue(), app.env


def test_a_page_shows_the_code_links_to_the_reference_and_is_built_anew(
    room, tmp_path, monkeypatch
):
    page, warnings, env = build(
        tmp_path,
        """
        # One

        ```{source} toyroom.scale.double
        toyroom.scale.Scale.apply
        ```
        """,
    )
    assert warnings == ""
    shown = re.sub(r"<[^>]+>", "", page)
    assert "def double(x):\n    # A reason.\n    return 2 * x\n\ndef apply(self, x):" in shown
    assert 'href="reference.html#toyroom.double"' in page
    assert 'href="reference.html#toyroom.scale.Scale"' in page  # its method has no entry
    assert any(str(d).endswith("toyroom/scale.py") for d in env.dependencies["index"])


def test_a_page_with_an_unknown_name_warns(room, tmp_path):
    warnings = build(tmp_path, "# One\n\n```{source}\ntoyroom.scale.triple\n```\n")[1]
    assert "index.md:3: ERROR: source: toyroom.scale.triple: toyroom.scale has no" in warnings


def test_chapters_name_what_can_be_shown():
    for path in sorted(Layout(ROOT).chapters.glob("*/*.md")):
        for fence in re.findall(r"^```\{source\}(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            for name in fence.replace(",", " ").split():
                assert package_source.code(name)[0], path.name
