"""A cache for each test, small files in the formats of the real data, and a site of downloads."""

import gzip
import importlib.util
import io
import tarfile
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from zslib.datasets import DATASETS, find_folder, imagenet_lists, locate
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


@pytest.fixture(scope="session")
def make():
    """The module that makes the repository's edition of the data."""
    path = Path(__file__).parents[2] / "data" / "make.py"
    if not path.is_file():
        pytest.skip("a copy of the repository has data")
    spec = importlib.util.spec_from_file_location("make_data", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def refused():
    """``refused(words, call, ...)``: the call of what follows fails in these words."""

    def check(words, call, *given, error=ValueError, **options):
        with pytest.raises(error, match=words):
            call(*given, **options)

    return check


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
    for language, listed in (
        ("en", ["the", "house", "dog", "cat", "tree", "sun"]),
        ("it", ["la", "casa", "cane", "gatto", "albero", "sole", "abitazione"]),
    ):
        vectors = rng.standard_normal((len(listed), 4)).astype(np.float16)
        np.save(folder / f"vectors.{language}.npy", vectors)
        with gzip.open(folder / f"words.{language}.tsv.gz", "wt", encoding="utf-8") as file:
            file.writelines(f"{w}\t{100 - i}\n" for i, w in enumerate(listed))
    (folder / "europarl.train.txt").write_text("the la\nhouse casa\nhouse abitazione\nox bue\n")
    (folder / "dinu.train.txt").write_text("the la\nhouse casa\ndog cane\n")
    pairs = "dog cane\ncat gatto\ncat micio\ntree albero\ntree casa\nsun astro\nowl gufo\n"
    (folder / "opus.test.txt").write_text(pairs)
    (folder / "europarl.test.txt").write_text("dog cane\nsun sole\n")
    return folder


@pytest.fixture
def small(crosslingual_folder, visual_folder, monkeypatch):
    """A data folder with both of these."""
    monkeypatch.setenv("ZSLIB_DATA", str(visual_folder.parent))
    return visual_folder.parent


@pytest.fixture(scope="session")
def embedded():
    """The lists of ImageNet that are in the package."""
    return imagenet_lists("embedded")


@pytest.fixture
def visual_folder(tmp_path):
    """A tiny ``visual`` folder: 8 classes, 7 with names, 3 training and 2 other images each."""
    root, rng = tmp_path / "data" / "visual", np.random.default_rng(0)
    for name in ("tiny_imagenet", "word_vectors", "imagenet_synsets", "imagenet1k_sample"):
        (root / name).mkdir(parents=True)
    np.savez(
        root / "tiny_imagenet" / "tiny_imagenet.npz",
        label=np.repeat(np.tile(np.arange(8), 2), [3] * 8 + [2] * 8).astype(np.uint8),
        part=np.repeat([0, 1], [24, 16]).astype(np.uint8),
        zjl_name=["cat", "dog", "", "car", "bus", "tree", "rose", "fish"],
        test_classes=[0, 5],
    )
    features = rng.standard_normal((40, 5)).astype(np.float16)
    np.save(root / "tiny_imagenet" / "features_mobilenetv2_pca256.npy", features)
    words = ["sky", "cat", "dog", "car", "bus", "tree", "rose", "fish", "sea"]
    vectors = rng.standard_normal((9, 6)).astype(np.float32)
    np.savez(root / "word_vectors" / "glove6B_300_union.npz", words=words, vectors=vectors)
    topics = ("animal fur", "metal wheel", "green leaf")
    line = "n{:08d}\tname{}, other {}\ta {} thing number{}\n".format
    lines = [line(i, i // 2, i, topics[i % 3], i % 4) for i in range(12)]
    lines.append("n00000099\tof\tthe and\n")
    with gzip.open(root / "imagenet_synsets" / "synsets.tsv.gz", "wt") as file:
        file.writelines(lines)
    images, wnid = rng.random((9, 7)).astype(np.float16), [f"n{i:08d}" for i in (*range(8), 99)]
    np.savez(root / "imagenet1k_sample" / "imagenet1k_sample.npz", features=images, wnid=wnid)
    return root


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def begin(self, status, headers, length=0):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def do_GET(self):
        site, wanted = self.server.site, self.headers.get("Range")
        site.asked.append((self.path, wanted))
        site.agents.add(self.headers.get("User-Agent"))
        if site.busy:
            status, after = site.busy.pop(0)
            return self.begin(status, {"Retry-After": after} if after else {})
        if self.path not in site.files:
            return self.begin(404, {})
        body, status = site.files[self.path], 200
        headers = {"ETag": site.tag} if site.tag else {}
        if wanted and site.ranges and self.headers.get("If-Range") in (None, site.tag):
            start, size = int(wanted.removeprefix("bytes=").removesuffix("-")), len(body)
            if start >= size:
                return self.begin(416, {"Content-Range": f"bytes */{size}"})
            body, status = body[start:], 206
            headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        self.begin(status, headers, len(body))
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
    # What it holds, what it was asked, and the (status, Retry-After or None) of its next answers.
    state = {"files": {}, "asked": [], "agents": set(), "busy": []}
    # After how many bytes of an answer the connection closes, and how often.
    breaking = {"break_after": None, "breaks": 0}
    server.site = SimpleNamespace(**state, **breaking, ranges=True, tag='"v1"')
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
