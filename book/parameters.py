"""A chapter as written: its notebook, and its parameters, checked before it runs."""

from __future__ import annotations

import ast
import copy
import io
import math
import operator
import tokenize
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_HOW = (
    "`name: type = default  # comment`, with a type among int, float, str, bool, "
    '`Literal["one", "other"]` and `Annotated[int, ">= 1"]`'
)
_BOUNDS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_DEVICES = ("cpu", "gpu", "auto")
_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


@dataclass(frozen=True)
class Parameter:
    """One line of a chapter's parameters cell: ``name: type = default  # comment``.

    ``Literal["a", "b"]`` has the ``choices``, ``Annotated[float, "> 0", "<= 1"]`` the ``bounds``.
    Without them an ``int`` is at least 1, or 0 where that is the default.
    """

    name: str
    type: type
    default: object
    comment: str
    choices: tuple = ()
    bounds: tuple = ()

    def check(self, value, where):
        """``value`` in the declared type; an integer may stand for a float.

        Raises
        ------
        TypeError
            For another type.
        ValueError
            For NaN or infinity, and what is out of bounds or no choice.
        """
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not self.type:
            raise TypeError(
                f"parameter {self.name!r} of {where} must be {self.type.__name__} "
                f"({self.told}), got {value!r} of type {type(value).__name__}"
            )
        usual = (f">= {min(self.default, 1)}",) if self.type is int else ()
        bounds = self.bounds or usual
        choices = self.choices or (_DEVICES if self.name == "device" else ())
        within = all(_BOUNDS[b.split()[0]](value, float(b.split()[1])) for b in bounds)
        finite = self.type is not float or math.isfinite(value)
        if not (finite and within and (value in choices or not choices)):
            raise ValueError(
                f"parameter {self.name!r} of {where} must be "
                f"{_must(bounds, choices) or 'finite'} ({self.comment}), got {value!r}"
            )
        return value

    @property
    def told(self):
        """Choices or bounds, where they are declared, then the comment."""
        return "; ".join(filter(None, (_must(self.bounds, self.choices), self.comment)))


def _must(bounds, choices):
    return " and ".join(bounds) or " or ".join(map(repr, choices))


def _kind(annotation):
    """Type, choices and bounds of an annotation."""
    if isinstance(annotation, ast.Name):
        return {"type": _TYPES[annotation.id]}
    outer, inner = annotation.value.id, annotation.slice
    elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer == "Literal":
        choices = tuple(map(ast.literal_eval, elements))
        return {"type": type(choices[0]), "choices": choices}
    if outer != "Annotated":
        raise KeyError(outer)
    bounds = tuple(map(ast.literal_eval, elements[1:]))
    for bound in bounds:
        sign, limit = bound.split()
        _BOUNDS[sign], float(limit)
    return {"type": _TYPES[elements[0].id], "bounds": bounds}


def declared_parameters(cell, where):
    """`Parameter` by name from the text of a parameters cell."""
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(cell).readline)
        if token.type == tokenize.COMMENT
    }
    parameters = {}
    for node in ast.parse(cell).body:
        if isinstance(node, ast.ImportFrom) and node.module == "typing":
            continue
        try:
            name, kind = node.target.id, _kind(node.annotation)
            default = ast.literal_eval(node.value)
        except (AttributeError, KeyError, ValueError, TypeError):
            raise ValueError(
                f"the parameters cell of {where} holds {ast.unparse(node)!r}: each line must be "
                f"{_HOW}"
            ) from None
        comment = comments.get(node.end_lineno, "")
        if not comment:
            raise ValueError(f"parameter {name!r} of {where} needs a comment that explains it")
        if name in parameters:
            raise ValueError(f"parameter {name!r} of {where} is declared twice")
        parameter = Parameter(name, default=default, comment=comment, **kind)
        parameter.check(default, where)
        parameters[name] = parameter
    return parameters


def check_parameters(parameters, overrides, where):
    """Every parameter's value: the defaults with ``overrides``."""
    _refuse_unknown(parameters, overrides, where)
    return {
        name: p.check(overrides[name], where) if name in overrides else p.default
        for name, p in parameters.items()
    }


def _refuse_unknown(parameters, names, where):
    if unknown := sorted(set(names) - set(parameters)):
        known = "; ".join(
            f"{p.name}: {p.type.__name__} = {p.default!r} ({p.told})" for p in parameters.values()
        )
        raise ValueError(
            f"{where} has no parameter {', '.join(map(repr, unknown))}; it has: {known}"
        )


def parse_text(parameters, texts, where):
    """Values from a command line, where everything is text, checked as by `check_parameters`."""
    _refuse_unknown(parameters, texts, where)
    values = {}
    for name, text in texts.items():
        parameter = parameters[name]
        try:
            if parameter.type is bool:
                lowered = text.lower()
                if lowered not in _TRUE | _FALSE:
                    raise ValueError
                values[name] = lowered in _TRUE
            else:
                values[name] = parameter.type(text)
        except ValueError:
            raise ValueError(
                f"parameter {name!r} of {where} must be {parameter.type.__name__} "
                f"({parameter.told}), got {text!r}"
            ) from None
        parameter.check(values[name], where)
    return values


def _declares(cell):
    return "parameters" in cell.metadata.get("tags", [])


@lru_cache(maxsize=64)
def _parsed(text):
    """A chapter's text as a notebook, which is copied before it is changed."""
    import jupytext

    return jupytext.reads(text, fmt="md:myst")


@dataclass(frozen=True)
class ChapterText:
    """A chapter as written, in jupytext's MyST Markdown."""

    name: str
    text: str

    @classmethod
    def read(cls, name, place):
        """Source of the chapter ``name`` of the book at ``place`` (a `Layout`)."""
        return cls(name, Path(place.chapter_file(name)).read_text(encoding="utf-8"))

    @property
    def body(self):
        """The text after the front matter, in which tools note their versions."""
        parts = self.text.split("---\n", 2)
        return parts[2] if self.text.startswith("---\n") and len(parts) == 3 else self.text

    @property
    def _read(self):
        return _parsed(self.text)

    def notebook(self):
        """A fresh notebook, not run."""
        return copy.deepcopy(self._read)

    @cached_property
    def code(self):
        """Text of all code cells."""
        return "\n".join(cell.source for cell in self._code_cells())

    @cached_property
    def recording_code(self):
        """Text of all code cells but the parameters': a run says itself what these were."""
        return "\n".join(cell.source for cell in self._code_cells() if not _declares(cell))

    def _code_cells(self):
        return [cell for cell in self._read.cells if cell.cell_type == "code"]

    @cached_property
    def parameters(self):
        """`Parameter` by name, as the cell tagged ``parameters`` declares them."""
        cells = [cell for cell in self._code_cells() if _declares(cell)]
        if len(cells) != 1:
            raise ValueError(
                f"chapter {self.name} must have one code cell tagged 'parameters', it has "
                f"{len(cells)}"
            )
        return declared_parameters(cells[0].source, self.name)

    @property
    def about(self):
        """What the front matter says under ``zslib:``."""
        return self._read.metadata.get("zslib", {})

    @property
    def depends(self):
        """Names of the chapters whose records this one reads (``zslib: depends:``)."""
        return tuple(self.about.get("depends", ()))

    @property
    def choices_of(self):
        """Chapters whose published settings it takes where it has no own (``choices_of:``)."""
        return tuple(self.about.get("choices_of", ()))

    @property
    def data_settings(self):
        """Settings whose data the chapter uses (``zslib: settings:``), or None where not said."""
        return self.about.get("settings")

    @property
    def full(self):
        """Values of the full, published run where they are not the defaults (``zslib: full:``)."""
        given = self.about.get("full", {})
        where = f"{self.name} (zslib: full:)"
        _refuse_unknown(self.parameters, given, where)
        return {name: self.parameters[name].check(value, where) for name, value in given.items()}

    def settings(self, overrides):
        """Every parameter's value: the defaults with ``overrides``, checked."""
        return check_parameters(self.parameters, overrides, self.name)
