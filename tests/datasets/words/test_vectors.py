import bz2
import gzip
import io
import lzma
import os
import pickle
import re
import zipfile
from functools import partial
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zslib.datasets import WordVectors, files, load_vectors
from zslib.datasets.words import vectors as module
from zslib.datasets.words.formats import read_vectors

WORDS = ["the", "Perché", "naïve", "13-14"]
VECTORS = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


def text(words=WORDS, vectors=VECTORS, *, header=True, ending=" \n"):
    lines = [f"{len(words)} {vectors.shape[1]}\n"] if header else []
    for word, vector in zip(words, vectors, strict=True):
        lines.append(" ".join([word, *map(repr, vector.tolist())]) + ending)
    return "".join(lines).encode()


def binary(words=WORDS, vectors=VECTORS, *, ending=b"\n", kind="<f4", head=None):
    count, d = head or (len(words), vectors.shape[1])
    data = f"{count} {d}\n".encode()
    for word, vector in zip(words, vectors, strict=True):
        data += word.encode() + b" " + vector.astype(kind).tobytes() + ending
    return data


def check(loaded, words=WORDS, vectors=VECTORS):
    assert loaded.words.tolist() == list(words)
    np.testing.assert_array_equal(np.asarray(loaded.vectors), vectors)
    assert loaded.vectors.dtype == np.float32


FORMATS = [
    ("word2vec.txt", text(ending="\n")),
    ("fasttext.vec", text()),
    ("glove.txt", text(header=False)),
    ("word2vec.bin", binary()),
    ("no_line_breaks.bin", binary(ending=b"")),
    ("word2vec.txt.gz", gzip.compress(text(), mtime=0)),
    ("word2vec.bin.gz", gzip.compress(binary(), mtime=0)),
    ("word2vec.txt.bz2", bz2.compress(text())),
]


@pytest.fixture
def load(tmp_path):
    """What is read from a file of the content, which has any name."""

    def loaded(content, name="v.txt", **options):
        (tmp_path / name).write_bytes(content)
        return load_vectors(tmp_path / name, **options)

    return loaded


@pytest.mark.parametrize("name, content", FORMATS)
def test_formats(load, name, content):
    loaded = load(content, name)
    check(loaded)
    header = "none" if name == "glove.txt" else "4 words, 3 dimensions"
    kind = "binary" if ".bin" in name else "text"
    told = {"format": kind, "encoding": "utf-8", "header": header}
    assert loaded.report == {"words read": 4, "duplicate words left out": 0} | told
    check(load(content, name, limit=2), WORDS[:2], VECTORS[:2])
    assert loaded.index["naïve"] == 2


@pytest.mark.parametrize("header", [True, False])
def test_a_byte_order_mark_is_no_part_of_a_word(load, header):
    check(load(b"\xef\xbb\xbf" + text(header=header)))


def test_second_load_comes_from_the_cache(tmp_path, monkeypatch, refused):
    path = tmp_path / "vectors.txt"
    path.write_bytes(text())
    load_vectors(path)
    with monkeypatch.context() as patch:
        patch.setattr(module, "read_vectors", Mock(side_effect=AssertionError("read again")))
        again = load_vectors(path)
        check(again)
        assert isinstance(again.vectors, np.memmap)
        refused("read again", load_vectors, path, limit=3, error=AssertionError)
    path.write_bytes(text(WORDS[:2], VECTORS[:2]))
    check(load_vectors(path), WORDS[:2], VECTORS[:2])


def test_subwords_may_end_alike(load):
    words = ["th@@", "in@@", "re@@", "e.g."]
    check(load(text(words, header=False)), words)


def test_a_file_changed_in_place_is_read_anew(tmp_path, monkeypatch):
    """Its size and time of change are as before; whether noted long after a change, or at once."""
    for settling in (files._SETTLING, -(10**12)):
        monkeypatch.setattr(files, "_SETTLING", settling)
        path = tmp_path / f"vectors{settling}.txt"
        path.write_bytes(b"a 1 2\nb 3 4\n")
        state = path.stat()
        assert load_vectors(path).vectors[0].tolist() == [1, 2]
        with open(path, "r+b") as file:
            file.write(b"a 5 2")
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert load_vectors(path).vectors[0].tolist() == [5, 2]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, refused):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"1 2\na 1 2\n")

    def read(path, **options):
        found = read_vectors(path, **options)
        path.write_bytes(b"a 1 2\nb 3 4\n")
        return found

    monkeypatch.setattr(module, "read_vectors", read)
    refused("changed while it was read", load_vectors, path)


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


LATIN = {"encoding": "latin-1"}
TWO = np.array([[0.1, -2], [0.5, 1e-3]], dtype=np.float32)


CONTENTS = [
    (b"2 2 \r\na\xc3\xa9 0.1 -2\r\nb 0.5 1e-3\r\n\r\n", {}, {"blank lines passed over": 1}),
    (b"\na\xc3\xa9  0.1  -2.\nb\t.5   +1E-3", {}, {"last line": "has no line end"}),
    (b"a\xc3\xa9\t0.1\t-2\nb\t0.5\t0.001\n", {}, {"header": "none"}),
    ("aé 0.1 -2\nb 0.5 0.001\n".encode("latin-1"), LATIN, {"encoding": "iso8859-1"}),
    (binary(["aé", "b"], TWO).replace(b"\xc3\xa9", b"\xe9"), LATIN, {"format": "binary"}),
    (lzma.compress(text(["aé", "b"], TWO)), {}, {"format": "text"}),
    (gzip.compress(binary(["aé", "b"], TWO), mtime=0), {}, {"format": "binary"}),
    (zipped(**{"v.txt": text(["aé", "b"], TWO), "__MACOSX/._v.txt": b"x"}), {}, {}),
]


@pytest.mark.parametrize("content, options, told", CONTENTS)
@pytest.mark.parametrize("name", ["v.vec", "v.bin", "v.txt.gz"])
def test_what_a_file_is_its_content_says(load, name, content, options, told):
    loaded = load(content, name, **options)
    check(loaded, ["aé", "b"], TWO)
    assert told.items() <= loaded.report.items()


def test_a_word_is_what_stands_before_the_last_numbers(load):
    words = [". . .", "at a@b.com", "13", "life,", "3:30", " ", "\t", "\xa0", "page 3", "."]
    vectors = np.random.default_rng(2).standard_normal((10, 3)).astype(np.float32)
    for header in (True, False):
        loaded = load(text(words, vectors, header=header))
        check(loaded, words, vectors)
        assert loaded.report["words with a blank within"] == 3
        assert loaded.report["words that end in a number after a blank"] == 1


def test_lines_that_cannot_be_read_are_passed_over_where_asked(load):
    content = b"6 2\na 1 2\nb x 2\nc 3\ne 3 4 5\nf 1e39 0\ng 5 6\n"
    loaded = load(content, bad_lines="skip")
    check(loaded, ["a", "g"], np.array([[1, 2], [5, 6]], dtype=np.float32))
    assert loaded.report["lines passed over"] == 4
    assert loaded.report["first line passed over"].endswith("line 3: 'x' is no number")


# Binary as gensim writes it.
gensim = partial(binary, ending=b"")


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize(("limit", "errors"), [(None, "strict"), (4, "replace"), (5, "strict")])
@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_phrase_in_binary_is_refused(load, place, limit, errors, ending):
    """A blank ends the word, so that all that follows is shifted."""
    words = ["the", "dog", "cat", "owl", "hen", "emu"]
    words[place] = "new york"
    vectors = np.random.default_rng(place).standard_normal((6, 20)).astype(np.float32)
    content = binary(words, vectors, ending=ending)
    if limit is not None and limit <= place:
        check(load(content, limit=place), words[:place], vectors[:place])
        return
    with pytest.raises(ValueError, match=r"a word has a blank in it.*underscores") as refused:
        load(content, limit=limit, errors=errors)
    assert "errors=" not in str(refused.value)


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_byte_lost_among_the_numbers_is_noticed(load, ending, refused):
    """All that is read of the last number of a vector may be plausible, of those before not."""
    words, vectors = MANY[0][:8], MANY[1][:8] - 0.5
    content = binary(words, vectors, ending=ending)
    head, record = content.index(b"\n") + 1, len(words[0]) + 1 + 4 * 20 + len(ending)
    for number in (0, 4, 7):
        for place in range(len(words[0]), record - 4 - len(ending)):
            lost = head + number * record + place
            refused(r"record .* of 8", load, content[:lost] + content[lost + 1 :])


def test_small_and_large_units_are_no_damage(load):
    for unit in (1e-30, 1e30):
        vectors = VECTORS * np.float32(unit)
        check(load(binary(vectors=vectors)), vectors=vectors)
        check(load(binary(vectors=vectors), limit=3), WORDS[:3], vectors[:3])


SEVERAL = [f"w{i}" for i in range(8)], np.random.default_rng(3).standard_normal((8, 6))


def test_numbers_of_columns_are_no_vector(load):
    """Unless the header says so, all are whole, or they are two."""
    rows = b"a .1 .2 .3\nb .4 .5 .6\n"
    loaded = load(b"word 0 1 2\n" + rows, bad_lines="skip")
    assert (loaded.words.tolist(), loaded.report["lines passed over"]) == (["a", "b"], 1)
    for content in (b"3 3\nw 0 1 2\n" + rows, b"w 0 1 2\na 0 0 1\n", b"w 0 1\na .5 .2\n"):
        assert load(content).words[0] == "w"


@pytest.mark.parametrize("make", [text, binary])
def test_duplicates_keep_the_first(load, make):
    loaded = load(make(["a", "b", "a", "c"], VECTORS))
    check(loaded, ["a", "b", "c"], VECTORS[[0, 1, 3]])
    assert {"words read": 3, "duplicate words left out": 1}.items() <= loaded.report.items()


BAD_FLOAT = VECTORS.copy()
BAD_FLOAT[2, 1] = np.inf
MANY = [f"w{i}" for i in range(200)], np.random.default_rng(1).random((200, 20), dtype=np.float32)


def half(content):
    packed = gzip.compress(content)
    return packed[: len(packed) // 2]


DAMAGE = [
    ("v.txt", b"", "line 1: the file is empty"),
    ("v.txt", b"0 3\n", "line 1: the header promises 0 words"),
    ("v.txt", text()[:-45], r"line 5: expected a word and 3 numbers, got \d"),
    ("v.txt", b"2 1\na 1\n", "promises 2 words, but the file ends at line 2 with 1"),
    ("v.txt", text() + b"more 1 2 3\n", "promises 4 words, but .* ends at line 6 with 5"),
    ("v.txt", b"2 3\na 1 2 3\nb 1 x 3\n", "line 3: 'x' is no number"),
    ("v.txt", b"2 3\na 1 2 3\nb 1\n", "line 3: expected a word and 3 numbers, got 1"),
    (
        "v.txt",
        b"a\tb\nc\td\n",
        "line 1: it does not look like vectors, .* which file is a dictionary",
    ),
    ("v.txt", b"2 1\na 1\nb\n", "line 3: expected a word and 1 numbers, got 0"),
    ("v.txt", b"2 2\na 1 2\nb 1 2 3\n", "line 3: .* 2 numbers, got more after 'b'"),
    ("v.txt", b"2 2\na .1 .2\nb 7.5 .1 .3\n", "line 3: .* got more after 'b'"),
    ("v.txt", b"2 2\na .1 .2\nb 0 .1 .3\n", "line 3: .* got more after 'b'"),
    ("v.txt", b"2 2\na .1 .2\nb 0.2e +00 0.3\n", "line 3: .* does '0.2e' belong to the word"),
    ("v.txt", b"a .1 .2\nb .1 .3c 1 2\nd 1 2\n", "line 2: two lines seem to be joined"),
    ("v.txt", b"2 2\na 1\r2\nb 1 2\n", "line 2: a carriage return is within the line"),
    ("v.txt", b"page 3 0.1 0.2\n", "there is one line, and no header.*'count dimensions' above"),
    ("v.txt", b"2 2\na 1_0 2\nb 1 2\n", "line 2: '1_0' is no number"),
    ("v.txt", "2 2\na ١ 2\nb 1 2\n".encode(), "line 2: '١' is no number"),
    ("v.txt", b"2 2\na 0,5 2\nb 1 2\n", "line 2: '0,5' is no number: write a decimal point"),
    ("v.txt", b"2 2\na 1 2\nb 1 2e\n", "line 3: '2e' is no number"),
    ("v.txt", b"2 2\na 1 2\n  1 2\n 1 2\n", "line 4: there is no word before"),
    ("v.txt", b"the,0.1 0.2 0.3\ndog,0.3 0.4 0.5\n", "most words end in ','.*'the,0.1'"),
    ("v.txt", b"2 2\nthe, 0.1 0.2\ndog, 0.3 0.4\n", "most words end in ','.*'the,'"),
    ("v.txt", "the\xa00.1 0.2\ndog\xa00.3 0.4\n".encode(), r"most words end in '\\xa0'"),
    ("v.txt", "the，0.1 0.2\ndog，0.3 0.4\n".encode(), "most words end in '，'"),
    ("v.txt", b"2 2 1\nthe .1 .2\ndog .3 .4\n", "line 1: it is whole numbers alone, and no head"),
    ("v.txt", b"the;0.1;0.2\ndog;0.3;0.4\n", "does not look like.*separated by ';'"),
    ("v.txt", b"2 2\nthe 17 .1 .2\na 9 .3 .4\n", "most lines have more than the 2 numbers"),
    ("v.txt", b"the 17 .1 .2\na 9 .3 .4\nb 8 .5 .6\n", "first number .* may count words"),
    ("v.txt", b"0.5 0.1\n0.2 0.3\n", "there are no words"),
    ("v.txt", b"word\t0\t1\t2\na\t.1\t1\t2\n", "line 1: its numbers are 0, 1, 2, .* as heads"),
    ("v.txt", b"my part 1 .25\nthe part 2 .5\nof 3 3 .5\n", "first number .* end a word"),
    ("v.txt", b"2 2\ncat 1 2 dog 3 4\nemu 5 6\n", "line 2: two lines .* before 'dog'"),
    ("v.txt", b"a 1 2\nb 1 2 3\n", "line 1: it has 2 numbers .* line 2 has 3.*'count dim"),
    ("v.txt", b"2 2\ra 1 2\rb 3 4\r", "a carriage return is within the line"),
    ("v.txt", b"a 1 2\rb 3 4\r", "a carriage return is within the line"),
    ("v.txt", b"2 9999999\na 1\n", "the header promises 2 words of 9999999-d"),
    ("v.txt", b"2 2\na 1 2\nb nan 2\n", "line 3: the vector holds NaN or infinity"),
    ("v.txt", b"a 1 2\nb inf 2\n", "line 2: the vector holds NaN or infinity"),
    ("v.txt", b"a 1 2\nb 1e39 2\n", "line 2: 1e39 is beyond the range of float32"),
    ("v.txt", b"a 1 2\nb " + b"9" * 40 + b" 2\n", "line 2: 9+ is beyond the range"),
    ("v.txt", b"2 2\na 1 2\n\xff\xfe 1 2\n", "line 3: .* is not UTF-8: .*'latin-1'.* errors="),
    ("v.txt", "a 0.1 -2\nb 0.5 1\n".encode("utf-16"), "is in UTF-16: save the vectors as UTF-8"),
    ("v.txt", "2 2\na 0.1 -2\n".encode("utf-16-be"), "is binary, not word vectors"),
    ("v.bin", b"what is this\n", "line 1: it does not look like vectors"),
    ("v.bin", binary()[:-5], r"record 4 of 4 \(byte \d+\): the file ends within this record"),
    ("v.bin", binary()[:40], r"record 2 of 4 \(byte 20\): the file ends within"),
    ("v.bin", binary(vectors=BAD_FLOAT), r"record 3 of 4 \(byte 41\): the vector holds NaN"),
    ("v.bin", binary().replace("ï".encode(), b"\xff\xfe"), "record 3 of 4 .* is not UTF-8"),
    ("v.bin", binary(["a", "b\nc", "d", "e"]), "record 2 of 4 .* a word has a line break"),
    ("v.bin", b"2 1\n" + b"\xff" * 20_000, "record 1 of 2 .* no word begins here"),
    ("v.bin", gensim(*SEVERAL, kind="<f8"), "its records are not the 6 numbers of float32"),
    ("v.bin", gensim(*SEVERAL, kind="<f2"), "its records are not the 6"),
    ("v.bin", gensim(*SEVERAL, head=(8, 5)), "its records are not the 5"),
    ("v.bin", gensim(*SEVERAL, head=(8, 7)), "its records are not the 7"),
    ("v.bin", gensim(*SEVERAL, head=(7, 6)), "record 7 of 7 .* goes on after its last record"),
    ("v.bin", gensim(*SEVERAL, head=(9, 6)), "record 9 of 9 .* the file ends before it"),
    ("v.bin", gensim(["the", " ", "dog", "ox"]), "record 2 of 4 .* b'' is no word"),
    # What is left out as a duplicate is out of step too.
    ("v.bin", gensim(["a", "a b", "dog", "ox"], MANY[1][8:12]), "records are out of step"),
    ("v.bin", zipped(a=b"x", b=b"y"), r"is zip with 2 files in it \(a, b\): unpack the one"),
    (
        "v.bin",
        zipped(**{"words.npy": b"\x93NUMPY"}),
        "is npy, not word vectors: .*words and matrix",
    ),
    ("v.kv", pickle.dumps({"the": [1.0]}), "is a pickle, not word vectors: .*pass the object"),
    ("v.bin", b"\xba\x16\x4f\x2f\x0c\0\0\0", "is a model of fastText.*use the .vec file"),
    ("v.txt", b"version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS.*pull"),
    ("v.txt", b"\n<!DOCTYPE html>\n<html>", "is a web page, not word vectors"),
    ("v.txt", b"\x89HDF\r\n\x1a\n\0\0", "is HDF5, not word vectors: .*words and matrix"),
    ("v.txt", b"<head><title>404</title>", "is a web page"),
    ("v.txt.gz", half(text(*MANY)), "cannot be decompressed: it is truncated"),
    ("v.bin.gz", half(binary(*MANY)), "cannot be decompressed: it is truncated"),
    ("v.txt.xz", lzma.compress(text(*MANY))[:2000], "cannot be decompressed"),
    ("v.txt.bz2", bz2.compress(text(*MANY))[:2000], "cannot be decompressed"),
    ("v.txt.gz", b"not gzip at all", "does not look like vectors"),
]


@pytest.mark.parametrize("name, content, message", DAMAGE)
def test_damage_is_named(load, name, content, message, refused):
    refused(f"{re.escape(name)}.*{message}", load, content, name)


def test_other_bytes_can_be_replaced(load):
    loaded = load(b"3 1\na\xff 1\na\xfe 2\nb 3\n", errors="replace")
    assert loaded.words.tolist() == ["a�", "b"]
    assert loaded.report["duplicate words left out"] == 1


BAD_ARGUMENTS = [
    ("absent.txt", {}, FileNotFoundError, "no vector file at"),
    ("v.txt", {"limit": 0}, ValueError, "limit must be at least 1"),
    ("v.txt", {"errors": "shrug"}, ValueError, "errors must be one of"),
    ("v.txt", {"bad_lines": "shrug"}, ValueError, "bad_lines must be one of"),
    ("v.txt", {"encoding": "shrug"}, ValueError, "encoding must name an encoding"),
    ("", {}, FileNotFoundError, "no vector file at"),
]


@pytest.mark.parametrize("name, options, error, message", BAD_ARGUMENTS)
def test_bad_arguments(tmp_path, name, options, error, message, refused):
    (tmp_path / "v.txt").write_bytes(text())
    refused(message, load_vectors, tmp_path / name, **options, error=error)


word = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(word, min_size=1, max_size=6, unique=True),
    seed=st.integers(0, 99),
    make=st.sampled_from([text, binary]),
)
def test_what_was_written_is_read(load, words, seed, make):
    vectors = np.random.default_rng(seed).standard_normal((len(words), 2)).astype(np.float32)
    check(load(make(words, vectors)), words, vectors)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, len(binary()) - 2), content=st.sampled_from([text(), binary()]))
def test_any_truncation_is_noticed(load, refused, cut, content):
    """Only a text file cut inside its very last number can look whole."""
    refused(r"v\.txt", load, content[: min(cut, content.rstrip().rfind(b" "))])


REFUSALS = [
    (7, TypeError, "source must be a path, got int; or in memory a KeyedVectors"),
    ({"a": [1, 2], "b": [1]}, ValueError, "source is no array"),
    ({"a": [1.0, np.nan]}, ValueError, "source holds NaN or infinity"),
    ({"a": [1.0], "b": [1e39]}, ValueError, r"source has 1e\+39 at row 1, beyond"),
    ((["a"], [[1.0], [2.0]]), ValueError, "source: 1 words do not fit"),
    ((["a", "a"], [[1.0], [2.0]]), ValueError, "source: word 'a' is listed twice"),
    (pd.DataFrame({"word": ["a"], "x": [1.0]}), TypeError, "word 0 is 0: .*set_index"),
]


@pytest.mark.parametrize("source, error, message", REFUSALS)
def test_what_are_no_vectors_in_memory(source, error, message, refused):
    refused(message, load_vectors, source, error=error)


def test_vectors_in_memory():
    assert load_vectors(WordVectors(np.array(WORDS), VECTORS)).words.tolist() == WORDS
    check(load_vectors({"a": [1, 2], "b": [3, 4]}, limit=1), ["a"], [[1, 2]])
