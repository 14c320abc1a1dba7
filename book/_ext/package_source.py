"""Directive ``source``: what an object of the package does, as it stands in its file."""

import ast
import importlib
import inspect
import textwrap

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

SCREEN = 30  # lines


class NotShown(ValueError):
    """A name that leads to nothing, or to what a page cannot show."""


def find(name):
    """The object of a dotted name, and the module that it was found in."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        try:
            thing = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(thing, part):
                raise NotShown(f"{name}: {thing.__name__} has no {part!r}")
            thing = getattr(thing, part)
        return thing, module
    raise NotShown(f"{name}: no such module; give the dotted name in full, from zslib on")


def code(name):
    """Lines of a function or method, and its file.

    Docstring and indentation are left out, and so are statements that only refuse bad input: a
    bare call of a check, and a condition that ends in an error.
    """
    thing, _ = find(name)
    if inspect.isclass(thing):
        raise NotShown(f"{name} is a class: name the methods that show the idea")
    thing = inspect.unwrap(getattr(thing, "fget", thing))  # of a property, its function
    if not inspect.isroutine(thing):
        raise NotShown(f"{name} is of type {type(thing).__name__}: name a function or a method")
    lines = textwrap.dedent(inspect.getsource(thing)).splitlines()
    body = ast.parse("\n".join(lines)).body[0].body
    dropped = [node for node in body if refuses(node)]
    if ast.get_docstring(ast.Module(body, [])) is not None:
        dropped.insert(0, body[0])
    for node in reversed(dropped):
        first, last = node.lineno - 1, node.end_lineno
        while last < len(lines) and not lines[last].strip():
            last += 1
        del lines[first:last]
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
    _, module = find(name)
    rooms = module.split(".")
    inside = name.removeprefix(f"{module}.").split(".")
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
    app.add_directive("source", SourceDirective)
    app.connect("missing-reference", link_to_listing)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
