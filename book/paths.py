"""Where the book's files are: the one module that knows."""

import difflib
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path

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
# Where record sets go that are not to lie in the book's folder, which may not be writable.
RESULTS = "ZSLIB_RESULTS"


class Layout:
    """Folders of one copy of the book.

    Attributes
    ----------
    root : Path
    chapters : Path
        Sources of the chapters, ``<paper>/NN_name.md``.
    published : Path
        Record sets of one full run on real data, kept with the sources.
    pages : Path
        Sources of the pages that are not chapters.
    site : Path
        What the site is built from, laid out as its addresses are, a build product.
    parts : Path
        Parts of pages that records write (scorecard, errata), a build product.
    """

    def __init__(self, root):
        self.root = Path(root)
        self.chapters = self.root / "chapters"
        self.published = self.root / "results" / "published"
        self.pages = self.root / "book" / "pages"
        self.site = self.root / "_build" / "source"
        self.parts = self.site / "parts"

    @property
    def results(self):
        """Record sets of every run, ``<chapter>/<key>/``; ``ZSLIB_RESULTS`` may name them."""
        return Path(os.environ.get(RESULTS) or self.root / "results").expanduser()

    def chosen(self, chapter):
        """The settings that the published run of a chapter chose on validation data."""
        return self.published / chapter / CHOSEN

    def chapter_file(self, chapter):
        """Source file of a chapter such as ``"hubness/01_setup"``."""
        path = self.chapters / f"{chapter}.md"
        if not path.is_file():
            raise FileNotFoundError(self._no_chapter(chapter))
        return path

    def _no_chapter(self, chapter):
        if not (names := self.names()):
            return (
                f"there is no chapter {chapter!r}, since there are no chapters in "
                f"{self.chapters}: work in a copy of the repository, or set ZSLIB_BOOK to its "
                "folder before the notebook or command starts"
            )
        words = [*names, *sorted({name.split("/")[0] for name in names})]
        near = difflib.get_close_matches(chapter, words, n=3, cutoff=0.4)
        near += [name for name in names if chapter in name and name not in near][: 3 - len(near)]
        nearest = f"; nearest: {', '.join(near)}" if near else ""
        return f"there is no chapter {chapter!r} in {self.chapters}{nearest}; see zslib list"

    def matching(self, words):
        """Names of the chapters that are asked for, each once and in the order asked.

        A word is a chapter's name, the path of its source or of its notebook, a paper, which
        stands for all its chapters, or a pattern such as ``"devise/*"``.
        """
        names, matched = self.names(), []
        for word in words:
            plain = self._plain(word)
            several = [n for n in names if fnmatchcase(n, plain) or n.startswith(f"{plain}/")]
            if not several:
                raise FileNotFoundError(self._no_chapter(word))
            matched += several
        return list(dict.fromkeys(matched))

    def _plain(self, word):
        """A chapter, paper or pattern without folder and ending, where it was given as a path."""
        path = Path(os.path.abspath(word))
        if path.exists() and path.is_relative_to(self.chapters.resolve()):
            word = path.relative_to(self.chapters.resolve()).as_posix()
        for ending in (".md", ".ipynb"):
            word = word.removesuffix(ending)
        return word.removeprefix("./").removeprefix("chapters/").rstrip("/")

    def names(self):
        """Names of all chapters, folders as the contents list them and chapters by number."""
        paths = self.chapters.glob("*/[0-9][0-9]_*.md")
        names = sorted(p.relative_to(self.chapters).with_suffix("").as_posix() for p in paths)
        text = text_of(self.root / "_toc.yml")
        parts = [*re.findall(r"file: (\w+)/\d\d_", text), *(name.split("/")[0] for name in names)]
        return sorted(names, key=lambda name: (parts.index(name.split("/")[0]), name))


def text_of(path):
    """The text of a file, empty where there is none."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def layout(root=None):
    """`Layout` of ``root``, or of the nearest folder above the working one that holds a book.

    Without a book above, the working folder is taken: a chapter's notebook that someone opens
    on its own writes its records there.
    """
    return Layout(root if root is not None else book_root() or Path.cwd())
