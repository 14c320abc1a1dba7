"""What chapters use to draw, tabulate and record, and what runs them.

A chapter starts with `start`, appends records, shows `Table` and `figure`, and ends with
``chapter.finish()``; `book.build` executes chapters and makes the pages.

Examples
--------
>>> import tempfile
>>> import book
>>> from zslib.protocols import mean_estimate
>>> chapter = book.start("demo/01_example", parameters=dict(seed=0), results=tempfile.mkdtemp())
>>> rows = [{"metric": "P@1", "method": "ridge", "value": mean_estimate([29.0, 30.0, 31.0])}]
>>> results = chapter.collect(rows)
>>> print(results.table(
...     "tbl-demo", "Precision at 1", rows="method", columns="metric", paper=lambda row: 29.7,
... ))
Precision at 1 (95% intervals over 3 runs).
<BLANKLINE>
method  P@1, paper          P@1, ours
------  ----------  -----------------
ridge         29.7  30.0 [27.5, 32.5]
>>> card = chapter.finish()
"""

from book.chapter import Chapter, start
from book.figures import figure
from book.results import Results
from book.store import full_records, latest_records
from zslib.show import Column, Markdown, Table, style

__all__ = [
    "Chapter",
    "Column",
    "Markdown",
    "Results",
    "Table",
    "figure",
    "full_records",
    "latest_records",
    "start",
    "style",
]
