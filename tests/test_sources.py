"""What a result depends on: code that runs, not how it is written."""

from __future__ import annotations

import pytest

from zslib import sources
from zslib.book import keys


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package: a room of two files, one of which imports a file of the ground floor."""
    root = tmp_path / "zslib"
    files = {
        "__init__.py": "",
        "ground.py": "value = 1\n",
        "other.py": "value = 2\n",
        "room/__init__.py": "from zslib.room.one import f\nfrom zslib.room.two import g\n",
        "room/one.py": '"""One."""\nfrom zslib.ground import value\ndef f():\n    return value\n',
        "room/two.py": "def g():\n    return 2\n",
        "room/list.txt": "a\n",
        "room/inner/__init__.py": "",
        "room/inner/list.txt": "b\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(sources, "_ROOT", root)
    clear()
    yield root
    clear()


def clear():
    for name in ("_known", "_digest", "_data_files"):
        getattr(sources, name).cache_clear()
    keys.package_digest.cache_clear()


def digest(code="from zslib.room import f", **options):
    clear()
    return sources.sources_digest(code, **options)


def test_what_is_reached(package):
    def names(code, **options):
        return [p.relative_to(package).as_posix() for p in sources.reached(code, **options)]

    assert names("from zslib.room import f") == ["ground.py", "room/one.py"]
    assert names("zslib.room.one") == ["ground.py", "room/one.py"]
    assert names("from zslib import room") == [
        "ground.py", "room/__init__.py", "room/one.py", "room/two.py",
    ]  # fmt: skip
    assert names("from zslib.room import f", skip=["zslib.ground"]) == ["room/one.py"]
    assert names("def f():\n    from zslib import other") == ["other.py"]
    assert names("import numpy as np") == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "room/one.py",
            'from zslib.ground import value\ndef f():\n    "New."  # why\n    return value',
        ),
        ("room/two.py", "def g():\n    return 3\n"),
        ("other.py", "value = 3\n"),
        ("room/inner/list.txt", "c\n"),
    ],
    ids=["written in another way", "another file of the room", "not imported", "another folder"],
)
def test_these_change_nothing(package, file, text):
    before = digest()
    (package / file).write_text(text)
    assert digest() == before


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("room/one.py", "from zslib.ground import value\ndef f():\n    return value + 1\n"),
        ("ground.py", "value = 2\n"),
        ("room/list.txt", "c\n"),
        ("room/__init__.py", "from zslib.room.two import g\nf = g\n"),
    ],
)
def test_these_change_it(package, file, text):
    before = digest()
    (package / file).write_text(text)
    assert digest() != before


def test_the_runner_is_not_among_the_sources_that_count():
    for path in sources.reached("from zslib import book", skip=keys._NOT_SHOWN):
        name = path.relative_to(sources._ROOT).as_posix()
        assert not name.startswith(("cli.py", "book/build/", "book/paths.py"))


def test_data_files_are_left_out_by_name(package):
    before = digest(skip=["zslib.room.list"])
    assert before != digest()
    (package / "room/list.txt").write_text("c\n")
    assert digest(skip=["zslib.room.list"]) == before
