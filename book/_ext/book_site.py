"""What the site needs beyond its extensions."""

import hashlib
import json
import re
import shutil
from importlib import resources
from pathlib import Path

from sphinx import addnodes

from zslib.show.writing import write_if_changed

# Of MathJax the one bundle that pages load, its fonts, and what that loads by need.
MATHJAX = ("tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions")
# What the theme has every page load for a search as one types, which this site has not.
SEARCH = re.compile(
    r'\n *<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>'
)
# A part of the contents in the sidebar.
PART = re.compile(r'<p aria-level="2" class="caption".*?(?=<p aria-level="2"|</div>)', re.DOTALL)
# Pages of single classes and functions.
FUNCTIONS = re.compile(r"reference/\w+/")
# Of the theme: maps for its developers, words of other languages, fonts of ancient browsers.
UNUSED = ("**/*.map", "locales/*", "**/*.ttf")


def rewrite_all_when_numbers_change(app, env):
    """Write every page again when a number or title that other pages show has changed.

    Sphinx writes the changed pages alone: a page that refers to "Table 2.3", or names the
    changed page in its sidebar, would keep the old text.
    """
    shown = [
        sorted((name, title.astext()) for name, title in env.titles.items()),
        sorted((name, str(numbers)) for name, numbers in env.toc_fignumbers.items()),
        sorted((name, str(numbers)) for name, numbers in env.toc_secnumbers.items()),
        sorted((name, str(label)) for name, label in env.domaindata["std"]["labels"].items()),
        sorted(name for kind, name in env.domaindata["std"]["objects"] if kind == "term"),
    ]
    digest = hashlib.sha256(repr(shown).encode()).hexdigest()
    before = getattr(env, "book_site_shown", None)
    env.book_site_shown = digest
    return sorted(env.found_docs) if before not in (None, digest) else []


def read_in_parallel(app):
    """Let pages be read in parallel: extensions that do not say so, as ours, read none."""
    for extension in app.extensions.values():
        if extension.parallel_read_safe is None:
            extension.parallel_read_safe = True


def launch_from_an_address(app, config):
    """Leave out the launch buttons where the repository has no address: the theme cannot."""
    if not config.html_theme_options.get("repository_url"):
        config.html_theme_options.pop("launch_buttons", None)


def trim_contents(app, pagename, templatename, context, doctree):
    """Leave to the sidebar the page's own function alone: it shows none, but walks all of them."""
    for room, pages in app.env.toctree_includes.items():
        if pages and FUNCTIONS.match(pages[0]):
            for tree in app.env.tocs[room].findall(addnodes.toctree):
                tree["entries"] = [(None, page) for page in pages if page == pagename]


def plain_citations(app, pagename, templatename, context, doctree):
    """Drop the roles of a bibliography: Docutils puts links straight into what it calls a list."""
    if "body" in context:
        body = context["body"].replace('<div role="list" class="citation-list">', "<div>")
        context["body"] = body.replace(' role="doc-biblioentry"', "")


def lighten(app, error):
    """Drop from the site what no page needs, and outputs from the notebooks to download."""
    if error or app.builder.format != "html":
        return
    site, static = Path(app.outdir), Path(app.outdir) / "_static"
    shutil.copy(resources.files("zslib.compare") / "sortable.js", static)
    for path in sorted((static / "mathjax").rglob("*")):
        name = path.relative_to(static / "mathjax").as_posix()
        if path.is_file() and not name.startswith(MATHJAX):
            path.unlink()
    for pattern in UNUSED:
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        if path.name != "search.html":
            text = SEARCH.sub("", text)
        # Hundreds of pages, each with its own part alone.
        if FUNCTIONS.match(path.relative_to(site).as_posix()):
            text = PART.sub(lambda part: part[0] if "current" in part[0] else "", text)
        write_if_changed(path, text)
    for path in (site / "_sources").rglob("*.ipynb"):
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"]:
            if cell.get("outputs"):
                cell |= {"outputs": [], "execution_count": None}
        write_if_changed(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def setup(app):
    # Jupyter Book hands this to sphinx_comments, which the site does without.
    app.add_config_value("comments_config", {}, "html")
    app.add_js_file("sortable.js")
    app.connect("config-inited", launch_from_an_address)
    app.connect("builder-inited", read_in_parallel)
    app.connect("env-updated", rewrite_all_when_numbers_change)
    app.connect("html-page-context", trim_contents, priority=100)  # before the theme's own
    app.connect("html-page-context", plain_citations)
    app.connect("build-finished", lighten, priority=900)  # after the theme's and MathJax's files
