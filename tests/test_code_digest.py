"""What a result depends on: code that runs, not how it is written."""

import pytest

from book import keys
from zslib import code_digest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package: a room of two files, one of which imports a file of the ground floor."""
    root = tmp_path / "small"
    files = {
        "__init__.py": "",
        "ground.py": "value = 1\n",
        "other.py": "value = 2\n",
        "room/__init__.py": "from small.room.one import f\nfrom small.room.two import g\n",
        "room/one.py": '"""One."""\nfrom small.ground import value\ndef f():\n    return value\n',
        "room/two.py": "def g():\n    return 2\n",
        "room/list.txt": "a\n",
        "room/inner/__init__.py": "",
        "room/inner/list.txt": "b\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    clear()
    yield root
    clear()


def clear():
    for name in ("_home", "_path", "_known", "_digest", "_data_files"):
        getattr(code_digest, name).cache_clear()
    keys.package_digest.cache_clear()


def digest(code="from small.room import f", **options):
    clear()
    return code_digest.code_digest(code, **options)


def test_what_is_reached(package):
    def names(code, **options):
        return [name.removeprefix("small.") for name in code_digest.reached(code, **options)]

    assert names("from small.room import f") == ["ground", "room.one"]
    assert names("small.room.one") == ["ground", "room.one"]
    assert names("from small import room") == ["ground", "room.__init__", "room.one", "room.two"]
    assert names("from small.room import f", skip=["small.ground"]) == ["room.one"]
    assert names("def f():\n    from small import other") == ["other"]
    assert names("import numpy as np, json, nothing_of_this_name") == []
    assert code_digest.reached("small.other") == {"small.other": package / "other.py"}


def test_a_folder_without_init_is_a_package_and_an_installed_one_does_not_count(
    tmp_path, monkeypatch
):
    for folder in ("loose", "site-packages/fixed"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "one.py").write_text("value = 1\n")
    (tmp_path / "site-packages/fixed/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    clear()
    assert list(code_digest.reached("from loose import one")) == ["loose.one"]
    assert code_digest.reached("from fixed import one") == {}


def test_a_module_of_one_file_counts_alone(tmp_path, monkeypatch):
    (tmp_path / "alone.py").write_text("import small.ground\n")
    (tmp_path / "data.txt").write_text("a")
    monkeypatch.syspath_prepend(tmp_path)
    before = digest("import alone")
    (tmp_path / "data.txt").write_text("b")
    assert digest("import alone") == before
    (tmp_path / "alone.py").write_text("value = 2\n")
    assert digest("import alone") != before
    names = ("alone", "zslib.protocols", "numpy.linalg", "builtins", "__main__", "of_a_session")
    assert list(map(code_digest.traceable, names)) == [True] * 4 + [False] * 2


F = "from small.ground import value\ndef f():\n"
CHANGES = {
    "written in another way": ("room/one.py", F + '    "New."  # why\n    return value', False),
    "another file of the room": ("room/two.py", "def g():\n    return 3\n", False),
    "another version": ("ground.py", '__version__ = "3"\nvalue = 1\n', False),
    "not imported": ("other.py", "value = 3\n", False),
    "another folder": ("room/inner/list.txt", "c\n", False),
    "prose": ("room/list.md", "New.\n", False),
    "the function": ("room/one.py", F + "    return value + 1\n", True),
    "what it imports": ("ground.py", "value = 2\n", True),
    "a file of data": ("room/list.txt", "c\n", True),
    "where it comes from": ("room/__init__.py", "from small.room.two import g\nf = g\n", True),
}


@pytest.mark.parametrize(("file", "text", "counts"), CHANGES.values(), ids=CHANGES)
def test_what_runs_counts_and_nothing_else(package, file, text, counts):
    before = digest()
    (package / file).write_text(text)
    assert (digest() != before) == counts


def test_the_runner_is_not_among_the_sources_that_count():
    for name in code_digest.reached("import book", skip=keys._NOT_SHOWN):
        assert not name.startswith(("zslib.cli", "book.commands", "book.build", "book.paths"))


def test_data_files_are_left_out_by_name(package):
    before = digest(skip=["small.room.list"])
    assert before != digest()
    (package / "room/list.txt").write_text("c\n")
    assert digest(skip=["small.room.list"]) == before
