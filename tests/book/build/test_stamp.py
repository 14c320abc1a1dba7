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
OPTIONS = dict.fromkeys(("quick", "full", "tune", "strict"), False)


@pytest.fixture
def sphinx(tiny_book, monkeypatch):
    """Stands for Jupyter Book: notes how it was called, and writes a site of two pages."""
    called = []

    def write(place, *, jobs, fresh, strict):
        called.append("fresh" if fresh else "again")
        html = place.root / "_build" / "html"
        (html / "book").mkdir(parents=True, exist_ok=True)
        for name in ("index.html", "book/page.html"):
            (html / name).write_text(name)

    monkeypatch.setattr(book.build.site, "_call_jupyter_book", write)
    monkeypatch.setattr(book.build.report, "errata_page", lambda: "slow elsewhere")
    (tiny_book.root / "_config.yml").write_text("title: Tiny\n")
    (tiny_book.root / "book" / "pages" / "index.md").write_text("# Title\n")
    return called


def test_only_what_was_touched_is_looked_at_again(tiny_book, sphinx, monkeypatch, capsys):
    root = tiny_book.root
    source = tiny_book.write("demo/01_first")
    html = root / "_build" / "html"
    index = build()
    assert sphinx == ["fresh"]

    def build_again():
        sphinx.clear()
        assert build() == index
        assert Stamp(tiny_book.place, **OPTIONS).untouched()
        assert (html / "index.html").is_file() and (html / "book" / "page.html").is_file()
        return sphinx

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
    for lost in (tiny_book.place.site / "demo", tiny_book.place.parts):
        shutil.rmtree(lost)
        assert build_again() == []
        assert list(lost.iterdir())
    shutil.rmtree(tiny_book.place.results / "demo")
    build_again()  # the same numbers, at another time
    assert plan(["demo/01_first"])["demo/01_first"].done
    sphinx.clear()
    build(force=True)
    build(strict=True)
    assert sphinx == ["fresh", "again"]


def test_a_site_whose_writing_was_killed_is_not_taken_for_built(tiny_book, sphinx, monkeypatch):
    tiny_book.write("demo/01_first")
    build()

    def killed(place, **options):
        (place.root / "_build" / "html" / "book" / "page.html").write_text("half")
        raise KeyboardInterrupt

    (tiny_book.root / "book" / "pages" / "index.md").write_text("# Another\n")
    with monkeypatch.context() as patched:
        patched.setattr(book.build.site, "_call_jupyter_book", killed)
        with pytest.raises(KeyboardInterrupt):
            build()
    (tiny_book.root / "book" / "pages" / "index.md").write_text(
        "# Title\n"
    )  # as it was built at first
    sphinx.clear()
    build()
    assert sphinx == ["fresh"]


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
    waiting = """
    import os, time
    time.sleep(float(os.environ.get("SLEEP_OF_TEST", 0)))
    """
    tiny_book.write("demo/01_fast")
    tiny_book.write("demo/02_slow", waiting, depends=["demo/01_fast"])
    runs = plan(["demo/02_slow"])
    fast, slow = (runs[f"demo/{name}"] for name in ("01_fast", "02_slow"))
    process = subprocess.Popen(
        [sys.executable, "-m", "zslib.cli", "build"],
        env=os.environ | {"SLEEP_OF_TEST": "120"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for _ in range(600):
            if list(slow.folder.parent.glob(".unfinished-*")):
                break
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    with pytest.raises(ProcessLookupError):  # its workers end by themselves
        for _ in range(600):
            os.killpg(process.pid, 0)
            time.sleep(0.1)
    assert fast.done
    assert not slow.done
    assert not (slow.folder.parent / "latest").exists()
    assert not (tiny_book.root / "_build").exists()
    before = fast.notebook.stat().st_mtime_ns
    assert list(slow.folder.parent.glob(".unfinished-*"))
    build()
    assert sphinx == ["fresh"]
    assert fast.notebook.stat().st_mtime_ns == before
    assert slow.done
    assert list(slow.folder.parent.glob(".unfinished-*")) == []
