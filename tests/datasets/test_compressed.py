"""Files of data in bzip2 and gzip are found and read like plain ones."""

import bz2
import gzip
import io

import numpy as np
import pytest

from zslib.datasets import files, locate
from zslib.datasets.files import find_file, read_lines, read_rows

_PACK = {".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.fixture(params=_PACK)
def packed(request, tmp_path):
    """A function that writes a file compressed, and gives its path without the ending."""

    def write(name, content):
        path = tmp_path / f"{name}{request.param}"
        path.write_bytes(_PACK[request.param](content))
        return tmp_path / name

    return write


def test_lines_and_rows_are_those_of_the_plain_file(packed, make):
    assert read_lines(packed("words.txt", "à\nb\n".encode())) == ["à", "b"]
    matrix = np.random.default_rng(0).standard_normal((9, 5))
    for stored in (matrix.astype(np.float16), make.quantise(matrix)):
        file = io.BytesIO()
        np.save(file, stored)
        path = packed("m.npy", file.getvalue())
        np.testing.assert_array_equal(read_rows(path, of=(9, "words")), read_rows(stored))
        np.testing.assert_array_equal(read_rows(path, [4, 2]), read_rows(stored)[[4, 2]])


def test_a_plain_file_comes_first(packed):
    path = packed("words.txt", b"packed\n")
    assert find_file(path) == files.checked(path) != path
    path.write_text("plain\n")
    assert find_file(path) == path
    assert read_lines(path) == ["plain"]


def test_a_truncated_or_other_file_is_named(packed, refused):
    path = packed("words.txt", b"a\nb\n" * 100)
    file = find_file(path)
    content = file.read_bytes()
    for harmed in (content[:-9], content[:20] + b"\xff\xff" + content[22:]):
        file.write_bytes(harmed)
        refused(r"words\.txt\.\w+ cannot be read, copy it anew", read_lines, path)


@pytest.mark.parametrize("listed", ["", ".gz", ".bz2"])
@pytest.mark.parametrize("there", ["", ".gz", ".bz2"])
def test_a_file_stands_for_itself_only(tmp_path, monkeypatch, listed, there):
    """What the repository does not list is refused in the place of what it does."""
    monkeypatch.setattr(locate, "embedded_data", lambda: tmp_path)
    path = tmp_path / f"words.txt{there}"
    path.write_bytes(_PACK.get(there, bytes)(b"a\n"))
    (tmp_path / files.SUMS).write_text(f"{files.file_hash(path)}  words.txt{listed}\n")
    if listed == there:
        assert read_lines(tmp_path / "words.txt") == ["a"]
    else:
        with pytest.raises(ValueError, match=rf"is in the place of data/words\.txt{listed},"):
            files.checked(tmp_path / "words.txt")
    # One that stands for none of the repository's is its owner's.
    (tmp_path / "mine.txt").write_text("one\n")
    assert read_lines(tmp_path / "mine.txt") == ["one"]
