"""Downloads that are interrupted, damaged or changed, and what is taken out of archives."""

import hashlib
import json

import numpy as np
import pytest

import zslib
from zslib.datasets import data_status, download, fetch
from zslib.datasets.download import extract_members, fetch_file, zenodo_files
from zslib.datasets.mapping.dinu2015 import FILES, ZENODO_RECORD

PIECE = 1 << 16
CONTENT = np.random.default_rng(0).bytes(700_000)


def sha256(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


CHECKSUM = sha256(CONTENT)


@pytest.fixture
def site(site):
    site.files["/file"] = CONTENT
    return site


@pytest.fixture
def bring(site, tmp_path, monkeypatch):
    """Fetches a file of the site in so many attempts, and gives its content."""

    def content(name="file", checksum=CHECKSUM, attempts=3, **options):
        monkeypatch.setattr(download, "_ATTEMPTS", attempts)
        path = fetch_file(f"{site.url}/{name}", tmp_path / "f.bin", checksum, **options)
        return path.read_bytes()

    return content


def leftovers(folder):
    return sorted(p.name for p in folder.iterdir())


def test_whole_file(site, bring, tmp_path):
    seen = []
    assert bring(progress=lambda *report: seen.append(report)) == CONTENT
    assert seen[-1] == ("f.bin", len(CONTENT), len(CONTENT))
    assert leftovers(tmp_path) == ["f.bin"]
    assert bring() == CONTENT
    assert len(site.asked) == 1


def test_broken_connection_continues_at_once(site, bring):
    site.break_after, site.breaks = 4 * PIECE, 1
    assert bring() == CONTENT
    assert [asked for _, asked in site.asked] == [None, f"bytes={4 * PIECE}-"]


def test_half_finished_download_is_resumed_later(site, bring, tmp_path):
    site.break_after, site.breaks = 2 * PIECE, 2
    with pytest.raises(ConnectionError, match=r"broke off after 262,144 bytes.*to continue there"):
        bring(attempts=2)
    assert leftovers(tmp_path) == ["f.bin.part", "f.bin.part.json"]
    site.asked.clear()
    assert bring() == CONTENT
    assert site.asked == [("/file", f"bytes={4 * PIECE}-")]
    assert leftovers(tmp_path) == ["f.bin"]


def interrupt(site, bring):
    site.break_after, site.breaks = 2 * PIECE, 1
    with pytest.raises(ConnectionError):
        bring(attempts=1)
    site.asked.clear()


LEFT = [
    (lambda site, part: setattr(site, "ranges", False), 2 * PIECE),
    (lambda site, part: part.write_bytes(CONTENT), len(CONTENT)),
    (lambda site, part: part.write_bytes(CONTENT + b"more"), len(CONTENT) + 4),
    (lambda site, part: part.with_name("f.bin.part.json").write_text("not json"), None),
    (lambda site, part: part.with_name("f.bin.part.json").unlink(), None),
]


@pytest.mark.parametrize("change, start", LEFT)
def test_what_is_left_of_a_try_may_be_of_any_kind(site, bring, tmp_path, change, start):
    interrupt(site, bring)
    change(site, tmp_path / "f.bin.part")
    assert bring() == CONTENT
    assert site.asked[0] == ("/file", start and f"bytes={start}-")


def test_server_without_validator(site, bring):
    site.tag = ""
    interrupt(site, bring)
    assert bring() == CONTENT
    assert site.asked == [("/file", f"bytes={2 * PIECE}-")]


def test_changed_file_is_not_mixed(site, bring):
    interrupt(site, bring)
    changed = site.files["/file"] = CONTENT[::-1]
    site.tag = '"v2"'
    assert bring(checksum=sha256(changed)) == changed


def test_part_of_another_address(site, bring):
    interrupt(site, bring)
    site.files["/other"] = CONTENT
    assert bring("other") == CONTENT
    assert site.asked == [("/other", None)]


def test_damaged_part_is_found_by_the_checksum(site, bring, tmp_path, refused):
    interrupt(site, bring)
    (tmp_path / "f.bin.part").write_bytes(b"x" * 2 * PIECE)
    refused("came with another checksum than sha256", bring)
    assert leftovers(tmp_path) == []
    assert bring() == CONTENT


def test_no_such_file_and_no_server(site, bring, refused):
    refused("404", bring, "absent", error=ConnectionError)
    site.url = "http://127.0.0.1:9"
    refused("broke off after 0 bytes", bring, error=ConnectionError)


@pytest.fixture
def waits(monkeypatch):
    """Seconds that were waited for, without waiting."""
    waited = []
    monkeypatch.setattr(download.time, "sleep", waited.append)
    return waited


def test_a_busy_server_is_asked_again(site, bring, waits):
    site.busy = [(503, "7"), (429, "30")]
    assert bring() == CONTENT
    assert len(site.asked) == 3
    assert waits == [7, 30]
    assert site.agents == {f"zslib/{zslib.__version__}"}
    site.busy = [(503, None), (502, "never")]
    api = zenodo(site, {"a": b"x"})
    assert list(zenodo_files(ZENODO_RECORD, api=api)) == ["a"]
    assert waits[2:] == [2, 4]


@pytest.mark.parametrize("busy", [[(503, "1")] * 3, [(429, "3600")]])
def test_a_server_that_stays_busy_is_named(site, bring, waits, busy, refused):
    for call in (bring, lambda: zenodo_files(1, api=f"{site.url}/api")):
        site.busy, site.asked = busy.copy(), []
        refused(r"busy \(status \d+\): try again later, after", call, error=ConnectionError)
        assert len(site.asked) == len(busy)


def test_a_cache_that_cannot_be_written_is_named(site, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OSError, match=r"this needs it: .* ZSLIB_CACHE name a folder"):
        fetch("dinu2015", api=zenodo(site, OFFICIAL))


def zenodo(site, files):
    """Make the site answer like the records API."""
    entries = []
    for name, content in files.items():
        site.files[f"/get/{name}"] = content
        entry = {"key": name, "checksum": f"md5:{hashlib.md5(content).hexdigest()}"}
        entries.append(entry | {"links": {"self": f"{site.url}/get/{name}"}})
    site.files[f"/api/{ZENODO_RECORD}"] = json.dumps({"files": entries}).encode()
    return f"{site.url}/api"


OFFICIAL = {name: f"content of {name}\n".encode() for name in FILES.values()}


def test_fetch_official_files(site, own_cache):
    api, seen = zenodo(site, OFFICIAL), set()
    folder = fetch("dinu2015", progress=lambda *a: seen.add(a[0]), api=api)
    assert folder == own_cache / "dinu2015"
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == OFFICIAL
    assert seen == set(OFFICIAL)
    asked = len(site.asked)
    assert fetch("dinu2015", api=api) == folder
    assert len(site.asked) == asked
    (row,) = (row for row in data_status() if row["name"] == "dinu2015")
    assert (row["available"], row["where"]) == (True, str(folder))


@pytest.mark.parametrize("kind", [".zip", ".tar.gz"])
def test_official_files_in_an_archive(site, pack, kind):
    inside = {f"data/{n}": c for n, c in OFFICIAL.items()} | {"../evil.txt": b"x"}
    if kind == ".tar.gz":
        inside[f"link/{next(iter(OFFICIAL))}"] = None
    packed = {f"all{kind}": pack(kind, inside)}
    folder = fetch("dinu2015", api=zenodo(site, packed | {"readme.txt": b"r"}))
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == OFFICIAL | packed
    assert not (folder.parent / "evil.txt").exists()


def test_member_names_are_checked(tmp_path, pack, refused):
    out, archive = tmp_path / "out", tmp_path / "a.zip"
    files = {"../../up.txt": b"1", "/abs/b.txt": b"2", "c\\d.txt": b"3"}
    archive.write_bytes(pack(".zip", files))
    taken = extract_members(archive, {"up.txt", "b.txt", "d.txt"}, out)
    assert sorted(taken) == leftovers(out) == ["b.txt", "d.txt", "up.txt"]
    assert leftovers(tmp_path) == ["a.zip", "out"]
    archive.write_bytes(pack(".zip", {"x/b.txt": b"1", "y/b.txt": b"2"}))
    refused(r"two files called b\.txt", extract_members, archive, {"b.txt"}, out)
    archive.write_bytes(b"no archive")
    refused("is damaged", extract_members, archive, {"b.txt"}, out)


def test_what_cannot_be_fetched(site, refused):
    with pytest.raises(ValueError, match=r"has no EN\.200K.*it lists other\.txt"):
        fetch("dinu2015", api=zenodo(site, {"other.txt": b"x"}))
    site.files = {"/api/1": b'{"files": [{"key": "a"}]}'}
    with pytest.raises(ConnectionError, match="record 2654864 cannot be listed"):
        fetch("dinu2015", api=f"{site.url}/api")
    with pytest.raises(ConnectionError, match="record 1 cannot be listed"):
        zenodo_files(1, api=f"{site.url}/api")
    refusal = "'europarl' is embedded and cannot be fetched: dinu2015 or .* or wordnet30 can"
    refused(refusal, fetch, "europarl")
    refused("unknown dataset 'imagenett': known are synthetic", fetch, "imagenett")
