"""What chapters use to draw, tabulate and record, and what runs them.

A chapter starts with `start`, appends records, shows `Table` and `figure`, and ends with
``chapter.finish()``; `zslib.book.build` executes chapters and makes the pages.

Examples
--------
>>> import tempfile
>>> from zslib import book
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

from zslib.book.chapter import Chapter, start
from zslib.book.figures import COLORS, figure, look, style
from zslib.book.records import Records
from zslib.book.results import Results
from zslib.book.store import full_records, latest_records, published, published_records
from zslib.book.tables import Column, Markdown, Table

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
