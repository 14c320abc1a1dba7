"""Reading either edition, and what is message of files that are damaged, altered or missing."""

import shutil

import numpy as np
import pytest

from zslib.datasets import available, data_status, files, fingerprint, load_problem, locate
from zslib.datasets.files import SUMS, read_arrays, read_rows, read_table
from zslib.datasets.registry import missing, resolve_all


@pytest.fixture
def edition(crosslingual_folder, visual_folder, monkeypatch):
    """The small folders as the edition of a copy of the repository."""
    root = visual_folder.parent
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    lines = [f"{files.file_hash(path)}  {path.relative_to(root).as_posix()}\n" for path in paths]
    (root / SUMS).write_text("".join(lines))
    monkeypatch.setattr(locate, "embedded_data", lambda: root)
    return root


def test_a_quantised_row_is_whole_numbers_with_a_scale(make):
    matrix = np.random.default_rng(0).standard_normal((50, 7)).astype(np.float16)
    matrix[3] = 0
    stored = make.quantise(matrix)
    assert make.quantise(np.array([[1.0, -0.5], [0, 0]]))["value"].tolist() == [[127, -64], [0, 0]]
    assert stored.dtype.itemsize == 4 + 7
    assert (np.abs(stored["value"].astype(int)).max(axis=1) == 127 * np.any(matrix, axis=1)).all()
    found = read_rows(stored)
    assert found.dtype == np.float32
    assert (np.abs(found - matrix) <= 0.5001 * stored["scale"][:, None]).all()
    np.testing.assert_array_equal(read_rows(stored, [4, 2]), found[[4, 2]])


@pytest.mark.parametrize("stored", ["quantised", np.float16, np.float32])
def test_rows_of_a_file(stored, tmp_path, refused, request):
    if stored == "quantised":
        stored = request.getfixturevalue("make").quantise
    matrix = stored(np.random.default_rng(0).standard_normal((9, 5)))
    path = tmp_path / "m.npy"
    np.save(path, matrix)
    np.testing.assert_array_equal(read_rows(path, of=(9, "words")), read_rows(matrix))
    np.testing.assert_array_equal(read_rows(path, slice(2)), read_rows(matrix)[:2])
    refused(r"m\.npy has shape \(9, 5\) and there are 8 words", read_rows, path, of=(8, "words"))
    path.write_bytes(path.read_bytes()[:-3])
    refused(r"m\.npy cannot be read, copy it anew", read_rows, path)
    np.save(path, np.ones(9))
    refused(r"m\.npy has shape \(9,\): one of the two files", read_rows, path)


def test_arrays_of_a_file(tmp_path, refused, make):
    matrix, path = np.random.default_rng(0).standard_normal((9, 5)), tmp_path / "a.npz"
    np.savez(path, features=make.quantise(matrix), label=np.arange(9))
    arrays = read_arrays(path)
    np.testing.assert_array_equal(arrays["features"], read_rows(make.quantise(matrix)))
    assert arrays["label"].tolist() == [*range(9)]
    path.write_bytes(path.read_bytes()[:-9])
    refused("cannot be read, copy it anew", read_arrays, path)


def test_rows_of_a_table(tmp_path, refused):
    path = tmp_path / "table.tsv"
    path.write_text("a\tb c\nd\te\n")
    assert read_table(path, ("first", "second")) == [["a", "b c"], ["d", "e"]]
    refused(r"line 1: expected 2 columns \(x, y\), got 3", read_table, path, ("x", "y"), None)


@pytest.mark.parametrize("harm", [lambda c: c[:-1], lambda c: bytes([c[0] ^ 1]) + c[1:]])
def test_an_altered_file_of_the_repository_is_named(edition, harm, refused):
    assert load_problem("cross-linguistic").name == "europarl"
    path = edition / "crosslingual" / "vectors.it.npy"
    path.write_bytes(harm(path.read_bytes()))
    words = r"vectors\.it\.npy is not the file .*'git checkout -- data/crosslingual/vectors\.it"
    refused(words, load_problem, "cross-linguistic")
    assert load_problem("cross-modal", "tiny_imagenet").name == "tiny_imagenet"
    (edition / SUMS).unlink()
    with pytest.raises(FileNotFoundError, match=f"git checkout -- data/{SUMS}"):
        load_problem("cross-linguistic")


HARM = [
    (1, lambda content: content[9:]),
    (1, lambda content: b"\xff" + content),
    (1, lambda content: content.replace(b"  ", b" ", 1)),
    (2, lambda content: content.replace(b"\n", b"\n\n", 1)),
]


@pytest.mark.parametrize("line, harm", HARM)
def test_a_damaged_list_of_checksums_is_named(edition, line, harm, refused):
    path = edition / SUMS
    path.write_bytes(harm(path.read_bytes()))
    message = rf"{SUMS}, line {line} is damaged.*'git checkout -- data/{SUMS}'"
    refused(message, load_problem, "cross-linguistic")


def test_an_array_that_a_file_lacks_is_named(edition, tmp_path, monkeypatch, refused):
    old = tmp_path / "old" / "visual" / "tiny_imagenet"
    shutil.copytree(edition / "visual" / "tiny_imagenet", old)
    path = old / "tiny_imagenet.npz"
    with np.load(path) as stored:
        np.savez(path, **{name: stored[name] for name in stored if name != "part"})
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path / "old"))
    words = r"old.*tiny_imagenet\.npz has no array 'part', only .*zjl_name.*: complete the folder"
    refused(words, load_problem, "cross-modal", "tiny_imagenet")
    assert "part" not in read_arrays(path)
    assert read_arrays(path).get("part") is None


def test_a_set_half_deleted_is_an_error(edition, refused):
    (edition / "crosslingual" / "opus.test.txt").unlink()
    words = r"opus\.test\.txt is not there: get it back by 'git checkout -- data/crosslingual/opus"
    for ask in (available, fingerprint, lambda name: load_problem("cross-linguistic", name)):
        refused(words, ask, "europarl", error=FileNotFoundError)
    refused(words, load_problem, "cross-linguistic", "auto", error=FileNotFoundError)
    (row,) = (row for row in data_status() if row["name"] == "europarl")
    assert not row["available"] and row["where"].startswith("incomplete: ")


def test_a_set_wholly_deleted_is_not_there(edition):
    shutil.rmtree(edition / "crosslingual")
    assert not available("europarl")
    assert load_problem("cross-linguistic", quick=True).synthetic
    with pytest.raises(FileNotFoundError, match="'git checkout -- data/crosslingual', set ZSLIB"):
        load_problem("cross-linguistic", "real")
    assert resolve_all("cross-modal") == ["imagenet1k", "tiny_imagenet"]
    assert missing("auto") == missing("real") == ["europarl", "europarl_dinu"]
    assert missing("synthetic") == missing("imagenet1k") == []
    assert missing("auto", ["pairs"]) == ["flowers", "cub_captions"]


def test_an_old_edition_is_named(edition, tmp_path, monkeypatch):
    old = tmp_path / "old" / "crosslingual"
    shutil.copytree(edition / "crosslingual", old)
    monkeypatch.setenv("ZSLIB_DATA", str(old.parent))
    assert load_problem("cross-linguistic").name == "europarl"
    np.save(old / "vectors.en.npy", np.ones((3, 4), dtype=np.float16))
    with pytest.raises(ValueError, match=r"old.*vectors\.en\.npy has shape \(3, 4\) and there"):
        load_problem("cross-linguistic")
    (old / "dinu.train.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"complete the folder that ZSLIB_DATA names"):
        load_problem("cross-linguistic")
    rows = {row["name"]: row["where"] for row in data_status()}
    assert rows["tiny_imagenet"].endswith("tiny_imagenet (the repository's edition)")
    with pytest.raises(FileNotFoundError, match=r"no\.txt is not there: check the path"):
        files.checked(tmp_path / "no.txt")
