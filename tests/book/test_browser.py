"""Every page of the built book in Chromium, from ``file://``, light and dark, wide and narrow."""

import json
import os
import re
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from zslib.mapping import RidgeMap
from zslib.metrics import k_occurrence
from zslib.search import top_k

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("ZSLIB_SITE", ROOT / "_build" / "html"))
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
FONTS = {".woff", ".woff2", ".ttf"}
MEGABYTE = 1_000_000
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 844}

PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if "_static" not in path.parts  # parts of the theme
)

# A page for each class and function, all made alike: a few are opened and looked at closely.
SINGLE = [name for name in PAGES if re.match(r"reference/\w+/", name)]
CHAPTERS = [name for name in PAGES if re.fullmatch(r"\w+/\d\d_\w+\.html", name)]
PAGES = sorted({*PAGES} - {*SINGLE} | {*SINGLE[::40]})

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PAGES, reason=f"no built book in {SITE}: run `make book`"),
]


class Visit:
    """One tab in one mode that reaches nothing but files, and notes what goes wrong."""

    def __init__(self, browser, theme="light", window=WIDE):
        self.window = window
        self.context = browser.new_context(viewport=window, color_scheme=theme, offline=True)
        self.page = self.context.new_page()
        self.wrong, self.requests = [], set()
        self.page.on("pageerror", lambda error: self.wrong.append(f"JavaScript: {error}"))
        self.page.on("requestfailed", self._lost)
        self.page.on("request", self._files_only)
        self.page.on("request", lambda request: self.requests.add(request.url))
        self.page.on("console", self._told)

    def _told(self, message):
        if message.type == "error":
            self.wrong.append(f"console: {message.text}")

    def _files_only(self, request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"outside: {request.url}")

    def _lost(self, request):
        # A page that is left takes back what it still asked for: its icon, as a rule.
        if request.failure != "net::ERR_ABORTED":
            self.wrong.append(f"lost: {request.url} ({request.failure})")

    def open(self, name, query=""):
        # What the scripts of a torn page throw is no fault of the next one.
        self.page.goto("about:blank")
        self.wrong.clear()
        self.requests.clear()
        self.page.goto((SITE / name).as_uri() + query, wait_until="load")
        # Formulas and search results are set after loading.
        self.page.wait_for_function(
            "() => !window.MathJax || !MathJax.startup || MathJax.startup.promise.then(() => true)"
        )
        return self.page


@pytest.fixture(scope="module")
def shared_visit(browser):
    """A wide tab, in which the pages follow one another."""
    return Visit(browser)


@contextmanager
def narrow(page):
    """The same page, as narrow as a phone."""
    page.set_viewport_size(NARROW)
    try:
        yield
    finally:
        page.set_viewport_size(WIDE)


@pytest.fixture
def visit(browser, request):
    """A tab of its own, for what a page keeps; as wide and dark as the test asks for."""
    visit = Visit(browser, **getattr(request, "param", {}))
    yield visit
    visit.context.close()


@pytest.fixture
def plain(browser):
    """A page of a narrow window that runs no scripts."""
    context = browser.new_context(viewport=NARROW, offline=True, java_script_enabled=False)
    yield context.new_page()
    context.close()


def images(page, condition):
    """Sources of the images for which a condition in JavaScript holds."""
    script = f"[...document.images].filter((image) => {condition}).map((image) => image.src)"
    return page.evaluate(script)


# Pixels by which the page is wider than the window, and what sticks out.
OVERFLOW = """() => {
    const width = document.documentElement.clientWidth;
    const excess = document.documentElement.scrollWidth - width;
    if (excess <= 0) return null;
    const out = [...document.querySelectorAll("main *")].filter(
        (e) => e.getBoundingClientRect().right > width + 1);
    return [excess, out.slice(0, 3).map((e) => e.outerHTML.slice(0, 120))];
}"""
# Tables and drawings that reach beyond their place and do not say so, a moment later at most.
HIDDEN = """async () => {
    const cut = () => [...document.querySelectorAll(".pst-scrollable-table-container, figure > a")]
        .filter((box) => box.scrollWidth > box.clientWidth + 1)
        .filter((box) => !getComputedStyle(box, "::before").content.includes("scrolls"))
        .map((box) => box.textContent.trim().slice(0, 60));
    const moment = () => new Promise((done) => setTimeout(done, 100));
    for (let i = 0; i < 20 && cut().length; i++) await moment();
    return cut();
}"""


def check_fit(page):
    assert page.evaluate(OVERFLOW) is None, "wider than the window"
    assert page.evaluate(HIDDEN) == [], "cut off, and not said"


# Displayed formulas wider than their place.
CLIPPED = """() => [...document.querySelectorAll("div.math, div.math > mjx-container")]
    .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 2)
    .map((box) => [box.closest("[id]")?.id, box.scrollWidth - box.clientWidth])"""


def loaded(requests):
    """Bytes of all files that a page needs, but for fonts and mathematics."""
    paths = {Path(unquote(urlsplit(url).path)) for url in requests if url.startswith("file:")}
    return sum(
        path.stat().st_size
        for path in paths
        if path.is_file() and path.suffix not in FONTS and "mathjax" not in path.parts
    )


# What axe-core may find on a page that it does not find on the same page of another width.
OF_WIDTH = ["scrollable-region-focusable"]
# The dearest; in both themes.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
AXE_RUN = """async ([only, but]) => {
    const left_out = Object.fromEntries(but.map((rule) => [rule, {enabled: false}]));
    const options = only ? {runOnly: only} : {rules: left_out};
    // Without preload, since styles cannot be read anew from file://.
    return (await axe.run({resultTypes: ["violations"], preload: false, ...options})).violations
        .filter((v) => ["serious", "critical"].includes(v.impact))
        .map((v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))]);
}"""
# A frame tells the page of a new width; 300 ms later the theme looks what scrolls now.
THEME_HAS_LOOKED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 350)))"
# Thousands of words of code, cells of tables and formulas: of those that are alike, with what
# they stand in, one has the colours of all, on whichever page. Of what is hidden axe says nothing.
ONE_OF_A_KIND = """(known) => {
    const seen = new Set(known);
    const parts = [...document.querySelectorAll("body *")].reverse();
    const hidden = new Set(parts.filter((part) => !part.checkVisibility()));
    for (const part of parts) {
        const formula = part.tagName === "MJX-CONTAINER";
        if (!part.isConnected || (part.children.length && !formula)) continue;
        if (hidden.has(part)) { part.remove(); continue; }
        const kind = [part.getAttribute("style")];
        for (let e = part, i = 0; e && i < 4; e = e.parentElement, i++)
            kind.push(e.tagName, e.getAttribute("class"));
        if (seen.has(kind.join())) part.remove();
        seen.add(kind.join());
    }
    return [...seen];
}"""


def serious(page, only=None, but=OF_COLOURS):
    """What axe-core finds, of the two upper grades of four."""
    return page.evaluate(AXE_RUN, [only, but])


def faults_of_colour(page, kinds):
    """What axe-core finds in the colours of a page in both themes; the page is then torn.

    What is of ``kinds`` that earlier pages had is left out; those of this page are added.
    """
    kinds.update(page.evaluate(ONE_OF_A_KIND, [*kinds]))
    found = serious(page, OF_COLOURS, [])
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate("document.documentElement.dataset.mode = 'dark'")
    return found + serious(page, OF_COLOURS, [])


def lost_links(page):
    """Links to files that are not there, or to places that the page has not."""
    links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href)")
    places = set(page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))
    here = page.evaluate("document.baseURI").partition("#")[0]

    def leads(link):
        file, _, place = link.partition("#")
        if file == here:
            return not place or unquote(place) in places
        return not file.startswith("file:") or Path(unquote(urlsplit(file).path)).exists()

    return sorted(link for link in {*links} if not leads(link))


@pytest.fixture(scope="module")
def kinds():
    """Kinds of parts whose colours were looked at."""
    return set()


@pytest.mark.parametrize("name", PAGES)
def test_page(shared_visit, kinds, name):
    page = shared_visit.open(name)
    assert page.locator("h1").count() >= 1
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.wait_for_function("[...document.images].every((image) => image.complete)")
    assert images(page, "!image.hasAttribute('alt')") == [], "no alt text"
    assert images(page, "image.closest('figure') && !image.alt.trim()") == [], "empty alt text"
    assert images(page, "image.naturalWidth === 0") == [], "not loaded"
    check_fit(page)
    assert page.evaluate(CLIPPED) == [], "formulas cut off"
    assert loaded(shared_visit.requests) < 1.5 * MEGABYTE
    assert lost_links(page) == []
    text = (SITE / name).read_text("utf-8")
    if 'class="math' in text:
        assert page.locator("mjx-container").count() >= 1, "formulas are not set"
    if name in CHAPTERS:
        assert page.locator("a[href$='.ipynb']").count() >= 1, "no notebook to download"
        box = page.locator(".finding").bounding_box()
        assert box["y"] + box["height"] < WIDE["height"], "the finding is not in the first screen"
    if axe := AXE.is_file():  # else `make test` has said so
        # Colours on their way from one theme to the other are no one's to read: end them at once.
        page.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
        page.wait_for_function("document.getAnimations().every((a) => a.playState !== 'running')")
        page.add_script_tag(path=str(AXE))
        assert serious(page) == []
    with narrow(page):
        check_fit(page)
        if name in CHAPTERS:
            top = page.locator(".finding").bounding_box()["y"]
            assert 2 * top < NARROW["height"], "the finding is not in the first screen of a phone"
        if axe:
            page.evaluate(THEME_HAS_LOOKED)
            assert serious(page, OF_WIDTH) == []
    assert shared_visit.wrong == []
    assert not axe or faults_of_colour(page, kinds) == []


@pytest.mark.parametrize("visit", [{"window": NARROW}], indirect=True)
def test_pages_that_a_phone_loads(visit):
    for name in PAGES[::10]:
        page = visit.open(name)
        check_fit(page)
        assert visit.wrong == [], name
        if AXE.is_file():
            page.add_script_tag(path=str(AXE))
            assert serious(page) == [], name


FOLD = r'<details class="[^"]*\bhide\b(?:(?!</details>).)*'
FOLDED_TABLE = re.compile(FOLD + r"<table[^>]*\bid=", re.S)


def test_a_link_opens_the_fold_that_it_leads_into(visit):
    folded = "document.querySelector('details.hide table[id]')"
    name = next(n for n in CHAPTERS if FOLDED_TABLE.search((SITE / n).read_text("utf-8")))
    page = visit.open(name)
    page.evaluate(f"location.hash = {folded}.id")
    page.wait_for_function(f"{folded}.closest('details').open")


def test_a_slider_moves_the_marks(visit):
    for name in [name for name in PAGES if "gamma-slider" in (SITE / name).read_text("utf-8")]:
        page = visit.open(name)
        place = "document.querySelector('.gamma-slider g.mark').getAttribute('transform')"
        before = page.evaluate(place)
        page.locator(".gamma-slider input").fill("0")
        assert page.evaluate(place) != before
        assert "seen" in page.locator(".gamma-slider output").first.inner_text()


AFTERNOON = ["afternoon/02_hubs.html", "afternoon/03_generalised.html"]


@pytest.mark.parametrize(("stop", "dimension"), [(0, 2), (16, 2), (24, 2), (16, 6), (24, 10)])
def test_hubs_under_the_sliders_are_those_of_the_package(visit, stop, dimension):
    page = visit.open(AFTERNOON[0])
    slider = ".hub-plane input >> nth="
    page.locator(f"{slider}0").fill(str(stop))
    page.locator(f"{slider}1").fill(str(dimension))
    world = json.loads(page.locator(".hub-plane").get_attribute("data-numbers"))
    X, Y, queries, targets = (np.array(points)[:, :dimension] for points in world)
    penalty, n = 10 ** (stop / 8), len(targets)
    sides = [
        (RidgeMap(penalty).fit(X, Y).transform(queries), targets),
        (queries, RidgeMap(penalty).fit(Y, X).transform(targets)),
    ]
    told = page.locator(".hub-plane output").all_inner_texts()
    for text, side, bars in zip(told, sides, range(2), strict=True):
        found = top_k(*side, 1, metric="euclidean")[1]
        counts, right = k_occurrence(found, n), np.sum(found[:, 0] == np.arange(n))
        assert text == f"largest hub {counts.max()} of {n} queries, {right} right"
        heights = page.locator(f".hub-plane svg >> nth=1 >> rect >> nth={bars * n}")
        assert float(heights.get_attribute("height")) == 2 * counts.max()
    assert page.locator(".hub-plane circle[fill='#D55E00']").count() >= 1
    assert visit.wrong == []


def test_sliders_of_the_afternoon_follow_the_keyboard(visit):
    for name in AFTERNOON:
        page = visit.open(name)
        for slider in page.locator(".afternoon input").all():
            figure = slider.locator("xpath=ancestor::div[contains(@class, 'afternoon')]")
            before = figure.inner_text(), figure.locator("svg").first.inner_html()
            slider.focus()
            page.keyboard.press("ArrowRight")
            after = figure.inner_text(), figure.locator("svg").first.inner_html()
            assert all(a != b for a, b in zip(before, after, strict=True))
    assert visit.wrong == []


def test_accuracies_and_answers_under_gamma_are_those_of_the_package(visit):
    page = visit.open(AFTERNOON[1])
    for figure in page.locator(".afternoon.gamma").all():
        numbers = json.loads(figure.get_attribute("data-numbers"))
        for step in (0, 20, len(numbers["points"]) - 1):
            figure.locator("input").fill(str(step))
            gamma, seen, unseen, h = numbers["points"][step]
            *answers, told = figure.locator("output").all_inner_texts()
            assert told == f"seen {seen:.1f}%, unseen {unseen:.1f}%, H {h:.1f}%"
            for text, picture in zip(answers, numbers["pictures"], strict=True):
                answer = picture["answers"][gamma >= picture["flip"]]
                assert text == f"{answer} {'✓' if answer == picture['name'] else '✗'}"


def test_without_scripts_the_afternoon_has_its_pictures_and_no_dead_sliders(plain):
    for name in AFTERNOON:
        plain.goto((SITE / name).as_uri())
        assert plain.locator(".afternoon").count()
        assert not plain.locator(".afternoon:visible").count()
        assert plain.locator("figure img:visible").count()


# A page of the reference in the place of another, with which it shares frame and scripts.
TAKE_THE_PLACE = """async ([text, address]) => {
    const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    document.querySelector("base").href = address;
    document.querySelector("main").replaceWith(main);
    await MathJax.typesetPromise([main]);
}"""


@pytest.fixture(scope="module")
def reference(browser):
    """A wide tab with a page of the reference that has formulas, whose contents may change."""
    visit = Visit(browser)
    name = next(name for name in SINGLE if 'class="math' in (SITE / name).read_text("utf-8"))
    visit.open(name).evaluate("document.head.append(document.createElement('base'))")
    yield visit
    visit.context.close()


@pytest.mark.parametrize("name", SINGLE)
def test_page_of_the_reference(reference, name):
    page, text = reference.page, (SITE / name).read_text("utf-8")
    address = (SITE / name).as_uri()
    page.evaluate(TAKE_THE_PLACE, [text, address])
    assert page.locator("main h1").count() >= 1
    assert page.locator("mjx-container").count() >= ('class="math' in text)
    assert page.evaluate(OVERFLOW) is None, "wider than the window"
    assert page.evaluate(CLIPPED) == [], "formulas cut off"
    # The frame's files, with those of the pages before, and the page itself.
    assert loaded({*reference.requests, address}) < MEGABYTE
    assert lost_links(page) == []
    assert reference.wrong == []
    with narrow(page):
        assert page.evaluate(OVERFLOW) is None, "wider than a phone"


def test_the_site_is_light():
    assert sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) < 25 * MEGABYTE
    assert len([*(SITE / "_static" / "mathjax").glob("*.js")]) == 1


def test_terms_lead_to_the_glossary_and_names_to_their_pages():
    for page in CHAPTERS:
        text = (SITE / page).read_text("utf-8")
        assert "glossary.html#term-" in text and "reference/" in text, page


def test_search_box_leads_to_results(visit):
    page = visit.open("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("pollution")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=pollution*")
    page.wait_for_selector("#search-results li a")
    assert visit.wrong == []


def test_theme_can_be_switched_and_is_kept(visit):
    page = visit.open("index.html")
    page.locator(".theme-switch-button").first.click()
    chosen = page.evaluate("document.documentElement.dataset.mode")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.mode") == chosen


@pytest.mark.parametrize("visit", [{"theme": "dark"}], indirect=True)
def test_a_page_is_dark_where_its_reader_s_screen_is(visit):
    assert visit.open("index.html").evaluate("document.documentElement.dataset.theme") == "dark"


SCORECARD = "scorecard.html"


def entries(page):
    return page.locator(".entry:not([hidden])").count()


def test_the_first_screen_has_the_total_and_the_picture(visit):
    page = visit.open("index.html")
    assert page.locator("article p", has_text="results").first.bounding_box()["y"] < 300
    box = page.locator("figure.to-share").bounding_box()
    assert box["y"] + box["height"] < 900
    assert page.locator(".ways .sd-card").count() == 3
    assert page.locator(".findings dd").count() == 5


@pytest.mark.parametrize("name", ["index.html", "papers/together.html"])
@pytest.mark.parametrize("visit", [{"window": NARROW}], indirect=True)
def test_words_of_a_picture_to_share_stand_apart_on_a_phone(visit, name):
    page = visit.open(name)
    boxes = page.locator("svg.shared text").evaluate_all(
        "(found) => found.map((e) => [e.textContent, e.getBBox(), e.getBoundingClientRect()])"
        ".map(([text, box, edges]) => ({text, left: edges.left, right: edges.right, "
        "top: box.y, bottom: box.y + box.height}))"
    )
    assert len(boxes) > 5
    for i, one in enumerate(boxes):
        assert one["left"] >= 0 and one["right"] <= NARROW["width"], one["text"]
        for other in boxes[:i]:
            apart = min(one["right"], other["right"]) <= max(one["left"], other["left"])
            # Lines of one label may touch.
            below = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) < 4
            assert apart or below, (one["text"], other["text"])


def test_the_scorecard_is_filtered_and_its_lines_open(visit):
    page = visit.open(SCORECARD)
    everything = entries(page)
    assert page.evaluate("document.documentElement.scrollHeight") < 9000
    page.select_option("select[name=paper]", "dark")
    assert 0 < entries(page) < everything
    assert page.locator("h2:visible", has_text="DARK").count() == 1
    assert page.locator("h2:visible", has_text="CLAREL").count() == 0
    page.select_option("select[name=verdict]", "open")
    marks = page.locator(".entry:not([hidden])").evaluate_all(
        "(found) => found.map((e) => [e.dataset.paper, e.dataset.verdict].join())"
    )
    assert set(marks) == {"dark,open"}
    assert page.locator(".entry-filter output").text_content() == f"{len(marks)} shown"
    for name in ("paper", "verdict"):
        page.select_option(f"select[name={name}]", "")
    assert entries(page) == everything
    line = page.locator(".forest .entry").first
    line.locator("summary").click()
    assert line.locator("dl a").is_visible()
    assert visit.wrong == []


def test_a_link_to_a_line_opens_it(visit):
    page = visit.open(SCORECARD)
    folded = page.locator(".apart .entry").first.get_attribute("id")
    page = visit.open(SCORECARD, f"#{folded}")
    page.reload()
    assert page.locator(f"#{folded} dl").is_visible()


def test_without_scripts_the_scorecard_is_a_picture_whose_lines_open(plain):
    plain.goto((SITE / SCORECARD).as_uri())
    assert plain.locator(".entry-filter").is_hidden()
    line = plain.locator(".forest .entry").first
    box = line.locator(".strip").bounding_box()
    assert box["x"] >= 0 and box["width"] > 200 and box["x"] + box["width"] <= NARROW["width"]
    assert line.locator(".chip").is_visible()
    line.locator("summary").click()
    assert line.locator("dl a").is_visible()


OPEN_CODE = "document.querySelectorAll('.cell:not(.tag_hide-cell) > details.hide[open]').length"


def test_one_switch_shows_all_code_by_keyboard_and_is_remembered(visit):
    first, second = CHAPTERS[:2]
    page = visit.open(first)
    folds = page.evaluate(OPEN_CODE.replace("[open]", ""))
    button = page.locator("button.code-switch")
    assert folds and page.evaluate(OPEN_CODE) == 0
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(OPEN_CODE) == folds and button.text_content() == "Hide code"
    page = visit.open(second)
    assert page.evaluate(OPEN_CODE) == page.evaluate(OPEN_CODE.replace("[open]", ""))
    page.locator("button.code-switch").press("Space")
    assert page.evaluate(OPEN_CODE) == 0
    assert page.locator("details.hide[open]").count() == 0
    assert visit.wrong == []


def test_excerpts_of_the_search_have_no_words_of_the_theme(visit):
    page = visit.open("search.html", "?q=hubness")
    text = (SITE / CHAPTERS[0]).read_text("utf-8")
    words = page.evaluate("(text) => Search.htmlToText(text)", text)
    assert not re.search(r"\.ipynb|\.pdf|Contents|Download", words[:400])
    assert re.search("<h1>([^<]+)<", text)[1] in words[:80]
    form = page.locator(".bd-search-container form")
    query, icon = form.locator("input"), form.locator("svg, i").first.bounding_box()
    before = query.evaluate("(box) => parseFloat(getComputedStyle(box).paddingLeft)")
    begins = query.bounding_box()["x"] + before
    assert icon["x"] + icon["width"] <= begins, "the icon stands on the query"
