"""Parsing vector files: one pass, which names the place of any damage.

A word of a text file is what remains of its line before the last d numbers; d comes from the
header or, where there is none, from most of the first lines. What is decided and what is passed
over is reported.
"""

import codecs
import re
from collections import Counter
from itertools import chain, islice, takewhile

import numpy as np

from zslib.arrays import row_blocks
from zslib.datasets.content import (
    encoding_of,
    has_control,
    is_numeric,
    kind_of,
    numbers_of,
    opened,
    refuse_kind,
)

_LONGEST_WORD = 10_000  # bytes; beyond it a binary file has lost its alignment
_MOST = 1_000_000  # dimensions; a header that promises more is none
_SAMPLE = 100  # lines that are looked at together before any is read
_HEAD = 1 << 20  # bytes
_PLAIN = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SHORT = re.compile(rb"[0-9]+\.?[0-9]?")  # as a word may end: "apollo 13", "version 2.5"
_ENDLESS = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
# A sign at the word's end, or any between the word and a number.
_NUMBER = r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?"
_SEPARATED = re.compile(rf".*\w(?:([,;:|=]|[^\S \t])(?:{_NUMBER})?|([^\w \t.+-])(?:{_NUMBER}))")
_LETTERS = re.compile(rb"[^\0-\x20]{1,40} ")
_ARRAYS = ("npy", "HDF5", "mat", "PDF, xls or parquet")
_REPLACED = "words of which bytes were replaced"
_RETURN = "a carriage return is within the line: end lines by line feeds"


def read_vectors(path, *, limit=None, errors="strict", encoding=None, bad_lines="refuse"):
    """Words, vectors and a report of a file in word2vec, fastText or GloVe format."""
    words, numbers = {}, bytearray()
    with np.errstate(over="ignore"), opened(path) as file:
        head = file.read(_HEAD)
        file.seek(len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0)
        binary = _is_binary(path, head)
        codec = encoding_of(path, b"" if binary else head, encoding).removesuffix("-sig")
        if "\n ".encode(codec) != b"\n ":
            raise ValueError(f"{path} is in {codec.upper()}: save the vectors as UTF-8")
        reader = (_Binary if binary else _Text)(path, file, bad_lines == "skip")
        for name, vector in islice(reader.records(), limit):
            try:
                word = name.decode(codec)
            except UnicodeDecodeError as error:
                if errors == "strict":
                    raise reader.undecoded(name, codec, numbers) from error
                word = name.decode(codec, errors=errors)
                reader.report[_REPLACED] += 1
            if word in words:
                reader.report["duplicate words left out"] += 1
                reader.left_out += vector.data
                continue
            words[word] = len(words)
            numbers += vector.data
        vectors = np.frombuffer(numbers, dtype=np.float32).reshape(len(words), reader.dimensions)
        if binary:
            reader.finish(vectors)
    report = {"words read": len(words), "duplicate words left out": 0}
    report |= {"format": "binary" if binary else "text", "encoding": codec}
    return list(words), vectors, report | {"header": reader.header} | reader.report


def _is_binary(path, head):
    """Whether the content is word2vec binary; any kind that has no vectors is refused."""
    kind = kind_of(head)
    first, _, rest = head.partition(b"\n")
    header, second = _header(path, first), rest.partition(b"\n")[0]
    # A line of text has as many numbers as the header says, or is text at least.
    numeric = _trailing(second) >= (header[1] if header else 1)
    binary = header is not None and not numeric and not _is_utf8(rest)
    vectors = kind == "binary" and (binary or numeric or _trailing(first))
    if not vectors and kind not in ("text", "UTF-16", "UTF-32"):
        pair = "read it by its own library, and pass words and matrix" if kind in _ARRAYS else None
        raise refuse_kind(path, kind, "word vectors", pair)
    return binary


def _is_utf8(content):
    """Whether all is UTF-8 text, but for a last character that is cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return not has_control(content)


def _header(path, first):
    """(count, dimensions) of the first line, or None where it is no header."""
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return None
    count, dimensions = map(int, fields)
    if count < 1 or not 1 <= dimensions <= _MOST:
        raise ValueError(f"{path}, line 1: the header promises {count} words of {dimensions}-d")
    return count, dimensions


def _number_like(field):
    return bool(_PLAIN.fullmatch(field) or _ENDLESS.fullmatch(field))


def _trailing(line):
    """How many fields at the line's end are numbers; the first field is never one."""
    return len(list(takewhile(_number_like, reversed(line.split()[1:]))))


def _shown(name):
    """A word as an error shows it."""
    return repr(name.decode("utf-8", "replace"))


class _Reader:
    """Records of a file as (word as bytes, vector), the place of the last, and a report."""

    def __init__(self, path, file, skip):
        self.path, self.file, self.skip = path, file, skip
        self.report, self.left_out = Counter(), bytearray()

    def error(self, reason):
        """The error for the record that was read last."""
        return ValueError(f"{self.path}, {self.place.format(self)}: {reason}")

    def undecoded(self, name, codec, numbers):
        """The error for a word that is not in the encoding."""
        return self.error(
            f"the word {name!r} is not {codec.upper()}: name the file's encoding, such as "
            "encoding='latin-1', or pass errors='replace' to read it anyway"
        )


class _Text(_Reader):
    """Lines of a word and its numbers."""

    number, header, heads = 1, "none", None
    place = "line {0.number}"

    def records(self):
        """Records one by one; a file of GloVe has no header."""
        lines = enumerate(self.file, start=1)
        sample = list(islice(lines, _SAMPLE))
        filled = [(number, line) for number, line in sample if line.strip()]
        if not filled:
            raise self.error("the file is empty, or begins with blank lines alone")
        promised = _header(self.path, filled[0][1])
        if promised:
            self.header = "{} words, {} dimensions".format(*promised)
            sample = [(number, line) for number, line in sample if number > filled[0][0]]
            del filled[0]
        self.dimensions = promised[1] if promised else self._agreed(filled)
        self._check_separators([line for _, line in filled])
        count, line = 0, b"\n"
        for self.number, line in chain(sample, lines):
            if line.isspace():
                self.report["blank lines passed over"] += 1
                continue
            count += 1
            try:
                if self.number == self.heads:
                    raise self.error(
                        "its numbers are 0, 1, 2, … as heads of columns are: leave the line out, "
                        "or put a first line 'count dimensions' above if it is a word's vector"
                    )
                record = self._record(line)
            except ValueError as error:
                if not self.skip:
                    raise
                self.report["lines passed over"] += 1
                self.report.setdefault("first line passed over", str(error))
                continue
            yield record
        if promised and count != promised[0]:
            raise ValueError(
                f"{self.path}: the header promises {promised[0]} words, but the file ends at line "
                f"{self.number} with {count}; it is truncated, or its header is wrong"
            )
        if not line.endswith(b"\n"):
            self.report["last line"] = "has no line end"

    def _agreed(self, filled):
        """How many numbers most of the first lines end in."""
        self.number, line = filled[0]
        counts = [_trailing(line) for _, line in filled]
        ((dimensions, votes),) = Counter(counts).most_common(1)
        if dimensions == 0:
            raise self.error(
                "it does not look like vectors, a word and numbers after blanks or tabs: check "
                "which file is a dictionary" + _separator_hint(line.split()[0])
            )
        if b"\r" in line.rstrip():
            raise self.error(_RETURN)
        split = [line.split() for _, line in filled]
        digits = [all(map(bytes.isdigit, fields)) for fields in split]
        # As pandas writes columns where the index has a name; two such may be a word's own.
        places = [b"%d" % place for place in range(dimensions)]
        whole = any(all(map(bytes.isdigit, fields[1:])) for fields in split[1:])
        self.heads = (
            self.number if split[0][1:] == places and dimensions > 2 and not whole else None
        )
        rows = [fields[-dimensions - 1 :] for fields in split if len(fields) > dimensions]
        first = [row[1] for row in rows]
        others = any(field.isdigit() for row in rows for field in row[2:])
        counts_words = len(set(first)) > 1 < len(rows) - 1 and not others
        counts_words = counts_words and all(map(bytes.isdigit, first)) and max(map(int, first)) > 9
        phrases = sum(len(fields) > dimensions + 1 for fields in split)
        ends_words = 2 * phrases > len(rows) and all(map(_SHORT.fullmatch, first))
        numbered = all(_PLAIN.fullmatch(row[0]) and not row[0].isdigit() for row in rows)
        other = next((i for i, count in enumerate(counts) if count != counts[0]), 0)
        doubts = {
            "there is one line": len(filled) == 1,
            f"it has {counts[0]} numbers after the word, line {filled[other][0]} has "
            f"{counts[other]}": 2 * votes <= len(filled),
            "it is whole numbers alone": digits[0] and not any(digits[1:]),
            "there are no words, each line begins with a number": numbered and len(rows) > 1,
            f"the first number of each line, such as {_shown(first[0])}, may count words, end "
            "a word or begin the vector": dimensions > 1 and (counts_words or ends_words),
        }
        for doubt, holds in doubts.items():
            if holds:
                raise self.error(
                    f"{doubt}, and no header says how many numbers a word has: repair it, or put "
                    "a first line 'count dimensions' above"
                )
        return dimensions

    def _check_separators(self, lines):
        """Refuse a file whose words, most of the first ones, end in a sign or in a number."""
        rests = [line.rstrip().rsplit(None, self.dimensions)[0] for line in lines]
        matches = [_SEPARATED.fullmatch(rest.decode("utf-8", "replace")) for rest in rests]
        signs = Counter(match[1] or match[2] for match in matches if match)
        for sign, votes in signs.items():
            if votes > max(1, len(lines) // 2):
                example = next(match[0] for match in matches if match and sign in match.groups())
                raise ValueError(
                    f"{self.path}: most words end in {sign!r} or with a number after it, as "
                    f"{example!r} does: separate a word from its numbers by a blank or a tab"
                )
        ended = [rest for rest in rests if len(rest.split()) > 1 and _trailing(rest)]
        if len(ended) > max(1, len(lines) // 2):
            raise ValueError(
                f"{self.path}: most lines have more than the {self.dimensions} numbers that the "
                f"header says, as the one that begins with {_shown(ended[0])} does: correct it"
            )

    def _record(self, line):
        """Word and vector of a line."""
        line = line.rstrip()
        numbers = line.rsplit(None, self.dimensions)
        word = numbers.pop(0)
        if len(numbers) < self.dimensions:
            word, numbers = self._blank_word(line, word, numbers)
        vector = numbers_of(numbers, np.float32, line[len(word) :])
        if vector is None:
            wrong = next((field for field in numbers if not _PLAIN.fullmatch(field)), None)
            raise self.error(_no_number(wrong) if wrong else _RETURN)
        if not vector.dot(vector) < np.inf and not np.isfinite(vector).all():
            wrong = numbers[int(np.argmin(np.isfinite(vector)))]
            raise self.error(f"{wrong.decode()} is beyond the range of float32")
        if len(word.split()) != 1:
            word = self._phrase(word, numbers)
        return word, vector

    def _blank_word(self, line, word, numbers):
        """Word and numbers of a line that has too few fields, unless its word is white space."""
        blank = line[: len(line) - len(line.lstrip())]
        if len(numbers) + 1 == self.dimensions and _number_like(word) and blank:
            if len(blank) == 1:
                raise self.error("there is no word before the numbers")
            return blank[:-1], [word.lstrip(), *numbers]
        raise self.error(
            f"expected a word and {self.dimensions} numbers, got {_trailing(line)}; the file is "
            "truncated or malformed there" + _separator_hint(line.split()[0])
        )

    def _phrase(self, word, numbers):
        """A word with blanks in it, which must not end in a number that may be the vector's."""
        parts = word.split()
        if not parts:  # white space itself
            return word
        if b"\r" in word:
            raise self.error(_RETURN)
        pointed = all(b"." in field or b"e" in field.lower() for field in numbers)
        inner = [part for part in parts[:-1] if _number_like(part)]
        joined = sum(b"." in part or not pointed for part in inner)
        if joined >= max(1, self.dimensions - 1):
            raise self.error(f"two lines seem to be joined before {_shown(parts[-1])}")
        if is_numeric(parts[-1]) and parts[-1].strip(b"+-.eE"):
            whole = parts[-1].isdigit() or not _number_like(parts[-1])
            if not (whole and pointed) or numbers[0].startswith((b".", b"+")):
                raise self.error(
                    f"expected a word and {self.dimensions} numbers, got more after "
                    f"{_shown(parts[0])}; does {_shown(parts[-1])} belong to the word?"
                )
            self.report["words that end in a number after a blank"] += 1
        self.report["words with a blank within"] += 1
        return word.strip(b" \t")


def _no_number(field):
    if _ENDLESS.fullmatch(field):
        return f"the vector holds NaN or infinity ({field.decode()})"
    hint = ": write a decimal point" if re.fullmatch(rb"[+-]?[0-9]+,[0-9]+", field) else ""
    return f"{_shown(field)} is no number{hint}"


def _separator_hint(field):
    """Words on a separator that is neither a blank nor a tab."""
    match = re.search(rb"[^,;|:=]([,;|:=])[+-]?[0-9.]", field)
    return f". Its fields seem to be separated by {match[1].decode()!r}" if match else ""


class _Binary(_Reader):
    """Records of a word, a blank and numbers of float32, with a line end after them or without."""

    place = "record {0.number} of {0.count} (byte {0.byte})"

    def records(self):
        """Records one by one."""
        self.count, self.dimensions = _header(self.path, self.file.readline())
        self.header = f"{self.count} words, {self.dimensions} dimensions"
        self.ended = None  # whether records end in a line end
        for number in range(1, self.count + 1):
            self.number, self.byte = number, self.file.tell()
            word = self._word()
            if self.number == 2:
                self.ended = word.startswith(b"\n")
            elif self.number > 2 and word.startswith(b"\n") != self.ended:
                raise self._misaligned("a line end is before it, or none, unlike before others")
            data = self.file.read(4 * self.dimensions)
            if len(data) < 4 * self.dimensions:
                what = "the file ends within this record" if word else "the file ends before it"
                raise self._misaligned(f"{what}, truncated")
            vector = np.frombuffer(data, dtype="<f4").astype(np.float32, copy=False)
            word = word.removeprefix(b"\n")
            if b"\n" in word:
                raise self._misaligned("a word has a line break in it")
            if not word or has_control(word):
                raise self._misaligned(f"{word[:20]!r} is no word")
            if not np.isfinite(vector).all():
                raise self._misaligned("the vector holds NaN or infinity")
            yield word, vector

    def _word(self):
        """Bytes up to the next blank, which is passed over."""
        word = bytearray()
        while (byte := self.file.read(1)) not in (b" ", b""):
            word += byte
            if len(word) > _LONGEST_WORD:
                raise self._misaligned("no word begins here")
        return bytes(word)

    def undecoded(self, name, codec, numbers):
        """As for text, where records are in step."""
        if any(_strange(self._rows(part), tiny=True) for part in (numbers, self.left_out)):
            return self._misaligned("records before it are out of step")
        error = super().undecoded(name, codec, numbers)
        return ValueError(f"{error}; where it is no word, {self._damage}")

    def _rows(self, numbers):
        return np.frombuffer(numbers, dtype=np.float32).reshape(-1, self.dimensions)

    def finish(self, vectors):
        """Refuse a file that does not end with its last record, and numbers that none trains."""
        whole = self.number == self.count
        if whole:
            rest = self.file.read(_HEAD)
            if rest.strip(b"\r\n"):
                raise self._misaligned("the file goes on after its last record")
            if self.ended and not rest:
                if len(vectors) and vectors[-1].tobytes().endswith(b"\n"):
                    raise self._misaligned("its line end is taken for a number's last byte")
                self.report["last record"] = "has no line end"
        elif self.ended is not None:
            following = self._word()
            if following.startswith(b"\n") != self.ended or has_control(following[1:]):
                raise self._misaligned("no record follows it")
        tiny = not whole or _REPLACED in self.report
        if any(_strange(part, tiny=tiny) for part in (vectors, self._rows(self.left_out))):
            raise self._misaligned("some numbers are beyond all others, records are out of step")

    def _misaligned(self, fact):
        """The error for records of another length than the header says."""
        return self.error(f"{fact}; {self._damage}")

    @property
    def _damage(self):
        return (
            f"the file is damaged, its records are not the {self.dimensions} numbers of float32 "
            "that its header says, or a word has a blank in it, at which word2vec binary ends "
            "words: write phrases with underscores, or save them as text"
        )


def _strange(vectors, *, tiny):
    """Whether numbers are far beyond the others, a few rows denormal, or numbers letters.

    Far is 15 orders of magnitude; or, in one or two rows alone, 3 above all others or 9 below, as
    a number has where a byte is missing. The rest of a phrase is letters and a blank where numbers
    should be; by chance one row of 450 begins so.
    """
    sample = np.abs(vectors[:: max(1, len(vectors) // 1000)])
    scale = np.float64(np.median(sample[sample > 0])) if sample.any() else 1.0
    first = np.abs(vectors[:, 0]) if vectors.size else np.empty(0)
    odd = np.flatnonzero((first > 1e6 * scale) | ((first > 0) & (first < 1e-6 * scale)))
    letters = sum(bool(_LETTERS.match(vectors[row].tobytes())) for row in odd)
    if letters > 0.5 + 3 * len(odd) / 450:
        return True
    high, low = np.zeros(len(vectors)), np.full(len(vectors), np.inf)
    for rows in row_blocks(*vectors.shape):
        sizes = np.abs(vectors[rows])
        high[rows] = sizes.max(axis=1)
        low[rows] = np.min(sizes, axis=1, where=sizes > 0, initial=np.inf)
    if np.any(high > scale * 1e15) or (tiny and len(vectors) < 3 and np.any(high > 1e20)):
        return True
    if len(vectors) > 3:
        (third, *_, highest), (lowest, *_, least) = np.sort(high)[-3:], np.sort(low)[:3]
        if highest > 1e3 * third or lowest < 1e-9 * least:
            return True
    denormal = np.sum(low < np.finfo(np.float32).tiny)
    return tiny and denormal > 0 and (2 * denormal < len(vectors) or len(vectors) < 3)
