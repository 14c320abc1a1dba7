"""What code a result depends on: the parsed sources of all that its code imports."""

import ast
import hashlib
import importlib.util
import sys
from functools import cache
from pathlib import Path

import joblib

# Folders of what is installed: it changes with its version.
_INSTALLED = {"site-packages", "dist-packages"}
# What is run, and not imported.
_RUN = {"__main__", "__mp_main__"}
# Text that says what code does.
_PROSE = {".md", ".ipynb"}


def code_digest(code, *, skip=()):
    """Hash, 64 hex digits, of all that ``code`` imports, of zslib and of what is not installed.

    ``code`` is Python source, or the dotted name of a module; what its imports import counts too.
    Docstrings, comments, layout and ``__version__`` do not. A name that a room's ``__init__`` only
    hands on counts with the file that defines it, and with no other of the room. Data files count
    with the folder of the modules beside them, Markdown and notebooks do not. ``skip`` names
    modules to leave out, with all below them, and data files without their ending.
    """
    digest = hashlib.sha256()
    files = reached(code, skip=skip)
    for name, path in files.items():
        digest.update(_digest(name, path))
    folders = {path.parent: name.rpartition(".")[0] for name, path in files.items() if "." in name}
    for folder, package in sorted(folders.items()):
        for path in _data_files(folder):
            name = ".".join((package, *path.relative_to(folder).with_suffix("").parts))
            if not _left_out(name, skip):
                digest.update(_digest(name, path))
    return digest.hexdigest()


def reached(code, *, skip=()):
    """``{module: file}`` of what ``code`` imports, by name; arguments as above."""
    waiting = [(code, None)] if _path(code) else _imports(ast.parse(code))
    files, seen = {}, set()
    while waiting:
        module, name = waiting.pop()
        if (module, name) in seen or _left_out(module, skip):
            continue
        seen.add((module, name))
        if name is not None and _path(f"{module}.{name}") and name not in _handed_on(module):
            waiting.append((f"{module}.{name}", None))
        elif source := _handed_on(module).get(name):
            waiting.append(source)
        elif path := _path(module):
            files[module if path.name != "__init__.py" else f"{module}.__init__"] = path
            waiting += _known(path)[1]
    return dict(sorted(files.items()))


def _left_out(name, skip):
    return any(name == s or name.startswith(f"{s}.") for s in skip)


def traceable(module):
    """Whether a change of a module is seen: of a notebook or a script that runs it is not."""
    return module.partition(".")[0] in sys.stdlib_module_names or bool(_places(module))


def _places(module):
    """Where the package of a module lies, a folder or file."""
    package = module.partition(".")[0]
    if package in _RUN:
        return []
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # of a module that was made, not imported
        return []
    return list(spec.submodule_search_locations or filter(None, [spec.origin])) if spec else []


@cache
def _home(package):
    """Folder of a package, or file of a module, whose sources count, or None."""
    if package == "zslib":
        return Path(__file__).parent
    places = [] if package in sys.stdlib_module_names else map(Path, _places(package))
    places = [p for p in places if p.suffix in ("", ".py")]
    return next((p for p in places if not _INSTALLED & {*p.parts}), None)


@cache
def _path(module):
    """File of a module whose sources count, or None."""
    package, *rest = module.split(".")
    home = _home(package) if module.replace(".", "").isidentifier() else None
    if home is None or home.is_file():
        return None if rest else home
    base = home.joinpath(*rest)
    files = (base.with_suffix(".py"), base / "__init__.py") if rest else (base / "__init__.py",)
    return next((path for path in files if path.is_file()), None)


def _syntax(text, python):
    """A file's hash under a version of Python, its imports, and the names that it hands on."""
    tree = ast.parse(text)
    # A release, which has a number, computes no other results.
    tree.body = [n for n in tree.body if not ast.unparse(n).startswith("__version__ = ")]
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
    """`_syntax`, from disk where an equal file was parsed before, by any process."""
    from zslib.datasets.locate import usable_cache

    return joblib.Memory(usable_cache("sources"), verbose=0).cache(_syntax)


@cache
def _known(path):
    return _on_disk()(path.read_bytes(), sys.version_info[:2])


@cache
def _digest(name, path):
    """Hash of a file's name and content."""
    content = _known(path)[0] if path.suffix == ".py" else path.read_bytes()
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


def _imports(tree):
    """(module, name or None) of every import, those within functions too."""
    nodes = list(ast.walk(tree))
    plain = (node for node in nodes if isinstance(node, ast.Import))
    named = (node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level)
    found = [(alias.name, None) for node in plain for alias in node.names]
    return found + [(node.module, alias.name) for node in named for alias in node.names]


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
        elif path.suffix != ".py" and path.suffix not in _PROSE:
            found.append(path)
    return found
