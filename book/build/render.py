"""Pages from the templates in ``templates``: Markdown, with HTML in it, and an SVG."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from zslib.show.tables import escape

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["rounded"] = "{:.1f}".format


def template_filter(function):
    """Let templates use a function of one value as a filter of its name."""
    TEMPLATES.filters[function.__name__] = function
    return function


@template_filter
def markdown(text):
    """Text with Markdown's special letters escaped, and not HTML's."""
    return Markup(escape(text))


def render(name, **values):
    """A template filled with ``values``, as text that begins and ends with something.

    An end of a line between two tags is of the template alone: a page would show it as a blank.
    """
    return without_breaks(TEMPLATES.get_template(name).render(values)).strip()


def without_breaks(text):
    """Text without the ends of lines between its tags."""
    return re.sub(r"(?<=>)\s*\n\s*(?=<)", "", text)
