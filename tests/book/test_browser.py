"""Every page of the built book in Chromium, from ``file://``, light and dark, wide and narrow."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("ZSLIB_SITE", ROOT / "_build" / "html"))
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}

PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    # The redirect to the first page, and parts of the theme, are no pages.
    if "_static" not in path.parts and path != SITE / "index.html"
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install Debian's package chromium"),
    pytest.mark.skipif(not PAGES, reason=f"no built book in {SITE}: run `make book`"),
]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Visit:
    """One tab in light or dark mode that reaches nothing but files, and notes what goes wrong."""

    def __init__(self, browser, mode):
        self.context = browser.new_context(viewport=WIDE, color_scheme=mode)
        self.context.route("**/*", self._only_files)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(f"JavaScript: {error}"))
        self.page.on("requestfailed", lambda request: self.wrong.append(f"lost: {request.url}"))
        self.page.on(
            "console",
            lambda message: (
                self.wrong.append(f"console: {message.text}") if message.type == "error" else None
            ),
        )

    def _only_files(self, route):
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.wrong.append(f"outside: {route.request.url}")
            route.abort()

    def open(self, name, query=""):
        self.page.goto((SITE / name).as_uri() + query, wait_until="load")
        # Formulas and search results are set after loading.
        self.page.wait_for_function(
            "() => !window.MathJax || !MathJax.startup || MathJax.startup.promise.then(() => true)"
        )
        return self.page


@pytest.fixture(params=["light", "dark"])
def visit(browser, request):
    visit = Visit(browser, request.param)
    visit.mode = request.param
    yield visit
    visit.context.close()


def images(page, condition):
    """Sources of the images for which a condition in JavaScript holds."""
    script = f"[...document.images].filter((image) => {condition}).map((image) => image.src)"
    return page.evaluate(script)


def overflow(page):
    """Pixels by which the page is wider than the window, and what sticks out."""
    return page.evaluate(
        """() => {
            const width = document.documentElement.clientWidth;
            const excess = document.documentElement.scrollWidth - width;
            if (excess <= 0) return null;
            const out = [...document.querySelectorAll("main *")].filter(
                (e) => e.getBoundingClientRect().right > width + 1);
            return [excess, out.slice(0, 3).map((e) => e.outerHTML.slice(0, 120))];
        }"""
    )


def serious(page):
    """What axe-core finds, of the two upper grades of four."""
    # Colours on their way from one theme to the other are no one's to read: end them at once.
    page.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
    page.wait_for_function("document.getAnimations().every((a) => a.playState !== 'running')")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate(
        """async () => (await axe.run({resultTypes: ["violations"]})).violations
            .filter((v) => ["serious", "critical"].includes(v.impact))
            .map((v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])"""
    )
    return found


@pytest.mark.parametrize("name", PAGES)
def test_page(visit, name):
    page = visit.open(name)
    assert page.evaluate("document.documentElement.dataset.theme") == visit.mode
    assert page.locator("h1").count() >= 1
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.wait_for_function("[...document.images].every((image) => image.complete)")
    assert images(page, "!image.hasAttribute('alt')") == [], "no alt text"
    assert images(page, "image.closest('figure') && !image.alt.trim()") == [], "empty alt text"
    assert images(page, "image.naturalWidth === 0") == [], "not loaded"
    for window in (WIDE, NARROW):
        page.set_viewport_size(window)
        assert overflow(page) is None, f"wider than {window['width']} pixels"
    assert visit.wrong == []


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: run `npm install`")
@pytest.mark.parametrize("name", PAGES)
def test_accessibility(visit, name):
    for window in (WIDE, NARROW):
        visit.page.set_viewport_size(window)
        # Loaded anew: the theme looks at loading for what scrolls, and lets the keyboard reach it.
        assert serious(visit.open(name)) == [], f"at {window['width']} pixels"


def test_search_finds_pages(visit):
    page = visit.open("search.html", "?q=hubness")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#search-results li a").count() >= 3
    assert visit.wrong == []


def test_search_box_leads_to_results(visit):
    page = visit.open("book/index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("pollution")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=pollution*")
    page.wait_for_selector("#search-results li a")
    assert visit.wrong == []


def test_theme_can_be_switched_and_is_kept(visit):
    page = visit.open("book/index.html")
    button = page.locator(".theme-switch-button").first
    button.click()
    chosen = page.evaluate("document.documentElement.dataset.mode")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.mode") == chosen


def test_formulas_are_set_without_a_network(visit):
    pages = [name for name in PAGES if 'class="math' in (SITE / name).read_text("utf-8")]
    assert pages, "no page with a formula"
    page = visit.open(pages[0])
    assert page.locator("mjx-container").count() >= 1
    assert visit.wrong == []


def test_chapters_offer_their_notebook(visit):
    chapters = [name for name in PAGES if "/executed/" in name]
    if not chapters:
        pytest.skip("the built book has no chapters")
    for name in chapters:
        page = visit.open(name)
        links = page.locator("a[href$='.ipynb']")
        assert links.count() >= 1, f"{name} has no notebook to download"
        target = (SITE / name).parent / links.first.get_attribute("href")
        assert target.is_file()
