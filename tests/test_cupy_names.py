"""What the package calls on an array namespace exists there, keywords too: CuPy's needs no GPU."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import zslib

PACKAGE = Path(zslib.__file__).parent
# Of array-api-strict alone, whose devices have a class.
STRICT = {"Device"}
UFUNC_KEYWORDS = {"out", "where", "dtype", "casting"}


def is_namespace(node):
    """Whether an expression is an array namespace: ``xp``, ``self.xp`` or ``namespace(...)``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "namespace"
    return getattr(node, "id", getattr(node, "attr", None)) == "xp"


def path_of(node):
    """``"linalg.svd"`` of the expression ``xp.linalg.svd``; None of any other."""
    if not isinstance(node, ast.Attribute):
        return None
    if is_namespace(node.value):
        return node.attr
    inner = path_of(node.value)
    return inner and f"{inner}.{node.attr}"


def names_in(code):
    """``{name: {keyword: line}}`` of what ``code`` takes from a namespace."""
    names = {}
    for node in ast.walk(ast.parse(code)):
        if path := path_of(node):
            names.setdefault(path, {})
        if isinstance(node, ast.Call) and (path := path_of(node.func)):
            keywords = {k.arg: node.lineno for k in node.keywords if k.arg}
            names.setdefault(path, {}).update(keywords)
    return names


def lacking(library, names):
    """Names and keywords that a namespace has not."""
    missing = []
    for path, keywords in names.items():
        if path in STRICT:
            continue
        thing = library
        for part in path.split("."):
            thing = getattr(thing, part, None)
        if thing is None:
            missing.append(path)
        else:
            missing += [f"{path}({k}=)" for k in keywords if not takes(thing, k)]
    return missing


def takes(function, keyword):
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # written in C
        return keyword in UFUNC_KEYWORDS
    names = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    return keyword in names or any(p.kind is p.VAR_KEYWORD for p in parameters)


def test_a_missing_name_and_a_missing_keyword_are_seen():
    code = "xp.sum(a, axis=0); self.xp.linalg.svd(a); namespace(a).nope(a); xp.sqrt(a, axis=1)"
    names = names_in(code)
    assert names.items() >= {"sum": {"axis": 1}, "linalg.svd": {}, "sqrt": {"axis": 1}}.items()
    import array_api_compat.numpy

    assert sorted(lacking(array_api_compat.numpy, names)) == ["nope", "sqrt(axis=)"]


@pytest.mark.parametrize("library", ["array_api_compat.numpy", "array_api_compat.cupy"])
def test_every_name_that_is_called_on_a_namespace_exists(library):
    if library.endswith("cupy"):
        pytest.importorskip("cupy")
    missing, count = {}, set()
    for path in PACKAGE.rglob("*.py"):
        names = names_in(path.read_text(encoding="utf-8"))
        count |= set(names)
        if lacks := lacking(importlib.import_module(library), names):
            missing[str(path.relative_to(PACKAGE))] = lacks
    assert len(count) > 50
    assert not missing
