import errno
from unittest.mock import Mock

import numpy as np
import pytest

from zslib.datasets import cache_dir, files, find_folder, load_vectors, locate
from zslib.datasets.locate import cached_array, complete_folder, embedded_data, require_folder

EMBEDDED = embedded_data


def test_the_variable_names_a_folder(tmp_path, monkeypatch, refused):
    assert locate.named_data() is None
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    assert locate.named_data() == tmp_path
    assert locate.data_folders() == [tmp_path]
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path / "absent"))
    refused("ZSLIB_DATA names .*absent", locate.named_data, error=FileNotFoundError)


def test_a_copy_of_the_repository_has_data(tmp_path, monkeypatch):
    """Only a checkout (a folder with pyproject.toml) has them."""
    (tmp_path / "zslib" / "datasets").mkdir(parents=True)
    monkeypatch.setattr(locate, "__file__", str(tmp_path / "zslib" / "datasets" / "locate.py"))
    monkeypatch.chdir(tmp_path)
    assert EMBEDDED() is None
    (tmp_path / "data").mkdir()
    assert EMBEDDED() is None
    (tmp_path / "pyproject.toml").touch()
    assert EMBEDDED() == tmp_path / "data"


def test_an_installed_package_has_those_of_the_book(tmp_path, monkeypatch):
    monkeypatch.setattr(locate, "__file__", str(tmp_path / "lib" / "zslib" / "datasets" / "x.py"))
    book = tmp_path / "book"
    for folder in ("data", "chapters/below"):
        (book / folder).mkdir(parents=True)
    for file in ("_toc.yml", "pyproject.toml"):
        (book / file).touch()
    monkeypatch.chdir(tmp_path)
    assert EMBEDDED() is None
    monkeypatch.chdir(book / "chapters" / "below")
    assert EMBEDDED() == book / "data"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ZSLIB_BOOK", str(book))
    assert EMBEDDED() == book / "data"


def test_each_set_is_looked_for_in_the_named_folder_first(tmp_path, monkeypatch):
    for name in ("named/a", "own/a", "own/b"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(locate, "embedded_data", lambda: tmp_path / "own")
    assert find_folder("a") == tmp_path / "own" / "a"
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path / "named"))
    assert find_folder("a") == require_folder("a") == tmp_path / "named" / "a"
    assert find_folder("b") == tmp_path / "own" / "b"
    assert find_folder("c") is None


def test_cache(own_cache, monkeypatch):
    assert cache_dir() == own_cache
    monkeypatch.delenv("ZSLIB_CACHE")
    assert cache_dir().name == "zslib"


def test_an_array_is_computed_once_or_where_it_is_damaged_in_the_cache(own_cache):
    first = cached_array("kind", b"key", lambda: np.arange(3))
    again = cached_array("kind", b"key", lambda: 1 / 0)
    assert first.tolist() == again.tolist() == [0, 1, 2] and isinstance(again, np.memmap)
    (path,) = (own_cache / "kind").iterdir()
    path.write_bytes(path.read_bytes()[:-8])
    assert cached_array("kind", b"key", lambda: np.arange(3)).tolist() == [0, 1, 2]
    assert cached_array("kind", b"other", lambda: np.ones(1)).tolist() == [1]


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new" / "file"
    with pytest.raises(KeyboardInterrupt), locate.written_whole(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert list(path.parent.iterdir()) == []
    # Two processes may write one entry.
    with locate.written_whole(path) as file, locate.written_whole(path) as other:
        file.write(b"same")
        other.write(b"same")
    assert [p.name for p in path.parent.iterdir()] == ["file"]
    assert path.read_bytes() == b"same"


def test_the_first_folder_that_has_all(tmp_path, own_cache, monkeypatch):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path / "named"))
    for root, names in ((tmp_path / "named", "a"), (own_cache, "ab"), (tmp_path / "else", "abc")):
        (root / "set").mkdir(parents=True)
        for name in names:
            (root / "set" / name).touch()
    assert complete_folder("set", "a") == tmp_path / "named" / "set"
    assert complete_folder("set", "ab") == own_cache / "set"
    assert complete_folder("set", "abc") is None
    assert complete_folder(tmp_path / "else" / "set", "abc") == tmp_path / "else" / "set"


def test_required_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no data folder has 'visual/x': set ZSLIB_DATA"):
        require_folder("visual/x")
    assert require_folder("y", tmp_path) == tmp_path
    with pytest.raises(FileNotFoundError, match="is not a folder: put 'y' there"):
        require_folder("y", tmp_path / "y")


@pytest.mark.parametrize("kind", ["below a file", "full"])
def test_what_can_do_without_the_cache_does(kind, tmp_path, monkeypatch):
    """With one warning for the folder, which names the variable that moves it."""
    if kind == "full":
        full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
        for name in ("NamedTemporaryFile", "TemporaryFile"):
            monkeypatch.setattr(locate.tempfile, name, full)
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path / "file" / "cache"))
    vectors = tmp_path / "v.txt"
    vectors.write_text("a 1 2\nb 3 4\n")
    monkeypatch.setattr(files, "_SETTLING", -(10**12))
    with pytest.warns(RuntimeWarning, match="cannot be written .* ZSLIB_CACHE") as warned:
        assert load_vectors(vectors).words.tolist() == ["a", "b"]
        assert cached_array("kind", b"key", lambda: np.arange(3)).tolist() == [0, 1, 2]
        assert locate.usable_cache("memo") is None
    assert len(warned) == 1
