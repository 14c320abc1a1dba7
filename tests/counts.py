"""What grows when no one looks: sizes of the rooms, and of the chapters' code and prose."""

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


def code_lines(text):
    """Lines of Python that are no docstring, comment or blank.

    Examples
    --------
    >>> code_lines("'Says what.'\\n\\n# why\\nx = 1\\n")
    1
    """
    words = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            words.update(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(s) and s[0] != "#" and number not in words for number, s in lines)


def beside_chapters():
    """Lines of code beside the chapters; the checks of errata are of a page of their own."""
    files = [p for p in (ROOT / "chapters").rglob("*.py") if p.name != "errata.py"]
    return sum(code_lines(p.read_text("utf-8")) for p in files)


def main():
    print(f"{'':12}{'code':>8}{'all lines':>12}")
    for folder in ("zslib", "book", "chapters", "tests"):
        texts = [p.read_text("utf-8") for p in (ROOT / folder).rglob("*.py")]
        every = sum(len(text.splitlines()) for text in texts)
        print(f"{folder:12}{sum(map(code_lines, texts)):8,}{every:12,}")
    print(f"\n{'chapter':36}  code  words  per 100  classes  functions")
    total = [0, 0, 0, 0]
    for path in sorted((ROOT / "chapters").glob("*/*.md")):
        counts = chapter_counts(path.read_text("utf-8"))
        total = [a + b for a, b in zip(total, counts, strict=True)]
        show(path.relative_to(ROOT / "chapters").with_suffix("").as_posix(), counts)
    show("all", total)
    show("all, with what lies beside", [total[0] + beside_chapters(), *total[1:]])


def show(name, counts):
    """One row: the counts, and code over words."""
    code, words, classes, functions = counts
    print(f"{name:36}{code:6}{words:7}{100 * code / words:9.0f}{classes:9}{functions:11}")


if __name__ == "__main__":
    main()
