"""A book of tiny chapters in a temporary folder."""

from __future__ import annotations

import importlib.util
import io
import sys
import textwrap
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.paths import Layout

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"

CHAPTER = """\
---
kernelspec:
  name: python3
  display_name: Python 3
  language: python
zslib:
  depends: [{depends}]
---

# {title}

Text of the chapter.

```{{code-cell}} python
:tags: [parameters]

dataset: str = "synthetic"  # name of the data
device: str = "cpu"  # "cpu", "gpu" or "auto"
seed: int = 0  # first seed
n_seeds: int = 2  # number of seeds
quick: bool = False  # small and fast
level: float = 1.5  # what is recorded
```

```{{code-cell}} python
import book

chapter = book.start("{name}", parameters=globals())
```

```{{code-cell}} python
{body}
```

```{{code-cell}} python
chapter.finish()
```
"""

BODY = """\
for s in range(seed, seed + n_seeds):
    chapter.record(metric="level", value=level + s, seed=s)
"""


class TinyBook:
    """Folder with chapters that take a second."""

    defaults = {
        "dataset": "synthetic", "device": "cpu", "seed": 0, "n_seeds": 2, "quick": False,
        "level": 1.5,
    }  # fmt: skip

    def __init__(self, root):
        self.root = root
        self.place = Layout(root)
        (root / "chapters").mkdir()
        self.place.pages.mkdir(parents=True)
        (root / "_toc.yml").write_text("format: jb-book\nroot: index\n")

    def write(self, name, body=BODY, *, depends=(), title="A chapter"):
        path = self.root / "chapters" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        text = CHAPTER.format(
            name=name, title=title, depends=", ".join(depends), body=textwrap.dedent(body).rstrip()
        )
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture(scope="session")
def load():
    """Function that gives an extension of the site as a module."""

    def module(name):
        spec = importlib.util.spec_from_file_location(name, EXTENSIONS / f"{name}.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    return module


@pytest.fixture
def site(tmp_path, monkeypatch, load):
    """Function that builds pages, ``{name: Markdown}``, with some of the site's extensions.

    It gives the pages as HTML, the warnings, and Sphinx's environment.
    """

    def build(pages, *names):
        for name in names:
            monkeypatch.setitem(sys.modules, name, load(name))
        for name, text in pages.items():
            path = tmp_path / "site" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        warnings = io.StringIO()
        extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx.ext.autodoc", *names]
        settings = {
            "extensions": extensions, "html_theme": "basic", "master_doc": "index",
            "myst_enable_extensions": ["colon_fence", "dollarmath"], "numfig": True,
        }  # fmt: skip
        folders = [tmp_path / name for name in ("site", "out", "trees")]
        with docutils_namespace():  # each build begins anew
            app = Sphinx(
                folders[0], None, *folders[1:], "html",
                confoverrides=settings, status=None, warning=warnings,
            )  # fmt: skip
            app.build()
        html = {name: (folders[1] / f"{name}.html").read_text("utf-8") for name in pages}
        return html, warnings.getvalue(), app.env

    return build


@pytest.fixture(autouse=True)
def _close_figures():
    """What a test draws and does not show is closed: pyplot warns of many that are open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def tiny_book(tmp_path, monkeypatch):
    monkeypatch.delenv("ZSLIB_BOOK", raising=False)
    root = tmp_path / "tiny"
    root.mkdir()
    monkeypatch.chdir(root)
    return TinyBook(root)
