"""Where data live: editions of the real data, and the cache of fetched and converted files."""

import hashlib
import os
import tempfile
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import platformdirs

from zslib.repository import book_root


def named_data():
    """The folder that the environment variable ``ZSLIB_DATA`` names, or None."""
    named = os.environ.get("ZSLIB_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(
            f"ZSLIB_DATA names {named!r}, which is not a folder: correct the variable, or unset "
            "it to use the data that come with the repository"
        )
    return folder


def embedded_data():
    """Folder ``data`` of the repository that the package runs from, else of the book, or None."""
    for root in (Path(__file__).resolve().parents[2], book_root()):
        if root and (root / "pyproject.toml").is_file() and (root / "data").is_dir():
            return root / "data"
    return None


def data_folders():
    """Folders of real data, in the order in which a set is looked for."""
    return [folder for folder in (named_data(), embedded_data()) if folder is not None]


def find_folder(name):
    """Folder ``name`` of the first of `data_folders` that has it, or None."""
    return next((root / name for root in data_folders() if (root / name).is_dir()), None)


def complete_folder(name, files):
    """Folder ``name``, perhaps absolute, of the first data folder or cache with all ``files``."""
    folders = [root / name for root in (*data_folders(), cache_dir())]
    isfile = os.path.isfile  # which takes what cannot be looked at for absent
    return next((at for at in folders if all(isfile(at / file) for file in files)), None)


def cache_dir():
    """Folder for fetched files and converted vectors: ``ZSLIB_CACHE``, or the user's cache.

    Returns
    -------
    pathlib.Path
        It may not exist yet.
    """
    # By default the folder that pooch would name; importing pooch itself warns in Jupyter.
    named = os.environ.get("ZSLIB_CACHE") or platformdirs.user_cache_dir("zslib")
    return Path(named).expanduser()


@contextmanager
def written_whole(path):
    """An open binary file, which becomes ``path`` when all is written and else leaves nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        try:
            yield file
        except BaseException:
            os.unlink(file.name)
            raise
    os.replace(file.name, path)


@cache
def _warn(folder, reason):
    warnings.warn(
        f"the cache {folder} cannot be written ({reason}), so that nothing is kept there: let "
        "the environment variable ZSLIB_CACHE name a folder that can, with space left",
        RuntimeWarning,
        stacklevel=3,
    )


def usable_cache(name):
    """Folder ``name`` of the cache, made where it is not there; None, with a warning, if not."""
    folder = cache_dir() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 16))
    except OSError as error:
        _warn(cache_dir(), error.strerror)
        return None
    return folder


@contextmanager
def needing_cache():
    """Let errors of writing to the cache name it, and the variable that moves it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # of the network
            raise
        raise OSError(
            f"the cache {cache_dir()} cannot be written ({error.strerror}), and this needs it: "
            "let the environment variable ZSLIB_CACHE name a folder that can, with space left"
        ) from error


def cache_folder(name):
    """Folder ``name`` of the cache, made where it is not there, for what cannot do without."""
    folder = cache_dir() / name
    with needing_cache():
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def cached_array(kind, key, compute):
    """An array from the cache, or computed and kept there where the cache can be written."""
    cached = cache_dir() / kind / f"{hashlib.sha256(key).hexdigest()[:24]}.npy"
    try:
        return np.load(cached, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        pass  # not there yet, or damaged
    array = compute()
    try:
        with written_whole(cached) as file:
            np.save(file, array, allow_pickle=False)
    except OSError as error:
        _warn(cache_dir(), error.strerror)
    return array


def require_folder(name, folder=None):
    """Folder ``name`` of the real data, or an error that says how to provide it."""
    folder = find_folder(name) if folder is None else Path(folder)
    if folder is None:
        raise FileNotFoundError(
            f"no data folder has {name!r}: set ZSLIB_DATA to one that has it, or get back what "
            f"comes with the repository by 'git checkout -- data/{name}'"
        )
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder: put {name!r} there")
    return folder
