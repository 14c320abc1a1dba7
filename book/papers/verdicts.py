"""Verdicts of result records on the papers' claims."""

import math
import operator
import re
from dataclasses import dataclass, replace
from statistics import NormalDist

from scipy.special import stdtrit

from book.papers.claims import (
    MEAN,
    Claim,
    Mark,
    bound,
    claims_of,
    load_claims,
    marks_in,
    named,
    printed_difference,
)
from book.papers.printed import printed
from zslib.protocols.intervals import Estimate, independent_mean

_OPERATORS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}

HELD, MIXED, FAILED = "held", "mixed", "failed"
NOT_AS_READ = "not as we read it"
"""What a threshold or a reading of ours gets where it is not met: the paper did not say it."""
OPEN, NOT_TESTABLE = "open", "not testable here"

READING = "it hangs on the reading"
_AGAINST = {FAILED, NOT_AS_READ}
# Measures in percent, of which an effect below one point is none unless the paper's is smaller.
_IN_POINTS = re.compile(r"(ACC|H|AUSUC|u|s|(P|hit|hp)@(\d+|k)|pollution.*|hub answers)(,.*)?")
# A level this near to 0 or 100% is at the end of its scale, where methods cannot differ.
_END = 1.0
# Share of an interval's width by which other draws of the bootstrap may move its end, by what it
# resamples: twice the standard error of a 2.5% quantile, of a thousand draws of classes and of two
# thousand of other items. With n draws, where there were more, it is the last times sqrt(2,000/n).
_REDRAWN = {"classes": 0.043}
_REDRAWN_OTHERS = 0.03
# With fewer classes a percentile interval is too short.
_FEW = 30
# A sample so many times as large would be another study.
_MOST = 100


@dataclass(frozen=True)
class Verdict:
    """What records say about a claim, or about one mark of it.

    ``verdict`` is on the sign, with the reason ``why``; the number is that of the run, on the
    data. Of several data sets ``parts`` has the verdict on each, and the number is their mean's,
    if any; of several marks ``marks`` has the verdict of each. Where the run cannot tell,
    ``sample`` says what would.
    """

    claim: Claim
    mark: Mark
    verdict: str
    why: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    dataset: str = ""
    synthetic: bool = False
    parts: tuple = ()
    marks: tuple = ()
    sample: str = ""

    @property
    def found(self):
        """The number with its interval, as text; of each mark, of each data set without a mean."""
        if len(self.marks) > 1:
            named = (filter(None, (one.mark.name, one.found)) for one in self.marks)
            return "; ".join(map(": ".join, named))
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
        """The paper's number or numbers, as text; of each mark where there are several."""
        if len(self.marks) > 1:
            texts = [(one.mark.name, one.paper_value) for one in self.marks]
            return "; ".join(f"{name}: {text}" for name, text in texts if text != "–") or "–"
        values = [
            f"{bound(path)} {printed(self.claim.paper, *path):g}" for path in self.mark.printed
        ]
        return " against ".join(value.strip() for value in values) or "–"

    @property
    def carrying(self):
        """The verdicts of the marks that must all hold: itself where it has but one."""
        return tuple(one for one in self.marks if one.mark.role == "carries") or (self,)

    @property
    def deciding(self):
        """Of the marks that carry a claim the first with the claim's verdict, else the first."""
        same = [mark for mark in self.carrying if mark.verdict == self.verdict]
        return (same or self.carrying)[0]

    @property
    def within(self):
        """The margin that the whole interval of an open verdict lies within; None for none.

        Then there is no effect beyond it; else the run cannot tell.
        """
        if self.verdict != OPEN or not all(one.value is not None for one in self.carrying):
            return None
        margins = [_margin(one) for one in self.carrying if one.verdict == OPEN]
        return None if None in margins else max(margins, default=None)


def _margin(verdict):
    """The margin within which a number's interval lies about the threshold; None: within none."""
    margin = _margin_of(verdict.claim, verdict.mark)
    if margin is None or verdict.low is None:
        return None
    threshold = verdict.mark.holds[1]
    return margin if max(threshold - verdict.low, verdict.high - threshold) <= margin else None


def _margin_of(claim, mark):
    """The effect below which there is none; None where nothing says."""
    if claim.margin is not None:
        return claim.margin
    effect = printed_difference(claim, mark)
    in_points = _IN_POINTS.fullmatch(mark.record.get("metric", ""))
    if not in_points and (effect is None or mark.without):  # of a factor a point says nothing
        return None
    return min(1.0, abs(effect)) if effect else 1.0


def _sample(verdict, record, of_sets):
    """What sample would tell, should the effect stay as it is, in words.

    An interval shrinks with the root of the sample, until it leaves the threshold out or lies
    within the margin about it.
    """
    distance = verdict.value - verdict.mark.holds[1]
    below, above = verdict.value - verdict.low, verdict.high - verdict.value
    towards = (below if distance > 0 else above) or 1.0  # of a number at the threshold no matter
    margin = _margin_of(verdict.claim, verdict.mark) or 0.0
    shrunk = max(abs(distance) / towards, (margin - abs(distance)) / max(below, above))
    times = shrunk**-2 if shrunk > 0 else math.inf
    unit, n = record.get("unit", "runs"), times * record.get("n_units", math.nan)
    if not (of_sets or times > _MOST or math.isnan(n)):
        return f"about {float(f'{n:.2g}'):,.0f} {unit}"
    many = f"over {_MOST}" if times > _MOST else f"{times:.2g}"
    unit = "items" if unit == "data sets" else unit
    return f"{many} times as many {unit}" + " in each set" * of_sets


def _samples(verdicts, name):
    """The samples that would tell where several verdicts are open, as an end of their reason."""
    told = [f"{name(one)} {one.sample}" for one in verdicts if one.verdict == OPEN and one.sample]
    return f"; to tell, if effects are as here: {', '.join(told)}" if told else ""


def _number(value):
    """Three digits, or all before the point; of what is next to nothing its size."""
    tiny, large = 0 < abs(value) < 1e-6, 1000 <= abs(value) < 1e9
    return format(value, ".0e" if tiny else ",.0f" if large else ".3g").replace("-", "−")


def asked(mark):
    """What a mark's number has to be, as text in parentheses."""
    comparison, threshold = mark.holds
    return f"(asked: {comparison} {_number(threshold)})"


def judge(claim, records):
    """The verdict on a claim: that of the marks that carry it, all of which must hold.

    Where a data set of one mark contradicts another mark, or its data sets, it is mixed. Where
    these are open, another level decides that leans the same way and stays clear when the levels
    are counted (Bonferroni); where a level or another look contradicts them, the verdict is mixed.
    What holds under one reading of a method only is open.
    """
    carrying = [_judge_mark(claim, mark, records) for mark in claim.carrying]
    beside = [_judge_mark(claim, mark, records) for mark in claim.marks if mark.role != "carries"]
    whole = carrying[0]
    if len(carrying) > 1:
        word = _common((one.verdict for one in carrying), all_hold=True)
        reason = _by_verdict(carrying, lambda one: one.mark.name)
        heard = _common(each.verdict for one in carrying for each in (one, *one.parts))
        if heard == MIXED != word:  # by data sets of two marks
            pairs = ((one, part) for one in carrying for part in one.parts)
            apart = [part for one, part in pairs if part.verdict not in (one.verdict, OPEN)]
            reason += f"; by data set {_by_verdict(apart, lambda part: part.dataset)}"
            word = heard
        reason += _samples(carrying, lambda one: one.mark.name) if word == OPEN else ""
        whole = Verdict(claim, whole.mark, word, reason, **_data_of(carrying))
    if beside:
        whole = _beside(whole, carrying, beside)
    return replace(whole, marks=(*carrying, *beside)) if len(claim.marks) > 1 else whole


def _data_of(verdicts):
    """The data of several verdicts, as fields of one."""
    names = dict.fromkeys(one.dataset for one in verdicts if one.dataset)
    return {"dataset": " and ".join(names), "synthetic": any(one.synthetic for one in verdicts)}


def _beside(whole, carrying, beside):
    """The verdict of a claim when other looks at it are heard."""
    against = {HELD: _AGAINST, FAILED: {HELD}, NOT_AS_READ: {HELD}}.get(whole.verdict, set())
    readings = [one for one in beside if one.mark.role == "reading"]
    looks = [one.verdict for one in beside if one not in readings]
    verdict = MIXED if against.intersection(looks) else whole.verdict
    heard = {one.verdict == HELD for one in readings if one.verdict != NOT_TESTABLE}
    if verdict in (HELD, *_AGAINST) and heard - {verdict == HELD}:
        told = _by_verdict([whole, *readings], lambda one: one.mark.name)
        return replace(whole, verdict=OPEN, why=f"{READING}: {told}")
    if verdict == OPEN:
        levels = [one for one in beside if one.mark.role == "level"]
        clear = {one.verdict for one in levels if _clear(one, len(levels) + 1)}
        verdict = _common(clear & _leaning(carrying) or {OPEN})
    if verdict == whole.verdict:
        return whole
    others = _by_verdict(beside, lambda one: one.mark.name)
    first = "by itself: " * (whole.verdict == OPEN)
    return replace(whole, verdict=verdict, why=f"{first}{whole.why}; also: {others}")


def _leaning(verdicts):
    """The verdicts that numbers lean to, all of them or not; either where one has no number."""
    if any(one.value is None for one in verdicts):
        return {HELD, *_AGAINST}
    marks = ((one.value, *one.mark.holds) for one in verdicts)
    hold = (_OPERATORS[comparison](value, threshold) for value, comparison, threshold in marks)
    return {HELD} if all(hold) else _AGAINST


def _clear(verdict, n_marks):
    """Whether a mark's number stays clear of its threshold as one of so many looks."""
    p = p_of_mark(verdict)
    return p is not None and p * n_marks <= 0.05


def p_of_mark(verdict):
    """Two-sided p of a number against its threshold, from its 95% interval; None without one.

    The interval is taken for that of a normal distribution.
    """
    if verdict.low is None or not verdict.low < verdict.high:
        return None
    distance = verdict.value - verdict.mark.holds[1]
    towards = verdict.value - verdict.low if distance > 0 else verdict.high - verdict.value
    error = max(towards, 1e-300) / NormalDist().inv_cdf(0.975)
    return math.erfc(abs(distance) / error / math.sqrt(2))


def _common(verdicts, *, all_hold=False):
    """One verdict for several: theirs, mixed where they contradict, else open.

    Where ``all_hold`` says that all must hold, one that failed decides against those that are
    open.
    """
    verdicts = set(verdicts) - {NOT_TESTABLE}
    against = verdicts & _AGAINST
    if MIXED in verdicts or (HELD in verdicts and against):
        return MIXED
    if all_hold and against:
        return against.pop()
    return verdicts.pop() if len(verdicts) == 1 else OPEN if verdicts else NOT_TESTABLE


def _by_verdict(verdicts, name):
    """``"held on a and b; open on “c, once more”"``."""
    names = {}
    for one in verdicts:
        said = name(one)
        phrase = "," in said or (" " in said and said[0].islower())
        names.setdefault(one.verdict, []).append(f"“{said}”" if phrase else said)
    return "; ".join(f"{verdict} on {' and '.join(each)}" for verdict, each in names.items())


def _judge_mark(claim, mark, records):
    """The verdict on each data set that has such a record, and what they say together."""
    of_chapter = [r for r in records if r.get("chapter", mark.chapter) == mark.chapter]
    of_sets = mark.record.get("over") == MEAN
    wanted = {k: v for k, v in mark.record.items() if k != "over" or not of_sets}
    matching = [r for r in of_chapter if wanted.items() <= r.items()]
    matching = [r for r in matching if not of_sets or r.get("over") in (None, MEAN)]
    if not matching:
        data = mark.record.get("dataset")
        reason = f"the run has no record with {named(mark.record)}"
        if data and all(data not in r.get("dataset", "") for r in records if "dataset" in r):
            reason = f"the run is not on {data}"
        return Verdict(claim, mark, NOT_TESTABLE, reason)
    single = {r.get("dataset", ""): r for r in matching if r.get("over") != MEAN}
    mean = [r for r in matching if r.get("over") == MEAN][-1:]
    parts = tuple(_judge_one(claim, mark, record, of_chapter) for record in single.values())
    if len(parts) == 1 and all(record.get("dataset") == parts[0].dataset for record in mean):
        return parts[0]
    mean = mean[0] if mean else _mean_over_sets(claim, parts)
    whole = _judge_one(claim, mark, mean, of_chapter, of_sets=True) if mean else None
    return _together(claim, mark, parts, whole) if parts else whole


def _mean_over_sets(claim, parts):
    """A record of the mean over data sets that vote, taken as independent; None where unfit."""
    voting = [part for part in parts if part.verdict != NOT_TESTABLE]
    fit = claim.pooled and claim.kind == "result" and len(voting) > 1
    if not fit or any(part.low is None or " and " in part.dataset for part in voting):
        return None
    mean = independent_mean(Estimate(part.value, part.low, part.high, 1) for part in voting)
    data = " and ".join(part.dataset for part in voting)
    ends = {"low": mean.low, "high": mean.high}
    return {"value": mean.mean, **ends, "dataset": data, "unit": "data sets"}


def _judge_one(claim, mark, record, records, of_sets=False):
    """The verdict of one record; ``records`` say whether its data set can decide at all."""
    dataset = record.get("dataset", "")
    data = [r for r in records if r.get("dataset", "") == dataset]
    if not of_sets and (reason := _at_an_end(mark, data)):
        return Verdict(claim, mark, NOT_TESTABLE, reason, dataset=dataset)
    comparison, threshold = mark.holds
    value, low, high = expanded(record)
    shown = {"value": value, "low": low, "high": high, "dataset": dataset}
    shown["synthetic"] = bool(record.get("synthetic", False))
    compare = _OPERATORS[comparison]
    against = NOT_AS_READ if claim.own_threshold else FAILED

    def verdict(word, reason):
        reason += " (over trainings alone)" * (record.get("unit") == "runs" and low is not None)
        return Verdict(claim, mark, word, reason, **shown)

    hard_end = low if comparison in (">", ">=") else high
    holds = compare(value, threshold)
    if hard_end is None:
        reason = f"{_number(value)} {asked(mark)}"
        reason += " in one run, without an interval" * (record.get("n_seeds") == 1)
        return verdict(HELD if holds else against, reason)
    if claim.kind != "theorem" and _may_turn(record, low, high, threshold):
        near = f"the interval ends near {_number(threshold)}"
        return verdict(OPEN, f"{near}: other draws may turn it")
    if holds and compare(hard_end, threshold):
        return verdict(HELD, f"whole interval {comparison} {_number(threshold)}")
    if low == high == threshold:
        return verdict(NOT_TESTABLE, "nothing changed: all answers are the same")
    if low <= threshold <= high and low < high:
        one = verdict(OPEN, f"the interval includes {_number(threshold)}")
        known = one.within is not None
        answer = f"no effect beyond {_number(one.within)}" if known else "the run cannot tell"
        sample = "" if known else _sample(one, record, of_sets)
        more = f"; {sample} would, if the effect is as here" if sample else ""
        return replace(one, why=f"{one.why}: {answer}{more}", sample=sample)
    beside = "on the other side of" if low < high else "at"
    return verdict(against, f"the whole interval lies {beside} {_number(threshold)}")


def _may_turn(record, low, high, threshold):
    """Whether other draws of the bootstrap may move an end of an interval past a threshold."""
    unit = record.get("unit", "runs")
    redrawn = _REDRAWN.get(unit, _REDRAWN_OTHERS)
    if n_draws := record.get("n_draws"):
        redrawn = _REDRAWN_OTHERS * math.sqrt(2000 / n_draws)
    distance = min(abs(low - threshold), abs(high - threshold))
    return unit != "runs" and distance < redrawn * (high - low)


def expanded(record):
    """Value and interval of a record; of few classes the interval is made wider.

    A percentile interval over C classes is too short by about the factor of Student's t over the
    normal quantile, times sqrt(C / (C - 1)) (Hesterberg, 2015, "What teachers should know about
    the bootstrap"): below 30 classes that is mended.
    """
    value, low, high = (record.get(key) for key in ("value", "low", "high"))
    count = record.get("n_units", _FEW)
    if low is None or record.get("unit") != "classes" or not 2 <= count < _FEW:
        return value, low, high
    normal = NormalDist().inv_cdf(0.975)
    factor = stdtrit(count - 1, 0.975) / normal * math.sqrt(count / (count - 1))
    return value, value - factor * (value - low), value + factor * (high - value)


def sign(record, threshold=0.0):
    """1 or −1 where a record's whole interval is clearly on that side of a threshold, else 0.

    As for verdicts: it is `expanded`, and no other draws of the bootstrap may turn it.
    """
    value, low, high = expanded(record)
    low, high = (value if end is None else end for end in (low, high))
    if _may_turn(record, low, high, threshold):
        return 0
    return 1 if low > threshold else -1 if high < threshold else 0


def _at_an_end(mark, data):
    """Why both methods of a difference are at an end of the scale; empty where they are not."""
    methods = str(mark.record.get("method", "")).split(" - ")
    metric = mark.level.get("metric", mark.record.get("metric", ""))
    if len(methods) != 2 or not _IN_POINTS.fullmatch(metric):
        return ""
    others = {k: v for k, v in mark.record.items() if k not in ("method", "over")} | mark.level
    levels = []
    for method in methods:
        wanted = others | {"method": method}
        levels += [r["value"] for r in data if wanted.items() <= r.items()][:1]
    if len(levels) < 2 or not (max(levels) < _END or min(levels) > 100 - _END):
        return ""
    end = "floor" if max(levels) < _END else "ceiling"
    return f"{metric} of both is at the {end}: {' and '.join(map(_number, levels))}%"


def _together(claim, mark, parts, mean):
    """The verdict over several data sets: the mean's or that of each, unless some contradict."""
    verdicts = {part.verdict for part in (*parts, *([mean] if mean else []))} - {NOT_TESTABLE}
    verdict = _common(verdicts)
    if verdict != MIXED and mean:
        verdict = mean.verdict
    why = _by_verdict(parts, lambda part: part.dataset)
    data = _data_of(parts)
    if mean:
        shown = {"synthetic": data["synthetic"], "parts": parts}
        return replace(mean, verdict=verdict, why=f"mean: {mean.why}; {why}", **shown)
    why += _samples(parts, lambda part: part.dataset) if verdict == OPEN else ""
    return Verdict(claim, mark, verdict, why, parts=parts, **data)


def check_claims(paper, records):
    """Verdict of ``records`` on every claim of ``paper``.

    A mark is "held" when the value and its whole interval satisfy it, "open" when only a part of
    the interval does, "failed" when none of it does ("not as we read it" where the threshold is
    ours), "not testable here" when no record speaks of it, or both methods are at the end of the
    scale. A mark that names no data set is judged on each, and on the mean over "all sets": the
    recorded one, else that of the sets taken as independent. It is "mixed" when it held on some
    and failed on others. A record with a ``chapter`` speaks only of the marks of this chapter.

    Examples
    --------
    >>> {verdict.verdict for verdict in check_claims("hubness", [])}
    {'not testable here'}
    """
    by_chapter, verdicts = {}, []
    for record in records:
        by_chapter.setdefault(record.get("chapter"), []).append(record)
    for claim in load_claims(paper):
        chapters = dict.fromkeys([None, *(mark.chapter for mark in claim.marks)])
        own = [record for name in chapters for record in by_chapter.get(name, ())]
        verdicts.append(judge(claim, own))
    return verdicts


def chapter_verdicts(chapter, records):
    """Verdicts of ``records`` on the claims that this chapter judges; none where there are none.

    Of a claim with marks in several chapters the others' are left out, which its reason says.
    """
    verdicts = []
    for claim in claims_of(chapter):
        if claim.chapter == chapter:
            marks = marks_in(claim, chapter)
            verdict = judge(replace(claim, marks=marks), records)
            if len(marks) < len(claim.marks) and verdict.verdict != NOT_TESTABLE:
                why = f"{verdict.why}; by this chapter alone, the scorecard hears others too"
                verdict = replace(verdict, why=why)
            verdicts.append(verdict)
    return verdicts


def looks_again(chapter, records):
    """Verdicts of this chapter's marks of claims that other chapters judge."""
    return [
        _judge_mark(claim, mark, records)
        for claim in claims_of(chapter)
        if claim.chapter != chapter
        for mark in marks_in(claim, chapter)
    ]
