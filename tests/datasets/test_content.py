"""What a file is, by its first bytes."""

import io
import tarfile
import zipfile

import numpy as np
import pytest

from zslib.datasets.content import kind_of, numbers_of, opened, text_of

HEADS = [
    (tarfile.TarInfo("a.txt").tobuf(), "tar"),
    ("à la".encode(), "text"),
    (b"\xef\xbb\xbfa", "text"),
    ("à la".encode("utf-16"), "UTF-16"),
    ("à la carte".encode("utf-16-be"), "binary"),
    ("à la".encode("utf-32"), "UTF-32"),
    (b"\0\1\2\3abc", "binary"),
    (b"\x80\x02}q", "a pickle"),
    (b"\x28\xb5\x2f\xfd", "zstd, lz4, 7z or rar"),
    (b" \r\n<HTML lang='it'>", "a web page"),
    (b"", "text"),
]


@pytest.mark.parametrize("head, kind", HEADS)
def test_kinds(head, kind):
    assert kind_of(head) == kind


@pytest.mark.parametrize("field", ["1", "-0.5", "+.5e-3", "5.", "1E5", "0" * 50, "1e999"])
def test_decimal_numbers_are_those_of_python(field):
    assert numbers_of([field.encode()]).tolist() == [float(field)]


NO_NUMBERS = ["1_0", "nan", "inf", "", ".", "1e", "--1", "1-2", "0x1", "٣", "1\0"]


@pytest.mark.parametrize("field", NO_NUMBERS)
def test_what_is_no_number_of_a_file(field):
    assert numbers_of([b"1", field.encode()]) is None


def zipped(names, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "text of some length", method)
    return out.getvalue()


def locked(content):
    """A zip that says that it has a password: bit 0 of the flags, in both of their places."""
    content = bytearray(content)
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    return bytes(content)


NO_TEXT = [
    (zipped([]), {}, r"zip with 0 files in it \(none\)"),
    (zipped(["a", "b"]), {}, r"zip with 2 files in it \(a, b\): unpack the one"),
    (zipped(["[Content_Types].xml", "a"]), {}, "of a workbook save the table as CSV"),
    (locked(zipped(["a"])), {}, "password"),
    (zipped(["a"])[:40], {}, "truncated or damaged"),
    (b"BZh9" + b"x" * 50, {}, "truncated or damaged"),
    (b"\xff\n\xff", {}, "line 1 is not UTF-8.*'latin-1'"),
    (b"\xef\xbb\xbfa\n\xff", {}, "line 2 is not UTF-8: save the file as UTF-8 throughout"),
    (b"\xef\xbb\xbfa", {"encoding": "cp1252"}, "another file needs it, save that one as UTF-8"),
    (b"a\n\xff", {"encoding": "ascii"}, "line 2 is not ascii"),
    ("à la".encode("utf-16"), {"encoding": "latin-1"}, "is UTF-16 by its first bytes"),
    (b"a", {"encoding": "base64"}, "encoding must name an encoding of text"),
    (b"%PDF-1.5", {}, "is PDF, xls or parquet, not text"),
]


@pytest.mark.parametrize("content, options, message", NO_TEXT)
def test_what_is_no_text_is_named(tmp_path, content, options, message, refused):
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    refused(message, text_of, path, **options)
    refused("is a folder: name a file in it", text_of, tmp_path, error=IsADirectoryError)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_says_the_encoding(tmp_path, encoding):
    path = tmp_path / "file.txt"
    path.write_bytes("caffè\nlatte\n".encode(encoding))
    assert text_of(path) == "caffè\nlatte\n"
    if encoding != "utf-32":
        assert text_of(path, encoding.removesuffix("-sig")) == "caffè\nlatte\n"


def test_errors_of_who_reads_are_not_those_of_the_file(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(zipped(["a"], zipfile.ZIP_DEFLATED))
    with pytest.raises(OSError, match="disk"), opened(path):
        raise OSError(28, "disk")
    with opened(path) as file:
        assert file.read() == b"text of some length"
    assert np.array_equal(numbers_of([]), [])
