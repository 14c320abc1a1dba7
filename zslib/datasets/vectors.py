"""Word vectors: words, their vectors, and readers of the usual file formats.

gensim reads the files. Around it are the checks that name the place where a file is damaged, and
a cache: the first reading of a file leaves its vectors as ``.npy``, which later readings map
into memory at once.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from zslib.datasets.locate import cache_dir
from zslib.validation import check_choice, check_integer

__all__ = ["WordVectors", "load_vectors"]

_CACHE_LAYOUT = 1
_LONGEST_WORD = 10_000  # bytes; beyond it a binary file has lost its alignment
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile)


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


def load_vectors(path, *, format="auto", limit=None, errors="strict", cache=True):
    """Read word vectors in word2vec text, word2vec binary, fastText ``.vec`` or GloVe format.

    Words are kept as written (case included). The first reading of a text file of 200,000
    words takes about half a minute; later ones map the cached ``.npy`` and are instant, until
    the file changes.

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
        float32, memory-mapped when cached. ``report`` has the number of words read and of
        duplicates left out (the first of each is kept).

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    ValueError
        When the file is truncated or malformed: the message names file and line, or for a
        binary file the record and its byte.
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
    if not cache:
        return _read(path, binary, limit, errors)
    state = path.stat()
    key = (_CACHE_LAYOUT, str(path.resolve()), state.st_size, state.st_mtime_ns)
    key = json.dumps([*key, binary, limit, errors])
    entry = cache_dir() / "vectors" / hashlib.sha256(key.encode()).hexdigest()[:24]
    if not entry.is_dir():
        _store(_read(path, binary, limit, errors), entry)
    return _restore(entry)


def _store(vectors, entry):
    """Write a cache entry under a temporary name, then rename: a reader never sees half of it."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=entry.parent, prefix="unfinished-"))
    try:
        np.save(temporary / "vectors.npy", vectors.vectors, allow_pickle=False)
        text = "\n".join(vectors.words.tolist())
        (temporary / "words.txt").write_text(text, encoding="utf-8", newline="\n")
        (temporary / "report.json").write_text(json.dumps(vectors.report), encoding="utf-8")
        try:
            os.rename(temporary, entry)
        except OSError:
            if not entry.is_dir():  # else another process was first, with the same content
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _restore(entry):
    words = (entry / "words.txt").read_bytes().decode("utf-8").split("\n")
    report = json.loads((entry / "report.json").read_text(encoding="utf-8"))
    vectors = np.load(entry / "vectors.npy", mmap_mode="r", allow_pickle=False)
    return WordVectors(np.array(words), vectors, report)


def _read(path, binary, limit, errors):
    from gensim.models import KeyedVectors

    with _reading(path):
        header = _header(path)
    if header is None and binary:
        raise ValueError(
            f"{path}, byte 0: a word2vec binary file begins with a line 'count dimensions'"
        )
    with _reading(path):
        listed = header[0] if binary else _check_text_lines(path, header, limit)
    wanted = min(listed, limit or listed)
    try:
        with _quiet():
            keyed = KeyedVectors.load_word2vec_format(
                str(path),
                binary=binary,
                no_header=header is None,
                limit=wanted,
                unicode_errors=errors,
            )
    except (*_BROKEN, ValueError) as error:
        _explain(path, binary, header, wanted, errors)
        raise ValueError(f"{path} cannot be read as word vectors: {error}") from error
    if not np.isfinite(keyed.vectors).all():
        _explain(path, binary, header, wanted, errors)
    # With duplicates gensim leaves unused rows, without a word, at the end.
    words = list(keyed.key_to_index)
    if any("\n" in word for word in words):
        raise ValueError(f"{path}: a word has a line break in it, the file is damaged")
    report = {"words read": len(words), "duplicate words left out": wanted - len(words)}
    return WordVectors(np.array(words), keyed.vectors[: len(words)], report)


@contextmanager
def _quiet():
    """gensim logs each duplicate word, which `load_vectors` counts instead.

    Without a header it also leaves the file for the interpreter to close, with a warning.
    """
    logger = logging.getLogger("gensim.models.keyedvectors")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        logger.setLevel(level)


@contextmanager
def _reading(path):
    try:
        yield
    except _BROKEN as error:
        raise ValueError(f"{path} cannot be decompressed: it is truncated or damaged") from error


def _open(path):
    from gensim import utils

    return utils.open(str(path), "rb")


def _header(path):
    """(count, dimensions) of the header line, or None where there is no header."""
    with _open(path) as file:
        first = file.readline()
    if not first.strip():
        raise ValueError(f"{path}, line 1: the file is empty or begins with an empty line")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = map(int, fields)
    if count < 1 or dimensions < 1:
        raise ValueError(f"{path}, line 1: the header promises {count} words of {dimensions}-d")
    return count, dimensions


def _check_text_lines(path, header, limit):
    """Number of words, after a check that each line has a word and the right count of numbers.

    gensim spreads a single number over a whole vector and does not look past the header's
    count, hence a check of our own.
    """
    number, words = 0, 0
    dimensions = None if header is None else header[1]
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if number == 1 and header is not None:
                continue
            if limit is not None and words == limit:
                return words
            found = line.rstrip().count(b" ")
            if dimensions is None:
                dimensions = found
            if found != dimensions or found == 0:
                raise ValueError(
                    f"{path}, line {number}: expected a word and {dimensions} numbers separated "
                    f"by single spaces, got {found}; the file is truncated or malformed there"
                )
            words += 1
    if header is not None and words != header[0]:
        raise ValueError(
            f"{path}: the header promises {header[0]} words, but the file ends at line {number} "
            f"with {words}; it is truncated, or its header is wrong"
        )
    return words


def _explain(path, binary, header, wanted, errors):
    """Raise the ValueError that names the first damaged line or record, if one is found."""
    with _reading(path), _open(path) as file:
        if header is not None:
            file.readline()
        places = _binary_records if binary else _text_records
        for place, word, vector in places(path, file, header, wanted):
            try:
                word.decode("utf-8", errors=errors)
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{path}, {place}: the word {word!r} is not UTF-8; pass errors='replace' to "
                    "read it anyway"
                ) from error
            if not np.isfinite(vector).all():
                raise ValueError(f"{path}, {place}: the vector holds NaN or infinity")


def _text_records(path, file, header, wanted):
    start = 1 if header is None else 2
    for number, line in zip(range(start, start + wanted), file, strict=False):
        word, *numbers = line.rstrip().split(b" ")
        try:
            vector = np.array([float(x) for x in numbers])
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        yield f"line {number}", word, vector


def _binary_records(path, file, header, wanted):
    size = 4 * header[1]
    for number in range(1, wanted + 1):
        start, word = file.tell(), bytearray()
        place = f"record {number} of {header[0]} (byte {start})"
        while (byte := file.read(1)) not in (b" ", b""):
            word += byte
            if len(word) > _LONGEST_WORD:
                raise ValueError(f"{path}, {place}: no word begins here; the file is damaged")
        data = file.read(size)
        if len(data) < size:
            raise ValueError(f"{path}, {place}: the file ends within this record, truncated")
        yield place, bytes(word.lstrip(b"\n")), np.frombuffer(data, dtype="<f4")
