"""What a file is: its first bytes say so, its name does not.

All readers of users' files open them here. What is compressed is decompressed, text in UTF-8 or
UTF-16 is decoded, and what cannot be vectors, tables or texts is refused by its name.
"""

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from contextlib import contextmanager

import numpy as np

_PICKLE = (
    "unpickling would run code: save arrays as .npz, vectors of words as text or word2vec binary, "
    "or pass the object"
)
# First bytes, the kind, and what a user can do where no reader takes that kind.
_SIGNATURES = (
    (b"\x1f\x8b", "gzip", "unpack it"),
    (b"BZh", "bzip2", "unpack it"),
    (b"\xfd7zXZ\0", "xz", "unpack it"),
    ((b"PK\x03\x04", b"PK\x05\x06"), "zip", "unpack it, and name the file in it"),
    (
        (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"7z\xbc\xaf\x27\x1c", b"Rar!"),
        "zstd, lz4, 7z or rar",
        "unpack it",
    ),
    (b"\x93NUMPY", "npy", "name the .npz file, or the folder, that has all arrays"),
    (
        (b"\x89HDF\r\n\x1a\n", b"MATLAB 7.3"),
        "HDF5",
        "write the arrays to an .npz file; in MATLAB save it anew with the option '-v7'",
    ),
    (b"MATLAB 5.0", "mat", "name the folder of res101.mat and att_splits.mat"),
    (b"version https://git-lfs", "a pointer of Git LFS", "run 'git lfs pull' where it lies"),
    (b"<<<<<<< ", "text with marks of a merge conflict", "resolve the conflict"),
    ((b"%PDF", b"\xd0\xcf\x11\xe0", b"PAR1"), "PDF, xls or parquet", "save the table as CSV"),
    ((b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5"), "a pickle", _PICKLE),
    (b"\xba\x16\x4f\x2f", "a model of fastText", "use the .vec file that lies beside it"),
)
# UTF-32 before UTF-16, whose mark it begins with.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_REMEDIES = {kind: remedy for _, kind, remedy in _SIGNATURES}
_REMEDIES |= {
    "tar": "unpack it, and name the file in it",
    "a web page": "download the file itself",
    "binary": "check which file it is",
}
_COMPRESSED = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_HEAD = 4096
_WEB = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|title|\?xml)", re.IGNORECASE)
_CONTROL = bytes({*range(9), *range(14, 27), 28, 29, 30, 31})
_NUMERIC = b"0123456789+-.eE \t"


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
    if _WEB.match(head):
        return "a web page"
    if head[257:262] == b"ustar":
        return "tar"
    if (encoding := _marked(head)) not in (None, "utf-8-sig"):
        return encoding.upper()
    return "binary" if has_control(head[:_HEAD]) else "text"


def has_control(content):
    """Whether bytes have a control character that no text has."""
    return len(content.translate(None, _CONTROL)) < len(content)


def _marked(head):
    """The encoding that the mark at the beginning says, or None."""
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)


def encoding_of(path, head, named=None):
    """The encoding of a text that begins with ``head``: ``named``, or UTF-8, or what a mark says.

    Where there is no encoding of that name, or the first bytes say another: ValueError.
    """
    marked = _marked(head)
    if named is None:
        return marked or "utf-8"
    try:
        known = codecs.lookup(named)
        "a".encode(named)
    except (LookupError, TypeError) as error:
        raise ValueError(
            f"encoding must name an encoding of text, such as 'latin-1', got {named!r}"
        ) from error
    if marked and not marked.startswith(known.name[:6]):
        raise ValueError(
            f"{path} is {marked.upper()} by its first bytes, and encoding is {named!r}: leave "
            "that out; where another file needs it, save that one as UTF-8"
        )
    return marked or known.name


def refuse_kind(path, kind, wanted, remedy=None):
    """The error for a file that is of another kind than what is ``wanted``."""
    remedy = remedy or _REMEDIES.get(kind)
    return ValueError(f"{path} is {kind}, not {wanted}" + (f": {remedy}" if remedy else ""))


@contextmanager
def opened(path):
    """A file as a binary stream, decompressed where its first bytes say gzip, bzip2, xz or zip.

    A zip with several files, or what is truncated or damaged, is a ValueError.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder: name a file in it")
    try:
        with open(path, "rb") as file:
            kind = kind_of(file.read(_HEAD))
            file.seek(0)
            if kind == "zip":
                archive = zipfile.ZipFile(file)
                stream = archive.open(_only(path, archive))
            else:
                stream = _COMPRESSED[kind](file) if kind in _COMPRESSED else file
            with stream:
                yield io.BufferedReader(stream)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        if getattr(error, "errno", None) is not None:
            raise  # of the system; what bzip2 and gzip find has no number
        raise ValueError(f"{path} cannot be decompressed: it is truncated or damaged") from error


def _only(path, archive):
    """The one file of a zip archive, but for what macOS puts beside it."""
    files = [info for info in archive.infolist() if not info.is_dir()]
    hidden = ("__MACOSX/", ".")
    files = [i for i in files if not i.filename.startswith(hidden) and "/." not in i.filename]
    if len(files) != 1:
        names = ", ".join(info.filename for info in files[:5]) or "none"
        raise ValueError(
            f"{path} is zip with {len(files)} files in it ({names}): unpack the one; of an "
            ".npz file or a model pass the arrays, of a workbook save the table as CSV"
        )
    if files[0].flag_bits & 1 or files[0].compress_type not in _METHODS:
        raise ValueError(f"{path} is zip with a password, or of a rare method: unpack it")
    return files[0]


def text_of(path, encoding=None, *, wanted="text"):
    """The text of a file, decompressed, in UTF-8 or UTF-16 unless ``encoding`` names another.

    ValueError says what it is where it is no text, or which line is not in the encoding.
    """
    with opened(path) as file:
        content = file.read()
    kind = kind_of(content[:_HEAD])
    if kind not in ("text", "UTF-16", "UTF-32") and not (kind == "binary" and encoding):
        raise refuse_kind(path, kind, wanted)
    codec = encoding_of(path, content[:_HEAD], encoding)
    try:
        return content.decode(codec)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1  # without the mark
        told = encoding or codec.removesuffix("-sig").upper()
        remedy = ", or name its encoding, such as 'latin-1', where the reader takes one"
        if _marked(content):
            remedy = f" throughout: it begins as {told}, and was joined from several perhaps"
        raise ValueError(
            f"{path}, line {line} is not {told}: save the file as UTF-8{remedy}"
        ) from error


def numbers_of(fields, dtype=np.float64, text=None):
    """An array from the bytes of decimal numbers, or None where one is none.

    The grammar is that of files: no ``1_0``, no digits beyond ASCII, no words such as "nan". What
    is beyond the type's range is infinite. To join ``fields`` is spared by the ``text`` with
    blanks and tabs that they come from.

    Examples
    --------
    >>> numbers_of([b"1e-3", b"-.5"]).tolist()
    [0.001, -0.5]
    >>> numbers_of([b"1_0"]) is None
    True
    """
    if not is_numeric(b"".join(fields) if text is None else text):
        return None
    try:
        return np.array(fields, dtype=dtype)
    except ValueError:
        return None


def is_numeric(content):
    """Whether bytes have nothing but what decimal numbers have, and blanks and tabs."""
    return not content.translate(None, _NUMERIC)
