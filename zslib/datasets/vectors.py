"""Word vectors: words, their vectors, and readers of the usual file formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

__all__ = ["WordVectors"]


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words and their vectors, row by row.

    Parameters
    ----------
    words : str array, shape (n,)
        No two alike.
    vectors : array, shape (n, d)
        May be memory-mapped.
    report : dict, optional
        What reading found: words read, duplicates left out.

    Raises
    ------
    ValueError
        When the lengths differ or a word is listed twice.

    Examples
    --------
    >>> import numpy as np
    >>> pets = WordVectors(np.array(["cat", "dog"]), np.eye(2, dtype=np.float32))
    >>> pets.index["dog"]
    1
    """

    words: np.ndarray
    vectors: np.ndarray
    report: Mapping = field(default_factory=dict)

    def __post_init__(self):
        if self.vectors.ndim != 2 or len(self.words) != self.vectors.shape[0]:
            raise ValueError(
                f"{len(self.words)} words do not fit vectors of shape {self.vectors.shape}: "
                "one row for each word"
            )

    @cached_property
    def index(self):
        """Row of each word, a dict."""
        rows = {}
        for row, word in enumerate(self.words.tolist()):
            if rows.setdefault(word, row) != row:
                raise ValueError(
                    f"word {word!r} is listed twice, in rows {rows[word]} and {row}: keep one"
                )
        return rows

    def __len__(self):
        return len(self.words)

    def __repr__(self):
        return f"WordVectors({len(self)} words, {self.vectors.shape[1]} dimensions)"
