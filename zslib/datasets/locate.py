"""Where data live: the folder of real data, and the cache of fetched and converted files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
import platformdirs

__all__ = ["cache_dir", "cached_array", "data_root", "require_folder"]


def data_root():
    """Folder of the real data sets, or None where there is none.

    It is the folder named by the environment variable ``ZSLIB_DATA``; without that variable,
    when the package runs from a source checkout, the folder ``shared/data`` beside the
    checkout if it exists.

    Returns
    -------
    pathlib.Path or None
    """
    named = os.environ.get("ZSLIB_DATA")
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise FileNotFoundError(
                f"ZSLIB_DATA names {named!r}, which is not a folder: correct the variable, or "
                "unset it to use synthetic data"
            )
        return folder
    checkout = Path(__file__).resolve().parents[2]
    folder = checkout.parent / "shared" / "data"
    if (checkout / "pyproject.toml").is_file() and folder.is_dir():
        return folder
    return None


def cache_dir():
    """Folder for fetched files and converted vectors: ``ZSLIB_CACHE``, or the user's cache.

    Returns
    -------
    pathlib.Path
        It may not exist yet.
    """
    named = os.environ.get("ZSLIB_CACHE")
    if named:
        return Path(named).expanduser()
    # The folder that pooch would name; importing pooch itself warns in Jupyter.
    return Path(platformdirs.user_cache_dir("zslib"))


def cached_array(kind, key, compute):
    """An array from the cache, or computed and kept there."""
    cached = cache_dir() / kind / f"{hashlib.sha256(key).hexdigest()[:24]}.npy"
    if cached.is_file():
        return np.load(cached, mmap_mode="r", allow_pickle=False)
    array = compute()
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=cached.parent, suffix=".part", delete=False) as file:
        np.save(file, array, allow_pickle=False)
    os.replace(file.name, cached)
    return array


def require_folder(name, folder=None):
    """Folder ``name`` of the real data, or an error that says how to provide it."""
    if folder is None:
        root = data_root()
        if root is None:
            raise FileNotFoundError(
                f"no real data found (wanted {name!r}): set ZSLIB_DATA to the folder that has "
                "it, or ask for the synthetic data"
            )
        folder = root / name
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder} is not a folder: put the data there or set ZSLIB_DATA to the folder that "
            f"contains {name!r}"
        )
    return folder
