"""What the site's extensions make of tables, terms and the reference."""

from __future__ import annotations

import importlib.util
import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.build.reference import Reference, exported
from book.build.site import place_pages
from book.paths import Layout

ROOT = Path(__file__).parents[2]
NAMES = ("book_reference", "book_tables", "book_terms")

CHAPTER = r"""
# Hubness

Hubs, and hubs again; `hub` is code. H, and not h, of the [hub](https://example.org), a harmonic
mean.

| system | $H$, paper | ours |
| :-- | --: | --: |
| a | · | 12.3 [11.0, 13.0] |
| b | 1.0 | – |

| a system with a long name | the first of many numbers | the second number | a third number |
| :-- | --: | --: | --: |
| one | 1.0 | 2.0 [1.0, 3.0] | 3.0 |
"""
GLOSSARY = """
# Glossary

:::{glossary}
hub
  Near to many.

H
harmonic mean
  A mean.
:::
"""


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "book" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Function that builds pages, ``{name: Markdown}``, and gives them as HTML with warnings."""
    for name in NAMES:
        monkeypatch.setitem(sys.modules, name, load(name))

    def build(pages):
        for name, text in pages.items():
            path = tmp_path / "site" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        warnings = io.StringIO()
        extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx.ext.autodoc", *NAMES]
        settings = {
            "extensions": extensions, "html_theme": "basic", "master_doc": "index",
            "myst_enable_extensions": ["colon_fence", "dollarmath"], "numfig": True,
        }  # fmt: skip
        folders = [tmp_path / name for name in ("out", "trees")]
        with docutils_namespace():  # each build begins anew
            app = Sphinx(
                tmp_path / "site", None, *folders, "html",
                confoverrides=settings, status=None, warning=warnings,
            )  # fmt: skip
            app.build()
        html = {name: (tmp_path / "out" / f"{name}.html").read_text("utf-8") for name in pages}
        return html, warnings.getvalue()

    return build


INDEX = "# A\n\n```{toctree}\n:numbered:\n:glob:\n\n**\n```\n"


def test_a_chapter_links_its_terms(site):
    pages = {"index": INDEX, "glossary": GLOSSARY, "demo/01_a": CHAPTER}
    html, warnings = site(pages)
    assert warnings == ""
    page = html["demo/01_a"]
    links = re.findall(
        r'href="[./]*glossary\.html#(term-[\w-]+)"[^>]*><span class="term">(\w+\s?\w*)', page
    )
    over_lines = ("term-harmonic-mean", "harmonic\nmean")
    assert links == [("term-hub", "Hubs"), ("term-H", "H"), over_lines]
    assert 'class="term"' not in html["glossary"]


def test_a_wide_table_has_a_label_in_each_cell(site):
    page = site({"index": INDEX, "a": CHAPTER})[0]["a"]
    narrow, wide = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert "cell-label" not in narrow
    assert '<abbr title="not printed">·</abbr>' in narrow
    assert '<abbr title="no data">–</abbr>' in narrow
    assert '12.3 <span class="interval">[11.0, 13.0]</span>' in narrow
    assert "stacked" in wide.split(">")[0]
    labels = re.findall(r'<span class="cell-label">([^<]+) </span>', wide)
    numbers = ["the first of many numbers", "the second number", "a third number"]
    assert labels == ["a system with a long name", *numbers]
    assert wide.count("row-name") == 1


def test_a_folded_table_is_its_caption_until_it_is_opened(site):
    head = "````{table} Some < more.\n:name: tbl-a\n:class: folded\n\n"
    text = f"# A\n\n{head}| a |\n|--|\n| 1 |\n````\n"
    pages = {"index": INDEX, "a": text + "\n{numref}`tbl-a`\n"}
    page, warnings = site(pages)
    assert warnings == ""
    folded = r"<details class='folded'><summary>\s*<span>Table 1.1 Some &lt; more.</span>"
    assert re.search(folded + r"\s*</summary>\s*<table", page["a"])
    assert "Table 1.1</span></a>" in page["a"]


def test_a_sortable_table_is_folded_too(site):
    head = "````{table} Many.\n:name: tbl-a\n:class: sortable\n\n"
    table = f"{head}| a | b |\n|--|--|\n| 1 | 2 |\n````\n"
    page, _ = site({"index": INDEX, "a": f"# A\n\n{table}"})
    assert page["a"].count("<details class='folded'>") == 1


def test_verdicts_have_names_of_data_as_elsewhere_and_every_interval_small(site):
    said = "one_set 1.0 [0.5, 1.5]; other 2.0 [1.5, 2.5]"
    table = "````{table} Some.\n:name: tbl-%s-1\n\n| a |\n|--|\n| %s |\n````\n"
    text = "# A\n\n" + table % ("demo-claims", said) + table % ("demo", said)
    page, _ = site({"index": INDEX, "a": text})
    small = '1.0 <span class="interval">[0.5, 1.5]</span>; other 2.0 <span class="interval">[1.5,'
    assert page["a"].count(small) == 2
    assert page["a"].count("one-set") == page["a"].count("one_set") == 1


def test_the_reference_has_a_page_and_a_line_for_each_name(site, tmp_path):
    api = tmp_path / "site" / "book" / "pages" / "reference"
    api.mkdir(parents=True)
    room = "# Metrics\n\n```{reference} zslib.metrics\nk_occurrence, Hierarchy\n```\n"
    (api / "metrics.md").write_text(room)
    chapter = tmp_path / "site" / "chapters" / "demo" / "01_a.md"
    chapter.parent.mkdir(parents=True)
    chapter.write_text(
        "# A\n\n```{source} zslib.metrics.hubness.k_occurrence\n```\n\n"
        "```{code-cell} ipython3\n:tags: [hide-input]\n\n"
        "from zslib.metrics import hierarchical\n\n"
        "hierarchical.Hierarchy\nhierarchical.undefined\n```\n"
    )
    place = Layout(tmp_path / "site")
    reference = Reference(place)
    targets = [entry.target for entry in reference.entries.values()]
    assert targets == ["zslib.metrics.k_occurrence", "zslib.metrics.Hierarchy"]
    gone = place.site / "reference" / "metrics" / "gone.md"
    gone.parent.mkdir(parents=True)
    gone.write_text("# Gone\n")
    place_pages(place, reference)
    assert not gone.exists()
    page = (gone.parent / "k_occurrence.md").read_text()
    assert ".. autofunction:: zslib.metrics.k_occurrence" in page
    assert "**In the chapters:** {doc}`/demo/01_a`." in page
    line = reference.line("demo/01_a")
    assert line.startswith("**In the reference:** {py:obj}`k_occurrence <zslib.metrics.k_occ")
    html, _ = site({"index": INDEX, "reference/metrics": room})
    assert re.search(r"k_occurrence.*?</td>\s*<td[^>]*><p>[A-Z]", html["reference/metrics"], re.S)


def test_chapters_are_held_against_names_as_they_import_them():
    place = Layout(ROOT)
    reference = Reference(place)
    used = {entry.target for entry in reference.uses("hubness/02_hubness")}
    assert {"zslib.metrics.k_occurrence", "zslib.mapping.RidgeMap"} <= used
    assert not any(name.startswith("book.papers") for name in used)
    shown = {entry.name for entry in reference.uses("together/05_recipe")}
    assert {"RidgeMap", "top_k", "ESZSL", "Centred"} <= shown and "unit_length" not in shown
    targets = {entry.target for entry in reference.entries.values()}
    assert len(targets) == len(reference.entries)
    assert [name for name in place.names() if not reference.line(name)] == []


def test_a_line_that_begins_with_a_symbol_opens_no_list(site):
    lines = ["d. The distance.", "    p.", "A. Frome et al.", "e.g. this", "1. one"]
    sys.modules["book_reference"].keep_symbols(None, "class", "A", None, None, lines)
    assert lines == [r"d\. The distance.", r"    p\.", r"A\. Frome et al.", "e.g. this", "1. one"]


def test_all_of_a_room_are_listed_by_letter():
    names = exported("zslib.compatibility")
    assert names == sorted(names, key=str.lower)
    assert exported("zslib.metrics", "k_occurrence, Hierarchy") == ["k_occurrence", "Hierarchy"]


def test_the_sidebar_walks_no_page_of_a_function_but_the_pages_own():
    own, other = "reference/search/top_k", "reference/search/CSLS"
    includes = {"reference/search": [other, own], "index": ["a", "b"]}
    trees = {
        doc: addnodes.toctree(entries=[(None, page) for page in pages])
        for doc, pages in includes.items()
    }
    tocs = {doc: nodes.bullet_list("", tree) for doc, tree in trees.items()}
    app = SimpleNamespace(env=SimpleNamespace(toctree_includes=includes, tocs=tocs))
    for page, left in (("a", []), (own, [(None, own)]), (other, [(None, other)])):
        load("book_site").trim_contents(app, page, "page.html", {}, None)
        assert trees["reference/search"]["entries"] == left
        assert trees["index"]["entries"] == [(None, "a"), (None, "b")]
