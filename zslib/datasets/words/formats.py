"""Parsing vector files: one pass, which names the place of any damage."""

import bz2
import gzip
import zlib
from codecs import BOM_UTF8
from itertools import chain, islice

import numpy as np

__all__ = ["read_vectors"]

_LONGEST_WORD = 10_000  # bytes; beyond it a binary file has lost its alignment


def read_vectors(path, binary, limit, errors):
    """Words, vectors and number of duplicates in a file in word2vec, fastText or GloVe format."""
    words, numbers, duplicates = {}, bytearray(), 0
    opened = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix.lower(), open)
    try:
        # A number too large becomes infinity, which is refused.
        with np.errstate(over="ignore"), opened(path, "rb") as file:
            records = (_binary_records if binary else _text_records)(path, file)
            for place, name, vector in islice(records, limit):
                word = _checked_word(f"{path}, {place}", name, vector, errors)
                if word in words:
                    duplicates += 1
                    continue
                words[word] = len(words)
                numbers += vector.tobytes()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} cannot be decompressed: it is truncated or damaged") from error
    vectors = np.frombuffer(numbers, dtype=np.float32).reshape(len(words), -1)
    return np.array(list(words)), vectors, duplicates


def _checked_word(place, name, vector, errors):
    """The word of one record, whose vector is finite."""
    try:
        word = name.decode("utf-8", errors=errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{place}: the word {name!r} is not UTF-8; pass errors='replace' to read it anyway"
        ) from error
    if "\n" in word:
        raise ValueError(f"{place}: a word has a line break in it, the file is damaged")
    if not np.isfinite(vector).all():
        raise ValueError(f"{place}: the vector holds NaN or infinity")
    return word


def _header(path, first):
    """(count, dimensions) of the first line, or None where it is no header."""
    if not first.strip():
        raise ValueError(f"{path}, line 1: the file is empty or begins with an empty line")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = map(int, fields)
    if count < 1 or dimensions < 1:
        raise ValueError(f"{path}, line 1: the header promises {count} words of {dimensions}-d")
    return count, dimensions


def _text_records(path, file):
    """Place, word and vector of each line; one of GloVe's files has no header."""
    first = file.readline().removeprefix(BOM_UTF8)
    header = _header(path, first)
    lines = enumerate(file if header else chain([first], file), start=2 if header else 1)
    dimensions = header[1] if header else first.rstrip().count(b" ")
    if dimensions == 0:
        raise ValueError(
            f"{path}, line 1 does not look like vectors, a word and its numbers separated "
            "by single spaces: check which file has vectors, and which a dictionary"
        )
    number = 1
    for number, line in lines:
        word, *numbers = line.rstrip().split(b" ")
        if len(numbers) != dimensions:
            raise ValueError(
                f"{path}, line {number}: expected a word and {dimensions} numbers separated "
                f"by single spaces, got {len(numbers)}; the file is truncated or malformed there"
            )
        try:
            vector = np.array(numbers, dtype=np.float32)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        yield f"line {number}", word, vector
    if header and number - 1 != header[0]:
        raise ValueError(
            f"{path}: the header promises {header[0]} words, but the file ends at line {number} "
            f"with {number - 1}; it is truncated, or its header is wrong"
        )


def _binary_records(path, file):
    """Place, word and vector of each record."""
    header = _header(path, file.readline())
    if header is None:
        raise ValueError(
            f"{path}, byte 0: a word2vec binary file begins with a line 'count dimensions'"
        )
    count, dimensions = header
    for number in range(1, count + 1):
        place, word = f"record {number} of {count} (byte {file.tell()})", bytearray()
        while (byte := file.read(1)) not in (b" ", b""):
            word += byte
            if len(word) > _LONGEST_WORD:
                raise ValueError(f"{path}, {place}: no word begins here; the file is damaged")
        data = file.read(4 * dimensions)
        if len(data) < 4 * dimensions:
            raise ValueError(f"{path}, {place}: the file ends within this record, truncated")
        vector = np.frombuffer(data, dtype="<f4").astype(np.float32, copy=False)
        yield place, bytes(word.lstrip(b"\n")), vector
