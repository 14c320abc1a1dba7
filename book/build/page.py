"""How an executed chapter stands on its page: what opens it, and what is folded."""

import itertools
import re

from book.build.opening import exercises, opening
from book.keys import full_size

_CAPTION = re.compile(r"^````\{(?:table|figure)\} (.+)$", re.MULTILINE)
_HYPHEN = re.compile(r"(`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>)|(?<![\w.])-(?=\.?\d)")
_FENCE_OR_DISPLAY = re.compile(r"^`{3}.*?^`{3}$|^\$\$.*?\$\$$", re.MULTILINE | re.DOTALL)
_FOLDED, _WHOLE = "hide-input", "hide-cell"
_SET_UP = {"parameters", "injected-parameters"}


def arrange(notebook, chapter_text, records, published):
    """Change the notebook of a finished run into its page, in place.

    Parameters
    ----------
    notebook : NotebookNode
    chapter_text : book.parameters.ChapterText
    records : Results or None
        Of the run: all that stands on its page is of these.
    published : Results or None
        Beside a run that is smaller, a line tells which verdicts of the published one differ.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = page_links(cell.source)
        if cell.cell_type == "code":  # an empty sentence would be told by its type
            cell.outputs = [output for output in cell.outputs if _said(output) != ""]
            for output in cell.outputs:
                if text := _said(output):
                    output.data["text/markdown"] = _minus_signs(page_links(text))
    name, about = chapter_text.name, chapter_text.about
    if records is not None and full_size(records.run["parameters"], chapter_text):
        published = None
    if box := opening(name, about, records, published):
        title, _, rest = notebook.cells[0].source.partition("\n")
        notebook.cells[0].source = f"{title}\n\n{box}\n{rest}"
    if text := exercises(name, about, records, published):
        import nbformat  # slow

        cell = nbformat.v4.new_markdown_cell(text, id="exercises")
        notebook.cells.insert(len(notebook.cells) - 1, cell)
    _number_equations(notebook, name)
    _fold(notebook)


def _said(output):
    """The Markdown of a cell's output; None where it has none."""
    return output.get("data", {}).get("text/markdown")


def _number_equations(notebook, chapter):
    """Give each displayed formula of the text, outside of fences, a label, and so a number."""
    label, numbers = f"eq-{chapter.replace('/', '-').replace('_', '-')}", itertools.count(1)

    def labelled(part):
        return part[0] if part[0].startswith("`") else f"{part[0]} ({label}-{next(numbers)})"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _FENCE_OR_DISPLAY.sub(labelled, cell.source)


def _fold(notebook):
    """One fold for cells that follow each other; what is folded whole is named by its caption."""
    kept = []
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "code" and "chapter.finish()" in cell.source:
            tags = {_WHOLE}
            _name(cell, "How these numbers came about: data, parameters, code, machine")
        elif _WHOLE in tags:
            shown = " ".join(_said(output) or "" for output in cell.outputs)
            caption = _CAPTION.search(shown)
            plain = caption and re.sub(r"[$`*\\]", "", caption[1]).rstrip(".")
            _name(cell, plain or "Details")
        elif tags & _SET_UP:
            tags |= {_FOLDED}
            _name(cell, "Parameters and set-up")
        if tags:
            cell.metadata.tags = sorted(tags)
        before = set(kept[-1].metadata.get("tags", ())) if kept else set()
        if all(_FOLDED in each <= {_FOLDED, *_SET_UP} for each in (tags, before)):
            kept[-1].source += f"\n\n{cell.source}"
            kept[-1].outputs += cell.outputs
        else:
            kept.append(cell)
    notebook.cells = kept


def _name(cell, prompt):
    cell.metadata.mystnb = {"code_prompt_show": prompt, "code_prompt_hide": prompt}


def _minus_signs(text):
    """A sentence with signs of minus before its negative numbers; tables and figures have them."""
    if text.startswith("`"):
        return text
    return _HYPHEN.sub(lambda match: match[1] or "\N{MINUS SIGN}", text)


def page_links(text, to_root="../"):
    """Links that lead from a source to a source, made to lead from page to page.

    In ``chapters/<paper>/`` a link to another chapter ends in ``.md`` and one to another page
    goes through ``../../book/pages/``; pages in ``book/pages/`` have links to
    ``../../chapters/`` and ``../_static/``. On the site chapters are in ``<paper>/`` below the
    pages, to which ``to_root`` leads, and ``_static`` stays where it is, two folders below the
    repository's root as the site is.
    """
    text = re.sub(r"\]\((\.\./\w+/)?(\d\d_\w+)\.md(#[^)]*)?\)", r"](\1\2.ipynb\3)", text)
    text = re.sub(r"\]\((?:\.\./)+chapters/(\w+/\d\d_\w+)\.md", rf"]({to_root}\1.ipynb", text)
    text = text.replace("](../../book/pages/", f"]({to_root}")
    return text.replace(f"{to_root}../_static/", f"{to_root}../../book/_static/")
