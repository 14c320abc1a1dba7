"""Each built page of a chapter is of one run, the one that made it, and made to be read."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from zslib.show.figures import COLORS, IN_COLOR

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("ZSLIB_SITE", ROOT / "_build" / "html"))
CHAPTERS = sorted(p for p in SITE.glob("*/*.html") if re.fullmatch(r"\d\d_\w+", p.stem))
FRONT = [path for path in (SITE / "index.html", SITE / "scorecard.html") if path.is_file()]

pytestmark = pytest.mark.skipif(
    not CHAPTERS, reason=f"no built book in {SITE}: run `make book`, or make other tests do"
)


def article(path):
    """A page's own text, and what a line under its box says of the published run, taken out."""
    page = BeautifulSoup(path.read_text("utf-8"), "html.parser").article
    return page, [part.extract() for part in page.select("details.differences")]


def counted(texts):
    """``{verdict: number}`` of texts such as "3 held"."""
    counts = Counter()
    for text in texts:
        number, _, verdict = text.partition(" ")
        counts[verdict] += int(number)
    return counts


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_box_and_page_are_of_one_run(path):
    page, beside = article(path)
    chips = counted(chip.text for chip in page.select(".finding a.chip"))
    table = counted(
        f"{(re.search('([0-9]+) claims more', row.text) or ['', '1'])[1]} {word.text}"
        for row in page.select("table[id*=-claims-] tbody tr")
        for word in row.select("td:last-child strong")[:1]
    )
    assert chips == table
    for code in page.select("pre"):
        code.decompose()
    assert not re.search("published run", " ".join(page.text.split()), re.IGNORECASE)
    for line in (item.text for part in beside for item in part.select("li")):
        theirs, ours = re.search(r": our full run: ([^;]+); here: (.+)$", line).groups()
        assert theirs != ours


def test_front_pages_speak_of_the_published_run_where_a_chapter_does():
    """So on the site of a full run no page does."""
    chapters = any(article(path)[1] for path in CHAPTERS)
    for path in FRONT:
        text = " ".join(article(path)[0].text.split())
        assert ("These pages show a short run" in text) is chapters, path


# No prose: what is seen or folded, what leads elsewhere, and exercises.
ASIDE = "figure, table, details, pre, code, .math, a.reference, .chip, section#exercises"
LABELS = r"\b(Eqs?\.|Algorithm|Table|Figures?|Section|Appendix|and) \d+|\d{4}-\d\d-\d\d"


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_prose_has_at_most_one_number_in_forty_words(path):
    page = article(path)[0]
    for part in page.select(ASIDE):
        part.decompose()
    parts = page.select("p, li")
    lines = (one.text for one in parts if one.name == "li" or not one.find_parent("li"))
    text = re.sub(LABELS, "", " ".join(lines))
    numbers = re.findall(r"(?<![\w.])[-−+]?\d[\d,.]*", text)
    assert len(re.findall(r"[A-Za-z][\w'’-]*", text)) >= 40 * len(numbers), numbers


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_table_in_sight_has_fewer_than_three_rows(path):
    for table in article(path)[0].select("table[id]"):
        assert table.find_parent("details") or len(table.select("tbody tr")) >= 3, table["id"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_drawing_has_more_than_five_colors_and_black(path):
    for image in article(path)[0].select("img[src$='.svg']"):
        drawing = (path.parent / image["src"]).read_text("utf-8").lower()
        used = [color for color in COLORS[:-1] if color.lower() in drawing]
        assert len(used) <= IN_COLOR, image["src"]
