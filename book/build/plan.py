"""Which runs a request for chapters comes to, in an order that works."""

import graphlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from book.keys import data_fingerprint, identify, outdated
from book.parameters import ChapterText
from book.paths import layout, text_of
from book.store import published_records


@dataclass(frozen=True)
class Run:
    """One chapter with its parameters: what `run_chapters` executes, or finds done.

    Attributes
    ----------
    chapter, key : str
    digests : dict
        See `book.keys.identify`.
    text : str
        The chapter's text when the run was planned.
    parameters : dict
        Every parameter with its value.
    given : dict
        Those that differ from the source's defaults.
    depends : dict
        Key of each run whose records this one reads, by chapter.
    root : str
        The book's folder.
    """

    chapter: str
    key: str
    digests: dict
    text: str
    parameters: dict
    given: dict
    depends: dict = field(default_factory=dict)
    root: str = "."

    @property
    def folder(self):
        """Where the run is kept: ``results/<chapter>/<key>``."""
        return layout(self.root).results / self.chapter / self.key

    @property
    def notebook(self):
        """The executed notebook."""
        return self.folder / "notebook.ipynb"

    @cached_property
    def seconds(self):
        """What the published run of the chapter took; 1 where there is none."""
        path = layout(self.root).published / self.chapter / "run.json"
        return json.loads(text_of(path) or "{}").get("wall_seconds", 1.0)

    @property
    def done(self):
        """Whether the run was finished before."""
        return self.notebook.is_file()


def _in_place_of_absent_data(chapter_text):
    """All that is here instead of a chapter's own default data, where a set of them is not."""
    from zslib.datasets.registry import DATASETS, available

    declared = chapter_text.parameters.get("dataset")
    names = declared.default.split("+") if declared is not None else []
    absent = any(name in DATASETS and not available(name) for name in names)
    return {"dataset": "auto"} if absent else {}


def plan(chapters, parameters=None, *, full=False, tune=False, root=None):
    """`Run` by chapter, for ``chapters`` and those whose records they read, dependencies first.

    ``parameters`` are values other than the defaults, for every one of ``chapters``. Chapters that
    are there for their records alone take those of the values that they declare, and data of their
    own settings. ``full`` starts from each chapter's values for the published run; then published
    records that are of these sources stand for chapters that are there for their records alone.
    With ``tune`` all chapters that choose settings choose anew.
    """
    place, parameters = layout(root), dict(parameters or {})
    sources, waiting = {}, list(chapters)
    while waiting:
        name = waiting.pop(0)
        if name not in sources:
            sources[name] = ChapterText.read(name, place)
            waiting += sources[name].depends
    graph = graphlib.TopologicalSorter({n: s.depends for n, s in sources.items()})
    try:
        order = list(graph.static_order())
    except graphlib.CycleError as error:
        raise ValueError(
            f"chapters read each other's records: {' → '.join(error.args[1])}"
        ) from None
    runs = {}
    for name in order:
        chapter_text = sources[name]
        wanted = parameters if name in chapters else _for_records(chapter_text, parameters)
        given = _in_place_of_absent_data(chapter_text) | (chapter_text.full if full else {})
        given |= ({"tune": True} if tune and "tune" in chapter_text.parameters else {}) | wanted
        settings = chapter_text.settings(given)
        chapter_text.check_data(settings)
        depends = {other: runs[other].key for other in chapter_text.depends}
        key, digests = identify(chapter_text, settings, depends, place)
        runs[name] = Run(
            chapter=name,
            key=key,
            digests=digests,
            text=chapter_text.text,
            parameters=settings,
            given={k: v for k, v in settings.items() if v != chapter_text.parameters[k].default},
            depends=depends,
            root=str(place.root),
        )
    for name in order:
        if full and name not in chapters and _published(runs, name, sources[name], place):
            del runs[name]
    return runs


def _for_records(chapter_text, parameters):
    """Those of the values that a chapter takes which is there for its records alone.

    Data of settings that are not its own, such as images for a chapter on words, leave it its own.
    """
    wanted = {k: v for k, v in parameters.items() if k in chapter_text.parameters}
    try:
        data_fingerprint(wanted, chapter_text.data_settings)
        chapter_text.check_data(chapter_text.settings(wanted))
    except ValueError:
        wanted.pop("dataset", None)
    return wanted


def _published(runs, name, chapter_text, place):
    """Whether published records give what this run would, and so do those that it reads."""
    another = chapter_text.settings(chapter_text.full) != runs[name].parameters
    if another or runs[name].done or any(other in runs for other in chapter_text.depends):
        return False
    records = published_records(name, root=place.root)
    return records is not None and not outdated(records.run, chapter_text)
