"""What the site's extensions make of tables, terms, the reference and the package's code."""

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
from zslib.compatibility import ESZSL

ROOT = Path(__file__).parents[2]
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
GLOSSARY = ":::{glossary}\nhub\n  Near to many.\n\nH\nharmonic mean\n  A mean.\n:::\n"


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "book" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXTENSIONS = {name: load(name) for name in ("book_reference", "book_tables", "book_terms")}


def build(root, pages):
    """Build pages, ``{name: Markdown}``, in a folder: their HTML, warnings and dependencies."""
    for name, text in pages.items():
        path = root / "site" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    warnings = io.StringIO()
    settings = {
        "extensions": ["myst_parser", "sphinx.ext.mathjax", "sphinx.ext.autodoc", *EXTENSIONS],
        "myst_enable_extensions": ["colon_fence", "dollarmath"], "numfig": True,
        "html_theme": "basic", "master_doc": "index",
    }  # fmt: skip
    with docutils_namespace(), pytest.MonkeyPatch.context() as patched:  # each build begins anew
        for name, module in EXTENSIONS.items():
            patched.setitem(sys.modules, name, module)
        app = Sphinx(
            root / "site", None, root / "out", root / "trees", "html",
            confoverrides=settings, status=None, warning=warnings,
        )  # fmt: skip
        app.build()
    html = {name: (root / "out" / f"{name}.html").read_text("utf-8") for name in pages}
    return html, warnings.getvalue(), app.env.dependencies


INDEX = "# A\n\n```{toctree}\n:numbered:\n:glob:\n\n**\n```\n"
TABLE = "````{table} %s\n:name: tbl-%s\n%s\n\n| a |\n|--|\n| %s |\n````\n"
SAID = "one_set 1.0 [0.5, 1.5]; other 2.0 [1.5, 2.5]"
PAGES = {
    "index": INDEX,
    "glossary": f"# Glossary\n\n{GLOSSARY}",
    "demo/01_a": CHAPTER,
    "folded": f"# A\n\n{TABLE % ('Some < more.', 'a', ':class: folded', 1)}\n{{numref}}`tbl-a`\n",
    "sortable": f"# A\n\n{TABLE % ('Many.', 'b', ':class: sortable', 1)}",
    "rows": "# A\n\n" + "\n".join(
        TABLE % (title, title, "", " |\n| ".join(rows))
        for title, rows in (("Two", "12"), ("Three", "123"))
    ),
    "verdicts": "# A\n\n" + "".join(
        TABLE % ("Some.", f"{name}-1", "", SAID) for name in ("demo-claims", "demo")
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """HTML of ``PAGES``."""
    html, warnings, _ = build(tmp_path_factory.mktemp("pages"), PAGES)
    assert warnings == ""
    return html


def test_a_chapter_links_its_terms(shown):
    link = r'href="[./]*glossary\.html#(term-[\w-]+)"[^>]*><span class="term">(\w+\s?\w*)'
    over_lines = ("term-harmonic-mean", "harmonic\nmean")
    wanted = [("term-hub", "Hubs"), ("term-H", "H"), over_lines]
    assert re.findall(link, shown["demo/01_a"]) == wanted
    assert 'class="term"' not in shown["glossary"]


def test_a_wide_table_has_a_label_in_each_cell(shown):
    narrow, wide = re.findall(r"<table.*?</table>", shown["demo/01_a"], re.DOTALL)
    assert "cell-label" not in narrow
    assert '<abbr title="not printed">·</abbr>' in narrow
    assert '<abbr title="no data">–</abbr>' in narrow
    assert '12.3 <span class="interval">[11.0, 13.0]</span>' in narrow
    assert "stacked" in wide.split(">")[0]
    labels = re.findall(r'<span class="cell-label">([^<]+) </span>', wide)
    numbers = ["the first of many numbers", "the second number", "a third number"]
    assert labels == ["a system with a long name", *numbers]
    assert wide.count("row-name") == 1


def test_a_folded_table_is_its_caption_until_it_is_opened(shown):
    folded = r"<details class='folded'><summary>\s*<span>(Table \d\.1) Some &lt; more.</span>"
    found = re.search(folded + r"\s*</summary>\s*<table", shown["folded"])
    assert f"{found[1]}</span></a>" in shown["folded"]
    assert shown["sortable"].count("<details class='folded'>") == 1
    # A table of one or two rows is folded: a sentence says what it says.
    assert re.findall(r"<summary>\s*<span>Table [\d.]+ (\w+)", shown["rows"]) == ["Two"]


def test_verdicts_have_names_of_data_as_elsewhere_and_every_interval_small(shown):
    page = shown["verdicts"]
    small = '1.0 <span class="interval">[0.5, 1.5]</span>; other 2.0 <span class="interval">[1.5,'
    assert page.count(small) == 2
    assert page.count("one-set") == page.count("one_set") == 1


def test_the_reference_has_a_page_and_a_line_for_each_name(tmp_path):
    place = Layout(tmp_path / "site")
    room = "# Metrics\n\n```{reference} zslib.metrics\nk_occurrence, Hierarchy\n```\n"
    gone = place.site / "reference" / "metrics" / "gone.md"
    texts = {place.pages / "reference" / "metrics.md": room, gone: "# Gone\n"}
    texts[place.chapters / "demo" / "01_a.md"] = (
        "# A\n\n```{source} zslib.metrics.hubness.k_occurrence\n```\n\n"
        "```{code-cell} ipython3\n:tags: [hide-input]\n\n"
        "from zslib.metrics import hierarchical\n\n"
        "hierarchical.Hierarchy\nhierarchical.undefined\n```\n"
    )
    for path, text in texts.items():
        path.parent.mkdir(parents=True)
        path.write_text(text)
    reference = Reference(place)
    targets = [entry.target for entry in reference.entries.values()]
    assert targets == ["zslib.metrics.k_occurrence", "zslib.metrics.Hierarchy"]
    place_pages(place, reference)
    assert not gone.exists()
    page = (gone.parent / "k_occurrence.md").read_text()
    assert ".. autofunction:: zslib.metrics.k_occurrence" in page
    assert "**In the chapters:** {doc}`/demo/01_a`." in page
    line = reference.line("demo/01_a")
    assert line.startswith("**In the reference:** {py:obj}`k_occurrence <zslib.metrics.k_occ")
    assert "Symbols" not in line  # of a book without the page
    (place.pages / "notation.md").write_text("# Notation\n")
    assert reference.line("demo/01_a").endswith(" **Symbols:** {doc}`/notation`.")
    whole = "# Search\n\n```{reference} zslib.search\n```\n"
    rooms = {"reference/metrics": room, "reference/search": whole}
    built = build(tmp_path, {"index": INDEX, **rooms})[0]
    # Without names, also what the module says of itself.
    assert "<strong>Exact</strong> means" in built["reference/search"]
    html = built["reference/metrics"]
    assert re.search(r"k_occurrence.*?</td>\s*<td[^>]*><p>[A-Z]", html, re.S)


def test_chapters_are_held_against_names_as_they_import_them():
    reference = Reference(Layout(ROOT))
    used = {entry.target for entry in reference.uses("hubness/02_hubness")}
    assert {"zslib.metrics.k_occurrence", "zslib.mapping.RidgeMap"} <= used
    assert not any(name.startswith("book.papers") for name in used)
    shown = {entry.name for entry in reference.uses("together/05_recipe")}
    assert {"RidgeMap", "top_k", "ESZSL", "Centred"} <= shown and "unit_length" not in shown
    assert len({entry.target for entry in reference.entries.values()}) == len(reference.entries)
    assert all(map(reference.line, reference.place.names()))


def test_a_line_that_begins_with_a_symbol_opens_no_list():
    lines = ["d. The distance.", "    p.", "A. Frome et al.", "e.g. this", "1. one"]
    EXTENSIONS["book_reference"].keep_symbols(None, "class", "A", None, None, lines)
    assert lines == [r"d\. The distance.", r"    p\.", r"A\. Frome et al.", "e.g. this", "1. one"]


def test_methods_that_scikit_learn_makes_have_no_page():
    skip = EXTENSIONS["book_reference"].skip_requests
    made = [name for name in dir(ESZSL) if name.startswith("set_") and name != "set_params"]
    assert "set_fit_request" in made
    shown = {name: skip(None, "class", name, None, False, None) for name in [*made, "fit"]}
    assert shown == dict.fromkeys(made, True) | {"fit": None}  # None: others decide


def test_all_of_a_room_are_listed_by_letter():
    names = list(exported("zslib.compatibility"))
    assert names == sorted(names, key=str.lower)


def test_the_sidebar_walks_no_page_of_a_function_but_the_pages_own():
    own, other = "reference/search/top_k", "reference/search/CSLS"
    includes = {"reference/search": [other, own], "index": ["a", "b"]}
    entries = {doc: [(None, page) for page in pages] for doc, pages in includes.items()}
    trees = {doc: addnodes.toctree(entries=pages) for doc, pages in entries.items()}
    tocs = {doc: nodes.bullet_list("", tree) for doc, tree in trees.items()}
    app = SimpleNamespace(env=SimpleNamespace(toctree_includes=includes, tocs=tocs))
    for page, left in (("a", []), (own, [(None, own)]), (other, [(None, other)])):
        load("book_site").trim_contents(app, page, "page.html", {}, None)
        assert trees["reference/search"]["entries"] == left
        assert trees["index"]["entries"] == [(None, "a"), (None, "b")]


source = EXTENSIONS["book_reference"]
MODULE = (
    '''
"""A room."""

SIZE = 3

def double(x):
    """Twice.

    >>> double(1)
    """

    # A reason.
    return 2 * x

def checked(x, k):
    """Checked."""
    check_x(x)
    k = check_k(k)
    if k > x:
        shown = x
        raise ValueError(f"k is larger than {shown}")
    if k < 0:
        k = -k
    return x + k

class Scale:
    """Scales."""

    def apply(self, x):
        """Once."""
        return self.factor * x

    @property
    def factor(self):
        """Of length."""
        return double(SIZE)

    @staticmethod
    def plain(x):
        return x

def long(x):
    """Long."""
'''
    + "    x += 1\n" * 30
)


@pytest.fixture
def room(tmp_path, monkeypatch):
    """The file of a toy package's module."""
    folder = tmp_path / "toyroom"
    folder.mkdir()
    (folder / "__init__.py").write_text("from toyroom.scale import double\n")
    (folder / "scale.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield folder / "scale.py"
    sys.modules.pop("toyroom", None), sys.modules.pop("toyroom.scale", None)


def test_code_without_docstring_and_indentation_with_its_comments(room):
    double = ["def double(x):", "    # A reason.", "    return 2 * x"]
    assert source.code("toyroom.scale.double") == (double, str(room))
    assert source.code("toyroom.double")[0] == double
    apply = ["def apply(self, x):", "    return self.factor * x"]
    assert source.code("toyroom.scale.Scale.apply")[0] == apply
    assert source.code("toyroom.scale.Scale.factor")[0][0] == "@property"
    assert source.code("toyroom.scale.Scale.plain")[0][-1] == "    return x"


def test_what_only_refuses_bad_input_is_left_out(room):
    body = ["k = check_k(k)", "if k < 0:", "    k = -k", "return x + k"]
    lines = ["def checked(x, k):", *(f"    {line}" for line in body)]
    assert source.code("toyroom.scale.checked")[0] == lines


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "toyroom.scale.triple",
            "module 'toyroom.scale' has no attribute 'triple'; give the dotted name in",
        ),
        ("toyroom.scale.Scale.turn", "'Scale' has no attribute 'turn'"),
        ("toyattic.scale", "No module named 'toyattic'; give the dotted name in full"),
        ("double", "No module named 'double'"),
        ("toyroom.scale.Scale", "is a class: name the methods"),
        ("toyroom.scale.SIZE", "is of type int: name a function"),
        ("toyroom.scale.long", "31 lines of code and a page shows 30 at most"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_what_to_do(room, name, message):
    with pytest.raises(source.NotShown, match=message):
        source.code(name)


OF_TOYS = (
    "# Reference\n\n```{eval-rst}\n.. automodule:: toyroom\n   :members:\n"
    "   :imported-members:\n\n.. autoclass:: toyroom.scale.Scale\n```\n"
)


def test_a_page_shows_the_code_links_to_the_reference_and_is_built_anew(tmp_path, room):
    text = "# A\n\n```{source} toyroom.scale.double\ntoyroom.scale.Scale.apply\n```\n"
    unknown = "# A\n\n```{source}\ntoyroom.scale.triple\n```\n"
    pages = {"index": INDEX, "reference": OF_TOYS, "a": text, "b": unknown}
    html, warnings, dependencies = build(tmp_path / "book", pages)
    assert "b.md:3: ERROR: source: toyroom.scale.triple: module 'toyroom.scale' has no" in warnings
    assert len(re.findall("WARNING|ERROR", warnings)) == 1
    shown = re.sub(r"<[^>]+>", "", html["a"])
    assert "def double(x):\n    # A reason.\n    return 2 * x\n\ndef apply(self, x):" in shown
    assert 'href="reference.html#toyroom.double"' in html["a"]
    assert 'href="reference.html#toyroom.scale.Scale"' in html["a"]  # its method has no entry
    assert any(str(file).endswith("toyroom/scale.py") for file in dependencies["a"])


def test_chapters_name_what_can_be_shown():
    for path in sorted(Layout(ROOT).chapters.glob("*/*.md")):
        for fence in re.findall(r"^```\{source\}(.*?)^```", path.read_text("utf-8"), re.M | re.S):
            for name in fence.replace(",", " ").split():
                assert source.code(name)[0], path.name
