"""Links from a chapter's first use of a term to the glossary."""

import re
from itertools import groupby

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

GLOSSARY = "glossary"
# In these a word is a name, a head or a link already, and not a use of the term.
APART = (
    nodes.title,
    nodes.caption,
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.table,
    nodes.math,
)


class LinkTerms(SphinxPostTransform):
    """Link a chapter's first use of each term of the glossary."""

    default_priority = 750  # references have their text, and tables have no labels yet
    formats = ("html",)

    def run(self, **options):
        if not re.fullmatch(r"\w+/\d\d_\w+", self.env.docname):
            return
        objects = self.env.domaindata["std"]["objects"]
        self.places = {
            name: place
            for (kind, name), place in objects.items()
            if kind == "term" and place[0] == GLOSSARY
        }
        words = "|".join(map(re.escape, sorted(self.places, key=len, reverse=True)))
        words = words.replace(r"\ ", r"\s")  # a line may end within a term
        pattern = re.compile(rf"(?<![\w-])({words})s?(?![\w-])", re.IGNORECASE)
        for paragraph in list(self.document.findall(nodes.paragraph)):
            join_lines(paragraph)
        for text in list(self.document.findall(nodes.Text)) if words else ():
            if is_prose(text):
                self.link(text, pattern)

    def link(self, text, pattern):
        parts, end = [], 0
        for match in pattern.finditer(text):
            # A name is written as it is; a word may begin a sentence.
            term = " ".join(match[1].split())
            name = next((n for n in (term, term.lower()) if n in self.places), None)
            if name is None:
                continue
            docname, place = self.places.pop(name)
            word = nodes.inline("", match[0], classes=["term"])
            parts.append(nodes.Text(text[end : match.start()]))
            parts.append(make_refnode(self.app.builder, self.env.docname, docname, place, word))
            end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def join_lines(paragraph):
    """Make one text of those that stand side by side: each end of a line is one of its own."""
    parts = []
    for is_text, group in groupby(paragraph.children, lambda node: isinstance(node, nodes.Text)):
        side_by_side = list(group)
        parts += [nodes.Text("".join(side_by_side))] if is_text else side_by_side
    paragraph.children = []
    paragraph += parts


def is_prose(text):
    """Whether a text stands in a paragraph, outside of all that is apart."""
    node, prose = text.parent, False
    while node is not None:
        if isinstance(node, APART):
            return False
        prose = prose or isinstance(node, nodes.paragraph)
        node = node.parent
    return prose


def setup(app):
    app.add_post_transform(LinkTerms)
