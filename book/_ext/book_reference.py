"""Directive ``reference``: the classes and functions of a module, each with a link and a line."""

import importlib
import inspect
import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from book.build.reference import exported


class ReferenceDirective(SphinxDirective):
    """``{reference} module`` with names below it, or all that the module exports."""

    has_content = True
    required_arguments = 1

    def run(self):
        module = self.arguments[0]
        home = importlib.import_module(module)
        lines = ["| name | what |", "| :-- | :-- |"]
        for name in exported(module, " ".join(self.content)):
            lines.append(
                f"| {{py:obj}}`{name} <{module}.{name}>` | {summary(getattr(home, name))} |"
            )
        self.env.note_dependency(home.__file__)
        box = nodes.container(classes=["reference-list"])
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), 0, box)
        return [box]


def summary(thing):
    """First sentence of a docstring, its names as code and its formulas as such."""
    first = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    first = re.split(r"(?<=\.)(?<!al\.)(?<!Eq\.)(?<!Eqs\.) ", first)[0].replace("|", r"\|")
    first = re.sub(r":$", ".", first)
    first = re.sub(r"``(.+?)``(?!`)", r"`` \1 ``", first)
    first = re.sub(r":math:`([^`]*)`", r"$\1$", first)
    return re.sub(r"\[\w+\]_", "", first)


def keep_symbols(app, what, name, obj, options, lines):
    """A line that begins with a symbol and a full stop, "d." or "A. Frome", opens no list."""
    lines[:] = [re.sub(r"^(\s*[A-Za-z])\.(?=\s|$)", r"\1\\.", line) for line in lines]


def skip_requests(app, what, name, obj, skip, options):
    """``set_fit_request`` and its kind, made by scikit-learn, refer to its own manual."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    app.add_directive("reference", ReferenceDirective)
    app.connect("autodoc-process-docstring", keep_symbols)
    app.connect("autodoc-skip-member", skip_requests)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
