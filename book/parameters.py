"""A chapter as written: its notebook, and its parameters, checked before it runs."""

import ast
import copy
import difflib
import io
import math
import operator
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from pkgutil import resolve_name

_TYPES = {"int": int, "float": float, "str": str, "bool": bool}
_HOW = (
    "`name: type = default  # comment`, with a type among int, float, str, bool, "
    '`Literal["one", "other"]`, `Annotated[int, ">= 1"]` and '
    '`Annotated[str, "names of place.NAME"]`'
)
_BOUNDS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_DEVICES = ("cpu", "gpu", "auto")
_FILE, _ONE, _NAMES, _READ = "file", "one of", "names of", "read by"
# So many names are written out; of more a few.
_MOST_NAMES = 80
_BOOLS = dict.fromkeys(("true", "1", "yes", "on"), True)
_BOOLS |= dict.fromkeys(("false", "0", "no", "off"), False)


@dataclass(frozen=True)
class Parameter:
    """One line of a chapter's parameters cell: ``name: type = default  # comment``.

    ``Literal["a", "b"]`` has the ``choices``, ``Annotated[float, "> 0", "<= 1"]`` the ``bounds``.
    Without them an ``int`` is at least 1, or 0 where that is the default.

    A text that stands for other things says for which in ``rules``: ``Annotated[str, "file"]`` is
    a path, ``"one of package.module.NAME"`` a name of that container (or of what that function
    gives), ``"names of …"`` several joined by "+", and ``"read by …"`` whatever that function
    reads without a ValueError. After it may stand what is taken beside, such as ``"or auto"``.
    The default always is.
    """

    name: str
    type: type
    default: object
    comment: str
    choices: tuple = ()
    bounds: tuple = ()
    rules: tuple = ()

    def check(self, value, where):
        """``value`` in the declared type; an integer may stand for a float.

        Raises
        ------
        TypeError
            For another type.
        ValueError
            For NaN or infinity, and what is out of bounds or no choice.
        """
        if self.type is float and type(value) is int:
            value = float(value)
        must = f"parameter {self.name!r} of {where} must be"
        if type(value) is not self.type:
            got = f"{value!r} of type {type(value).__name__}"
            raise TypeError(f"{must} {self.type.__name__} ({self.told}), got {got}")
        usual = (f">= {min(self.default, 1)}",) if self.type is int else ()
        bounds = self.bounds or usual
        choices = self.choices or (_DEVICES if self.name == "device" else ())
        within = all(_BOUNDS[b.split()[0]](value, float(b.split()[1])) for b in bounds)
        finite = self.type is not float or math.isfinite(value)
        if not (finite and within and (value in choices or not choices)):
            bound = _must(bounds, choices) or "finite"
            raise ValueError(f"{must} {bound} ({self.comment}), got {value!r}")
        if self.rules and (why := self._refusal(value)):
            raise ValueError(f"{must} {self.told}, got {value!r}: {why}")
        return value

    @property
    def _beside(self):
        """What the rules take beside names or a file."""
        return [word.removeprefix("or ") for word in self.rules[1:]]

    def _rule(self):
        """The kind of a rule, and what it names: a function, or the names that it takes."""
        kind, _, name = self.rules[0].rpartition(" ")
        thing = resolve_name(name) if kind else None
        if kind in (_ONE, _NAMES):
            thing = list(thing() if callable(thing) else thing)
        return kind or name, thing

    def _refusal(self, value):
        """Why a text is not what the rule asks for; empty where it is."""
        if value in (self.default, *self._beside):
            return ""
        kind, known = self._rule()
        if kind == _FILE:
            return "" if Path(value).is_file() else f"no such file, seen from {Path.cwd()}"
        if kind == _READ:
            try:
                known(value)
            except ValueError as error:
                return str(error)
            return ""
        parts = value.split("+") if kind == _NAMES else [value]
        if unknown := [part for part in parts if part not in known]:
            return "; ".join(f"there is no {part!r}{_near(part, known)}" for part in unknown)
        twice = {part for part in parts if parts.count(part) > 1}
        return f"{', '.join(sorted(twice))} is named twice" if twice else ""

    def _ruled(self):
        """What a rule asks for, in words."""
        kind, known = self._rule()
        if kind == _READ:
            return self._beside
        words = "the path of a file"
        if kind != _FILE:
            many = len(known) > _MOST_NAMES
            words = "one of " if kind == _ONE else 'names joined by "+", of '
            words += ", ".join(map(repr, known[: 3 if many else None]))
            words += f", … ({len(known):,} in all)" * many
        return [" or ".join([words, *map(repr, self._beside)])]

    @property
    def told(self):
        """Choices or bounds, where they are declared, then the comment."""
        ruled = self._ruled() if self.rules else ()
        return "; ".join(filter(None, (_must(self.bounds, self.choices), *ruled, self.comment)))


def _must(bounds, choices):
    return " and ".join(bounds) or " or ".join(map(repr, choices))


def _near(name, known):
    """The name that was perhaps meant, in words, or nothing."""
    lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return f" (did you mean {lower[near[0]]!r}?)" if near else ""


def _kind(annotation):
    """Type, choices, bounds and rules of an annotation."""
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
    if elements[0].id == "str":
        if not (bounds[0] == _FILE or bounds[0].rpartition(" ")[0] in (_ONE, _NAMES, _READ)):
            raise ValueError(bounds[0])
        return {"type": str, "rules": bounds}
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
    refuse_unknown(parameters, overrides, where)
    return {
        name: p.check(overrides[name], where) if name in overrides else p.default
        for name, p in parameters.items()
    }


def refuse_unknown(parameters, names, where):
    """Raise ValueError for names that are no parameters, with those that are."""
    if unknown := sorted(set(names) - set(parameters)):
        known = "; ".join(
            f"{p.name}: {p.type.__name__} = {p.default!r} ({p.told})" for p in parameters.values()
        )
        named = ", ".join(f"{name!r}{_near(name, parameters)}" for name in unknown)
        raise ValueError(f"{where} has no parameter {named}; it has: {known}")


def injected_names(history):
    """Names in the cell that papermill put after the parameters' own.

    ``history`` are the cells that a kernel ran, IPython's ``In``. Names of someone's own, in cells
    written by hand, are not looked at.
    """
    cells = [cell for cell in history if cell.startswith("# Parameters\n")]
    nodes = [node for cell in cells for node in ast.parse(cell).body]
    return [t.id for node in nodes if isinstance(node, ast.Assign) for t in node.targets]


def parse_text(parameters, texts, where):
    """Values from a command line, where everything is text, checked as by `check_parameters`."""
    refuse_unknown(parameters, texts, where)
    values = {}
    for name, text in texts.items():
        parameter = parameters[name]
        try:
            value = _BOOLS[text.lower()] if parameter.type is bool else parameter.type(text)
            if parameter.type is not str and "_" in text:  # 1_0 is 10 in Python alone
                raise ValueError(text)
        except (KeyError, ValueError):
            raise ValueError(
                f"parameter {name!r} of {where} must be {parameter.type.__name__} "
                f"({parameter.told}), got {text!r}"
            ) from None
        values[name] = parameter.check(value, where)
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
        return re.sub(r"\A---\n.*?---\n", "", self.text, flags=re.DOTALL)

    def notebook(self):
        """A fresh notebook, not run."""
        return copy.deepcopy(_parsed(self.text))

    @cached_property
    def code(self):
        """Text of all code cells."""
        return "\n".join(cell.source for cell in self._code_cells())

    @cached_property
    def recording_code(self):
        """Text of all code cells but the parameters': a run says itself what these were."""
        return "\n".join(cell.source for cell in self._code_cells() if not _declares(cell))

    def _code_cells(self):
        return [cell for cell in _parsed(self.text).cells if cell.cell_type == "code"]

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
    def title(self):
        """The heading that opens the text."""
        return re.search(r"^# (.*)$", self.body, re.MULTILINE)[1]

    @property
    def about(self):
        """What the front matter says under ``zslib:``."""
        return _parsed(self.text).metadata.get("zslib", {})

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

    def check_data(self, parameters):
        """Raise ValueError unless the data are of all settings under ``zslib: needs:``."""
        from zslib.datasets.registry import resolve_all

        for setting in self.about.get("needs", ()):
            try:
                resolve_all(setting, parameters["dataset"])
            except ValueError as error:
                raise ValueError(f"parameter 'dataset' of {self.name}: {error}") from None

    @property
    def full(self):
        """Values of the full, published run where they are not the defaults (``zslib: full:``)."""
        given = self.about.get("full", {})
        values = check_parameters(self.parameters, given, f"{self.name} (zslib: full:)")
        return {name: values[name] for name in given}

    def settings(self, overrides):
        """Every parameter's value: the defaults with ``overrides``, checked."""
        return check_parameters(self.parameters, overrides, self.name)
