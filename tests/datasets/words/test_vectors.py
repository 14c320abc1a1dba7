import bz2
import gzip
import re
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zslib.datasets import load_vectors
from zslib.datasets.words import vectors as module

WORDS = ["the", "Perché", "naïve", "13-14"]
VECTORS = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


def text(words=WORDS, vectors=VECTORS, *, header=True, ending=" \n"):
    lines = [f"{len(words)} {vectors.shape[1]}\n"] if header else []
    lines += [
        w + " " + " ".join(map(repr, v.tolist())) + ending
        for w, v in zip(words, vectors, strict=True)
    ]
    return "".join(lines).encode()


def binary(words=WORDS, vectors=VECTORS, *, ending=b"\n"):
    data = f"{len(words)} {vectors.shape[1]}\n".encode()
    for word, vector in zip(words, vectors, strict=True):
        data += word.encode() + b" " + struct.pack(f"<{len(vector)}f", *vector) + ending
    return data


def check(loaded, words=WORDS, vectors=VECTORS):
    assert loaded.words.tolist() == list(words)
    np.testing.assert_array_equal(np.asarray(loaded.vectors), vectors)
    assert loaded.vectors.dtype == np.float32


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("word2vec.txt", text(ending="\n")),
        ("fasttext.vec", text()),
        ("glove.txt", text(header=False)),
        ("word2vec.bin", binary()),
        ("no_line_breaks.bin", binary(ending=b"")),
        ("word2vec.txt.gz", gzip.compress(text())),
        ("word2vec.bin.gz", gzip.compress(binary())),
        ("word2vec.txt.bz2", bz2.compress(text())),
    ],
)
def test_formats(tmp_path, name, content, cache):
    path = tmp_path / name
    path.write_bytes(content)
    loaded = load_vectors(path, cache=cache)
    check(loaded)
    assert loaded.report == {"words read": 4, "duplicate words left out": 0}
    check(load_vectors(path, limit=2, cache=cache), WORDS[:2], VECTORS[:2])
    assert loaded.index["naïve"] == 2


@pytest.mark.parametrize("header", [True, False])
def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path, header):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text(header=header))
    check(load_vectors(path, cache=False))


def test_second_load_comes_from_the_cache(tmp_path, monkeypatch):
    path = tmp_path / "vectors.txt"
    path.write_bytes(text())
    load_vectors(path)

    def not_again(*args):
        raise AssertionError("read again")

    with monkeypatch.context() as patch:
        patch.setattr(module, "read_vectors", not_again)
        again = load_vectors(path)
        check(again)
        assert isinstance(again.vectors, np.memmap)
        with pytest.raises(AssertionError, match="read again"):
            load_vectors(path, limit=3)
    path.write_bytes(text(WORDS[:2], VECTORS[:2]))
    check(load_vectors(path), WORDS[:2], VECTORS[:2])


@pytest.mark.parametrize(("name", "make"), [("v.txt", text), ("v.bin", binary)])
def test_duplicates_keep_the_first(tmp_path, name, make):
    path = tmp_path / name
    path.write_bytes(make(["a", "b", "a", "c"], VECTORS))
    loaded = load_vectors(path)
    check(loaded, ["a", "b", "c"], VECTORS[[0, 1, 3]])
    assert loaded.report == {"words read": 3, "duplicate words left out": 1}


BAD_FLOAT = VECTORS.copy()
BAD_FLOAT[2, 1] = np.inf
MANY = [f"w{i}" for i in range(200)], np.random.default_rng(1).random((200, 20), dtype=np.float32)


def half(content):
    packed = gzip.compress(content)
    return packed[: len(packed) // 2]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.txt", b"", "line 1: the file is empty"),
        ("v.txt", b"0 3\n", "line 1: the header promises 0 words"),
        ("v.txt", text()[:-45], r"line 5: expected a word and 3 numbers .* got \d"),
        ("v.txt", b"2 1\na 1\n", "promises 2 words, but the file ends at line 2 with 1"),
        ("v.txt", text() + b"more 1 2 3\n", "promises 4 words, but .* ends at line 6 with 5"),
        ("v.txt", b"2 3\na 1 2 3\nb 1 x 3\n", "line 3: could not convert string to float: b?'x'"),
        ("v.txt", b"2 3\na 1 2 3\nb 1\n", "line 3: expected a word and 3 numbers .* got 1"),
        ("v.txt", b"a\tb\nc\td\n", "line 1 does not look like vectors, .* which a dictionary"),
        ("v.txt", b"2 1\na 1\nb\n", "line 3: expected a word and 1 numbers .* got 0"),
        ("v.txt", b"2 2\na 1 2\nb  1 2\n", "line 3: expected a word and 2 numbers .* got 3"),
        ("v.txt", b"2 2\na 1 2\nb nan 2\n", "line 3: the vector holds NaN or infinity"),
        ("v.txt", b"a 1 2\nb inf 2\n", "line 2: the vector holds NaN or infinity"),
        ("v.txt", b"a 1 2\nb 1e50 2\n", "line 2: the vector holds NaN or infinity"),
        ("v.txt", b"2 2\na 1 2\n\xff\xfe 1 2\n", "line 3: .* is not UTF-8; pass errors='replace'"),
        ("v.bin", b"what is this\n", "byte 0: a word2vec binary file begins with a line"),
        ("v.bin", binary()[:-5], r"record 4 of 4 \(byte \d+\): the file ends within this record"),
        ("v.bin", binary()[:40], r"record 2 of 4 \(byte 20\): the file ends within"),
        ("v.bin", binary(vectors=BAD_FLOAT), r"record 3 of 4 \(byte 41\): the vector holds NaN"),
        ("v.bin", binary().replace("ï".encode(), b"\xff\xfe"), "record 3 of 4 .* is not UTF-8"),
        ("v.bin", binary(["a", "b\nc", "d", "e"]), "record 2 of 4 .* a word has a line break"),
        ("v.bin", b"2 1\n" + b"x" * 20_000, "record 1 of 2 .* no word begins here"),
        ("v.txt.gz", half(text(*MANY)), "cannot be decompressed: it is truncated"),
        ("v.bin.gz", half(binary(*MANY)), "cannot be decompressed: it is truncated"),
        ("v.txt.gz", b"not gzip at all", "cannot be decompressed"),
        ("v.bin.gz", b"not gzip at all", "cannot be decompressed"),
    ],
)
def test_damage_is_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    for cache in (True, False):
        with pytest.raises(ValueError, match=f"{re.escape(name)}.*{message}"):
            load_vectors(path, cache=cache)


def test_other_bytes_can_be_replaced(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"3 1\na\xff 1\na\xfe 2\nb 3\n")
    loaded = load_vectors(path, errors="replace")
    assert loaded.words.tolist() == ["a�", "b"]
    assert loaded.report["duplicate words left out"] == 1


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("absent.txt", {}, FileNotFoundError, "no vector file at"),
        ("v.txt", {"format": "hdf5"}, ValueError, "format must be one of"),
        ("v.txt", {"limit": 0}, ValueError, "limit must be at least 1"),
        ("v.txt", {"errors": "shrug"}, ValueError, "errors must be one of"),
    ],
)
def test_bad_arguments(tmp_path, name, options, error, message):
    (tmp_path / "v.txt").write_bytes(text())
    with pytest.raises(error, match=message):
        load_vectors(tmp_path / name, **options)


word = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Z"), exclude_characters=" \n"), min_size=1
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(word, min_size=1, max_size=6, unique=True),
    seed=st.integers(0, 99),
    kind=st.sampled_from(["txt", "bin"]),
)
def test_what_was_written_is_read(tmp_path, words, seed, kind):
    vectors = np.random.default_rng(seed).standard_normal((len(words), 2)).astype(np.float32)
    path = tmp_path / f"any.{kind}"
    path.write_bytes((text if kind == "txt" else binary)(words, vectors))
    check(load_vectors(path, cache=False), words, vectors)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, len(binary()) - 2), kind=st.sampled_from(["txt", "bin"]))
def test_any_truncation_is_noticed(tmp_path, cut, kind):
    """Only a text file cut inside its very last number can look whole."""
    content = text(ending="\n") if kind == "txt" else binary()
    content = content[: min(cut, content.rfind(b" "))]
    path = tmp_path / f"cut.{kind}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cut\."):
        load_vectors(path, cache=False)
