"""What chapters use to draw, tabulate and record, and what runs them.

A chapter starts with `start`, appends records, shows `Table` and `figure`, and ends with
``chapter.finish()``; `book.build` executes chapters and makes the pages.

Examples
--------
>>> import tempfile
>>> import book
>>> chapter = book.start("demo/01_example", parameters=dict(seed=0), results=tempfile.mkdtemp())
>>> for seed, value in enumerate([29.0, 30.0, 31.0]):
...     chapter.record(metric="P@1", value=value, method="ridge", dataset="synthetic", seed=seed)
>>> print(chapter.mean_interval(metric="P@1", method="ridge"))
30.0 [27.5, 32.5]
>>> table = book.Table(
...     name="tbl-demo",
...     caption="Precision at 1 on synthetic data.",
...     columns=["", "paper", "ours"],
...     rows=[["ridge", 29.7, chapter.mean_interval(metric="P@1", method="ridge")]],
... )
>>> print(table)
Precision at 1 on synthetic data.
<BLANKLINE>
       paper               ours
-----  -----  -----------------
ridge   29.7  30.0 [27.5, 32.5]
>>> card = chapter.finish()
"""

from book.chapter import Chapter, start
from book.figures import figure
from book.records import Records
from book.results import Results
from book.store import full_records, latest_records, published, published_records
from zslib.show import COLORS, Column, Markdown, Table, look, style

__all__ = [
    "COLORS",
    "Chapter",
    "Column",
    "Markdown",
    "Records",
    "Results",
    "Table",
    "figure",
    "full_records",
    "latest_records",
    "look",
    "published",
    "published_records",
    "start",
    "style",
]
