"""Building the site: what changed is built, and nothing else; warnings can be errors."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book.build.page import arrange, page_links
from book.build.plan import plan
from book.build.reference import Reference
from book.build.site import BuildFailed, build, show
from book.parameters import ChapterText
from book.store import write_records

ROOT = Path(__file__).parents[3]

pytestmark = [pytest.mark.book, pytest.mark.usefixtures("light_runs")]

TOC = """\
format: jb-book
root: index
parts:
  - caption: A part
    numbered: true
    chapters: [{file: demo/01_first}, {file: demo/02_second}]
"""

FRONT = "# Title\n\nSee {numref}`tbl-second`, {numref}`fig-second`, {cite:t}`lazaridou2015`.\n\n"
FRONT += "```{bibliography}\n```\n"

SHOW = """
import matplotlib.pyplot as plt
from IPython.display import display
from zslib.protocols import Estimate

rows = [["x | y", Estimate(1.0, 0.5, 1.5, 3)]]
display(book.Table("tbl-{name}", "A **table** on synthetic data.", ["a_b", "P@1"], rows))
fig, ax = plt.subplots()
ax.plot([0, 1])
display(book.figure(fig, name="fig-{name}", caption="A line, synthetic.", alt="A rising line."))
chapter.record(metric="one", value=1)
"""


@pytest.fixture
def site(tiny_book):
    root = tiny_book.root
    for name in ("_config.yml", "book/references.bib", "book/_ext", "book/_static"):
        target = root / name
        target.parent.mkdir(exist_ok=True)
        source = ROOT / name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    (root / "_toc.yml").write_text(TOC)
    (root / "book" / "pages" / "index.md").write_text(FRONT)
    for number, name in enumerate(("first", "second"), 1):
        tiny_book.write(f"demo/0{number}_{name}", SHOW.format(name=name), title=f"The {name}")
    return tiny_book


def test_only_what_changed_is_run_again_and_warnings_can_be_errors(site):
    root, html = site.root, site.root / "_build" / "html"
    assert build(strict=True) == html / "index.html"
    first = (html / "demo" / "01_first.html").read_text("utf-8")
    front = (html / "index.html").read_text("utf-8")
    assert '<span class="caption-number">Table 1.1 </span>' in first
    assert 'alt="A rising line."' in first and "x | y" in first
    assert "thebe" not in first and "https://cdn" not in first
    assert "Table 2.1" in front and "Figure 2.1" in front
    assert (html / "_images/fig-first.svg").is_file()
    sources = (html / "_sources").rglob("*.ipynb")
    assert sorted(p.name for p in sources) == ["01_first.ipynb", "02_second.ipynb"]

    def times():
        return {path: path.stat().st_mtime_ns for path in html.rglob("*.html")}

    before = times()
    build(strict=True)
    assert times() == before

    # One more table before: every page that shows the number of another is written again.
    path = site.place.chapter_file("demo/02_second")
    extra = 'display(book.Table("tbl-extra", "Extra, synthetic.", ["a"], [[1]]))\n'
    path.write_text(path.read_text().replace("display(book.Table", f"{extra}display(book.Table"))
    build(strict=True)
    assert "Table 2.2" in (html / "index.html").read_text("utf-8")
    names = list(json.loads((root / "results" / "book.json").read_text()))
    assert names == ["demo/01_first", "demo/02_second"]
    runs = [list((site.place.results / name).glob("*/notebook.ipynb")) for name in names]
    assert [len(several) for several in runs] == [1, 2]

    (root / "book" / "pages" / "index.md").write_text("# Title\n\nSee {numref}`tbl-nowhere`.\n")
    for jobs in (1, 2):  # what failed is not taken for built
        with pytest.raises(BuildFailed, match="warnings count as errors"):
            build(strict=True, jobs=jobs)


@pytest.mark.parametrize("full", [True, False])
def test_a_page_is_of_one_run_and_a_smaller_one_tells_what_the_published_judges(tiny_book, full):
    name = "hubness/02_hubness"
    path = tiny_book.write(name)
    more = "zslib:\n  question: Why?\n  full: {n_seeds: 3}\n"
    path.write_text(path.read_text().replace("zslib:\n", more))
    one = plan([name], full=full)[name]
    record = {"metric": "P@1", "method": "max-margin - ridge", "setting": "cross-linguistic"}
    run = {"parameters": one.parameters, "digests": one.digests, "data": []}
    published = tiny_book.place.published / name
    for folder, value, date in ((one.folder, -1.0, "2026-01-02"), (published, 1.0, "2020-01-01")):
        folder.mkdir(parents=True)
        row = record | {"space": "full", "value": value}
        write_records(folder, [row], run | {"date": date})
    one.notebook.write_text(nbformat.writes(ChapterText(name, one.text).notebook()))
    show(one, tiny_book.place, Reference(tiny_book.place))
    page = nbformat.read(tiny_book.place.site / f"{name}.ipynb", as_version=4)
    box = page.cells[0].source
    assert "1 failed</a>" in box and "held</a>" not in box and "2020" not in box
    line = "our full run: <b>held, above 0</b>; here: <b>failed, below 0</b>"
    assert (line in box) is not full
    assert ("full run" in box) is not full


def code(text, *tags, shows=""):
    outputs = [new_output("display_data", data={"text/markdown": shows})] if shows else []
    return new_code_cell(text, metadata={"tags": list(tags)}, outputs=outputs)


def arranged(*cells):
    """The cells of a chapter's page."""
    notebook = new_notebook(cells=list(cells))
    arrange(notebook, ChapterText("demo/01_a_b", "# Title\n"), None, None)
    return notebook.cells


def test_an_empty_sentence_is_not_told_by_its_type():
    data = {"text/markdown": "", "text/plain": "<IPython.core.display.Markdown object>"}
    empty = new_code_cell("Markdown('')", outputs=[new_output("display_data", data=data)])
    _, empty, said = arranged(new_markdown_cell("# T\n"), empty, code("b", shows="B."))
    assert empty.outputs == [] and len(said.outputs) == 1


def test_displayed_formulas_are_numbered():
    text = "# T\n\n$$\na\n= b\n$$\n\n```\n$$\nc\n$$\n```\n\nOf $d$: $$e$$ and\n\n$$f$$\n"
    cells = new_markdown_cell(text), code("$$g$$"), new_markdown_cell("$$\nh\n$$")
    first, middle, last = (cell.source for cell in arranged(*cells))
    text = text.replace("b\n$$\n", "b\n$$ (eq-demo-01-a-b-1)\n")
    assert first == text.replace("$$f$$", "$$f$$ (eq-demo-01-a-b-2)")
    assert middle == "$$g$$"
    assert last == "$$\nh\n$$ (eq-demo-01-a-b-3)"


def test_sentences_have_signs_of_minus():
    text = "Max-margin: -1.5 [-2, -.1] in 2026-11, `x[-1]`, $-1$, [p](a-1.md#-2), <a id=-3>."
    cell = arranged(new_markdown_cell("# T\n"), code("a", shows=text))[1]
    shown = cell.outputs[0].data["text/markdown"]
    assert shown == text.replace("-1.5 [-2, -.1]", "−1.5 [−2, −.1]")


def test_cells_that_follow_each_other_have_one_fold():
    table = "````{table} Settings of $N_k$ (cub).\n:name: tbl-a\n\n````"
    cells = arranged(
        new_markdown_cell("# Title\n\nText."),
        code("dataset = 'cub'", "parameters"),
        code("dataset = 'awa1'", "injected-parameters"),
        code("chapter = 1", "hide-input", shows="one"),
        new_markdown_cell("Text."),
        code("a", "hide-input", shows="[two](../dark/04_a.md)"),
        code("b", "hide-input", shows="three"),
        code("c", "hide-cell", shows=table),
        code("d", "hide-input", "full-width"),
        code("e", "hide-input"),
        code("shown"),
        code("chapter.finish()", "hide-input"),
    )
    folds = [cell for cell in cells if cell.cell_type == "code"]
    assert [cell.source for cell in folds] == [
        "dataset = 'cub'\n\ndataset = 'awa1'\n\nchapter = 1",
        "a\n\nb", "c", "d", "e", "shown", "chapter.finish()",
    ]  # fmt: skip
    assert [len(cell.outputs) for cell in folds] == [1, 2, 1, 0, 0, 0, 0]
    assert folds[1].outputs[0].data["text/markdown"] == "[two](../dark/04_a.ipynb)"
    assert folds[0].metadata.tags == ["hide-input", "parameters"]
    assert folds[2].metadata.mystnb.code_prompt_show == "Settings of N_k (cub)"
    assert folds[-1].metadata.tags == ["hide-cell"]


@pytest.mark.parametrize(
    ("source", "to_root", "page"),
    [
        ("[a](02_hubness.md)", "../", "[a](02_hubness.ipynb)"),
        ("[a](../devise/01_a.md#b)", "../", "[a](../devise/01_a.ipynb#b)"),
        ("[a](../../book/pages/data.md), b", "../", "[a](../data.md), b"),
        ("[a](https://example.org/02_a.md)", "../", "[a](https://example.org/02_a.md)"),
        ("02_hubness.md", "../", "02_hubness.md"),
        ("[a](../../chapters/dark/01_a.md#b)", "", "[a](dark/01_a.ipynb#b)"),
        ("[a](../../../chapters/dark/01_a.md)", "../", "[a](../dark/01_a.ipynb)"),
        ("[a](data.md)", "", "[a](data.md)"),
        ("![a](../_static/a.svg)", "", "![a](../../book/_static/a.svg)"),
        ("![a](../../_static/a.svg)", "../", "![a](../../../book/_static/a.svg)"),
    ],
)
def test_links_of_sources_become_links_of_pages(source, to_root, page):
    assert page_links(source, to_root) == page
