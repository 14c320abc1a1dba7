"""What a finished build read and wrote: as long as all of it stays, there is nothing to do."""

import hashlib
import importlib.metadata
import json
import os
from pathlib import Path

import zslib
from book.keys import digest
from book.paths import text_of
from zslib.datasets.files import file_state
from zslib.show.writing import write_if_changed

_TOOLS = ("jupyter-book", "sphinx", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme")
_MEASURED = "benchmarks/results"  # on the page of scale
_PASSED_BY = ("__pycache__", ".ipynb_checkpoints")


class Stamp:
    """The note that a build leaves when it has ended well, in ``_build/stamp.json``.

    Parameters
    ----------
    place : Layout
    **options
        Of the build: other options, another book.
    """

    def __init__(self, place, **options):
        self.place, self.options = place, options
        self.html = place.root / "_build" / "html"
        self.path = place.root / "_build" / "stamp.json"
        self.left = json.loads(text_of(self.path) or "{}")
        # As of now: what is edited while the build runs has changed for the next.
        self.inputs = self._inputs()

    def untouched(self):
        """Whether nothing was touched since the last build, by sizes and times of all files."""
        return {"inputs": self.inputs, "outputs": self._outputs()}.items() <= self.left.items()

    def pages(self):
        """Hashes of what the pages are made of; ``frame`` is what each page depends on."""
        root = self.place.root
        book = _files(root / "book")
        static = [path for path in book if path.parent.name in ("_static", "_ext")]
        frame = [root / "_config.yml", root / "_toc.yml", *static]
        code = [path for path in _files(root / "zslib") if path.suffix == ".py"]
        read = [*_files(self.place.site), *_files(root / _MEASURED), *_files(root / "README.md")]
        return {
            "frame": _content(frame),
            "pages": _content([*book, *code, *read]),
            "options": self.options,
            "tools": _tools(),
        }

    def site(self):
        """Hash of the names and sizes of the site's files: it tells a part that was deleted."""
        return digest([(str(path), path.stat().st_size) for path in _files(self.html)])

    def write(self, pages):
        """Note the state of all, when the site has been built from ``pages``."""
        left = {"pages": pages, "site": self.site()}
        left |= {"inputs": self.inputs, "outputs": self._outputs()}
        write_if_changed(self.path, json.dumps(left))

    def _inputs(self):
        from zslib.datasets.locate import data_folders
        from zslib.datasets.registry import data_status

        place, package = self.place, Path(zslib.__file__).parent
        read = ("_config.yml", "_toc.yml", "README.md", "book", _MEASURED)
        roots = [*(place.root / name for name in read), *data_folders()]
        state = [_touched([*roots, place.chapters, place.published, package])]
        return digest([state, self.options, _tools(), data_status()])

    def _outputs(self):
        written = [self.place.results, self.place.site, self.html]
        return digest(_touched(written, self.place.published))


def _tools():
    return [importlib.metadata.version(tool) for tool in _TOOLS]


def _files(root, without=None):
    """All files of a folder, or the file itself, sorted; folders passed by are not entered."""
    paths = [root] if root.is_file() else []
    for folder, below, names in os.walk(root):
        folder = Path(folder)
        below[:] = [n for n in below if n not in _PASSED_BY and folder / n != without]
        paths += [folder / name for name in names]
    return sorted(paths)


def _touched(roots, without=None):
    """Name and state of every file."""
    return [[str(p), *file_state(p)] for root in roots for p in _files(root, without)]


def _content(paths):
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(paths)]
    return digest([sorted(map(str, paths)), hashes])
