"""A cache for each test, small files in the formats of the real data, and a site of downloads."""

import gzip
import io
import tarfile
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from zslib.datasets import DATASETS, find_folder, locate
from zslib.datasets.attributes import images
from zslib.datasets.files import find_file


def pytest_collection_modifyitems(items):
    """The example of a loader needs its set, which may be deleted: it is skipped without it."""
    absent = {
        f"{loader.__module__}.{loader.__name__}": entry.folder
        for entry in DATASETS.values()
        if entry.kind == "embedded" and entry.folder and not find_folder(entry.folder)
        for loader in entry.loaders.values()
        if hasattr(loader, "__name__")
    }
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.name in absent:
            item.add_marker(pytest.mark.skip(reason=f"data/{absent[item.name]} is not here"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("ZSLIB_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_data(request, monkeypatch):
    """No real data, but for tests that ask for them."""
    if "real_data" not in request.fixturenames:
        monkeypatch.delenv("ZSLIB_DATA", raising=False)
        monkeypatch.setattr(locate, "embedded_data", lambda: None)


@pytest.fixture
def real_data():
    """A function that gives the first of the folders or files asked for; a skip without them."""

    def need(*names):
        found = []
        for name in names:
            folder, _, file = name.rpartition("/")
            place = find_folder(name) or (find_folder(folder) and find_folder(folder) / file)
            if place is None or not (place.is_dir() or find_file(place)):
                pytest.skip(f"no data folder has {name}")
            found.append(place)
        return found[0]

    return need


@pytest.fixture
def short_vectors(monkeypatch):
    """Vectors of synsets with 50 numbers, which take a second, not ten."""
    short = partial(images.synset_embeddings, dimension=50)
    monkeypatch.setattr(images, "synset_embeddings", short)


@pytest.fixture
def crosslingual_folder(tmp_path):
    """A tiny ``crosslingual`` folder: 6 English and 7 Italian words in 4 dimensions."""
    folder = tmp_path / "data" / "crosslingual"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    words = {
        "en": ["the", "house", "dog", "cat", "tree", "sun"],
        "it": ["la", "casa", "cane", "gatto", "albero", "sole", "abitazione"],
    }
    for language, listed in words.items():
        vectors = rng.standard_normal((len(listed), 4)).astype(np.float16)
        np.save(folder / f"vectors.{language}.npy", vectors)
        with gzip.open(folder / f"words.{language}.tsv.gz", "wt", encoding="utf-8") as file:
            file.writelines(f"{w}\t{100 - i}\n" for i, w in enumerate(listed))
    (folder / "europarl.train.txt").write_text("the la\nhouse casa\nhouse abitazione\nox bue\n")
    (folder / "dinu.train.txt").write_text("the la\nhouse casa\ndog cane\n")
    (folder / "opus.test.txt").write_text(
        "dog cane\ncat gatto\ncat micio\ntree albero\ntree casa\nsun astro\nowl gufo\n"
    )
    (folder / "europarl.test.txt").write_text("dog cane\nsun sole\n")
    return folder


@pytest.fixture
def visual_folder(tmp_path):
    """A tiny ``visual`` folder: 8 classes, 7 with names, 3 training and 2 other images each."""
    root = tmp_path / "data" / "visual"
    for name in ("tiny_imagenet", "word_vectors", "imagenet_synsets", "imagenet1k_sample"):
        (root / name).mkdir(parents=True)
    rng = np.random.default_rng(0)
    names = np.array(["cat", "dog", "", "car", "bus", "tree", "rose", "fish"])
    label = np.concatenate([np.repeat(np.arange(8), 3), np.repeat(np.arange(8), 2)])
    np.savez(
        root / "tiny_imagenet" / "tiny_imagenet.npz",
        label=label.astype(np.uint8),
        part=np.repeat([0, 1], [24, 16]).astype(np.uint8),
        zjl_name=names,
        test_classes=np.array([0, 5]),
    )
    np.save(
        root / "tiny_imagenet" / "features_mobilenetv2_pca256.npy",
        rng.standard_normal((40, 5)).astype(np.float16),
    )
    words = np.array(["sky", "cat", "dog", "car", "bus", "tree", "rose", "fish", "sea"])
    np.savez(
        root / "word_vectors" / "glove6B_300_union.npz",
        words=words,
        vectors=rng.standard_normal((9, 6)).astype(np.float32),
    )
    topics = ("animal fur", "metal wheel", "green leaf")
    lines = [
        f"n{i:08d}\tname{i // 2}, other {i}\ta {topics[i % 3]} thing number{i % 4}\n"
        for i in range(12)
    ]
    lines.append("n00000099\tof\tthe and\n")
    with gzip.open(root / "imagenet_synsets" / "synsets.tsv.gz", "wt") as file:
        file.writelines(lines)
    np.savez(
        root / "imagenet1k_sample" / "imagenet1k_sample.npz",
        features=rng.random((9, 7)).astype(np.float16),
        wnid=np.array([f"n{i:08d}" for i in range(8)] + ["n00000099"]),
    )
    return root


class Site:
    """What the local server holds, how it behaves, and what it was asked."""

    def __init__(self):
        self.files = {}
        self.asked = []
        self.break_after = None  # bytes of one answer before the connection closes
        self.breaks = 0
        self.ranges = True
        self.busy = []  # (status, Retry-After or None) of the next answers
        self.agents = set()
        self.tag = '"v1"'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        site = self.server.site
        wanted = self.headers.get("Range")
        site.asked.append((self.path, wanted))
        site.agents.add(self.headers.get("User-Agent"))
        if site.busy:
            status, after = site.busy.pop(0)
            self.send_response(status)
            if after is not None:
                self.send_header("Retry-After", after)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
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
    """A local server of byte ranges, which breaks off when told to."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    server.site = Site()
    server.site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def pack():
    """``pack(".zip" or ".tar.gz", {path: content})``: an archive; a member without is a link."""

    def packed(kind, files):
        out = io.BytesIO()
        if kind == ".zip":
            with zipfile.ZipFile(out, "w") as archive:
                for name, content in files.items():
                    archive.writestr(name, content)
            return out.getvalue()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                if content is None:
                    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
                else:
                    member.size = len(content)
                archive.addfile(member, content and io.BytesIO(content))
        return out.getvalue()

    return packed
