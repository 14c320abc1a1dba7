"""What code a result depends on: the parsed sources of all that its code imports."""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import cache
from pathlib import Path

import joblib

__all__ = ["reached", "sources_digest"]

_ROOT = Path(__file__).parent


def sources_digest(code, *, skip=()):
    """Hash of all of zslib that ``code`` imports, directly or not.

    Docstrings, comments and layout do not count. A name that a room's ``__init__`` only hands on
    counts with the file that defines it, and with no other of the room. Data files count with
    the folder of the modules beside them.

    Parameters
    ----------
    code : str
        Python source, or the dotted name of a module of zslib.
    skip : sequence of str
        Modules left out, with all below them; data files by the same kind of name, without
        their ending.

    Returns
    -------
    str
        64 hex digits.

    Examples
    --------
    >>> one = sources_digest("from zslib.search import top_k")
    >>> one == sources_digest("from zslib.search import top_k  # the same")
    True
    """
    digest = hashlib.sha256()
    paths = reached(code, skip=skip)
    for path in paths:
        digest.update(_digest(path))
    for folder in sorted({path.parent for path in paths}):
        for path in _data_files(folder):
            name = ".".join(("zslib", *path.relative_to(_ROOT).with_suffix("").parts))
            if not _left_out(name, skip):
                digest.update(_digest(path))
    return digest.hexdigest()


def reached(code, *, skip=()):
    """Files of zslib that ``code`` imports, directly or not, sorted; arguments as above."""
    waiting = [(code, None)] if _is_module(code) else _imports(ast.parse(code))
    files, seen = set(), set()
    while waiting:
        module, name = waiting.pop()
        if (module, name) in seen or _left_out(module, skip):
            continue
        seen.add((module, name))
        if name is not None and _is_module(f"{module}.{name}") and name not in _handed_on(module):
            waiting.append((f"{module}.{name}", None))
        elif source := _handed_on(module).get(name):
            waiting.append(source)
        elif _is_module(module):
            path = _path(module)
            files.add(path)
            waiting += _known(path)[1]
    return sorted(files)


def _left_out(name, skip):
    return any(name == s or name.startswith(f"{s}.") for s in skip)


def _relative(path):
    return path.relative_to(_ROOT).as_posix()


def _path(module):
    """File of a module of zslib, or None."""
    package, *rest = module.split(".")
    base = _ROOT.joinpath(*rest)
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if package == "zslib" and path.is_file():
            return path
    return None


def _is_module(name):
    return name.replace(".", "").isidentifier() and _path(name) is not None


def _parsed(text, python):
    """A file's hash without docstrings, comments and layout, its imports, and those handed on.

    How syntax is written back depends on the version of Python.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        holds = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if holds and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    handed_on = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return hashlib.sha256(ast.unparse(tree).encode()).digest(), _imports(tree), handed_on


@cache
def _on_disk():
    """`_parsed`, from disk where an equal file was parsed before, by any process."""
    from zslib.datasets.locate import cache_dir

    return joblib.Memory(cache_dir() / "sources", verbose=0).cache(_parsed)


@cache
def _known(path):
    return _on_disk()(path.read_bytes(), sys.version_info[:2])


@cache
def _digest(path):
    """Hash of a file's name and content."""
    content = _known(path)[0] if path.suffix == ".py" else path.read_bytes()
    return hashlib.sha256(_relative(path).encode() + b"\0" + content).digest()


def _imports(tree):
    """(module, name or None) of every import of zslib, those within functions too."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += [(node.module, alias.name) for alias in node.names]
    return [(module, name) for module, name in found if module.split(".")[0] == "zslib"]


def _handed_on(module):
    """``{name: (module, name)}`` of what a package's ``__init__`` imports from elsewhere."""
    path = _path(module)
    return _known(path)[2] if path is not None and path.name == "__init__.py" else {}


@cache
def _data_files(folder):
    """Files below ``folder`` that are no Python and lie in no package of their own."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name != "__pycache__" and not (path / "__init__.py").is_file():
                found += _data_files(path)
        elif path.suffix != ".py":
            found.append(path)
    return found
