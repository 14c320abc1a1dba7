"""A paper's overview, the map of the book, and its notation."""

import re
import tomllib
from pathlib import Path

import pytest

from book.build.forest import results
from book.build.overview import HEADS, map_page, overview, together
from book.papers import check_claims, load_claims
from book.papers.printed import PAPERS
from book.papers.verdicts import READING
from book.paths import layout

ROOT = Path(__file__).parents[3]
PLACE = layout(ROOT)
PAGES = ROOT / "book/pages"


@pytest.mark.parametrize("paper", PAPERS)
def test_each_result_stands_once_under_its_verdict(paper, records):
    page = overview(paper, records, {f"{paper}/01_a": "Why?", "other/02_b": "How?"})
    parts = re.split(r"^### (.+)$", page, flags=re.M)
    heads = dict(zip(parts[1::2], parts[2::2], strict=True))
    verdicts = results(check_claims(paper, records))
    assert sum(part.count("<li>") for part in heads.values()) == len(verdicts)
    for verdict in verdicts:
        part = heads[HEADS[verdict.verdict]]
        assert f">{verdict.claim.headline}</a>" in part.replace("&#39;", "'").replace("&amp;", "&")
    assert "{doc}`Why? </" in page and "How?" not in page


def test_numbers_are_of_the_mark_that_decides(records):
    for verdict in check_claims("hubness", records):
        if verdict.verdict in {one.verdict for one in verdict.carrying}:
            assert verdict.deciding.verdict == verdict.verdict


def test_what_hangs_on_a_reading_of_the_paper_says_so(records):
    hanging = [v for v in results(check_claims("dark", records)) if v.why.startswith(READING)]
    assert overview("dark", records, {}).count(READING) == len(hanging) > 0


def test_without_records_every_result_is_untested():
    page = overview("dark", [], {}, note="A note.")
    assert "A note." in page and page.count("Our data do not give this number.") > 10
    n_results = sum(claim.group == "result" for claim in load_claims("dark"))
    assert page.count("<li>") == n_results and HEADS["not testable here"] in page
    assert "What held" not in page


@pytest.mark.parametrize("paper", PAPERS)
def test_an_idea_has_150_words_and_one_picture(paper):
    text = (PAGES / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    idea = text.split("`\n\n", 1)[1].split("\n```{figure}")[0]
    assert 120 <= len(idea.split()) <= 150
    assert text.count("```{figure}") == 1 and not re.search(r"\d{2,}", idea.replace("150", ""))
    assert f"parts/overview_{paper}.md" in text


def test_the_head_of_together_has_the_picture_and_its_chapters(records):
    questions = {"leaderboard/01_a": "Who?", "together/01_b": "Why?", "dark/01_c": "No?"}
    page = together(records, questions)
    assert page.count("<svg") == 1 and re.findall(r"`(\w+\?) <", page) == ["Who?", "Why?"]
    assert "<svg" not in together([], questions)


def chart():
    return tomllib.loads((PAGES / "map.toml").read_text(encoding="utf-8"))


def test_every_chapter_stands_in_the_map():
    names = set(PLACE.names())
    folders = {name.split("/")[0] for name in names}
    listed = {name for name in chart()["builds_on"] if name.split("/")[0] in folders}
    assert listed == names, "list each chapter under [builds_on] in book/pages/map.toml"
    page = map_page(PLACE)
    assert all(f"| {{doc}}`/{name}` |" in page for name in names)


def test_a_chapter_builds_on_those_before_it():
    rows = chart()["builds_on"]
    places = {name: i for i, name in enumerate(rows)}
    for name, needed in rows.items():
        assert all(places[other] < places[name] for other in needed), name


def test_routes_lead_to_pages_of_the_book():
    rows = chart()["builds_on"]
    for route in chart()["routes"]:
        pages = route["pages"]
        assert len(set(pages)) == len(pages) >= 5
        unknown = [p for p in pages if p not in rows and not (PAGES / f"{p}.md").is_file()]
        assert unknown in ([], ["verdicts"]), route["name"]


def symbols():
    """Symbols of the table of notation, each with what the papers call it."""
    text = (PAGES / "notation.md").read_text(encoding="utf-8")
    for cells, elsewhere in re.findall(r"^\| (\$.+?) \| .+? \|(.*)\|$", text, flags=re.M):
        for symbol in re.findall(r"\$([^$]+)\$", cells):
            yield symbol, elsewhere


def occurs(symbol, text):
    """Whether a formula of a text has the symbol, not as a part of a command's name."""
    pattern = re.escape(symbol) if symbol.startswith("\\") else rf"(?<![\\A-Za-z]){symbol}"
    formulas = re.findall(r"\$\$(.+?)\$\$|(?<!\$)\$([^$\n]+)\$(?!\$)", text, flags=re.S)
    return any(re.search(rf"{pattern}(?![A-Za-z])", " ".join(pair)) for pair in formulas)


def test_a_symbol_stands_once_in_the_table_and_occurs_in_the_book():
    names = [symbol for symbol, _ in symbols()]
    assert len(set(names)) == len(names) > 20
    texts = [PLACE.chapter_file(name).read_text(encoding="utf-8") for name in PLACE.names()]
    assert [n for n in names if not any(occurs(n, text) for text in texts)] == []


def test_where_a_paper_s_letter_means_another_thing_the_chapter_has_it():
    place = r"([^,|]+)\[[^]]+\]\(\.\./\.\./chapters/([\w/]+)\.md\)"
    links = [(symbol, *link) for symbol, there in symbols() for link in re.findall(place, there)]
    assert len(links) > 15
    for symbol, letters, link in links:
        wanted = re.findall(r"\$([^$]+)\$", letters) or [symbol]
        text = PLACE.chapter_file(link).read_text(encoding="utf-8")
        assert all(occurs(w, text) for w in wanted), (symbol, link)


def test_whose_data_are_those_of_the_records(records):
    named = [
        [r"aP\&Y" in part, "**AwA1**" in part]
        for part in (
            overview("hardneg", rows, {}).partition("## Its questions")[0]
            for rows in (records, [])
        )
    ]
    assert named == [[False, True], [True, True]]
