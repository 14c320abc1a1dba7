"""Nothing is built twice, and nothing that was killed or lost in part is taken for built."""

import os
import shutil
import subprocess
import sys
import time

import pytest

import book.build.report
import book.build.site
from book.build.plan import plan
from book.build.site import build
from book.build.stamp import Stamp

pytestmark = [pytest.mark.book, pytest.mark.usefixtures("light_runs")]


@pytest.fixture
def sphinx(tiny_book, monkeypatch):
    """Stands for Jupyter Book: notes how it was called, and writes a site of two pages."""
    called = []

    def write(place, *, jobs, fresh, strict):
        called.append("fresh" if fresh else "again")
        for name in ("index.html", "book/page.html"):
            page = place.root / "_build" / "html" / name
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(name)

    monkeypatch.setattr(book.build.site, "_call_jupyter_book", write)
    monkeypatch.setattr(book.build.report, "errata_page", lambda: "slow elsewhere")
    (tiny_book.root / "_config.yml").write_text("title: Tiny\n")
    (tiny_book.root / "book" / "pages" / "index.md").write_text("# Title\n")
    return called


def test_only_what_was_touched_is_looked_at_again(tiny_book, sphinx, monkeypatch, capsys):
    root, place = tiny_book.root, tiny_book.place
    source = tiny_book.write("demo/01_first")
    html = root / "_build" / "html"

    def build_again():
        sphinx.clear()
        assert build() == html / "index.html"
        assert Stamp(place, quick=False, full=False, tune=False, strict=False).untouched()
        assert (html / "index.html").is_file() and (html / "book" / "page.html").is_file()
        return sphinx

    assert build_again() == ["fresh"]
    with monkeypatch.context() as patched:
        patched.setattr(book.build.site, "plan", None)  # not even planned
        capsys.readouterr()
        assert build_again() == []
        assert capsys.readouterr().out == "Nothing has changed since the last build.\n"
    for path in (source, root / "book" / "pages" / "index.md"):
        os.utime(path)  # touched, and the same
        assert build_again() == []
    (root / "book" / "pages" / "index.md").write_text("# Another\n")
    assert build_again() == ["again"]
    (root / "_config.yml").write_text("title: Other\n")
    assert build_again() == ["fresh"]
    # Lost in part: Sphinx alone would take the rest for the whole.
    for lost in (html / "book" / "page.html", html / "index.html", html):
        shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
        assert build_again() == ["fresh"]
    (html / "index.html").write_text("")
    assert build_again() == ["fresh"]
    for lost in (place.site / "demo", place.parts):
        shutil.rmtree(lost)
        assert build_again() == []
        assert list(lost.iterdir())
    shutil.rmtree(place.results / "demo")
    build_again()  # the same numbers, at another time
    assert plan(["demo/01_first"])["demo/01_first"].done
    sphinx.clear()
    build(force=True)
    build(strict=True)
    assert sphinx == ["fresh", "again"]


def test_a_site_whose_writing_was_killed_is_not_taken_for_built(tiny_book, sphinx, monkeypatch):
    build()

    def killed(place, **options):  # what it leaves is as long as the whole page
        (place.root / "_build" / "html" / "book" / "page.html").write_text("half of a page")
        raise KeyboardInterrupt

    front = tiny_book.root / "book" / "pages" / "index.md"
    before = front.read_text()
    front.write_text("# Another\n")
    with monkeypatch.context() as patched:
        patched.setattr(book.build.site, "_call_jupyter_book", killed)
        with pytest.raises(KeyboardInterrupt):
            build()
    front.write_text(before)
    build()
    assert sphinx == ["fresh", "fresh"]


def test_what_is_edited_during_a_build_is_built_by_the_next(tiny_book, sphinx, monkeypatch):
    source = tiny_book.write("demo/01_first")
    show = book.build.site.show

    def edit_and_show(*what):
        source.write_text(source.read_text().replace("Text of", "New text of"))
        show(*what)

    with monkeypatch.context() as patched:
        patched.setattr(book.build.site, "show", edit_and_show)
        build()
    build()
    assert sphinx == ["fresh", "again"]
    page = tiny_book.place.site / "demo" / "01_first.ipynb"
    assert "New text of" in page.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="looks for a process group")
def test_a_build_killed_amid_a_chapter_continues(tiny_book, sphinx):
    waiting = 'import os, time\ntime.sleep(float(os.environ.get("SLEEP_OF_TEST", 0)))'
    tiny_book.write("demo/01_fast")
    tiny_book.write("demo/02_slow", waiting, depends=["demo/01_fast"])
    runs = plan(["demo/02_slow"])
    fast, slow = (runs[f"demo/{name}"] for name in ("01_fast", "02_slow"))
    command = [sys.executable, "-m", "zslib", "build"]
    quiet = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    environment = os.environ | {"SLEEP_OF_TEST": "120"}
    process = subprocess.Popen(command, env=environment, start_new_session=True, **quiet)

    def begun():
        return list(slow.folder.parent.glob(".unfinished-*"))

    try:
        while not begun():
            assert process.poll() is None
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    with pytest.raises(ProcessLookupError):  # its workers end by themselves
        for _ in range(600):
            os.killpg(process.pid, 0)
            time.sleep(0.1)
    assert fast.done and not slow.done and begun()
    assert not (slow.folder.parent / "latest").exists()
    assert not (tiny_book.root / "_build").exists()
    before = fast.notebook.stat().st_mtime_ns
    build()
    assert sphinx == ["fresh"]
    assert fast.notebook.stat().st_mtime_ns == before
    assert slow.done and not begun()
