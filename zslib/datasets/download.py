"""Downloads that can be interrupted: what arrived is kept, and the next try continues there.

pooch names the file, verifies its checksum and puts it in place; the downloader given to it
here writes to a ``.part`` file and asks the server for the rest of it (HTTP Range).
"""

import json
import os
import re
import shutil
import tarfile
import time
import zipfile
import zlib
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from zslib.datasets.locate import needing_cache, written_whole

_TIMEOUT = (15, 60)  # seconds to connect, and between two pieces
_BUSY = (429, 502, 503, 504)  # statuses of a server that may answer later
_LONGEST_WAIT = 60  # seconds
_ATTEMPTS = 3
_PIECE = 1 << 16  # bytes; a broken connection loses less than this


def fetch_file(url, path, checksum, *, progress=None):
    """Download ``url`` to ``path`` unless it is there already, resuming an earlier try.

    ``progress`` is called with the file's name, bytes so far, and bytes in all or None.
    """
    import pooch
    import requests

    path = Path(path)
    report = partial(progress, path.name) if progress else lambda done, total: None
    downloader = partial(_resume, path.with_name(path.name + ".part"), report)
    try:
        with needing_cache():
            pooch.retrieve(
                url, known_hash=checksum, fname=path.name, path=path.parent, downloader=downloader
            )
    except requests.HTTPError as error:
        raise ConnectionError(f"{url} cannot be had: {error}") from error
    except ValueError as error:
        raise ValueError(
            f"{url} came with another checksum than {checksum}; the file was deleted: fetch it "
            "again, and if that fails too the file at its source has changed"
        ) from error
    return path


def _asked(url, headers=None, **options):
    """A server's answer; where it is busy, it is asked again after the time that it says."""
    import requests

    from zslib import __version__

    headers = {"User-Agent": f"zslib/{__version__}"} | (headers or {})
    for attempt in range(1, _ATTEMPTS + 1):
        response = requests.get(url, headers=headers, timeout=_TIMEOUT, **options)
        if response.status_code not in _BUSY:
            return response
        response.close()
        after = response.headers.get("Retry-After", "").strip()
        wait = int(after) if re.fullmatch("[0-9]{1,9}", after) else 2**attempt
        if attempt == _ATTEMPTS or wait > _LONGEST_WAIT:
            raise ConnectionError(
                f"{url} cannot be had now, the server is busy (status {response.status_code}): "
                f"try again later, after {wait} seconds at least"
            )
        time.sleep(wait)


def _resume(part, report, url, output_file, pooch):
    """A downloader for pooch that continues a ``.part`` file."""
    import requests

    exceptions = requests.exceptions
    broken = (exceptions.ConnectionError, exceptions.Timeout, exceptions.ChunkedEncodingError)
    note = part.with_name(part.name + ".json")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            _continue(url, part, note, report)
            break
        except broken as error:
            if attempt == _ATTEMPTS:
                have = part.stat().st_size if part.exists() else 0
                raise ConnectionError(
                    f"the download of {url} broke off after {have:,} bytes, which are kept "
                    "in a .part file: run the same command again to continue there"
                ) from error
    os.replace(part, output_file)
    note.unlink(missing_ok=True)


def _continue(url, part, note, report):
    """Ask once for what ``part`` lacks; ``note`` keeps what it is a part of."""
    import requests

    have, headers = _resumable(url, part, note)
    with _asked(url, headers, stream=True) as response:
        place = response.headers.get("Content-Range", "")
        resumed, beyond = (response.status_code == status for status in (206, 416))
        if beyond and place == f"bytes */{have}":
            return  # nothing is left to send
        if beyond or (resumed and not place.startswith(f"bytes {have}-")):
            part.unlink()
            raise requests.ConnectionError("the part kept from before does not fit")
        response.raise_for_status()
        done = have if resumed else 0
        length = response.headers.get("Content-Length")
        total = done + int(length) if length else None
        tag = response.headers.get("ETag", "")
        weak = not tag or tag.startswith("W/")
        validator = response.headers.get("Last-Modified") if weak else tag
        note.write_text(json.dumps({"url": url, "validator": validator}), encoding="utf-8")
        with open(part, "ab" if resumed else "wb") as file:
            for piece in response.iter_content(_PIECE):
                file.write(piece)
                done += len(piece)
                report(done, total)
    if total is not None and done != total:
        raise requests.ConnectionError(f"{done} of {total} bytes came")


def _resumable(url, part, note):
    """Bytes kept from an earlier try of the same URL, and the headers to ask for the rest."""
    headers = {"Accept-Encoding": "identity"}
    try:
        kept = json.loads(note.read_text(encoding="utf-8"))
        have = part.stat().st_size if kept["url"] == url else 0
    except (OSError, ValueError, KeyError):
        have = 0
    if have:
        headers["Range"] = f"bytes={have}-"
        if kept["validator"]:
            # A file that changed at its source is then sent whole instead.
            headers["If-Range"] = kept["validator"]
    return have, headers


def zenodo_files(record, *, api="https://zenodo.org/api/records"):
    """Files of a Zenodo record with the checksums that Zenodo publishes for them."""
    import requests

    try:
        response = _asked(f"{api}/{record}")
        response.raise_for_status()
        files = response.json()["files"]
        return {one["key"]: (one["links"]["self"], one["checksum"]) for one in files}
    except (requests.RequestException, KeyError, TypeError, ValueError) as error:
        raise ConnectionError(
            f"Zenodo record {record} cannot be listed ({error}): check the connection, or bring "
            "the files from another machine"
        ) from error


def extract_members(archive, names, folder):
    """Take the files called ``names`` out of a zip or tar archive, whatever folder they are in.

    Nothing else is written, and nothing outside ``folder``; links are passed over.
    """
    folder, taken = Path(folder), []
    with archive_members(archive) as members:
        for path, open_member in members:
            place = f"/{path}".replace("\\", "/")
            name = next((name for name in names if place.endswith(f"/{name}")), None)
            if name is None:
                continue
            if name in taken:
                raise ValueError(f"{archive} has two files called {name}: unpack it by hand")
            with open_member() as member, written_whole(folder / name) as file:
                shutil.copyfileobj(member, file)
            taken.append(name)
    return taken


@contextmanager
def archive_members(archive):
    """Pairs of (path, function that opens it) of the regular files in a zip or tar archive."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as file:
                yield [
                    (e.filename, partial(file.open, e)) for e in file.infolist() if not e.is_dir()
                ]
        else:
            with tarfile.open(archive) as file:
                yield [(e.name, partial(file.extractfile, e)) for e in file if e.isfile()]
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise ValueError(
            f"{archive} is damaged ({error}): delete it and fetch it again"
        ) from error
