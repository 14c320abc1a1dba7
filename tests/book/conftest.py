"""A book of tiny chapters in a temporary folder."""

import textwrap

import pytest

from book.paths import Layout

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
        self.place.pages.mkdir(parents=True)
        (root / "chapters").mkdir()
        (root / "_toc.yml").write_text("format: jb-book\nroot: index\n")

    def write(self, name, body=BODY, *, depends=(), title="A chapter"):
        path = self.root / "chapters" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        text = CHAPTER.format(
            name=name, title=title, depends=", ".join(depends), body=textwrap.dedent(body).rstrip()
        )
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def tiny_book(tmp_path, monkeypatch):
    monkeypatch.delenv("ZSLIB_BOOK", raising=False)
    book = TinyBook(tmp_path / "tiny")
    monkeypatch.chdir(book.root)
    return book
