"""Reading vector files: gensim parses them, the checks here name the place of any damage."""

from __future__ import annotations

import gzip
import logging
import warnings
import zlib
from codecs import BOM_UTF8
from contextlib import contextmanager

import numpy as np

__all__ = ["read_vectors"]

_LONGEST_WORD = 10_000  # bytes; beyond it a binary file has lost its alignment
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile)


def read_vectors(path, binary, limit, errors):
    """Words, vectors and report of a file in word2vec, fastText or GloVe format."""
    from gensim.models import KeyedVectors

    with _reading(path):
        header, encoding = _header(path)
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
                encoding=encoding,
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
    return np.array(words), keyed.vectors[: len(words)], report


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
    """(count, dimensions) of the header line, or None where there is none; and the encoding."""
    with _open(path) as file:
        first = file.readline()
    encoding = "utf-8-sig" if first.startswith(BOM_UTF8) else "utf-8"
    first = first.removeprefix(BOM_UTF8)
    if not first.strip():
        raise ValueError(f"{path}, line 1: the file is empty or begins with an empty line")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None, encoding
    count, dimensions = map(int, fields)
    if count < 1 or dimensions < 1:
        raise ValueError(f"{path}, line 1: the header promises {count} words of {dimensions}-d")
    return (count, dimensions), encoding


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
            if found == 0 and number == 1:
                raise ValueError(
                    f"{path}, line 1 does not look like vectors, a word and its numbers separated "
                    "by single spaces: check which file has vectors, and which a dictionary"
                )
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
