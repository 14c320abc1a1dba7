"""The report in Chromium: it fits its page, wide and narrow; tables sort by hand and by key."""

from dataclasses import replace

import numpy as np
import pytest

from zslib.compare.finding import Finding
from zslib.compare.report import report
from zslib.datasets import synthetic_attributes
from zslib.protocols import run_table, unit_length

SYSTEMS = ["ESZSL", "SAE", "DeViSE", "ridge", "reverse ridge", "centred ESZSL"]

pytestmark = pytest.mark.browser

# What is wider than its place; drawings whose names are to be read scroll by themselves.
WIDER = """() => [document.documentElement, ...document.querySelectorAll(".wide:not(.drawing)")]
    .filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.className} ${e.scrollWidth}`)"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    problem = unit_length(synthetic_attributes("APY", scale=0.04, n_features=24))
    names = [f"{'long ' * 3}name of class {i}" for i in range(len(problem.class_names))]
    problem = replace(problem, class_names=np.array(names))
    runs = run_table(SYSTEMS, problem, quick=True)
    runs |= {f"another system {i}": runs["SAE"] for i in range(12)}
    why = "all 3 candidates failed, the first with: it is not finite " * 3
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report(Finding(problem, runs, {"CMT": why}, quick=True)), "utf-8")
    return path


@pytest.fixture
def visit(browser, file):
    def visit(width=1400, theme="light"):
        window = {"width": width, "height": 844}
        page = browser.new_page(viewport=window, color_scheme=theme, offline=True)
        page.wrong = []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.goto(file.as_uri())
        return page

    return visit


@pytest.mark.parametrize("width", [1400, 390])
def test_it_fits_its_page(visit, width):
    page = visit(width)
    assert page.locator(".first").bounding_box()["y"] < 200
    assert page.evaluate(WIDER) == []
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate(WIDER) == []
    assert page.wrong == []


def column(page, number):
    """Texts of a column, of each row that has it."""
    cells = f"document.querySelectorAll('.systems tbody td:nth-child({number})')"
    return page.evaluate(f"[...{cells}].map((cell) => cell.innerText)")


def test_tables_sort_by_a_click_anywhere_on_a_head_and_by_key(visit):
    page = visit()
    systems = column(page, 1)
    assert systems[-2:] == ["chance", "CMT"]
    head = page.locator(".systems th").nth(2)
    box = head.bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + 2)  # beside the word
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(text.split()[0]) for text in column(page, 3)]
    assert values == sorted(values, reverse=True)
    assert column(page, 1)[-1] == "CMT"  # a row without a number stays below
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 1)[0] == "chance"
    head.locator("button").click()  # one click, not two
    assert head.get_attribute("aria-sort") == "descending"


def test_folds_open_by_key_and_dark_pages_have_dark_figures(visit):
    page = visit(theme="dark")
    fold = page.locator("details").first
    fold.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert fold.get_attribute("open") is not None
    shade = "getComputedStyle(document.querySelector('figure img')).filter"
    assert "invert" in page.evaluate(shade)
