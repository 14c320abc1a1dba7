"""What the site needs beyond its extensions."""

from __future__ import annotations

import hashlib
from importlib import resources


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
    ]
    digest = hashlib.sha256(repr(shown).encode()).hexdigest()
    before = getattr(env, "book_site_shown", None)
    env.book_site_shown = digest
    return sorted(env.found_docs) if before not in (None, digest) else []


def launch_from_an_address(app, config):
    """Leave out the launch buttons where the repository has no address: the theme cannot."""
    if not config.html_theme_options.get("repository_url"):
        config.html_theme_options.pop("launch_buttons", None)


def plain_citations(app, pagename, templatename, context, doctree):
    """Drop the roles of a bibliography: Docutils puts links straight into what it calls a list."""
    if "body" in context:
        body = context["body"].replace('<div role="list" class="citation-list">', "<div>")
        context["body"] = body.replace(' role="doc-biblioentry"', "")


def setup(app):
    # Jupyter Book hands this to sphinx_comments, which the site does without.
    app.add_config_value("comments_config", {}, "html")
    script = resources.files("zslib.compare").joinpath("sortable.js")
    app.add_js_file(None, body=script.read_text("utf-8"))
    app.connect("config-inited", launch_from_an_address)
    app.connect("env-updated", rewrite_all_when_numbers_change)
    app.connect("html-page-context", plain_citations)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
