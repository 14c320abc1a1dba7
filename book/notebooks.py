"""Pair chapters with notebooks for Jupyter: of each the newer side wins."""

import os

from book.parameters import ChapterText
from book.paths import layout


def pair(name, place):
    """Bring a chapter's source and its notebook into step; the path of the one that was written.

    None where they say the same. A source keeps its front matter to the letter, and a notebook the
    outputs of cells that have not changed.
    """
    import jupytext
    import nbformat
    from jupytext.combine import combine_inputs_with_outputs

    source = place.chapter_file(name)
    notebook = source.with_suffix(".ipynb")
    chapter_text = ChapterText.read(name, place)
    written = chapter_text.notebook()
    if not notebook.is_file():
        nbformat.write(written, notebook)
        return notebook
    there = nbformat.read(notebook, as_version=4)
    for cell in there.cells:  # Jupyter notes more than the source has
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in ("tags", "mystnb")}
    if _inputs(there) == _inputs(written):
        return None
    if os.path.getmtime(notebook) > os.path.getmtime(source):
        body = ChapterText(name, jupytext.writes(there, fmt="md:myst")).body
        text = chapter_text.text
        head = text[: len(text) - len(chapter_text.body)]
        source.write_text(head + body, encoding="utf-8")
        return source
    nbformat.write(combine_inputs_with_outputs(written, there, fmt={"extension": ".md"}), notebook)
    return notebook


def _inputs(notebook):
    """What a reader can change: of each cell its kind, its text and its tags."""
    return [(c.cell_type, c.source.strip(), c.metadata.get("tags")) for c in notebook.cells]


def main():
    """Pair all chapters of the book here."""
    place = layout()
    for name in place.names():
        if path := pair(name, place):
            print(f"written: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
