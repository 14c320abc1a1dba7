"""Files of a data set: plain, gzipped or in bzip2, arrays whole or with one byte a number.

Both editions of the real data are read here, the full one and the compact one of a copy of the
repository, whose files must be those that ``data/SHA256SUMS`` lists.
"""

import hashlib
import io
import json
import re
import time
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from zslib.datasets import locate
from zslib.datasets.content import opened

SUMS = "SHA256SUMS"
_ENDINGS = ("", ".gz", ".bz2")
_SETTLING = 3_000_000_000  # nanoseconds; the coarsest file systems count in two seconds


def find_file(path):
    """The file, or the same with the ending .gz or .bz2; None where none is there."""
    path = Path(path)
    files = (path.with_name(path.name + ending) for ending in _ENDINGS)
    return next((file for file in files if file.is_file()), None)


def checked(path):
    """The path of a file as `find_file` finds it, else FileNotFoundError.

    In the repository's ``data`` it must be an unaltered one, else ValueError.
    """
    path = Path(path)
    file = find_file(path)
    if file is None:
        raise FileNotFoundError(f"{path} is not there: {_remedy(path)}")
    name = _place(file, locate.embedded_data())
    if name is None:
        return file
    listed = _listed()
    if name in listed and file_hash(file) != listed[name]:
        raise ValueError(
            f"{file} is not the file that the repository has: it is truncated or altered. Get "
            f"it back by 'git checkout -- data/{name}'"
        )
    plain = name.removesuffix(file.suffix) if file.suffix in _ENDINGS else name
    known = [plain + ending for ending in _ENDINGS if plain + ending in listed]
    if known and name not in listed:
        raise ValueError(
            f"{file} is in the place of data/{known[0]}, which the repository has: remove it, or "
            "move it to a folder of your own, which ZSLIB_DATA names"
        )
    return file


def _remedy(path):
    """What to do where a file, or a part of it, is not there."""
    if (name := _place(path, locate.embedded_data())) is not None:
        return f"get it back by 'git checkout -- data/{name}*'"
    if _place(path, locate.named_data()) is not None:
        return "complete the folder that ZSLIB_DATA names, an old edition perhaps, or unset it"
    return "check the path"


def _place(path, root):
    """The name of a file below a folder, None where it is not below it."""
    if root is None or not path.resolve().is_relative_to(root.resolve()):
        return None
    return path.resolve().relative_to(root.resolve()).as_posix()


def _listed():
    """The SHA-256 that files of the repository must have, by name."""
    path = locate.embedded_data() / SUMS
    again = f"get it back by 'git checkout -- data/{SUMS}'"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: {again}")
    lines = path.read_text("utf-8", errors="replace").splitlines()
    parsed = [re.fullmatch("([0-9a-f]{64})  (.+)", line) for line in lines]
    if None in parsed:
        raise ValueError(f"{path}, line {parsed.index(None) + 1} is damaged: {again}")
    return {line[2]: line[1] for line in parsed}


def file_state(path):
    """What changes with a file: size, times of its content and (never set back) entry, inode."""
    state = path.stat()
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev]


def file_hash(path):
    """SHA-256 of a file, remembered while its `file_state` stays, but not in its first seconds.

    It may then change again without its times, which are coarse, showing it.
    """

    def digest():
        with open(path, "rb") as file:
            return np.frombuffer(hashlib.file_digest(file, "sha256").digest(), np.uint8)

    state = file_state(path)
    if max(state[1:3]) >= time.time_ns() - _SETTLING:
        return digest().tobytes().hex()
    # Where it changes while it is read, no later state is the one that this is noted under.
    key = json.dumps([str(path.resolve()), *state])
    return locate.cached_array("hashes", key.encode(), digest).tobytes().hex()


def read_bytes(path):
    """The content of a file, plain or compressed."""
    path = checked(path)
    with _readable(path), opened(path) as file:
        return file.read()


def read_lines(path):
    """The lines of a UTF-8 text, plain or compressed, without their ends."""
    content = read_bytes(path)
    with _readable(path):
        text = content.decode("utf-8").removesuffix("\n")
    return text.split("\n") if text else []


def read_table(path, columns, separator="\t"):
    """The rows of a text, each with one value for each of ``columns``; None: white space."""
    rows = [line.split(separator) for line in read_lines(path)]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise ValueError(
                f"{path}, line {number}: expected {len(columns)} columns "
                f"({', '.join(columns)}), got {len(row)}"
            )
    return rows


@contextmanager
def _readable(path):
    try:
        yield
    except (ValueError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read, copy it anew: {error}") from error


@contextmanager
def naming(path, names=()):
    """Let errors begin with a file's path, and call arrays as the caller did, by ``names``."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind, text = TypeError if isinstance(error, TypeError) else ValueError, str(error)
        for array, origin in dict(names).items():
            text = text.replace(array, origin)
        raise kind(f"{path}: {text}") from error


def read_rows(matrix, rows=slice(None), *, of=None):
    """Rows of a matrix, or of a ``.npy``, as float32.

    It is two-dimensional, or structured: of each row a ``scale`` and whole numbers ``value``, as
    the repository's edition has it (``data/make.py``). Of a file only the rows asked for are read,
    unless it is compressed. ``of`` is how many rows it must have, and of what:
    ``(7461, "image labels")``.

    Examples
        --------
        >>> kind = [("scale", "<f4"), ("value", "i1", (2,))]
        >>> read_rows(np.array([(0.5, [127, -64]), (2.0, [1, 0])], kind), [1]).tolist()
        [[2.0, 0.0]]
    """
    if not isinstance(matrix, np.ndarray):
        path = checked(matrix)
        with _readable(path):
            if path.suffix in _ENDINGS:
                matrix = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
            else:
                matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        shape = matrix.dtype["value"].shape if matrix.dtype.names else matrix.shape[1:]
        if len(shape) != 1 or (of is not None and len(matrix) != of[0]):
            there = "" if of is None else f" and there are {of[0]} {of[1]}"
            raise ValueError(
                f"{path} has shape {(len(matrix), *shape)}{there}: one of the two files is "
                "damaged, or of another edition"
            )
    if matrix.dtype.names is None:
        return np.asarray(matrix[rows], dtype=np.float32)
    part = matrix[rows]
    return part["value"] * part["scale"][:, None]


class _Arrays(dict):
    """Arrays of a file, which is named where it lacks one that is asked for."""

    def __init__(self, arrays, path):
        super().__init__(arrays)
        self.path = path

    def __missing__(self, name):
        raise ValueError(
            f"{self.path} has no array {name!r}, only {', '.join(self)}: {_remedy(self.path)}"
        )


def read_arrays(path):
    """The arrays of an ``.npz``, quantised ones as float32; one that it lacks is a ValueError."""
    path = checked(path)
    with _readable(path), open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = dict(stored)
    arrays = {name: read_rows(a) if a.dtype.names else a for name, a in arrays.items()}
    return _Arrays(arrays, path)
