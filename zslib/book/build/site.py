"""Build the site: run the chapters, write the pages from their records, call Jupyter Book."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys

from zslib.book.agreement import agreement
from zslib.book.build.report import finding, note_book, write_if_changed, write_pages
from zslib.book.build.run import plan, run_chapters
from zslib.book.paths import layout
from zslib.book.provenance import PUBLISHED_RUN
from zslib.book.store import published, published_records, read_records
from zslib.book.tables import escape

__all__ = ["BuildFailed", "build"]

_TOOLS = ("jupyter-book", "sphinx", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme")
_AGREEMENT = re.compile(rf"(^\| {PUBLISHED_RUN} \| ).*\|$", re.MULTILINE)
_CALL = "import sys; from jupyter_book.cli.main import main; main(sys.argv[1:])"


class BuildFailed(RuntimeError):
    """Jupyter Book ended with an error, or with warnings where these are errors."""


def build(*, root=None, quick=False, full=False, jobs=1, force=False, strict=False):
    """Run what has to be run, build what has to be built of the whole book; the page to open.

    ``quick`` and ``full`` are the chapters' small and their published size.
    With ``force`` also what is up to date. With ``strict`` warnings, and references that lead
    nowhere, are errors. No page is built where chapters fail.
    """
    place = layout(root)
    published(root=place.root)  # broken ones are told before anything runs
    runs = plan(place.names(), {"quick": True} if quick else None, full=full, root=place.root)
    run_chapters(runs, jobs=jobs, force=force)
    for run in runs.values():
        show(run, place)
    note_book(runs, place)
    write_pages(root=place.root)
    index = place.root / "_build" / "html" / "index.html"
    stamp = place.root / "_build" / "stamp.json"
    inputs = _inputs(place, strict)
    before = json.loads(stamp.read_text()) if stamp.is_file() and index.is_file() else {}
    if force or inputs != before:
        stamp.unlink(missing_ok=True)
        fresh = force or inputs["frame"] != before.get("frame")
        _call_jupyter_book(place, fresh=fresh, strict=strict)
        write_if_changed(stamp, json.dumps(inputs))
    return index


def show(run, place):
    """Copy a run's notebook and figures to where the table of contents names them.

    Below the title stands what the published run found, and at the end how this run agrees with
    it, both as of now. Files are written only when they change, since Sphinx reads again what is
    newer.
    """
    import nbformat

    paper, name = run.chapter.split("/")
    page = place.executed / paper / f"{name}.ipynb"
    notebook = nbformat.read(run.notebook, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = page_links(cell.source)
    if found := finding(run.chapter, place):
        title, rest = notebook.cells[0].source.split("\n", 1)
        notebook.cells[0].source = f"{title}\n\n{found}\n{rest}"
    theirs = published_records(run.chapter, root=place.root)
    said = escape(agreement(read_records(run.folder), theirs))
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text/markdown" in (data := output.get("data", {})):
                data["text/markdown"] = _AGREEMENT.sub(
                    lambda line: f"{line[1]}{said} |", data["text/markdown"]
                )
    write_if_changed(page, nbformat.writes(notebook) + "\n")
    for figure in sorted((run.folder / "figures").glob("*.svg")):
        text = figure.read_text(encoding="utf-8")
        write_if_changed(page.parent / "figures" / figure.name, text)


def page_links(text):
    """Links that lead from a source to a source, made to lead from page to page.

    In ``chapters/<paper>/`` a link to another chapter ends in ``.md`` and one to another page
    goes through ``../../book/``; executed, the chapter lies in ``book/executed/<paper>/``.
    """
    text = re.sub(r"\]\((\.\./\w+/)?(\d\d_\w+)\.md(#[^)]*)?\)", r"](\1\2.ipynb\3)", text)
    return text.replace("](../../book/", "](../../")


def _digest(paths, root):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _inputs(place, strict):
    """Hashes of what the pages are made of; ``frame`` is what each page depends on."""
    root = place.root
    book = [p for p in (root / "book").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    static = [p for p in book if p.parent.name in ("_static", "_ext")]
    frame = [root / "_config.yml", root / "_toc.yml", *static]
    code = (root / "zslib").rglob("*.py")
    readme = [p for p in [root / "README.md"] if p.is_file()]
    return {
        "frame": _digest(frame, root),
        "pages": _digest([*book, *code, *readme], root),
        "tools": [importlib.metadata.version(tool) for tool in _TOOLS],
        "strict": strict,
    }


def _call_jupyter_book(place, *, fresh, strict):
    command = [sys.executable, "-c", _CALL, "build", str(place.root), "-q"]
    command += ["--all"] if fresh else []
    command += ["-W", "-n", "--keep-going"] if strict else []
    done = subprocess.run(command, cwd=place.root, check=False)
    if done.returncode:
        # Sphinx would not read again, and not warn again about, pages that it has kept.
        shutil.rmtree(place.root / "_build" / ".doctrees", ignore_errors=True)
        raise BuildFailed(
            "Jupyter Book failed: its messages stand above"
            + (" (warnings count as errors here)" if strict else "")
        )
