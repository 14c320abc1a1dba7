"""Build the site: run the chapters, write the pages from their records, call Jupyter Book."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

from zslib.book.agreement import agreement
from zslib.book.build.report import finding, note_book, write_if_changed, write_pages
from zslib.book.build.run import plan, run_chapters
from zslib.book.build.stamp import Stamp
from zslib.book.paths import layout
from zslib.book.provenance import PUBLISHED_RUN
from zslib.book.store import published, published_records, read_records
from zslib.book.tables import escape

__all__ = ["BuildFailed", "build"]

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
    stamp = Stamp(place, quick=quick, full=full, strict=strict)
    index = stamp.html / "index.html"
    if not force and stamp.untouched():
        print("Nothing has changed since the last build.")
        return index
    published(root=place.root)  # broken ones are told before anything runs
    runs = plan(place.names(), {"quick": True} if quick else None, full=full, root=place.root)
    run_chapters(runs, jobs=jobs, force=force)
    for run in runs.values():
        show(run, place)
    note_book(runs, place)
    write_pages(root=place.root)
    pages, before = stamp.pages(), stamp.left.get("pages", {})
    whole = stamp.left.get("site") == stamp.site()
    if force or pages != before or not whole:
        stamp.remove()
        fresh = force or pages["frame"] != before.get("frame") or not whole
        _call_jupyter_book(place, fresh=fresh, strict=strict)
    stamp.write(pages)
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
    theirs = published_records(run.chapter, root=place.root)
    if found := finding(run.chapter, theirs):
        title, rest = notebook.cells[0].source.split("\n", 1)
        notebook.cells[0].source = f"{title}\n\n{found}\n{rest}"
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
