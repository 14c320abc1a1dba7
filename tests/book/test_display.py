"""Tables and figures as the book, Jupyter and a terminal show them."""

import base64
import math
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

import book
from zslib.protocols import Estimate

matplotlib.use("svg")
PARSER = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)


def table(columns=("w",), rows=(), *, name="tbl-a", caption="Words.", **options):
    return book.Table(name, caption, columns, rows, **options)


def bundle(shown, kind="markdown"):
    return shown._repr_mimebundle_()[f"text/{kind}"]


def cells(table):
    """Texts of the cells of a rendered Markdown table, row by row, headers first."""
    rows, kinds = [], []
    for token in PARSER.parse("\n".join(bundle(table).splitlines()[3:-1])):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline":
            kinds += [child.type for child in token.children]
            rows[-1].append("".join(child.content for child in token.children))
    return rows, kinds


# A cell is one line; blanks at its ends and doubled ones inside are not shown.
TEXTS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp"))).map(
    lambda text: " ".join(text.split())
)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_cells_show_any_text_as_it_is(texts):
    rows, kinds = cells(table(["word"] * len(texts), [texts]))
    assert rows[1] == texts and {*kinds} <= {"text", "text_special"}


def shown(values, column="x"):
    """The cells of a table's one column, without its head."""
    return [row[0] for row in cells(table([column], [[value] for value in values]))[0][1:]]


@pytest.mark.parametrize(
    ("values", "number_format", "texts"),
    [
        ([1.25, np.float32(-2.0), 7, 123456, True], None, ["1.2", "−2.0", "7", "123,456", "yes"]),
        ([0.000123, None, 1.0], ".1e", ["1.2e−04", "–", "1.0e+00"]),
        ([Estimate(38.44, 37.9, 39.0, 3)], None, ["38.4 [37.9, 39.0]"]),
        # What rounds to zero has no sign.
        ([-0.04, -0.06], None, ["0.0", "−0.1"]),
        ([Estimate(0.01, -0.02, 0.06, 3)], None, ["0.0 [0.0, 0.1]"]),
        # Three digits at most.
        ([70.123, 5.554], ".2f", ["70.1", "5.6"]),
        ([9.876, np.float64(0.12345)], ".3f", ["9.88", "0.12"]),
        ([0.98765], ".4f", ["0.988"]),
        ([100.0, 123.4, 7.25], ".1f", ["100.0", "123", "7.2"]),
        ([12345.6], ",.1f", ["12,346"]),
        ([Estimate(70.12, 67.08, 73.16, 3)], ".2f", ["70.1 [67.1, 73.2]"]),
        ([0.00123, -23456.0], ".3g", ["0.00123", "−23,500"]),
        ([Estimate(23456.0, 1.0, 34567.0, 3)], ".3g", ["23,500 [1, 34,600]"]),
        # An interval without width is not shown.
        ([Estimate(-300.0, -300.0, -300.0, 3)], None, ["−300"]),
        ([Estimate(1.0, 1.0, 1.2, 3)], None, ["1.0 [1.0, 1.2]"]),
    ],
)
def test_numbers_are_formatted_by_column(values, number_format, texts):
    column = book.Column("x", number_format) if number_format else "x"
    assert shown(values, column) == [t.replace(", ", ",\N{NO-BREAK SPACE}") for t in texts]


@pytest.mark.parametrize(("head", "sign"), [("paper", "·"), ("H, paper", "·"), ("ours", "–")])
def test_what_is_not_printed_and_what_is_not_there_have_signs_of_their_own(head, sign):
    assert shown([None], head) == [sign]


def test_columns_of_numbers_stand_right():
    mixed = bundle(table(["w", "x", "n"], [["a", None, 1], ["b", 1.5, None]]))
    assert "| :-- | --: | --: |" in mixed
    as_text = bundle(table(["w", "x"], [["a", "48.3"], ["−1 [−2, 0]", None]]))
    assert "| :-- | --: |" in as_text
    assert "| :-- |" in bundle(table([book.Column("n", align="left")], [[1]]))


def test_markdown_cells_are_kept():
    assert "| $N_{20}$ \\| b |" in bundle(table(rows=[[book.Markdown("$N_{20}$ | b")]]))


def test_jupyter_sees_the_same_cells_as_html():
    shown = table(["<w>"], [["<b>&"], [1.0]], caption="A & b.")
    root = ElementTree.fromstring(bundle(shown, "html"))
    assert root.find(".//b") is None
    assert {"A & b.", "<w>", "<b>&", "1.0"} <= set(root.itertext())


def draw(**changes):
    from matplotlib import pyplot

    book.style()
    fig, ax = pyplot.subplots()
    ax.plot([0, 1, 3], label="a")
    ax.fill_between([0, 1, 2], [0, 1, 2], [1, 2, 3])
    ax.legend()
    given = {"name": "fig-a", "caption": "A line on synthetic data.", "alt": "A rising line."}
    return book.figure(**({"fig": fig} | given | changes))


def test_the_same_figure_is_the_same_file_and_closed(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSLIB_RUN_DIRECTORY", str(tmp_path))
    one = draw().svg
    assert matplotlib.pyplot.get_fignums() == []
    assert (tmp_path / "figures" / "fig-a.svg").read_text("utf-8") == one
    assert draw().svg == one
    assert "<dc:date>" not in one


def test_a_figure_is_a_numbered_directive_with_alt_text():
    head, *options, caption, end = bundle(draw()).splitlines()
    assert (head, caption, end) == (
        "````{figure} figures/fig-a.svg", "A line on synthetic data.", "````"
    )  # fmt: skip
    assert {":name: fig-a", ":alt: A rising line.", ":class: drawing"} <= {*options}
    assert re.search(r":width: \d+px", " ".join(options))


def test_jupyter_sees_the_drawing_with_its_caption():
    shown = draw(caption="Less < more.", alt='A "line".')
    root = ElementTree.fromstring(bundle(shown, "html"))
    image = root.find("img").attrib
    kind, drawing = image["src"].split(",")
    assert (image["alt"], kind) == ('A "line".', "data:image/svg+xml;base64")
    assert base64.b64decode(drawing).decode() == shown.svg
    assert root.find("figcaption").text == "Less < more."
    assert repr(shown) == 'Less < more.\n[A "line".]'


REFUSALS = {
    table: [
        ({"name": "Table 1"}, "name must be lower-case letters"),
        ({"caption": ""}, "the caption of 'tbl-a' must be one line"),
        ({"caption": "a\nb"}, "the caption of 'tbl-a' must be one line"),
        ({"columns": []}, "at least one column"),
        ({"rows": [["a", "b"]]}, "row 0 of table 'tbl-a' has 2 cells, but there are 1"),
        ({"rows": [[math.nan]]}, "row 0, column 'w' of table 'tbl-a' is nan: pass None"),
    ],
    draw: [
        ({"alt": ""}, "the alt of 'fig-a' must be one line"),
        ({"alt": "a\nb"}, "the alt of 'fig-a' must be one line"),
        ({"caption": " "}, "the caption of 'fig-a' must be one line"),
        ({"name": "fig_a"}, "name must be lower-case letters"),
        ({"fig": []}, "fig must be a matplotlib Figure, got list", TypeError),
    ],
}


def test_bad_tables_and_figures_are_refused(refusal):
    refusal()


def test_a_table_may_be_sorted_by_its_reader():
    plain, sortable = (table(caption="**Two** $N_k$.", sortable=sort) for sort in (False, True))
    head = "````{table} **Two** $N_k$.\n:name: tbl-a\n:class: sortable\n\n|"
    assert bundle(sortable).startswith(head)
    assert '<table class="sortable">' in bundle(sortable, "html")
    assert str(sortable) == str(plain)
    assert "sortable" not in "".join(plain._repr_mimebundle_().values())
    assert ":class: sortable folded\n" in bundle(table(sortable=True, folded=True))
