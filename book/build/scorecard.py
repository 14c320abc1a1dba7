"""The scorecard: every claim with its verdict, as a page and as a table for the terminal."""

from __future__ import annotations

import re
import textwrap
from html import escape

from book.build.forest import MARKS, anchor, axis, chip, named, strip, told_counts
from book.chapter import verdicts_label
from book.papers import check_claims
from book.papers.claims import KINDS as OF_A_CLAIM
from book.papers.claims import NOT_TESTABLE
from book.papers.effects import printed_effect, ratios
from book.papers.printed import PAPERS, read_data
from zslib.show.tables import NO_DATA, NOT_PRINTED, aligned

__all__ = [
    "counts",
    "datasets",
    "details",
    "filters",
    "scorecard_page",
    "scorecard_text",
]

_HEADS = {"result": "results", "check": "sanity checks", "theorem": "theorems"}
_GROUPS = {
    "forest": "Results with a printed size",
    "tiles": "Results without a printed size",
    "apart": "Theorems and sanity checks",
}


def counts(verdicts):
    """How many claims of each kind got each verdict, as text."""
    told = []
    for kind in OF_A_CLAIM:
        if found := told_counts(v for v in verdicts if v.claim.kind == kind):
            told.append(f"{_HEADS[kind]}: {found}")
    return "; ".join(told)


def datasets(*verdicts):
    """Names of the data sets that verdicts speak of."""
    names = [name for v in verdicts for name in v.dataset.replace("_", "-").split(" and ")]
    return list(dict.fromkeys(name for name in names if name))


def details(summary, facts, *, name, shown=False, **data):
    """A line that opens, in HTML: ``facts`` are pairs of a term and HTML, the empty left out."""
    marks = "".join(f' data-{key}="{escape(value)}"' for key, value in data.items())
    told = "".join(f"<dt>{term}</dt><dd>{fact}</dd>" for term, fact in facts if fact)
    state = " open" if shown else ""
    return (
        f'<details class="entry" id="{name}"{marks}{state}>'
        f"<summary>{summary}</summary><dl>{told}</dl></details>"
    )


def filters(**choices):
    """A form that the site's script shows and works, in HTML: for each name its values."""
    fields = []
    for name, values in choices.items():
        options = "".join(
            f'<option value="{escape(value)}">{escape(text)}</option>'
            for value, text in values.items()
        )
        fields.append(
            f'<label>{name.capitalize()} <select name="{name}"><option value="">all</option>'
            f"{options}</select></label>"
        )
    return (
        f'<form class="entry-filter" hidden>{"".join(fields)}<output aria-live="polite"></output>'
        "</form>"
    )


def raw(html):
    """HTML as a part of a page in Markdown."""
    return f"````{{raw}} html\n{html}\n````"


def _told(verdict):
    """A verdict with its number and reason, as HTML."""
    if verdict.verdict == NOT_TESTABLE:
        why = "no such record" if verdict.why.startswith("the run has no") else verdict.why
        return f"{NOT_TESTABLE}: {escape(why)}"
    found, why = verdict.found.replace("_", "-"), verdict.why.replace("_", "-")
    if verdict.claim.record["metric"].startswith("p of"):
        # Floats tell no smaller ones apart from zero, and an interval of p reaches below zero.
        found = re.sub(
            r"\d+e−(1[6-9]|[2-9]\d|\d{3})", "below 10⁻¹⁵", re.sub(r" \[.*?\]", "", found)
        )
    found, why = escape(found), escape(why)
    return f"<b>{verdict.verdict}</b>, " + (why if why.startswith(found) else f"{found}; {why}")


def _group(claim):
    if claim.kind != "result":
        return "apart"
    return "tiles" if printed_effect(claim) is None else "forest"


def _place(claim):
    """The claim's chapter in words, whatever its number in the book."""
    page = claim.chapter.split("/")[1][3:].replace("_", " ")
    return f"{read_data(claim.paper, 'claims')['title']}: {page}, its verdicts"


def _entry(own, shown, old):
    """One claim: its sentence, its place in the plot and its verdict; below, what is behind it."""
    claim = shown.claim
    tags = [claim.setting] if claim.setting else []
    if claim.chapter in old:
        tags.append("earlier sources")
    if own.verdict not in (shown.verdict, NOT_TESTABLE):
        tags.append(f"this run: {own.verdict}")
    said = f"{escape(claim.headline)} <small>{escape(' · '.join(tags))}</small>"
    drawn = strip(shown) if _group(claim) == "forest" else ""
    summary = f'<span class="says">{said}</span>{drawn}{chip(shown.verdict)}'
    sizes = "; ".join(map(named, ratios(shown)))
    chapter = f"{claim.chapter}.html#{verdicts_label(claim.chapter)}"
    same = _told(own) == _told(shown)
    facts = [
        ("Claim", escape(claim.says) if claim.says != claim.headline else ""),
        ("Paper", f"{escape(claim.where)}: {escape(shown.paper_value)}".removesuffix(": –")),
        ("Of the printed size", escape(sizes)),
        ("Published run", _told(shown)),
        ("This run", "the same" if same else _told(own)),
        ("Threshold, ours", escape("{} {:g}".format(*claim.holds)) if claim.own_threshold else ""),
        ("Kind", claim.kind if claim.kind != "result" else ""),
        ("Where", f'<a href="{chapter}">{_place(claim)}</a>'),
    ]
    return details(
        summary,
        facts,
        name=anchor(claim),
        paper=claim.paper,
        verdict=shown.verdict,
        data=" ".join(datasets(shown, *shown.parts) or datasets(own)),
    )


def scorecard_page(records, published=(), *, note="", old=()):
    """Every claim by ``published``, with what ``records`` say beside: one forest plot a paper.

    ``note`` is a sentence on the published run, ``old`` the chapters where it is of earlier
    sources: their claims are marked.
    """
    judged = {p: (check_claims(p, records), check_claims(p, published)) for p in PAPERS}
    titles = {paper: read_data(paper, "claims")["title"] for paper in PAPERS}
    sets = sorted({name for pair in judged.values() for vs in pair for name in datasets(*vs)})
    form = filters(
        paper=titles,
        verdict={verdict: verdict for verdict in MARKS},
        data={name: name for name in sets},
    )
    parts = [raw(form)]
    if note:
        parts.append(raw(f'<p class="note">{escape(note)}</p>'))
    for paper, (own, shown) in judged.items():
        groups = {group: [] for group in _GROUPS}
        for a, b in zip(own, shown, strict=True):
            groups[_group(b.claim)].append(_entry(a, b, old))
        parts += [
            f"({paper}-claims)=\n## {titles[paper]}",
            f"Published run, {counts(shown)}.",
            raw("\n".join(_list(group, entries) for group, entries in groups.items() if entries)),
        ]
        if not groups["forest"]:
            parts[-2] += " The paper prints no effect sizes that a plot could set ours against."
    return "\n\n".join(parts) + "\n"


def _list(group, entries):
    """A group of entries with its heading; theorems and checks are folded."""
    head = _GROUPS[group]
    lines = "\n".join(entries)
    if group == "apart":
        return (
            f'<details class="entries {group}"><summary>{head} ({len(entries)})</summary>\n'
            f"{lines}\n</details>"
        )
    scale = axis() if group == "forest" else ""
    return f'<div class="entries {group}"><h3>{head}</h3>{scale}\n{lines}\n</div>'


def scorecard_text(records, published=(), *, note=""):
    """The scorecard for a terminal: a line a claim, with both verdicts."""
    parts = [note] if note else []
    for paper in PAPERS:
        own, shown = check_claims(paper, records), check_claims(paper, published)
        rows = [["claim", "printed", "published run", "×", "this run"]]
        for a, b in zip(own, shown, strict=True):
            claim = b.claim
            said = textwrap.shorten(claim.headline, 64, placeholder=" …")
            sizes = [f"{r.value:.1f}" for r in ratios(b)]
            rows.append(
                [
                    said + (f", {claim.setting}" if claim.setting else ""),
                    b.paper_value.replace(NO_DATA, NOT_PRINTED),
                    f"{MARKS[b.verdict]} {b.verdict}",
                    ", ".join(sizes[:2]) + " …" * (len(sizes) > 2),
                    f"{MARKS[a.verdict]} {a.verdict}",
                ]
            )
        title = read_data(paper, "claims")["title"]
        told = [f"published: {counts(shown)}", f"this run:  {counts(own)}"]
        parts.append("\n".join([title, "=" * len(title), *told, "", *aligned(rows)]))
    parts.append("×: our effect over the printed one (0: none, 1: as printed).")
    return "\n\n".join(parts)
