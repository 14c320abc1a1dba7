"""Downloads from a local server that serves byte ranges, and breaks off when told to."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from zslib.datasets import data_status, fetch
from zslib.datasets.download import extract_members, fetch_file, zenodo_files
from zslib.datasets.mapping.dinu2015 import FILES, ZENODO_RECORD

PIECE = 1 << 16
CONTENT = np.random.default_rng(0).bytes(700_000)
CHECKSUM = "sha256:" + hashlib.sha256(CONTENT).hexdigest()


class Site:
    """What the local server holds, how it behaves, and what it was asked."""

    def __init__(self):
        self.files = {}
        self.asked = []
        self.break_after = None  # bytes of one answer before the connection closes
        self.breaks = 0
        self.ranges = True
        self.tag = '"v1"'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        site = self.server.site
        wanted = self.headers.get("Range")
        site.asked.append((self.path, wanted))
        if self.path not in site.files:
            self.send_error(404)
            return
        content = site.files[self.path]
        condition = self.headers.get("If-Range")
        start = 0
        if wanted and site.ranges and condition in (None, site.tag):
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[start:]
        self.send_header("Content-Length", str(len(body)))
        if site.tag:
            self.send_header("ETag", site.tag)
        self.end_headers()
        if site.breaks > 0:
            site.breaks -= 1
            body = body[: site.break_after]
            self.close_connection = True
        self.wfile.write(body)


@pytest.fixture
def site(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    server.site = Site()
    server.site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    server.site.files["/file"] = CONTENT
    yield server.site
    server.shutdown()
    thread.join()
    server.server_close()


def leftovers(folder):
    return sorted(p.name for p in folder.iterdir())


def test_whole_file(site, tmp_path):
    seen = []
    path = fetch_file(
        f"{site.url}/file", tmp_path / "f.bin", CHECKSUM, progress=lambda *a: seen.append(a)
    )
    assert path.read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert leftovers(tmp_path) == ["f.bin"]
    fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert len(site.asked) == 1


def test_broken_connection_continues_at_once(site, tmp_path):
    site.break_after, site.breaks = 4 * PIECE, 1
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT
    assert [asked for _, asked in site.asked] == [None, f"bytes={4 * PIECE}-"]


def test_half_finished_download_is_resumed_later(site, tmp_path):
    site.break_after, site.breaks = 2 * PIECE, 2
    with pytest.raises(ConnectionError, match=r"broke off after 262,144 bytes.*to continue there"):
        fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM, attempts=2)
    assert leftovers(tmp_path) == ["f.bin.part", "f.bin.part.json"]
    site.asked.clear()
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT
    assert site.asked == [("/file", f"bytes={4 * PIECE}-")]
    assert leftovers(tmp_path) == ["f.bin"]


def interrupt(site, tmp_path):
    site.break_after, site.breaks = 2 * PIECE, 1
    with pytest.raises(ConnectionError):
        fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM, attempts=1)
    site.asked.clear()


def test_server_without_ranges_sends_all_again(site, tmp_path):
    interrupt(site, tmp_path)
    site.ranges = False
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT


def test_server_without_validator(site, tmp_path):
    site.tag = ""
    interrupt(site, tmp_path)
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT
    assert site.asked == [("/file", f"bytes={2 * PIECE}-")]


def test_changed_file_is_not_mixed(site, tmp_path):
    interrupt(site, tmp_path)
    changed = CONTENT[::-1]
    site.files["/file"], site.tag = changed, '"v2"'
    checksum = "sha256:" + hashlib.sha256(changed).hexdigest()
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", checksum)
    assert path.read_bytes() == changed


def test_part_that_is_already_complete(site, tmp_path):
    interrupt(site, tmp_path)
    (tmp_path / "f.bin.part").write_bytes(CONTENT)
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT
    assert site.asked == [("/file", f"bytes={len(CONTENT)}-")]


def test_part_that_is_too_long(site, tmp_path):
    interrupt(site, tmp_path)
    (tmp_path / "f.bin.part").write_bytes(CONTENT + b"more")
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT


def test_part_of_another_address_or_without_note(site, tmp_path):
    interrupt(site, tmp_path)
    site.files["/other"] = CONTENT
    path = fetch_file(f"{site.url}/other", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT
    assert site.asked == [("/other", None)]
    path.unlink()
    (tmp_path / "f.bin.part").write_bytes(b"of unknown origin")
    (tmp_path / "f.bin.part.json").write_text("not json")
    assert fetch_file(f"{site.url}/other", path, CHECKSUM).read_bytes() == CONTENT


def test_damaged_part_is_found_by_the_checksum(site, tmp_path):
    interrupt(site, tmp_path)
    (tmp_path / "f.bin.part").write_bytes(b"x" * 2 * PIECE)
    with pytest.raises(ValueError, match="came with another checksum than sha256"):
        fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert leftovers(tmp_path) == []
    path = fetch_file(f"{site.url}/file", tmp_path / "f.bin", CHECKSUM)
    assert path.read_bytes() == CONTENT


def test_no_such_file_and_no_server(site, tmp_path):
    with pytest.raises(ConnectionError, match="404"):
        fetch_file(f"{site.url}/absent", tmp_path / "f.bin", CHECKSUM)
    with pytest.raises(ConnectionError, match="broke off after 0 bytes"):
        fetch_file("http://127.0.0.1:9/file", tmp_path / "f.bin", CHECKSUM)


def zenodo(site, files, *, old=False):
    """Make the site answer like the records API, in its present or its older form."""
    entries = []
    for name, content in files.items():
        site.files[f"/get/{name}"] = content
        digest = hashlib.md5(content).hexdigest()
        entry = {"key": name, "checksum": f"md5:{digest}"}
        if old:
            entry = {"filename": name, "checksum": digest}
        entries.append(entry | {"links": {"self": f"{site.url}/get/{name}"}})
    site.files[f"/api/{ZENODO_RECORD}"] = json.dumps({"files": entries}).encode()
    return f"{site.url}/api"


OFFICIAL = {name: f"content of {name}\n".encode() for name in FILES.values()}


@pytest.mark.parametrize("old", [True, False])
def test_fetch_official_files(site, own_cache, old):
    api = zenodo(site, OFFICIAL, old=old)
    seen = []
    folder = fetch("dinu2015", progress=lambda *a: seen.append(a[0]), api=api)
    assert folder == own_cache / "dinu2015"
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == OFFICIAL
    assert set(seen) == set(OFFICIAL)
    asked = len(site.asked)
    assert fetch("dinu2015", api=api) == folder
    assert len(site.asked) == asked
    status = {row["name"]: row for row in data_status()}
    assert status["dinu2015"]["available"]
    assert status["dinu2015"]["where"] == str(folder)


def pack_zip(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def pack_tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("data/" + next(iter(OFFICIAL)))
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize(("name", "pack"), [("all.zip", pack_zip), ("all.tar.gz", pack_tar)])
def test_official_files_in_an_archive(site, name, pack):
    inside = {f"data/{n}": c for n, c in OFFICIAL.items()} | {"../evil.txt": b"x"}
    folder = fetch("dinu2015", api=zenodo(site, {name: pack(inside), "readme.txt": b"r"}))
    assert {p.name for p in folder.iterdir()} == {*OFFICIAL, name}
    for file, content in OFFICIAL.items():
        assert (folder / file).read_bytes() == content
    assert not (folder.parent / "evil.txt").exists()


def test_member_names_are_checked(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    archive = tmp_path / "a.zip"
    archive.write_bytes(pack_zip({"../../up.txt": b"1", "/abs/b.txt": b"2", "c\\d.txt": b"3"}))
    found = extract_members(archive, {"up.txt", "b.txt", "d.txt"}, out)
    assert sorted(found) == leftovers(out) == ["b.txt", "d.txt", "up.txt"]
    assert leftovers(tmp_path) == ["a.zip", "out"]
    archive.write_bytes(pack_zip({"x/b.txt": b"1", "y/b.txt": b"2"}))
    with pytest.raises(ValueError, match=r"two files called b\.txt"):
        extract_members(archive, {"b.txt"}, out)
    archive.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="is damaged"):
        extract_members(archive, {"b.txt"}, out)


def test_record_without_the_files(site):
    api = zenodo(site, {"other.txt": b"x"})
    with pytest.raises(ValueError, match=r"has no EN\.200K.*it lists other\.txt"):
        fetch("dinu2015", api=api)


def test_record_that_cannot_be_listed(site):
    with pytest.raises(ConnectionError, match="record 2654864 cannot be listed"):
        fetch("dinu2015", api=f"{site.url}/api")
    site.files["/api/1"] = b'{"files": [{"key": "a"}]}'
    with pytest.raises(ConnectionError, match="record 1 cannot be listed"):
        zenodo_files(1, api=f"{site.url}/api")


def test_only_official_data_can_be_fetched():
    refusal = "'europarl' is embedded and cannot be fetched: dinu2015 or .* or wordnet30 can"
    with pytest.raises(ValueError, match=refusal):
        fetch("europarl")
    with pytest.raises(ValueError, match="unknown dataset 'imagenett': known are synthetic"):
        fetch("imagenett")
