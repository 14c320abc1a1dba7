"""Keys: equal when nothing that a number depends on has changed, and only then."""

from __future__ import annotations

import pytest

from zslib.book import keys
from zslib.book.keys import data_fingerprint, run_key

GIVEN = {
    "chapter": "demo/01_a",
    "source": "text",
    "parameters": {"seed": 0},
    "fingerprint": {"dataset": "abc"},
    "depends": {"demo/02_b": "123"},
}


def key(**changes):
    given = GIVEN | changes
    return run_key(given.pop("chapter"), given.pop("source"), given.pop("parameters"), **given)


def test_equal_input_gives_an_equal_key_whatever_the_order():
    assert key() == key()
    assert key(parameters={"a": 1, "b": 2}) == key(parameters={"b": 2, "a": 1})
    assert len(key()) == 16
    int(key(), 16)


@pytest.mark.parametrize(
    "change",
    [
        {"chapter": "demo/01_b"},
        {"source": "texts"},
        {"parameters": {"seed": 1}},
        {"parameters": {"seed": "0"}},
        {"fingerprint": {"dataset": "abd"}},
        {"depends": {"demo/02_b": "124"}},
        {"depends": {}},
    ],
)
def test_any_change_gives_another_key(change):
    assert key(**change) != key()


def test_version_and_sources_of_the_package_count(monkeypatch):
    before = key()
    monkeypatch.setattr(keys.zslib, "__version__", "99.0")
    changed = key()
    assert changed != before
    monkeypatch.setattr(keys, "package_digest", lambda code: "other")
    assert key() not in (before, changed)


def test_the_data_count_by_seed_and_size():
    found = {
        str(data_fingerprint({"dataset": "synthetic", "seed": seed, "quick": quick}))
        for seed in (0, 1)
        for quick in (True, False)
    }
    assert len(found) == 4


def test_a_name_of_one_setting_is_enough(monkeypatch, tmp_path):
    (tmp_path / "a.vec").write_text("text")
    one = data_fingerprint({"dataset": "synthetic", "vectors": str(tmp_path / "a.vec")})
    (tmp_path / "a.vec").write_text("longer text")
    assert data_fingerprint({"dataset": "synthetic", "vectors": str(tmp_path / "a.vec")}) != one
    with pytest.raises(ValueError, match="unknown dataset 'nothing'"):
        data_fingerprint({"dataset": "nothing"})
