from __future__ import annotations

import pytest

from zslib.datasets import cache_dir, data_root, locate
from zslib.datasets.locate import require_folder


def test_the_variable_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    assert data_root() == tmp_path
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError, match=r"ZSLIB_DATA names .*absent.* not a folder"):
        data_root()


def test_beside_a_checkout(tmp_path, monkeypatch):
    """Only a checkout (a folder with pyproject.toml) looks for shared/data beside itself."""
    monkeypatch.delenv("ZSLIB_DATA", raising=False)
    module = tmp_path / "checkout" / "zslib" / "datasets" / "locate.py"
    module.parent.mkdir(parents=True)
    monkeypatch.setattr(locate, "__file__", str(module))
    assert data_root() is None
    (tmp_path / "checkout" / "pyproject.toml").touch()
    assert data_root() is None
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert data_root() == (tmp_path / "shared" / "data").resolve()


def test_cache(own_cache, monkeypatch):
    assert cache_dir() == own_cache
    monkeypatch.delenv("ZSLIB_CACHE")
    assert cache_dir().name == "zslib"


def test_required_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="contains 'visual/x'"):
        require_folder("visual/x")
    (tmp_path / "visual" / "x").mkdir(parents=True)
    assert require_folder("visual/x") == tmp_path / "visual" / "x"
    assert require_folder("y", tmp_path) == tmp_path
    monkeypatch.setattr(locate, "data_root", lambda: None)
    with pytest.raises(FileNotFoundError, match="set ZSLIB_DATA"):
        require_folder("visual/x")
