"""Word vectors: words, their vectors, and readers of the usual file formats.

What `formats` parses of a file stays as ``.npy`` in a cache, which is mapped into memory at once
the next time.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from zslib.datasets.files import read_lines, read_rows
from zslib.datasets.locate import cached_array, require_folder
from zslib.datasets.words.formats import read_vectors
from zslib.validation import check_choice, check_integer

__all__ = ["ENGLISH", "WordVectors", "europarl_vectors", "load_vectors"]

ENGLISH = ("crosslingual/vectors.en.npy", "crosslingual/words.en.tsv.gz")


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
        Counts of what was read: words, duplicates left out.

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


def load_vectors(path, *, format="auto", limit=None, errors="strict", cache=True):
    """Read word vectors in word2vec text, word2vec binary, fastText ``.vec`` or GloVe format.

    Words are kept as written (case included). To parse a text file of 200,000 words takes about
    half a minute; the next time the cached ``.npy`` is mapped at once, until the file changes.

    Parameters
    ----------
    path : path
        The file, plain or compressed with gzip (``.gz``).
    format : {"auto", "text", "binary"}
        "auto" takes ``.bin`` and ``.bin.gz`` for binary and anything else for text. A text file
        may have the header line "count dimensions" (word2vec, fastText) or not (GloVe).
    limit : int, optional
        Read only the first so many words, usually the most frequent ones.
    errors : {"strict", "replace", "ignore"}
        What to do with words that are not UTF-8; strict refuses the file.
    cache : bool
        Whether to use and fill the cache (`zslib.datasets.cache_dir`).

    Returns
    -------
    WordVectors
        float32, memory-mapped from the cache. ``report`` has the number of words read and of
        duplicates left out (the first of each is kept).
    """
    check_choice(format, "format", ("auto", "text", "binary"))
    check_choice(errors, "errors", ("strict", "replace", "ignore"))
    if limit is not None:
        check_integer(limit, "limit", low=1)
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no vector file at {path}: check the path")
    binary = format == "binary" or (
        format == "auto" and path.name.lower().endswith((".bin", ".bin.gz"))
    )

    @lru_cache
    def read():
        words, vectors, duplicates = read_vectors(path, binary, limit, errors)
        # As text: an array of strings gives each the space of the longest.
        text = "\n".join(words.tolist()).encode()
        return {
            "words": np.frombuffer(text, dtype=np.uint8),
            "vectors": vectors,
            "duplicates": np.array(duplicates),
        }

    state = path.stat()
    identity = [str(path.resolve()), state.st_size, state.st_mtime_ns, binary, limit, errors]

    def part(name):
        if not cache:
            return read()[name]
        key = json.dumps([*identity, name]).encode()
        return cached_array("vectors", key, lambda: read()[name])

    words = np.array(part("words").tobytes().decode().split("\n"))
    duplicates = int(part("duplicates"))
    report = {"words read": len(words), "duplicate words left out": duplicates}
    return WordVectors(words, part("vectors"), report)


def europarl_vectors(language, *, limit=None, folder=None):
    """Word vectors of one language, most frequent word first, as stored (not normalised).

    Parameters
    ----------
    language : {"en", "it"}
        92,790 Italian words, or 54,850 English ones, 300 dimensions. The edition in the
        repository has of the English words those that a dictionary or a label of ImageNet uses.
    limit : int, optional
        Only the most frequent words, by rank among all that were trained.

    Returns
    -------
    WordVectors
        float32.
    """
    check_choice(language, "language", ("en", "it"))
    folder = require_folder("crosslingual", folder)
    rows = [line.split("\t") for line in read_lines(folder / f"words.{language}.tsv.gz")]
    # Second comes the frequency; third, where words were left out, the rank from 0.
    ranks = [int(row[2]) if len(row) > 2 else place for place, row in enumerate(rows)]
    wanted = slice(None if limit is None else bisect_left(ranks, limit))
    vectors = read_rows(folder / f"vectors.{language}.npy", wanted, of=(len(rows), "words"))
    return WordVectors(np.array([word for word, *_ in rows[wanted]]), vectors)
