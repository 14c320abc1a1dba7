"""The papers' claims as data."""

import difflib
import re
from dataclasses import dataclass, field

from book.names import called
from book.papers.printed import OURS, PAPERS, printed, read_data
from zslib.validation import check_choice

OF_THE_DATA = ("dataset", "setting")
"""Fields of a record that a run on other data need not have."""

MEAN = "all sets"
"""Field ``over`` of a record of the mean over data sets."""

# Fields of a claim that stand in its paper's data file as they are.
_AS_WRITTEN = ("id", "where", "says", "margin", "pooled", "because", "see")
# Fields of a mark that are the claim's where it has none of its own.
_OF_MARKS = ("chapter", "record", "holds", "printed", "without", "level")
_NEEDED = {"id", "where", "says", "chapter", "holds", "printed"}
_OTHERS = ("settings", "mark", "marks", "levels", "also", "readings", "kind", "threshold")

GROUPS = {
    "result": "results",
    "reading": "readings of ours",
    "check": "sanity checks",
    "theorem": "theorems",
}
"""What claims are counted with, and its name."""

KINDS = ("result", "check", "theorem")
"""What a claim is: a measured result, a sanity check, or what holds by proof."""


@dataclass(frozen=True)
class Mark:
    """One number that speaks of a claim: a level such as P@5, a half of the data, another look.

    Attributes
    ----------
    name : str
        What sets it apart from the claim's other marks.
    chapter, setting : str
        The chapter whose records decide, and the setting that they must have.
    record : dict
        Fields of the record.
    holds : tuple of (str, float)
        Comparison and threshold that the record must satisfy, interval included.
    printed : list
        Paths of the numbers that the paper prints, first minus second where there are two.
    without : float
        What the record would be without the printed effect.
    level : dict
        Fields of the records that say whether a data set is at the end of the scale, where it
        is another measure that says so.
    role : str
        "carries": the claim needs it; "level": it is the same at another level, which decides
        where the first is open; "look": it is another look, which can contradict the claim and
        nothing else; "reading": it is of another reading of the method, and a claim that holds
        under one reading only is open.
    """

    name: str
    chapter: str
    setting: str
    record: dict
    holds: tuple
    printed: list
    without: float = 0.0
    level: dict = field(default_factory=dict)
    role: str = "carries"


@dataclass(frozen=True)
class Claim:
    """One question that a paper answers, with the marks by which we judge it.

    Attributes
    ----------
    id, paper, where, says : str
        Name, paper, place in the paper, the claim in our words.
    marks : tuple of Mark
        Those that carry it first, all of which must hold, then the others.
    kind : str
        One of `KINDS`.
    own_threshold : bool
        Whether the bound or the reading is ours, not the paper's.
    margin : float or None
        The smallest effect that counts as one, in the units of the record.
    pooled : bool
        Whether the mean over data sets means something.
    because, see : str
        Why it failed or is open, in a sentence, and the label of the figure or table that shows
        it.
    """

    id: str
    paper: str
    where: str
    says: str
    marks: tuple
    kind: str = "result"
    own_threshold: bool = False
    margin: float | None = None
    pooled: bool = True
    because: str = ""
    see: str = ""

    @property
    def carrying(self):
        """The marks that must all hold."""
        return tuple(mark for mark in self.marks if mark.role == "carries")

    @property
    def chapter(self):
        """The chapter that gives the verdict."""
        return self.marks[0].chapter

    @property
    def setting(self):
        """The setting that it speaks of; empty for none, and for several."""
        settings = {mark.setting for mark in self.carrying}
        return settings.pop() if len(settings) == 1 else ""

    @property
    def headline(self):
        """What it says, without how that is measured, which stands in parentheses at its end."""
        return re.sub(r" \(.*\)$", "", self.says)

    @property
    def measured(self):
        """How that is measured, the parentheses at its end; empty without."""
        return self.says[len(self.headline) + 2 : -1]

    @property
    def note(self):
        """What sets it apart from a result of the paper's own threshold, as text."""
        kind = "" if self.kind == "result" else self.kind
        return ", ".join(filter(None, (kind, "threshold ours" * self.own_threshold)))

    @property
    def group(self):
        """What it is counted with: its kind, or the readings that are ours."""
        return "reading" if self.kind == "result" and self.own_threshold else self.kind


def printed_difference(claim, mark):
    """The effect that the paper prints for a mark, in the units of its record; None without one.

    Of two printed numbers it is the difference, of one the number minus ``mark.without``. Checks
    and theorems have none, nor has a mark that its own printed numbers do not satisfy, or of which
    only a bound is printed.
    """
    values = [printed(claim.paper, *path) for path in mark.printed]
    if claim.kind != "result" or not 1 <= len(values) <= 2 or any(map(bound, mark.printed)):
        return None
    effect = values[0] - (values[1] if len(values) == 2 else mark.without)
    return effect if (effect if mark.holds[0].startswith(">") else -effect) > 0 else None


def bound(path):
    """The word of a printed number that is a bound, by the end of its name; empty for others.

    Examples
    --------
    >>> bound(["text", "largest gold hub, at most"]), bound(["table3", "ridge", "P@1"])
    ('at most', '')
    """
    name = str(path[-1]) if path else ""
    return next((w for w in ("at least", "at most", "more than", "below") if name.endswith(w)), "")


def whose_data(paper, datasets):
    """Whose the data sets are, as text: the paper's, stand-ins, or ours.

    Examples
    --------
    >>> whose_data("hubness", ["europarl-dinu", "nothing"])
    "Dinu pairs: the paper's word pairs, with word vectors of ours"
    """
    whose = read_data(paper, "claims").get("whose", {})
    known = {name.replace("_", "-"): source for name, source in whose.items()}
    names = {}
    for name in datasets:
        if source := known.get(name.replace("_", "-")):
            names.setdefault(source, []).append(name)
    return "; ".join(f"{called(' and '.join(sets))}: {source}" for source, sets in names.items())


def load_claims(paper):
    """Claims of a paper.

    Examples
    --------
    >>> any("ridge" in claim.says for claim in load_claims("hubness"))
    True
    """
    return [_claim(paper, entry) for entry in read_data(paper, "claims").get("claim", ())]


def _claim(paper, entry):
    """A claim from its entry: ``settings`` or ``marks`` carry it; other marks stand beside.

    What a mark does not say is as in the claim; the fields of its record are added to the claim's.
    """
    settings = entry.get("settings", [""])
    carrying = entry.get("marks", [{"name": entry.get("mark", "")}])
    at = f"chapters/{paper}/claims.toml: {entry.get('id', 'a claim without an id')}"
    _check_fields(at, entry, (*_AS_WRITTEN, *_OF_MARKS, *_OTHERS))
    if lost := sorted(_NEEDED - entry.keys()):
        raise ValueError(f"{at} lacks {', '.join(lost)}")
    for name in ("marks", "levels", "also", "readings"):
        for mark in entry.get(name, ()):
            _check_fields(f"{at}, {name}", mark, (*_OF_MARKS, "name", "setting", "settings"))
    marks = [_mark(entry, mark, setting) for setting in settings for mark in carrying]
    marks += [
        _mark(entry, {"printed": []} | mark, setting, role)
        for role, name in (("level", "levels"), ("look", "also"), ("reading", "readings"))
        for mark in entry.get(name, ())
        for setting in mark.get("settings", settings)
    ]
    return Claim(
        **{name: entry[name] for name in _AS_WRITTEN if name in entry},
        paper=paper,
        marks=tuple(marks),
        kind=check_choice(entry.get("kind", "result"), "kind", KINDS),
        own_threshold=entry.get("threshold") == "ours",
    )


def _check_fields(at, fields, known):
    """Refuse a field that none reads."""
    if odd := sorted(fields.keys() - set(known)):
        raise ValueError(f"{at} has {odd[0]!r}, which is none of {', '.join(sorted(known))}")


def _mark(entry, own, setting, role="carries"):
    own = {k: v for k, v in entry.items() if k in _OF_MARKS} | own
    setting = own.get("setting", setting)
    several = len(own.get("settings", entry.get("settings", ()))) > 1
    record = entry.get("record", {}) | own.get("record", {})
    record |= {"setting": setting} if setting else {}
    comparison, threshold = own["holds"].split()
    return Mark(
        name=", ".join(filter(None, (own["name"], setting * several))) or setting,
        chapter=own["chapter"],
        setting=setting,
        record=record,
        holds=(comparison, float(threshold)),
        printed=[[p.replace("{setting}", setting) for p in path] for path in own["printed"]],
        role=role,
        **{name: own[name] for name in ("without", "level") if name in own},
    )


def marks_in(claim, chapter):
    return tuple(mark for mark in claim.marks if mark.chapter == chapter)


def claims_of(chapter):
    """Claims of which a mark is in this chapter."""
    every = [claim for name in (*PAPERS, *OURS) for claim in load_claims(name)]
    return [claim for claim in every if marks_in(claim, chapter)]


def check_records(chapter, records, skipped=()):
    """Refuse the records of a chapter that leave one of its claims without what it asks for.

    A claim's record may be of a data set or setting that this run does not have. Its other fields
    must be those of some record: else they are misspelt, here or in the chapter. ``skipped`` has
    fields of records that this run cannot write: they excuse the claims that ask for them.
    """
    asked = [
        (f"chapters/{claim.paper}/claims.toml: {claim.id}", mark.record)
        for claim in claims_of(chapter)
        for mark in marks_in(claim, chapter)
    ]
    wrong = [
        f"skipped, but no claim asks for it: {named(fields)}"
        for fields in skipped
        if not any(fields.items() <= record.items() for _, record in asked)
    ]
    for name, record in asked:
        wanted = {k: v for k, v in record.items() if k not in OF_THE_DATA and v != MEAN}
        if any(fields.items() <= record.items() for fields in skipped) or any(
            wanted.items() <= other.items() for other in records
        ):
            continue
        there = {named({k: r[k] for k in wanted if k in r}) for r in records}
        nearest = difflib.get_close_matches(named(wanted), sorted(there), n=3, cutoff=0)
        wrong.append(
            f"{name} asks for {named(wanted)}; nearest: {' / '.join(nearest) or 'no records'}"
        )
    if wrong:
        raise ValueError(
            f"{chapter} and its claims do not agree: mend the spelling, or say with chapter.skip "
            "what this data cannot give\n  " + "\n  ".join(wrong)
        )


def named(fields):
    return ", ".join(f"{name}={value!r}" for name, value in fields.items())
