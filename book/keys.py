"""The key of a run, a hash of all that its pages depend on, and digests of what its numbers do."""

import ast
import contextlib
import hashlib
import json
from functools import cache
from pathlib import Path

import zslib
from book.papers.printed import CHAPTERS, OURS, PAPERS
from zslib.code_digest import code_digest

# What decides when and where a chapter runs, or makes the site, and not what the chapter shows.
_OF_THE_SITE = ("_ext", "_static", "build", "pages", "references")
_OF_RUNS = ("agreement", "commands", "keys", "parameters", "paths")
_NOT_SHOWN = [f"book.{name}" for name in (*_OF_THE_SITE, *_OF_RUNS)]
_JUDGING = ("claims", "discoveries", "effects", "errata", "evidence", "verdicts")
# These show what was recorded, or judge it, and record nothing.
_NOT_RECORDED = [
    *_NOT_SHOWN,
    *(f"book.{name}" for name in ("figures", "provenance", "seen_unseen", "shown", "store")),
    *(f"book.papers.{name}" for name in _JUDGING),
    *(f"chapters.{path.parent.name}.{path.stem}" for path in CHAPTERS.glob("*/draw*.py")),
    "zslib.show",
    # These read files of a user's own, and no published run has such.
    *(f"zslib.datasets.{name}" for name in ("attributes.features", "pairs.own")),
]
# Arguments of a figure or table, and names, that hold words to be read.
_WORDS = ("message", "caption", "alt", "heads", "folded", "xlabel", "ylabel", "corner")
# What a paper prints and claims counts for all chapters: some hold several papers together.
_PRINTED = ("printed", "curves")
_OF_PAPERS = [
    f"chapters.{p}.{n}" for p in (*PAPERS, *OURS) for n in (*_PRINTED, "claims", "errata")
]


@cache
def package_digest(code, *, chapter=None, recorded=False):
    """Hash of the sources that a chapter's pages, or its records alone, depend on.

    Of files of claims those count that name the ``chapter``; all of them where none is given.
    """
    skip = _NOT_RECORDED if recorded else _NOT_SHOWN
    parts = [code_digest(code, skip=[*skip, *_OF_PAPERS])]
    for name in _PRINTED if recorded else (*_PRINTED, "claims"):
        for path in sorted(CHAPTERS.glob(f"*/{name}.toml")):
            content = path.read_bytes()
            if name != "claims" or chapter is None or f'"{chapter}"'.encode() in content:
                parts.append(hashlib.sha256(content).hexdigest())
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def data_fingerprint(parameters, settings=None):
    """What identifies the data that a chapter with these parameters would load.

    The registry of `zslib.datasets` knows the data sets by name; a parameter that names a file
    counts with the file's content.
    """
    from zslib.datasets.files import file_hash

    parts = {}
    if "dataset" in parameters:
        from zslib.datasets.entry import SETTINGS
        from zslib.datasets.registry import fingerprint, served

        parts["dataset"] = fingerprint(
            parameters["dataset"],
            seed=parameters.get("seed", 0),
            quick=parameters.get("quick", False),
            settings=served(parameters["dataset"], settings or SETTINGS),
        )
    for name, value in parameters.items():
        if isinstance(value, str) and value and Path(value).is_file():
            parts[name] = file_hash(Path(value))
    return parts


def identify(chapter_text, parameters, depends, place):
    """Key of a run of a chapter, and its digests: what of it makes its numbers.

    Parameters
    ----------
    chapter_text : book.parameters.ChapterText
    parameters : dict
        Every parameter with its value.
    depends : dict
        Key of each run whose records this one reads, by chapter.
    place : book.paths.Layout
        Has the settings that the published run chose: they are part of the key if taken over.

    Returns
    -------
    key : str
    digests : dict
        ``chapter``, the parsed code of its cells; ``package``, the parsed code that they import;
        ``data``, what would be loaded for these parameters.
    """
    fingerprint = data_fingerprint(parameters, chapter_text.data_settings)
    read = depends | _chosen(chapter_text, parameters, place)
    key = run_key(chapter_text.name, chapter_text.code, parameters, fingerprint, read)
    return key, code_digests(chapter_text) | {"data": digest(fingerprint)}


def outdated(run, chapter_text, *, data=True):
    """What of its sources a published run no longer matches.

    Parameters
    ----------
    run : dict
        Its ``run.json``.
    chapter_text : book.parameters.ChapterText
        The chapter as it is now.
    data : bool
        Whether to look at the data too. Where they are not here, nothing is said of them.

    Returns
    -------
    list of str
        Names of the digests that differ, and "settings" where the parameters are not those of a
        full run.
    """
    names = [] if full_size(run["parameters"], chapter_text) else ["settings"]
    now = code_digests(chapter_text)
    if data:
        with contextlib.suppress(OSError):
            now["data"] = digest(data_fingerprint(run["parameters"], chapter_text.data_settings))
    then = run.get("digests", {})
    return names + [part for part, value in now.items() if then.get(part) != value]


def full_size(parameters, chapter_text):
    """Whether these are a full run's; its device and who chose its settings do not matter."""
    full = chapter_text.settings(chapter_text.full)
    return all(parameters.get(k) == v for k, v in full.items() if k not in ("device", "tune"))


def code_digests(chapter_text):
    """Digests of a chapter's code, and of the package's code behind its numbers."""
    return {
        "chapter": digest(ast.unparse(_Worded().visit(ast.parse(chapter_text.recording_code)))),
        "package": package_digest(chapter_text.code, recorded=True),
    }


def label_place(call):
    """Where among a call's arguments the label of a figure or table is; its caption follows."""
    for place, value in enumerate(call.args):
        if isinstance(value, ast.Constant) and str(value.value).startswith(("fig-", "tbl-")):
            return place
    return None


class _Worded(ast.NodeTransformer):
    """Code without the words of its figures and tables: a better caption makes no other number."""

    def visit_Call(self, node):
        self.generic_visit(node)
        place = label_place(node)
        if place is not None:
            del node.args[place + 1 : place + 2]
            node.keywords = [k for k in node.keywords if k.arg not in _WORDS]
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        worded = all(isinstance(t, ast.Name) and t.id in _WORDS for t in node.targets)
        return None if worded else node


def _chosen(chapter_text, parameters, place):
    """A digest of the published settings that a run may take over, where there are any."""
    paths = [place.chosen(name) for name in (chapter_text.name, *chapter_text.choices_of)]
    texts = [path.read_bytes() for path in paths if path.is_file()]
    if parameters.get("tune", True) or not texts:
        return {}
    return {"chosen": hashlib.sha256(b"".join(texts)).hexdigest()}


def digest(content):
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_key(chapter, code, parameters, fingerprint, depends):
    """Key of a run: equal keys, equal outputs; the page takes its prose from the source."""
    parts = {
        "chapter": chapter,
        "code": code,
        "parameters": parameters,
        "data": fingerprint,
        "depends": depends,
        "version": zslib.__version__,
        "package": package_digest(code, chapter=chapter),
    }
    return digest(parts)
