"""Tables that a phone can show: labels in cells, small intervals, signs that say what they mean.

A table too wide for a phone is marked as ``stacked``: `book.css` then shows each row as a card,
with the column's head before each number.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

SIGNS = {"·": "not printed", "–": "no data"}
INTERVAL = re.compile(r"(?<=\d)\s(\[[^\[\]]*\d\]|± .*$)")
# Pixels of a letter, of a cell's sides, of a phone's column, and of the page's.
LETTER, SIDES, NARROW, WIDE = 7.5, 16, 350, 720
FEW = 3  # rows of a table that a sentence does not replace
LINE = 16  # letters that a cell of text has before it breaks


def letters(text):
    """Letters of a cell's longest line; an interval stands under its number."""
    interval = INTERVAL.search(text)
    longest = max(map(len, INTERVAL.sub("", text).split(" ")), default=0)
    return max(longest, min(len(text), LINE), len(interval[1]) if interval else 0)


def pixels(rows):
    """What the columns of a table are wide."""
    return sum(LETTER * max(map(letters, c)) + SIDES for c in zip(*rows, strict=True))


class PhoneTables(SphinxPostTransform):
    """Labels, intervals and signs in every table with one row of heads."""

    default_priority = 800  # references have their text
    formats = ("html",)

    def run(self, **options):
        for table in self.document.findall(nodes.table):
            rows = list(table.findall(nodes.row))
            heads = [row for row in rows if isinstance(row.parent, nodes.thead)]
            body = [row for row in rows if isinstance(row.parent, nodes.tbody)]
            if len(body) < FEW and any(table.findall(nodes.title)):
                table["classes"].append("folded")
            claims = any("-claims-" in name for name in table["ids"])
            for row in body:
                for entry in row:
                    explain(entry, hyphens=claims)
            even = all(len(row) == len(rows[0]) for row in rows)
            if "sortable" in table["classes"] or len(heads) != 1 or not even or len(heads[0]) < 2:
                continue
            width = pixels([[entry.astext() for entry in row] for row in rows])
            if width > WIDE:
                table["classes"].append("wide")
            if width > NARROW:
                table["classes"].append("stacked")
                for row in body:
                    label(row, heads[0])
        for table in list(self.document.findall(nodes.table)):
            if {"folded", "sortable"} & set(table["classes"]):
                self.fold(table)

    def fold(self, table):
        """Show the caption alone, until the reader opens it."""
        tables = self.env.toc_fignumbers.get(self.env.docname, {}).get("table", {})
        number = ".".join(map(str, tables.get((table["ids"] or [""])[0], ())))
        caption = [part.deepcopy() for part in next(table.findall(nodes.title)).children]
        caption = nodes.inline("", f"Table {number} ", *caption)
        opening, middle, end = (
            nodes.raw("", text, format="html")
            for text in ("<details class='folded'><summary>", "</summary>", "</details>")
        )
        place = table.parent.index(table)
        table.parent[place : place + 1] = [opening, caption, middle, table, end]


def explain(entry, hyphens=False):
    """Set intervals apart from their numbers, and let a sign say what it means.

    With ``hyphens`` names of data are written as elsewhere in the book.
    """
    meaning = SIGNS.get(entry.astext().strip())
    for text in list(entry.findall(nodes.Text)):
        if meaning and text.strip() in SIGNS:
            text.parent.replace(text, nodes.abbreviation("", text.strip(), explanation=meaning))
            continue
        shown = re.sub(r"(?<=[a-z\d])_(?=[a-z])", "-", text) if hyphens else text
        parts = []
        for i, piece in enumerate(INTERVAL.split(shown)):
            if i % 2:
                parts += [nodes.Text(" "), nodes.inline("", piece, classes=["interval"])]
            elif piece:
                parts.append(nodes.Text(piece))
        if len(parts) > 1 or shown != text:
            text.parent.replace(text, parts)


def label(row, heads):
    """Put the column's head before each cell; the first heads the row."""
    numbers = [
        "text-right" in entry["classes"] or head.astext().endswith(("paper", "ours"))
        for entry, head in zip(row, heads, strict=True)
    ]
    n_names = min(max(numbers.index(True), 1), 3) if any(numbers) else 1
    labelled = any(numbers) or len(heads) > 2
    for i, (entry, head) in enumerate(zip(row, heads, strict=True)):
        entry["classes"].append("row-name" if i < n_names else "row-value")
        if len(entry.astext()) > 24:
            entry["classes"].append("long")
        if labelled and head.astext().strip():
            parts = [part.deepcopy() for block in head for part in block.children]
            parts = [part for part in parts if not isinstance(part, addnodes.index)]
            block = entry[0] if len(entry) and isinstance(entry[0], nodes.paragraph) else entry
            block.insert(0, nodes.inline("", "", *parts, nodes.Text(" "), classes=["cell-label"]))


def setup(app):
    app.add_post_transform(PhoneTables)
