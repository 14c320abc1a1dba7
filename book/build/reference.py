"""The reference: a page for each class and function, and where chapters and pages meet."""

import ast
import contextlib
import importlib
import inspect
import pkgutil
import re
from dataclasses import dataclass

from book.build.render import render
from book.paths import text_of

# In a page of a room: ```{reference} module``` with names below, or all that the module exports.
_ROOM = re.compile(r"^```\{reference\} (\S+)\n((?:[\w ,]+\n)*)```", re.MULTILINE)
_SOURCE = re.compile(r"^(?:```|:::)\{source\} ([^\n]+\n(?:zslib[\w. ,]+\n)*)", re.MULTILINE)
_CODE = re.compile(r"^```(?:\{code-cell\}|python)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^:\w.*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_TERMS = re.compile(r"^((?:[^\s:].*\n)+)  .*?\{py:obj\}`~?([\w.]+)`", re.MULTILINE)
# What chapters import to read and to repeat says nothing about them.
_NOT_BY_IMPORT = {"book", "papers", "protocols"}


@dataclass(frozen=True)
class Entry:
    """A public class or function, and its page.

    Attributes
    ----------
    room : str
        That of ``reference/<room>.md``.
    name, target : str
        What it is called, and the dotted name that links lead to.
    is_class : bool
    """

    room: str
    name: str
    target: str
    is_class: bool


def exported(module, names=""):
    """The classes and functions among ``names``, or among all that a module exports, by name."""
    home = importlib.import_module(module)
    names = names.replace(",", " ").split() or sorted(home.__all__, key=str.lower)
    things = {name: getattr(home, name) for name in names}
    return {n: it for n, it in things.items() if inspect.isclass(it) or inspect.isroutine(it)}


class Reference:
    """What the pages of all rooms list.

    Parameters
    ----------
    place : Layout

    Attributes
    ----------
    entries : dict
        `Entry` by the id of its object: each has one page.
    """

    def __init__(self, place):
        self.place, self.entries = place, {}
        for page in sorted((place.pages / "reference").glob("*.md")):
            for module, names in _ROOM.findall(page.read_text(encoding="utf-8")):
                for name, thing in exported(module, names).items():
                    entry = Entry(page.stem, name, f"{module}.{name}", inspect.isclass(thing))
                    self.entries.setdefault(id(thing), entry)
        self.classes = {e.name: e.target for e in self.entries.values() if e.is_class}
        self.terms = _TERMS.findall(text_of(place.pages / "glossary.md"))

    def uses(self, chapter):
        """Those of the entries that a chapter shows, imports and names, in this order."""
        text = self.place.chapter_file(chapter).read_text(encoding="utf-8")
        shown = " ".join(_SOURCE.findall(text)).replace(",", " ").split()
        names = [(name, {"book"}) for name in shown]
        for cell in _CODE.findall(text):
            names += [(name, _NOT_BY_IMPORT) for name in _imported(_OPTION.sub("", cell))]
        names += [(name, _NOT_BY_IMPORT) for name in self._named(_FENCE.sub("", text))]
        entries = [
            entry
            for name, left_out in names
            for thing in _passed(name)
            if (entry := self.entries.get(id(thing))) and entry.room not in left_out
        ]
        return list(dict.fromkeys(entries))

    def _named(self, prose):
        """Dotted names of the classes in a text's code, and of what the glossary says of it."""
        words = re.findall(r"`(?:~?zslib[\w.]*\.)?(\w+)", prose)
        names = [self.classes[word] for word in words if word in self.classes]
        for terms, target in self.terms:
            if re.search(rf"\b({'|'.join(map(re.escape, terms.splitlines()))})\b", prose):
                names.append(target)
        return names

    def line(self, chapter):
        """A chapter's last line: its functions and classes here, and where its symbols are."""
        links = ", ".join(f"{{py:obj}}`{e.name} <{e.target}>`" for e in self.uses(chapter))
        parts = [f"**In the reference:** {links}."] if links else []
        if (self.place.pages / "notation.md").is_file():
            parts.append("**Symbols:** {doc}`/notation`.")
        return " ".join(parts)

    def pages(self):
        """The text of each entry's page, by its path in the site."""
        chapters = {entry: [] for entry in self.entries.values()}
        for name in self.place.names():
            for entry in self.uses(name):
                chapters[entry].append(name)
        folder = self.place.site / "reference"
        return {
            folder / entry.room / f"{entry.name}.md": (
                render("reference.md", entry=entry, chapters=names) + "\n"
            )
            for entry, names in chapters.items()
        }


def _imported(code):
    """Dotted names of what code imports from the package, and of what it takes from modules."""
    modules, nodes = {}, list(ast.walk(ast.parse(code)))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("zslib"):
            for alias in node.names:
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    taken = [
        f"{modules[node.value.id]}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in modules
    ]
    return [*modules.values(), *taken]


def _passed(name):
    """The objects that a dotted name passes, modules left out."""
    parts = name.split(".")
    for end in range(2, len(parts) + 1):
        with contextlib.suppress(ImportError, AttributeError):
            thing = pkgutil.resolve_name(".".join(parts[:end]))
            if not inspect.ismodule(thing):
                yield thing
