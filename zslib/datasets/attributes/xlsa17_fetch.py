"""Fetching the official archive of Xian et al. (2017) and taking data sets out of it."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from functools import partial
from pathlib import Path

from zslib.datasets import locate
from zslib.datasets.attributes.xlsa17 import XLSA17_FILES, XLSA17_NAMES
from zslib.datasets.download import archive_members, fetch_file, write_atomically
from zslib.validation import check_choice

__all__ = ["XLSA17_URL", "extract_xlsa17", "fetch_xlsa17"]

XLSA17_URL = "https://datasets.d2.mpi-inf.mpg.de/xian/xlsa17.zip"


def fetch_xlsa17(names=XLSA17_NAMES, *, url=XLSA17_URL, checksum=None, progress=None):
    """Download the official archive (0.9 GB) and take out the data sets named.

    The authors publish no checksum. With ``checksum=None`` the archive is taken as it comes;
    `load_xlsa17` then tells in ``coverage`` whether the counts are the published ones.

    Parameters
    ----------
    names : sequence of str
    url : str
    checksum : str, optional
        ``"md5:..."`` or ``"sha256:..."`` of the archive.
    progress : callable, optional
        Called with (file name, bytes so far, bytes in all or None).

    Returns
    -------
    pathlib.Path
        The folder ``xlsa17`` in the cache, with one folder for each data set.

    Raises
    ------
    ConnectionError
        When the connection broke; run it again to continue.
    ValueError
        When the checksum differs, or the archive is damaged, unsafe or incomplete.
    """
    folder = locate.cache_dir() / "xlsa17"
    folder.mkdir(parents=True, exist_ok=True)
    report = progress and partial(progress, "xlsa17.zip")
    archive = fetch_file(url, folder / "xlsa17.zip", checksum, progress=report)
    extract_xlsa17(archive, folder, names)
    return folder


def extract_xlsa17(archive, folder, names=XLSA17_NAMES):
    """Take ``res101.mat`` and ``att_splits.mat`` of the data sets named out of an archive.

    Nothing else is written. An archive with a member path that leaves its folder is refused
    whole.

    Parameters
    ----------
    archive : path
        ``xlsa17.zip`` or a tar file, members ``.../<name>/res101.mat`` and so on.
    folder : path
        Gets one folder for each data set.
    names : sequence of str

    Returns
    -------
    list of pathlib.Path
        The data sets' folders.

    Raises
    ------
    ValueError
        When the archive is damaged, unsafe, lacks a file, or has one twice.
    """
    for name in names:
        check_choice(name, "names", XLSA17_NAMES)
    folder = Path(folder)
    wanted = {(name, file) for name in names for file in XLSA17_FILES}
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
    found = set()
    try:
        with archive_members(archive) as members:
            paths = [(_safe_parts(path, archive), opener) for path, opener in members]
            for parts, open_member in paths:
                member = parts[-2:]
                if member not in wanted:
                    continue
                if member in found:
                    raise ValueError(f"{archive} has {'/'.join(member)} twice: unpack it by hand")
                with open_member() as source:
                    write_atomically(source, folder.joinpath(*member))
                found.add(member)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(f"{archive} is damaged ({error}): fetch it again") from error
    missing = sorted("/".join(member) for member in wanted - found)
    if missing:
        raise ValueError(f"{archive} lacks {', '.join(missing)}: is it xlsa17.zip?")
    return [folder / name for name in names]


def _safe_parts(path, archive):
    parts = tuple(path.replace("\\", "/").split("/"))
    if parts[0] in ("", "~") or ":" in parts[0] or ".." in parts:
        raise ValueError(
            f"{archive} has a member {path!r} that leaves the folder: it is not the official "
            "archive, nothing was taken out"
        )
    return parts
