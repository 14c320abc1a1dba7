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
from os import PathLike
from pathlib import Path

import numpy as np

from zslib.datasets.files import file_hash, file_state, naming, read_lines, read_rows
from zslib.datasets.locate import cached_array, require_folder
from zslib.datasets.words.formats import read_vectors
from zslib.validation import (
    as_float32,
    as_vectors,
    check_choice,
    check_integer,
    column_names,
    host_array,
)

_READER = 3  # counted up where the same file is read otherwise
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
        What was read and what was passed over: see `load_vectors`.

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


def as_word_vectors(source, name):
    """Words and vectors, whatever has them, as `WordVectors`, float32.

    Parameters
    ----------
    source : WordVectors, path of a file, or what has words and vectors
        A ``KeyedVectors`` of gensim, or anything with ``index_to_key`` and ``vectors``; a model
        that has one as ``wv``; a dict of vectors by word; a data frame whose index has the
        words; or a pair of words and matrix.
    name : str
        What errors call it.

    Raises
    ------
    TypeError, ValueError
        For anything else, and for words and vectors that do not fit, or hold what is no word or
        no number of float32.

    Examples
    --------
    >>> as_word_vectors({"cat": [1, 0], "dog": [0, 1]}, "source")
    WordVectors(2 words, 2 dimensions)
    """
    source = getattr(source, "wv", source)
    if isinstance(source, str | PathLike):
        return load_vectors(source)
    if isinstance(source, WordVectors):
        return source
    if hasattr(source, "index_to_key") and hasattr(source, "vectors"):
        words, matrix = source.index_to_key, source.vectors
    elif isinstance(source, Mapping):
        words, matrix = source, list(source.values())
    elif column_names(source) is not None:
        words, matrix = source.index, source
    elif isinstance(source, tuple | list) and len(source) == 2 and np.ndim(source[0]) == 1:
        words, matrix = source
    else:
        raise TypeError(
            f"{name} must be a path, got {type(source).__name__}; or in memory a KeyedVectors, a "
            "dict of vectors, a data frame with words as its index, or a pair of words and matrix"
        )
    words = list(words)
    wrong = next((row for row, word in enumerate(words) if not isinstance(word, str)), None)
    if wrong is not None:
        raise TypeError(
            f"{name} must have words that are strings, and word {wrong} is {words[wrong]!r}: in a "
            "data frame they are the index, see its set_index"
        )
    vectors = as_vectors(host_array(matrix, name), name)
    if vectors.dtype != np.float32:
        vectors = as_float32(vectors, name)
    with naming(name):
        known = WordVectors(np.array(words), vectors, {"words read": len(words)})
        _ = known.index  # refuses a word that is there twice
    return known


def load_vectors(source, *, limit=None, errors="strict", encoding=None, bad_lines="refuse"):
    """Read word vectors in word2vec text, word2vec binary, fastText ``.vec`` or GloVe format.

    What the file is, its content says, not its name. Words are kept as written (case included,
    blanks within too); in text a word is what stands before the last d numbers, d as the header
    "count dimensions" says or, without one, as most of the first hundred lines have it. To parse
    a text file of 200,000 words takes some seconds; the next time the ``.npy`` in the cache
    (`zslib.datasets.cache_dir`) is mapped at once, while the file's content stays.

    Parameters
    ----------
    source : path, or vectors in memory
        The file, plain or compressed by gzip, bzip2, xz or in a zip by itself. What is in memory
        is taken as it is: a ``KeyedVectors`` of gensim, or anything with ``index_to_key`` and
        ``vectors``; a dict of vectors by word; a data frame whose index has the words; or a pair
        of words and matrix.
    limit : int, optional
        Read only the first so many words, usually the most frequent ones.
    errors : {"strict", "replace", "ignore"}
        What to do with words that are not in the encoding; strict refuses the file.
    encoding : str, optional
        That of the words, such as "latin-1"; by default UTF-8, or what the file's mark says.
    bad_lines : {"refuse", "skip"}
        What to do with lines of text that are no word and d numbers: "skip" passes over them, and
        the report counts them and says why the first was.

    Returns
    -------
    WordVectors
        float32, memory-mapped from the cache. ``report`` has the number of words read and of
        duplicates left out (the first of each is kept); the format, encoding and header that the
        file has; and what was passed over, such as blank lines.

    Raises
    ------
    FileNotFoundError
        When there is no file at the path.
    TypeError
        For what is neither a path nor has words and vectors.
    ValueError
        For a file that is of another kind, truncated, or has what is no word or no number of
        float32, with the place and what to do.

    Examples
    --------
    >>> load_vectors((["cat", "dog"], [[1.0, 0.0], [0.0, 1.0]]))
    WordVectors(2 words, 2 dimensions)
    """
    check_choice(errors, "errors", ("strict", "replace", "ignore"))
    check_choice(bad_lines, "bad_lines", ("refuse", "skip"))
    if limit is not None:
        check_integer(limit, "limit", low=1)
    if not isinstance(source, str | PathLike):
        known = as_word_vectors(source, "source")
        if limit is None or limit >= len(known):
            return known
        return WordVectors(known.words[:limit], known.vectors[:limit], {"words read": limit})
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"no vector file at {path}: check the path")
    options = {"limit": limit, "errors": errors, "encoding": encoding, "bad_lines": bad_lines}

    @lru_cache
    def read():
        state = file_state(path)
        words, vectors, report = read_vectors(path, **options)
        if file_state(path) != state:
            raise ValueError(f"{path} changed while it was read: load it again")
        # As text: an array of strings gives each the space of the longest.
        text = json.dumps([words, report]).encode()
        return {"text": np.frombuffer(text, np.uint8), "vectors": vectors}

    identity = [_READER, file_hash(path), options]

    def part(name):
        key = json.dumps([*identity, name]).encode()
        return cached_array("vectors", key, lambda: read()[name])

    words, report = json.loads(part("text").tobytes())
    return WordVectors(np.array(words), part("vectors"), report)


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
