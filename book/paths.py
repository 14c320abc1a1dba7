"""Where the book's files are: the one module that knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from book.papers.printed import PAPERS
from zslib.repository import book_root

# Beside the records of a run: the settings that it chose, or took over, on validation data.
CHOSEN = "chosen.json"
# Set by the runner for the kernel of one chapter: where its records and figures go.
RUN_DIRECTORY = "ZSLIB_RUN_DIRECTORY"
# In that folder: what a long cell does at the moment.
PROGRESS = "progress.txt"
# Set by the runner: the key under which it will keep this run.
RUN_KEY = "ZSLIB_RUN_KEY"
# Set by the runner: digests of what the run is made of, as JSON.
RUN_DIGESTS = "ZSLIB_RUN_DIGESTS"


@dataclass(frozen=True)
class Layout:
    """Folders of one copy of the book."""

    root: Path

    @property
    def chapters(self):
        """Sources of the chapters, ``<paper>/NN_name.md``."""
        return self.root / "chapters"

    @property
    def results(self):
        """Record sets of every run, ``<chapter>/<key>/``."""
        return self.root / "results"

    @property
    def published(self):
        """Record sets of one full run on real data, kept with the sources."""
        return self.results / "published"

    def chosen(self, chapter):
        """The settings that the published run of a chapter chose on validation data."""
        return self.published / chapter / CHOSEN

    @property
    def pages(self):
        """Sources of the pages that are not chapters."""
        return self.root / "book" / "pages"

    @property
    def site(self):
        """What the site is built from, laid out as its addresses are, a build product."""
        return self.root / "_build" / "source"

    @property
    def parts(self):
        """Parts of pages that records write (scorecard, errata), a build product."""
        return self.site / "parts"

    def chapter_file(self, chapter):
        """Source file of a chapter such as ``"hubness/01_setup"``."""
        path = self.chapters / f"{chapter}.md"
        if not path.is_file():
            known = ", ".join(self.names()) or "none"
            raise FileNotFoundError(
                f"there is no chapter {chapter!r} in {self.chapters}; chapters: {known}"
            )
        return path

    def names(self):
        """Names of all chapters, papers in the book's order and chapters by number."""
        paths = self.chapters.glob("*/[0-9][0-9]_*.md")
        names = [path.relative_to(self.chapters).with_suffix("").as_posix() for path in paths]
        order = {paper: place for place, paper in enumerate(PAPERS)}
        return sorted(names, key=lambda name: (order.get(name.split("/")[0], len(order)), name))


def layout(root=None):
    """`Layout` of ``root``, or of the nearest folder above the working one that holds a book.

    Without a book above, the working folder is taken: a chapter's notebook that someone opens
    on its own writes its records there.
    """
    if root is not None:
        return Layout(Path(root))
    return Layout(book_root() or Path.cwd())
