"""The papers' claims as data, and the verdicts of result records on them."""

from __future__ import annotations

import difflib
import operator
import re
from dataclasses import dataclass, replace

from book.papers.printed import PAPERS, printed, read_data
from zslib.validation import check_choice

OF_THE_DATA = ("dataset", "setting")
"""Fields of a record that a run on other data need not have."""

_OPERATORS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}

HELD, FAILED, MIXED = "held", "failed", "mixed"
OPEN, NOT_TESTABLE = "open", "not testable here"

KINDS = ("result", "check", "theorem")
"""What a claim is: a measured result, a sanity check, or what holds by proof."""

_MEAN = "all sets"

# Fields of a claim that stand in its paper's data file as they are.
_AS_WRITTEN = ("where", "says", "chapter", "effect", "without")


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id, paper, where, says, chapter : str
        Name, paper, place in the paper, the claim in our words, the chapter that checks it.
    setting : str
        The setting that it speaks of.
    record : dict
        Fields of the record that decides.
    holds : tuple of (str, float)
        Comparison and threshold that the record must satisfy, interval included.
    printed : list
        Paths of the numbers that the paper prints, first minus second where there are two.
    given : tuple
        A record and the comparison it must satisfy for the claim to make sense; empty for none.
    kind : str
        One of `KINDS`.
    own_threshold : bool
        Whether the bound is ours, not the paper's.
    effect : bool
        Whether the printed numbers are an effect that ours can be divided by.
    without : float
        What the record would be without that effect.
    """

    id: str
    paper: str
    where: str
    says: str
    chapter: str
    setting: str
    record: dict
    holds: tuple
    printed: list
    given: tuple = ()
    kind: str = "result"
    own_threshold: bool = False
    effect: bool = True
    without: float = 0.0

    @property
    def headline(self):
        """What it says, without how that is measured, which stands in parentheses at its end."""
        return re.sub(r" \(.*\)$", "", self.says)

    @property
    def note(self):
        """What sets it apart from a result of the paper's own threshold, as text."""
        kind = "" if self.kind == "result" else self.kind
        return ", ".join(filter(None, (kind, "threshold ours" * self.own_threshold)))


@dataclass(frozen=True)
class Verdict:
    """What records say about a claim: ``verdict``, the reason, the run's number and the data.

    Of several data sets ``parts`` has the verdict on each, and the number is their mean's, if any.
    """

    claim: Claim
    verdict: str
    why: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    dataset: str = ""
    synthetic: bool = False
    parts: tuple = ()

    @property
    def found(self):
        """The run's number with its interval, as text; of each data set where it has no mean."""
        if self.value is None:
            return "; ".join(f"{part.dataset} {part.found}" for part in self.parts) or "–"
        # A difference of equal means is zero but for rounding.
        mean = 0.0 if abs(self.value) < 1e-12 < abs(self.low or 0.0) else self.value
        ends = {_number(end) for end in (self.low, self.high) if end is not None}
        if ends <= {_number(mean)}:
            return _number(mean)
        return f"{_number(mean)} [{_number(self.low)}, {_number(self.high)}]"

    @property
    def paper_value(self):
        """The paper's number or numbers, as text."""
        values = [printed(self.claim.paper, *path) for path in self.claim.printed]
        return " against ".join(f"{value:g}" for value in values) or "–"


def load_claims(paper):
    """Claims of a paper, one per setting that a claim speaks of.

    Examples
    --------
    >>> any("ridge" in claim.says for claim in load_claims("hubness"))
    True
    """
    claims = []
    for entry in read_data(paper, "claims").get("claim", ()):
        comparison, threshold = entry["holds"].split()
        settings = entry.get("settings", [""])
        for setting in settings:
            paths = [[p.replace("{setting}", setting) for p in path] for path in entry["printed"]]
            claims.append(
                Claim(
                    **{field: entry[field] for field in _AS_WRITTEN if field in entry},
                    id=entry["id"] + (f"/{setting}" if len(settings) > 1 else ""),
                    paper=paper,
                    setting=setting,
                    record=entry["record"] | ({"setting": setting} if setting else {}),
                    holds=(comparison, float(threshold)),
                    printed=paths,
                    given=_premise(entry, setting),
                    kind=check_choice(entry.get("kind", "result"), "kind", KINDS),
                    own_threshold=entry.get("threshold") == "ours",
                )
            )
    return claims


def _number(value):
    """Three digits, or all before the point; of what is next to nothing its size."""
    tiny, large = 0 < abs(value) < 1e-6, 1000 <= abs(value) < 1e9
    return format(value, ".0e" if tiny else ",.0f" if large else ".3g").replace("-", "−")


def _premise(entry, setting):
    if "given" not in entry:
        return ()
    comparison, threshold = entry["given_holds"].split()
    record = entry["given"] | ({"setting": setting} if setting else {})
    return record, (comparison, float(threshold))


def _premise_fails(claim, records):
    """Why the claim's premise does not hold; empty where it does, or where there is none."""
    if not claim.given:
        return ""
    wanted, holds = claim.given
    premise = _judge(replace(claim, record=wanted, holds=holds, given=()), records)
    if premise.verdict == HELD:
        return ""
    named = f"{wanted['metric']} under {wanted['method']}"
    return f"its premise fails: {named} is {premise.found}, not {holds[0]} {_number(holds[1])}"


def _judge(claim, records):
    """The verdict on each data set that has such a record, and what they say together."""
    of_chapter = [r for r in records if r.get("chapter", claim.chapter) == claim.chapter]
    wanted = dict(claim.record)
    if of_sets := wanted.get("over") == _MEAN:
        del wanted["over"]
    matching = [r for r in of_chapter if wanted.items() <= r.items()]
    if of_sets:
        matching = [r for r in matching if r.get("over") in (None, _MEAN)]
    if not matching:
        data = claim.record.get("dataset")
        if data and all(data not in r.get("dataset", "") for r in records if "dataset" in r):
            return Verdict(claim, NOT_TESTABLE, f"the run is not on {data}")
        return Verdict(claim, NOT_TESTABLE, f"the run has no record with {_named(claim.record)}")
    single = {r.get("dataset", ""): r for r in matching if r.get("over") != _MEAN}
    mean = [r for r in matching if r.get("over") == _MEAN][-1:]
    parts = tuple(_judge_one(claim, record, of_chapter) for record in single.values())
    if not mean and len(parts) == 1:
        return parts[0]
    whole = _judge_one(claim, mean[0], of_chapter) if mean else None
    return _together(claim, parts, whole) if parts else whole


def _judge_one(claim, record, records):
    """The verdict of one record; of its premise, that on the same data where there is one."""
    data = [r for r in records if r.get("dataset", "") == record.get("dataset", "")]
    premise = claim.given and any(claim.given[0].items() <= r.items() for r in data)
    if reason := _premise_fails(claim, data if premise else records):
        return Verdict(claim, NOT_TESTABLE, reason, dataset=record.get("dataset", ""))
    comparison, threshold = claim.holds
    value, low, high = (record.get(key) for key in ("value", "low", "high"))
    shown = {"value": value, "low": low, "high": high, "dataset": record.get("dataset", "")}
    shown["synthetic"] = bool(record.get("synthetic", False))
    compare = _OPERATORS[comparison]
    hard_end = low if comparison in (">", ">=") else high
    holds = compare(value, threshold)
    if hard_end is None:
        reason = f"{_number(value)} {'' if holds else 'not '}{comparison} {_number(threshold)}"
        reason += " in one run, without an interval" * (record.get("n_seeds") == 1)
        return Verdict(claim, HELD if holds else FAILED, reason, **shown)
    if holds and compare(hard_end, threshold):
        return Verdict(claim, HELD, f"whole interval {comparison} {_number(threshold)}", **shown)
    if low <= threshold <= high and low < high:
        reason = f"the interval includes {_number(threshold)}: the run cannot tell"
        return Verdict(claim, OPEN, reason, **shown)
    beside = "on the other side of" if low < high else "at"
    reason = f"the whole interval lies {beside} {_number(threshold)}"
    return Verdict(claim, FAILED, reason, **shown)


def _together(claim, parts, mean):
    """The verdict over several data sets: the mean's or that of each, unless some contradict."""
    verdicts = {part.verdict for part in (*parts, *([mean] if mean else []))} - {NOT_TESTABLE}
    if {HELD, FAILED} <= verdicts:
        verdict = MIXED
    elif mean:
        verdict = mean.verdict
    else:
        verdict = verdicts.pop() if len(verdicts) == 1 else OPEN if verdicts else NOT_TESTABLE
    sets = {}
    for part in parts:
        sets.setdefault(part.verdict, []).append(part.dataset)
    why = "; ".join(f"{kind} on {' and '.join(names)}" for kind, names in sets.items())
    shown = {"synthetic": any(part.synthetic for part in parts), "parts": parts}
    if mean:
        return replace(mean, verdict=verdict, why=f"mean: {mean.why}; {why}", **shown)
    data = " and ".join(part.dataset for part in parts)
    return Verdict(claim, verdict, why, dataset=data, **shown)


def check_claims(paper, records):
    """Verdict of ``records`` on every claim of ``paper``.

    "held" when the value and its whole interval satisfy the claim, "open" when only a
    part of the interval does, "failed" when none of it does, "not testable here" when no
    record speaks of it. A claim that names no data set is judged on each, and on the mean over
    "all sets" where there is one: "mixed" when it held on some and failed on others. A record with
    a ``chapter`` speaks only of the claims of this chapter.

    Examples
    --------
    >>> {verdict.verdict for verdict in check_claims("hubness", [])}
    {'not testable here'}
    """
    return [_judge(claim, records) for claim in load_claims(paper)]


def chapter_verdicts(chapter, records):
    """Verdicts of ``records`` on the claims that name this chapter; none where no claim does."""
    return [_judge(claim, records) for claim in claims_of(chapter)]


def claims_of(chapter):
    """The claims that name a chapter."""
    paper = chapter.split("/")[0]
    claims = load_claims(paper) if paper in PAPERS else []
    return [claim for claim in claims if claim.chapter == chapter]


def check_records(chapter, records, skipped=()):
    """Refuse the records of a chapter that leave one of its claims without what it asks for.

    A claim's record may be of a data set or setting that this run does not have. Its other fields
    must be those of some record: else they are misspelt, here or in the chapter. ``skipped`` has
    fields of records that this run cannot write: they excuse the claims that ask for them.
    """
    paper = chapter.split("/")[0]
    asked = [
        (claim.id, record)
        for claim in claims_of(chapter)
        for record in (claim.record, *claim.given[:1])
    ]
    wrong = [
        f"skipped, but no claim asks for it: {_named(fields)}"
        for fields in skipped
        if not any(fields.items() <= record.items() for _, record in asked)
    ]
    for name, record in asked:
        wanted = {k: v for k, v in record.items() if k not in OF_THE_DATA and v != _MEAN}
        if any(fields.items() <= record.items() for fields in skipped) or any(
            wanted.items() <= other.items() for other in records
        ):
            continue
        there = {_named({k: r[k] for k in wanted if k in r}) for r in records}
        nearest = difflib.get_close_matches(_named(wanted), sorted(there), n=3, cutoff=0)
        wrong.append(
            f"{name} asks for {_named(wanted)}; nearest: {' / '.join(nearest) or 'no records'}"
        )
    if wrong:
        raise ValueError(
            f"{chapter} and its claims, chapters/{paper}/claims.toml, do not agree: mend the "
            "spelling, or say with chapter.skip what this data cannot give\n  "
            + "\n  ".join(wrong)
        )


def _named(fields):
    return ", ".join(f"{name}={value!r}" for name, value in fields.items())
