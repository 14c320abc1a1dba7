"""What grows when no one looks: sizes of the package and of the chapters' code and prose."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CELL = r"```\{code-cell\}.*?\n(.*?)```"


def chapter_counts(text):
    """Lines of code, words of prose, classes and functions of a chapter.

    Examples
    --------
    >>> chapter_counts('''---
    ... kernelspec: x
    ... ---
    ... Two words.
    ...
    ... ```{code-cell} ipython3
    ... :tags: [hide-input]
    ...
    ... def f(): return 1
    ... ```
    ... ''')
    (1, 2, 0, 1)
    """
    body = text.split("---", 2)[2]
    code = "\n".join(re.findall(CELL, body, flags=re.S))
    passed = (":", "from typing import")  # options of a cell; types of parameters
    lines = sum(bool(s.strip()) and not s.startswith(passed) for s in code.splitlines())
    words = len(re.sub(CELL, "", body, flags=re.S).split())
    classes, functions = (len(re.findall(rf"^ *{k} ", code, re.M)) for k in ("class", "def"))
    return lines, words, classes, functions


def main():
    files = sorted((ROOT / "zslib").rglob("*.py"))
    print(
        f"{sum(len(f.read_text('utf-8').splitlines()) for f in files):6} lines of Python in zslib"
    )
    exports = ast.parse((ROOT / "zslib" / "protocols" / "__init__.py").read_text("utf-8"))
    (names,) = (n.value for n in exports.body if ast.unparse(n).startswith("__all__ ="))
    print(f"{len(names.elts):6} names that zslib.protocols exports\n")
    print(f"{'chapter':36}  code  words  per 100  classes  functions")
    total = [0, 0, 0, 0]
    for path in sorted((ROOT / "chapters").glob("*/*.md")):
        counts = chapter_counts(path.read_text("utf-8"))
        total = [a + b for a, b in zip(total, counts, strict=True)]
        show(path.relative_to(ROOT / "chapters").with_suffix("").as_posix(), counts)
    show("all", total)


def show(name, counts):
    """One row: the counts, and code over words."""
    code, words, classes, functions = counts
    print(f"{name:36}{code:6}{words:7}{100 * code / words:9.0f}{classes:9}{functions:11}")


if __name__ == "__main__":
    main()
