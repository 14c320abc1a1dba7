"""Build the site: run the chapters, write the pages from their records, call Jupyter Book."""

import shutil
import subprocess
import sys

from book.build.page import arrange, page_links
from book.build.plan import plan
from book.build.reference import Reference
from book.build.report import note_book, write_pages
from book.build.run import page_of, run_chapters
from book.build.stamp import Stamp
from book.parameters import ChapterText
from book.paths import layout
from book.store import published, published_records, read_records
from zslib.cli import CommandFailed
from zslib.show.writing import write_if_changed

# Sphinx can work in several processes, but the command has no option for it. It reads the trees of
# all pages, and looking for cycles among their millions of nodes would take a third of its time.
_CALL = """
import gc
import sys
from jupyter_book.cli.main import main
from jupyter_book.sphinx import build_sphinx
gc.set_threshold(1_000_000, 10, 10)
build_sphinx.__kwdefaults__["jobs"] = int(sys.argv.pop(1))
main(sys.argv[1:])
"""


class BuildFailed(CommandFailed):
    """Jupyter Book ended with an error, or with warnings where these are errors."""


def build(*, root=None, quick=False, full=False, tune=False, jobs=1, force=False, strict=False):
    """Run what has to be run, build what has to be built of the whole book; the page to open.

    ``quick`` and ``full`` are the chapters' small and their published size; ``tune`` chooses
    settings anew. With ``force`` also what is up to date. With ``strict`` warnings, and references
    that lead nowhere, are errors. No page is built where chapters fail.
    """
    place = layout(root)
    stamp = Stamp(place, quick=quick, full=full, tune=tune, strict=strict)
    index = stamp.html / "index.html"
    if not force and stamp.untouched():
        print("Nothing has changed since the last build.")
        return index
    published(root=place.root)  # broken ones are told before anything runs
    runs = plan(place.names(), {"quick": True} if quick else {}, full=full, tune=tune, root=root)
    run_chapters(runs, jobs=jobs, force=force)
    reference = Reference(place)
    place_pages(place, reference)
    for run in runs.values():
        show(run, place, reference)
    note_book(runs, place)
    write_pages(root=place.root)
    pages, before = stamp.pages(), stamp.left.get("pages", {})
    whole = stamp.left.get("site") == stamp.site()
    if force or pages != before or not whole:
        stamp.path.unlink(missing_ok=True)  # a build that is killed leaves none
        fresh = force or pages["frame"] != before.get("frame") or not whole
        _call_jupyter_book(place, jobs=jobs, fresh=fresh, strict=strict)
    stamp.write(pages)
    return index


def place_pages(place, reference):
    """Put the pages that are not chapters where the contents name them, and drop old ones."""
    pages = reference.pages()
    for source in place.pages.rglob("*.md"):
        page = source.relative_to(place.pages)
        text = source.read_text(encoding="utf-8")
        pages[place.site / page] = page_links(text, "../" * (len(page.parts) - 1))
    for path, text in pages.items():
        write_if_changed(path, text)
    for path in {*place.site.rglob("*.md")} - {*place.parts.glob("*.md")} - set(pages):
        path.unlink()


def show(run, place, reference):
    """Copy a run's notebook, as a page, and its figures to where the contents name them.

    Its prose and the box at the top are as of now, and the last line tells what of the reference
    the chapter uses. Files are written only when they change, since Sphinx reads again what is
    newer.
    """
    import nbformat

    paper, name = run.chapter.split("/")
    page = place.site / paper / f"{name}.ipynb"
    notebook, chapter_text = page_of(run), ChapterText(run.chapter, run.text)
    ours, theirs = read_records(run.folder), published_records(run.chapter, root=place.root)
    arrange(notebook, chapter_text, ours, theirs)
    if line := reference.line(run.chapter):
        notebook.cells.append(nbformat.v4.new_markdown_cell(line, id="reference"))
    write_if_changed(page, nbformat.writes(notebook) + "\n")
    for figure in sorted((run.folder / "figures").glob("*.svg")):
        text = figure.read_text(encoding="utf-8")
        write_if_changed(page.parent / "figures" / figure.name, text)


def _call_jupyter_book(place, *, jobs, fresh, strict):
    command = [sys.executable, "-c", _CALL, str(jobs), "build", str(place.site), "-q"]
    command += ["--config", str(place.root / "_config.yml"), "--toc", str(place.root / "_toc.yml")]
    command += ["--path-output", str(place.root)]
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
