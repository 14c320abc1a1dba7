"""Directives that show the package: what a module exports, and code as it stands in its file."""

import ast
import inspect
import pkgutil
import re
import sys
import textwrap

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from book.build.reference import exported

SCREEN = 30  # lines


class ReferenceDirective(SphinxDirective):
    """``{reference} module`` with names below it; or what the module says and all it exports."""

    has_content = True
    required_arguments = 1

    def run(self):
        module = self.arguments[0]
        listed = exported(module, " ".join(self.content))
        lines = [] if self.content else introduction(module)
        lines += ["| name | what |", "| :-- | :-- |"]
        for name, thing in listed.items():
            lines.append(f"| {{py:obj}}`{name} <{module}.{name}>` | {summary(thing)} |")
        self.env.note_dependency(sys.modules[module].__file__)
        box = nodes.container(classes=["reference-list"])
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), 0, box)
        return [box]


def introduction(module):
    """What a module's docstring says after its title and before its sections, if anything."""
    said = inspect.getdoc(sys.modules[module]).partition("\n\n")[2]
    said = re.split(r"^\w+\n-+$", said, maxsplit=1, flags=re.MULTILINE)[0].strip()
    begin = ["```{eval-rst}", f".. py:currentmodule:: {module}", ""]
    return [*begin, *said.splitlines(), "```", ""] if said else []


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


class NotShown(ValueError):
    """A name that leads to nothing, or to what a page cannot show."""


def find(name):
    """The object of a dotted name; of a property, its function."""
    try:
        thing = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise NotShown(f"{name}: {error}; give the dotted name in full, from zslib on") from None
    return inspect.unwrap(getattr(thing, "fget", thing))


def code(name):
    """Lines of a function or method, and its file.

    Docstring and indentation are left out, and so are statements that only refuse bad input: a
    bare call of a check, and a condition that ends in an error.
    """
    thing = find(name)
    if inspect.isclass(thing):
        raise NotShown(f"{name} is a class: name the methods that show the idea")
    if not inspect.isroutine(thing):
        raise NotShown(f"{name} is of type {type(thing).__name__}: name a function or a method")
    lines = textwrap.dedent(inspect.getsource(thing)).splitlines()
    function = ast.parse("\n".join(lines)).body[0]
    dropped = [node for node in function.body if refuses(node)]
    if ast.get_docstring(function) is not None:
        dropped.append(function.body[0])
    gone = {i for node in dropped for i in range(node.lineno, node.end_lineno + 1)}
    gone |= {i + 1 for i in gone if i < len(lines) and not lines[i].strip()}
    lines = [line for i, line in enumerate(lines, 1) if i not in gone]
    if len(lines) > SCREEN:
        raise NotShown(
            f"{name} has {len(lines)} lines of code and a page shows {SCREEN} at most: put those "
            "that are the equation into a function of their own, and name that"
        )
    return lines, inspect.getsourcefile(thing)


def refuses(node):
    """Whether a statement only refuses bad input."""
    if isinstance(node, ast.If):
        return not node.orelse and isinstance(node.body[-1], ast.Raise)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).startswith("check_")


def listings(name):
    """Names under which the reference may list an object: by its packages; a method's class."""
    thing = find(name)
    rooms, inside = thing.__module__.split("."), thing.__qualname__.split(".")
    return [
        ".".join(rooms[:depth] + inside[:length])
        for length in range(len(inside), 0, -1)
        for depth in range(len(rooms), 0, -1)
    ]


class SourceDirective(SphinxDirective):
    """``{source} name name``: the code of functions and methods, with links to their pages."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        names = " ".join([*self.arguments, *self.content]).replace(",", " ").split()
        if not names:
            raise self.error("source: name functions or methods, such as zslib.search.top_k")
        caption, blocks = nodes.paragraph(), []
        for name in names:
            try:
                lines, file = code(name)
            except NotShown as why:
                raise self.error(f"source: {why}") from None
            self.env.note_dependency(file)
            blocks.append("\n".join(lines))
            link = addnodes.pending_xref(
                "",
                nodes.literal(text=name),
                refdomain="py",
                reftype="obj",
                reftarget=name,
                refdoc=self.env.docname,
                listings=listings(name),
            )
            caption += [nodes.Text(", "), link] if len(caption) else [link]
        block = nodes.literal_block(text="\n\n".join(blocks), language="python")
        self.set_source_info(block)
        return [nodes.container("", caption, block, classes=["package-source"])]


def link_to_listing(app, env, node, contnode):
    """Let a caption lead to where the reference lists its object."""
    domain = env.get_domain("py")
    for name in node.get("listings", ()):
        if name in domain.objects:
            where = node["refdoc"], app.builder, "obj", name
            return domain.resolve_xref(env, *where, node, contnode)
    return None


def setup(app):
    app.add_directive("reference", ReferenceDirective)
    app.add_directive("source", SourceDirective)
    app.connect("autodoc-process-docstring", keep_symbols)
    app.connect("autodoc-skip-member", skip_requests)
    app.connect("missing-reference", link_to_listing)
