"""The scorecard and the errata, from records as one may have them."""

import re
from html.parser import HTMLParser

import pytest

from book.build.errata import errata_page
from book.build.forest import KINDS, LEFT, RIGHT
from book.build.render import TEMPLATES, without_breaks
from book.build.scorecard import counts, scorecard_page, scorecard_text
from book.papers import check_claims, load_claims, load_errata
from book.papers.claims import printed_difference
from book.papers.errata import KINDS as NOTES
from book.papers.errata import checks
from book.papers.evidence import Evidence
from book.papers.printed import OURS, PAPERS, read_data

CLAIM = next(c for c in load_claims("hubness") if c.id == "max-margin-beats-ridge-languages")
RECORD = CLAIM.marks[0].record | {"chapter": CLAIM.chapter, "dataset": "europarl_dinu"}
YES, MAYBE, NO = (
    dict(zip(("value", "low", "high"), ends, strict=True))
    for ends in ((2.0, 1.0, 3.0), (2.0, -1.0, 5.0), (-2.0, -3.0, -1.0))
)


def macro(name):
    """A macro of the plots as a function that gives text."""
    part = getattr(TEMPLATES.get_template("forest.html").module, name)
    return lambda *values: without_breaks(part(*values))


axis, bar, strip = map(macro, ("axis", "bar", "strip"))


def judged(*records):
    return next(v for v in check_claims("hubness", records) if v.claim.id == CLAIM.id)


def every_claim():
    return [claim for name in (*PAPERS, *OURS) for claim in load_claims(name)]


class Html(HTMLParser):
    """Notes elements and ids, and refuses what is not closed in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.tags = [], [], []
        for block in re.findall(r"^````\{raw\} html\n(.*?)\n````$", page, re.M | re.S):
            self.feed(block)
            assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_counts_keep_kinds_apart():
    verdicts = [v for v in check_claims("hubness", [RECORD | YES]) if v.verdict == "held"]
    assert counts(verdicts) == "results: 1 held"
    text = counts(check_claims("hubness", []))
    assert re.fullmatch(r"results: \d+ untested; readings of ours: \d+ .*; theorems: \d+ .*", text)


def test_every_claim_is_a_line_that_opens_and_leads_to_its_chapter():
    page = scorecard_page([], [RECORD | YES], note="One < two.")
    html = Html(page)
    assert len(set(html.ids)) == len(html.ids) == len(every_claim())
    links = [attrs["href"] for tag, attrs in html.tags if tag == "a"]
    assert len(links) == len(html.ids)
    assert "hubness/02_hubness.html#tbl-hubness-claims-2" in links
    assert page.count('<p class="note">One &lt; two.</p>') == 1
    titles = [read_data(name, "claims")["title"] for name in (*PAPERS, *OURS)]
    assert re.findall("^## (.+)$", page, re.M) == titles


def test_a_line_has_what_it_can_be_filtered_by():
    html = Html(scorecard_page([], [RECORD | NO]))
    entry = next(a for tag, a in html.tags if a.get("id", "").endswith(CLAIM.id))
    marks = {name: entry[f"data-{name}"] for name in ("paper", "verdict", "data")}
    assert marks == {"paper": "hubness", "verdict": "failed", "data": "europarl-dinu"}
    offered = {a["value"] for tag, a in html.tags if tag == "option"}
    assert set(marks.values()) <= offered


def test_both_runs_are_told_where_they_differ():
    page = scorecard_page([RECORD | MAYBE], [RECORD | YES])
    assert page.count(" · our full run: open</small>") == 1
    assert "2 [1, 3]" in page and "2 [−1, 5]" in page
    same = scorecard_page([RECORD | YES], [RECORD | YES])
    assert "ublished run" not in same


def places(svg):
    return [float(x) for x in re.findall(r'[" ]x\d?="([\d.]+)%"', svg)]


def test_a_strip_is_to_scale_and_stays_inside():
    effect = printed_difference(CLAIM, CLAIM.marks[0])
    svg = strip(judged(RECORD | {"value": effect, "low": 0.0, "high": 100 * effect}))
    zero, one = (100 * (ratio - LEFT) / (RIGHT - LEFT) for ratio in (0, 1))
    assert places(svg) == pytest.approx([zero, zero, one, one, zero, 100, 100, one], abs=0.06)
    assert svg.count('class="cut"') == 1
    assert places(axis())[1:3] == pytest.approx([zero, one], abs=0.06)


def test_a_mark_beyond_the_plot_is_an_arrowhead():
    svg = strip(judged(RECORD | {"value": -900.0, "low": -1000.0, "high": -800.0}))
    assert svg.count('class="cut"') == 1 and '<path d="M-4' not in svg
    assert "Dinu pairs −103.45 [−114.94, −91.95]" in svg


def test_every_verdict_has_a_class_and_a_shape_of_its_own():
    drawn = [strip(judged(RECORD | ends)) for ends in (YES, MAYBE, NO)]
    shapes = [re.search(r"y=\"-?0\">(<(?:circle|path)[^>]*>)</svg></g>", svg)[1] for svg in drawn]
    assert len(set(shapes)) == 3
    for svg, kind in zip(drawn, ("held", "open", "failed"), strict=True):
        assert f'<g class="{kind}">' in svg
    assert len(set(KINDS.values())) == len(KINDS)


def test_the_bar_counts_as_the_scorecard_does():
    verdicts = [judged(RECORD | YES), judged(RECORD | NO), judged(RECORD | MAYBE), judged()]
    shown = bar(verdicts)
    text = "1 held, 1 failed, 1 open, 1 untested"
    assert text in shown and text in counts(verdicts)
    assert re.findall(r"flex:(\d+)", shown) == ["1", "1", "1", "1"]


def test_the_terminal_has_a_line_for_each_claim():
    text = scorecard_text([RECORD | NO], [RECORD | YES], note="A note.")
    assert text.startswith("A note.\n\nHubness and Pollution\n=====")
    (line,) = [line for line in text.splitlines() if "✓ held" in line]
    assert line.startswith("Across languages a ranking loss finds more right words than …, cross-")
    assert "38.4 against 29.7" in line and " 0.2 " in line and line.endswith("✗ failed")
    untested = [line for line in text.splitlines() if " ∅ not testable here" in line]
    assert len(untested) == len(every_claim()) - 1
    assert "–" not in text
    assert all(len(line) < 160 for line in text.splitlines() if "held  " in line)


def test_the_terminal_tells_what_was_not_run_from_what_no_run_tells():
    text = scorecard_text([RECORD | NO], [RECORD | YES])
    ran, others = "this run:  results: 1 failed", "this run:  no chapter of these was run"
    assert ran in text and text.count(others) == len((*PAPERS, *OURS)) - 1
    left = [c for c in every_claim() if all(mark.chapter != CLAIM.chapter for mark in c.marks)]
    assert sum(line.endswith(" not run") for line in text.splitlines()) == len(left)


def test_a_headline_leaves_out_how_it_is_measured():
    for claim in every_claim():
        assert claim.says.startswith(claim.headline)
        assert len(claim.headline) < 150, claim.id


@pytest.fixture
def confirmed(monkeypatch):
    """All that the errata recompute comes out."""
    for paper in PAPERS:
        for name in checks(paper):
            monkeypatch.setitem(checks(paper), name, lambda _: Evidence(True, "2 < 3."))


def test_the_errata_have_a_part_for_each_kind_and_a_line_for_each_note(confirmed):
    page, notes = errata_page(), load_errata()
    parts = re.split(r"^## (.+)$", page, flags=re.M)
    assert parts[1::2] == list(NOTES.values())
    for kind, text in zip(NOTES, parts[2::2], strict=True):
        wanted = [f"erratum-{note.id}" for note in notes if note.kind == kind]
        assert Html(text).ids == wanted
    checked = [note for note in notes if note.check]
    assert page.count("<dd>2 &lt; 3.</dd>") == page.count("✓ shown") == len(checked)
    assert f"Of {len(notes)} notes {len(checked)} are recomputed" in page
    assert "all came out as described" in page
    assert page.count("<dt>Authors&#39; code</dt>") == sum(bool(note.code) for note in notes)


def test_the_errata_say_when_a_check_fails(confirmed, monkeypatch):
    monkeypatch.setitem(checks("dark"), "averages", lambda _: Evidence(False, "Not so."))
    page = errata_page()
    assert "**1 did not come out as described.**" in page
    assert page.count("✗ not confirmed") == 1
