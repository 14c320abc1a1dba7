"""The scorecard: every claim with its verdict, as a page and as a table for the terminal."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from book.build.forest import MARKS, hyphens, named, tally
from book.build.render import render, template_filter
from book.chapter import verdicts_label
from book.papers import check_claims
from book.papers.claims import GROUPS, printed_difference, whose_data
from book.papers.discoveries import survivors
from book.papers.effects import ratios, size
from book.papers.printed import OURS, PAPERS, read_data
from book.papers.verdicts import HELD, NOT_TESTABLE, Verdict
from zslib.show.tables import NO_DATA, NOT_PRINTED, aligned


def titles(names=PAPERS):
    """Each paper's title, by its name; of ``names`` those of this book's own claims too."""
    return {name: read_data(name, "claims")["title"] for name in names}


def counts(verdicts):
    """How many claims of each kind got each verdict, as text."""
    tallies = [
        (name, tally(v for v in verdicts if v.claim.group == g)) for g, name in GROUPS.items()
    ]
    return "; ".join(f"{name}: {text}" for name, text in tallies if text)


def datasets(*verdicts):
    """Names of the data sets that verdicts speak of."""
    names = [name for v in verdicts for name in v.dataset.replace("_", "-").split(" and ")]
    return list(dict.fromkeys(name for name in names if name))


@template_filter
def reason(verdict):
    """What a verdict rests on, as text: the number, and why that decides."""
    if verdict.verdict == NOT_TESTABLE:
        return "no such record" if verdict.why.startswith("the run has no") else verdict.why
    number, why = hyphens(verdict.found), hyphens(verdict.why)
    return why if why.startswith(number) else f"{number}; {why}"


@dataclass(frozen=True)
class Line:
    """A claim with its verdicts: ``shown``, and ``ours`` of another run, named where it differs.

    The former may be of earlier sources than the chapter's, ``old``. ``survives`` says whether it
    stands beside all other claims; None where it has no interval, or decides nothing.
    """

    ours: Verdict
    shown: Verdict
    old: bool
    survives: bool | None

    @property
    def claim(self):
        return self.shown.claim

    @property
    def group(self):
        """Where it stands: in the plot, among results without one, or apart from results."""
        if self.claim.group != "result":
            return "apart"
        effects = [printed_difference(self.claim, mark) for mark in self.claim.carrying]
        return "tiles" if None in effects else "forest"

    @property
    def remarks(self):
        """What stands small behind the headline."""
        another = self.ours.verdict not in (self.shown.verdict, NOT_TESTABLE)
        every = {
            self.claim.setting: self.claim.setting,
            self.size: self.size,
            "alone only": self.survives is False,
            "earlier sources": self.old,
            f"published run: {self.ours.verdict}": another,
        }
        return [text for text, applies in every.items() if applies]

    @property
    def data(self):
        """Names of data sets that one may filter by, with blanks between."""
        shown = [self.shown, *self.shown.parts, *self.shown.marks]
        return " ".join(datasets(*shown) or datasets(self.ours))

    @property
    def size(self):
        """How large the effect is beside the printed one, as text; empty where none is printed."""
        word = size(self.shown)
        return f"size: {word}" if word else ""

    @property
    def whose(self):
        """Whose data it was judged on, as text."""
        return whose_data(self.claim.paper, datasets(self.shown, *self.shown.marks))

    @property
    def marks(self):
        """The verdict of each mark, as text; none where there is but one."""
        return [f"{one.mark.name}: {one.verdict}, {reason(one)}" for one in self.shown.marks]

    @property
    def grounds(self):
        """What the published verdict rests on; numbers of several marks stand beside."""
        return hyphens(self.shown.why) if self.shown.marks else reason(self.shown)

    @property
    def why(self):
        """Why it failed or is open, and the address of what shows it."""
        return self.claim.because if self.shown.verdict not in (HELD, NOT_TESTABLE) else ""

    @property
    def evidence(self):
        """The address of the figure or table that shows why; empty for none."""
        return f"{self.claim.chapter}.html#{self.claim.see}" if self.claim.see else ""

    @property
    def sizes(self):
        """Our effects over the printed one, as text."""
        return "; ".join(map(named, ratios(self.shown)))

    @property
    def link(self):
        """The address of the chapter's verdicts."""
        return f"{self.claim.chapter}.html#{verdicts_label(self.claim.chapter)}"

    @property
    def place(self):
        """The claim's chapter in words, whatever its number in the book."""
        page = self.claim.chapter.split("/")[1][3:].replace("_", " ")
        return f"{titles([self.claim.paper])[self.claim.paper]}: {page}, its verdicts"


def scorecard_page(records, published=(), *, note="", old=()):
    """Every claim by ``published``, with what ``records`` say beside: one forest plot a paper.

    This book's own claims come last, and are no part of the false discovery rate of the papers'.
    ``note`` is a sentence on the published run, ``old`` the chapters where it is of earlier
    sources: their claims are marked.
    """
    papers, sets, scored = [], set(), titles((*PAPERS, *OURS))
    every = {name: check_claims(name, published) for name in scored}
    alive = {}
    for names in (PAPERS, OURS):
        alive |= survivors(verdict for name in names for verdict in every[name])
    for name, title in scored.items():
        ours, shown = check_claims(name, records), every[name]
        sets.update(datasets(*ours, *shown))
        lines = [
            Line(a, b, b.claim.chapter in old, alive.get((name, b.claim.id)))
            for a, b in zip(ours, shown, strict=True)
        ]
        groups = {"forest": [], "tiles": [], "apart": []}
        for line in lines:
            groups[line.group].append(line)
        papers.append({"name": name, "title": title, "counts": counts(shown), "groups": groups})
        papers[-1]["ours"] = name in OURS
    choices = {
        "paper": scored,
        "verdict": {verdict: verdict for verdict in MARKS},
        "data": {name: name for name in sorted(sets)},
    }
    return render("scorecard.md", choices=choices, note=note, papers=papers)


def scorecard_text(records, published=(), *, note=""):
    """The scorecard for a terminal: a line a claim, with both verdicts."""
    parts = [note] if note else []
    ran = {record.get("chapter") for record in records}  # without a chapter: of any

    def was_run(claim):
        return not ran.isdisjoint((None, *(mark.chapter for mark in claim.marks)))

    for paper, title in titles((*PAPERS, *OURS)).items():
        ours, shown = check_claims(paper, records), check_claims(paper, published)
        rows = [["claim", "printed", "published run", "size", "×", "this run"]]
        for a, b in zip(ours, shown, strict=True):
            claim = b.claim
            headline = textwrap.shorten(claim.headline, 64, placeholder=" …")
            sizes = [f"{r.value:.1f}" for r in ratios(b)]
            rows.append(
                [
                    headline + (f", {claim.setting}" if claim.setting else ""),
                    b.carrying[0].paper_value.replace(NO_DATA, NOT_PRINTED),
                    f"{MARKS[b.verdict]} {b.verdict}",
                    size(b),
                    ", ".join(sizes[:2]) + " …" * (len(sizes) > 2),
                    f"{MARKS[a.verdict]} {a.verdict}" if was_run(claim) else "not run",
                ]
            )
        told = counts([v for v in ours if was_run(v.claim)]) or "no chapter of these was run"
        tallies = [f"published: {counts(shown)}", f"this run:  {told}"]
        parts.append("\n".join([title, "=" * len(title), *tallies, "", *aligned(rows)]))
    parts.append("×: our effect over the printed one (0: none, 1: as printed).")
    return "\n\n".join(parts)
