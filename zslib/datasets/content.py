"""What a file is: its first bytes say so, its name does not.

All readers of users' files open them here. What is compressed is decompressed, text in UTF-8 or
UTF-16 is decoded, and what cannot be vectors, tables or texts is refused by its name.
"""

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import contextmanager

import numpy as np

__all__ = ["kind_of", "numbers_of", "opened", "refuse_kind", "text_of"]

# First bytes, the kind, and what a user can do where no reader takes that kind.
_SIGNATURES = (
    (b"\x1f\x8b", "gzip", "unpack it"),
    (b"BZh", "bzip2", "unpack it"),
    (b"\xfd7zXZ\0", "xz", "unpack it"),
    (b"PK\x03\x04", "zip", "unpack it, and name the file in it"),
    (b"PK\x05\x06", "zip", "it is empty: download it anew"),
    (b"\x93NUMPY", "npy", "name the .npz file, or the folder, that has all arrays"),
    (b"\x89HDF\r\n\x1a\n", "HDF5", "write the arrays to an .npz file"),
    (b"MATLAB 5.0", "mat", "name the folder of res101.mat and att_splits.mat"),
    (b"MATLAB 7.3", "HDF5", "in MATLAB, save it anew with the option '-v7'"),
    (b"version https://git-lfs", "a pointer of Git LFS", "run 'git lfs pull' where it lies"),
    (b"<<<<<<< ", "text with marks of a merge conflict", "resolve the conflict"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "unpack it"),
    (b"Rar!", "rar", "unpack it"),
    (b"%PDF", "PDF", "save its numbers as text"),
    (b"\xd0\xcf\x11\xe0", "xls", "save the table as CSV"),
    (b"PAR1", "parquet", "write the table as CSV by pandas"),
    (
        b"\x80\x03",
        "a pickle",
        "unpickling would run code: save vectors as text or word2vec binary",
    ),
    (
        b"\x80\x04",
        "a pickle",
        "unpickling would run code: save vectors as text or word2vec binary",
    ),
    (
        b"\x80\x05",
        "a pickle",
        "unpickling would run code: save vectors as text or word2vec binary",
    ),
    (b"\xba\x16\x4f\x2f", "a model of fastText", "use the .vec file that lies beside it"),
    (BOM_UTF8, "text", ""),
    (BOM_UTF16_LE, "UTF-16", "save it as UTF-8"),
    (BOM_UTF16_BE, "UTF-16", "save it as UTF-8"),
)
_REMEDIES = {kind: remedy for _, kind, remedy in _SIGNATURES if remedy}
_REMEDIES |= {"a web page": "download the file itself", "binary": "check which file it is"}
_COMPRESSED = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
_HEAD = 4096
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")


def kind_of(head):
    """What begins with these bytes: ``"text"``, ``"binary"``, ``"gzip"``, ``"a web page"``, ….

    Examples
    --------
    >>> kind_of(b"PK\\x03\\x04..."), kind_of(b"the 0.1 0.2\\n")
    ('zip', 'text')
    """
    for signature, kind, _ in _SIGNATURES:
        if head.startswith(signature):
            return kind
    start = head[:_HEAD].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        return "a web page"
    control = bytes({*range(9), *range(14, 27), 28, 29, 30, 31})
    return "binary" if any(byte in control for byte in head[:_HEAD]) else "text"


def refuse_kind(path, kind, wanted):
    """The error for a file that is of another kind than what is ``wanted``."""
    remedy = _REMEDIES.get(kind)
    return ValueError(f"{path} is {kind}, not {wanted}" + (f": {remedy}" if remedy else ""))


@contextmanager
def opened(path):
    """The content of a file as a binary stream, decompressed where its first bytes say gzip,
    bzip2, xz, or zip with a single file in it.

    Raises
    ------
    ValueError
        For a zip with several files, and where what is compressed is truncated or damaged.
    """
    try:
        with open(path, "rb") as file:
            kind = kind_of(file.read(_HEAD))
            file.seek(0)
            if kind in _COMPRESSED:
                with _COMPRESSED[kind](file, "rb") as stream:
                    yield io.BufferedReader(stream)
            elif kind == "zip":
                with (
                    zipfile.ZipFile(file) as archive,
                    archive.open(_only(path, archive)) as stream,
                ):
                    yield io.BufferedReader(stream)
            else:
                yield file
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be decompressed: it is truncated or damaged") from error


def _only(path, archive):
    """The one file of a zip archive."""
    files = [info for info in archive.infolist() if not info.is_dir()]
    if len(files) != 1:
        names = ", ".join(info.filename for info in files[:5]) or "none"
        raise ValueError(f"{path} is zip with {len(files)} files in it ({names}): unpack the one")
    return files[0]


def text_of(path, encoding=None, *, wanted="text"):
    """The text of a file, decompressed, in UTF-8 or UTF-16 unless ``encoding`` names another.

    Raises
    ------
    ValueError
        For what is no text, with what it is; and for text that is not in the encoding, with the
        line.
    """
    with opened(path) as file:
        content = file.read()
    kind = kind_of(content[:_HEAD])
    if kind == "UTF-16" and encoding is None:
        encoding = "utf-16"
    elif kind != "text" and encoding is None:
        raise refuse_kind(path, kind, wanted)
    try:
        return content.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{path}, line {line} is not {encoding or 'UTF-8'}: save the file as UTF-8"
            + (", or name its encoding, such as 'latin-1', where the reader takes one")
        ) from error


def numbers_of(fields):
    """A float64 array from the bytes of decimal numbers, or None where one is none.

    The grammar is that of files: no ``1_0``, no digits beyond ASCII, no words such as "nan".

    Examples
    --------
    >>> numbers_of([b"1e-3", b"-.5"]).tolist()
    [0.001, -0.5]
    >>> numbers_of([b"1_0"]) is None
    True
    """
    if not all(map(_NUMBER.match, fields)):
        return None
    return np.array(fields, dtype="S").astype(np.float64) if fields else np.empty(0)
