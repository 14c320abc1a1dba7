"""The reference: a page for each class and function, and where chapters and pages meet."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import dataclass

from zslib.show.writing import write_if_changed

__all__ = ["Entry", "entries", "links", "listed", "uses", "write_reference"]

# In a page of a room: ```{reference} module``` with names below, or all that the module exports.
_FENCE = re.compile(r"^```\{reference\} (\S+)\n((?:[\w ,]+\n)*)```", re.MULTILINE)
_SOURCE = re.compile(r"^(?:```|:::)\{source\} ([^\n]+)\n((?:zslib[\w. ,]+\n)*)", re.MULTILINE)
_CODE = re.compile(r"^```(?:\{code-cell\}|python)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TERMS = re.compile(r"^((?:[^\s:].*\n)+)  .*?\{py:obj\}`~?([\w.]+)`", re.MULTILINE)
_PAGE = """\
# {title}

```{{eval-rst}}
.. {kind}:: {name}
{options}```
"""
_CLASS = {"kind": "autoclass", "options": "   :members:\n"}
_FUNCTION = {"kind": "autofunction", "options": ""}


@dataclass(frozen=True)
class Entry:
    """A public class or function, and its page: ``room`` is that of ``reference/<room>.md``."""

    room: str
    module: str
    name: str

    @property
    def target(self):
        """The name that links lead to."""
        return f"{self.module}.{self.name}"

    @property
    def object(self):
        """What has the name."""
        return getattr(importlib.import_module(self.module), self.name)


def listed(module, names=""):
    """The classes and functions among ``names``, or among all that a module exports."""
    home = importlib.import_module(module)
    names = names.replace(",", " ").split() or sorted(home.__all__, key=str.lower)
    kinds = {name: getattr(home, name) for name in names}
    return [n for n, found in kinds.items() if inspect.isclass(found) or inspect.isroutine(found)]


def entries(place):
    """What the pages of all rooms list, as ``{id of the object: Entry}``; each has one page."""
    found = {}
    for page in sorted((place.pages / "reference").glob("*.md")):
        for module, names in _FENCE.findall(page.read_text(encoding="utf-8")):
            for name in listed(module, names):
                entry = Entry(page.stem, module, name)
                found.setdefault(id(entry.object), entry)
    return found


def uses(name, place, found):
    """Those of the entries that a chapter shows, imports and names, in this order."""
    text = place.source(name).read_text(encoding="utf-8")
    shown, imported = [], []
    for inline, below in _SOURCE.findall(text):
        shown += f"{inline} {below}".replace(",", " ").split()
    for cell in _CODE.findall(text):
        imported += _imported(re.sub(r"^:\w.*$", "", cell, flags=re.MULTILINE))
    named = _named(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), place, found)
    # What chapters import to read and to repeat says nothing about them.
    pairs = [(shown, {"book"}), (imported + named, {"book", "papers", "protocols"})]
    objects = (
        (found.get(id(thing)), dull) for names, dull in pairs for n in names for thing in _along(n)
    )
    return list(
        dict.fromkeys(entry for entry, dull in objects if entry and entry.room not in dull)
    )


def _named(prose, place, found):
    """Dotted names of the classes in a text's code, and of what the glossary has for its words."""
    classes = {
        entry.name: entry.target for entry in found.values() if inspect.isclass(entry.object)
    }
    words = re.findall(r"`(?:~?zslib[\w.]*\.)?(\w+)", prose)
    names = [classes[word] for word in words if word in classes]
    glossary = place.pages / "glossary.md"
    told = _TERMS.findall(glossary.read_text(encoding="utf-8")) if glossary.is_file() else ()
    for terms, target in told:
        if re.search(rf"\b({'|'.join(map(re.escape, terms.splitlines()))})\b", prose):
            names.append(target)
    return names


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


def _along(name):
    """The objects that a dotted name passes, modules left out."""
    parts = name.split(".")
    thing = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(".".join(parts[:i]))
            except ImportError:
                return
        if not inspect.ismodule(thing):
            yield thing


def links(name, place, found):
    """A chapter's last line: its functions and classes in the reference; empty without any."""
    used = uses(name, place, found)
    told = ", ".join(f"{{py:obj}}`{entry.name} <{entry.target}>`" for entry in used)
    return f"**In the reference:** {told}." if told else ""


def write_reference(place):
    """Write a page for each class and function into the site's ``reference/<room>/``."""
    found = entries(place)
    shown = {entry: [] for entry in found.values()}
    for name in place.names():
        for entry in uses(name, place, found):
            shown[entry].append(f"{{doc}}`/{name}`")
    written = set()
    for entry, chapters in shown.items():
        text = _PAGE.format(
            title=entry.name.replace("_", r"\_"),
            name=entry.target,
            **(_CLASS if inspect.isclass(entry.object) else _FUNCTION),
        )
        if chapters:
            text += f"\n**In the chapters:** {', '.join(chapters)}.\n"
        path = place.site / "reference" / entry.room / f"{entry.name}.md"
        write_if_changed(path, text)
        written.add(path)
    for path in set((place.site / "reference").glob("*/*.md")) - written:
        path.unlink()
