"""What opens and closes a chapter: its question and finding, and exercises with answers."""

import contextlib
import re

from book.build.forest import hyphens, verdict_counts
from book.build.render import render
from book.chapter import verdicts_label
from book.papers import chapter_verdicts, printed
from book.papers.verdicts import expanded, sign

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def filled(sentence, records, paper=None):
    """A sentence with its fields in braces filled from records.

    A field names a record by its metric, method, data set and other columns:
    ``{P@1; max-margin - ridge; europarl; space=full; +.1f}``. The last part is a number format;
    ``interval`` adds the interval. Of words behind bars, ``{P@1; … | above | below | near}``, the
    first stands for a number that is clearly above zero, as verdicts take it, the second for one
    below it, the last for the others; with ``than 1`` one takes the place of zero.
    ``{paper; table1; max-margin}`` is a number that the paper prints. With ``one in`` for a number
    format, a share in percent becomes "one in five".

    Parameters
    ----------
    sentence : str
    records : sequence of dict
    paper : str, optional
        Whose printed numbers are meant: ``"hubness"``.

    Raises
    ------
    LookupError
        When a field fits no record, or several.

    Examples
    --------
    >>> records = [{"metric": "P@1", "method": "a - b", "value": -2.0, "low": -3.1, "high": -0.9}]
    >>> filled("It is {P@1; a - b | better | worse | as good} by {P@1; a - b; interval}.", records)
    'It is worse by −2 [−3.1, −0.9].'
    """
    return re.sub(r"\{([^{}]+)\}", lambda field: _value_of(field[1], records, paper), sentence)


def _value_of(field, records, paper):
    """What stands for a field of `filled`."""
    where, *words = (part.strip() for part in re.split(r"\s\|\s", field))
    parts = [part.strip() for part in where.split(";")]
    forms = [p for p in parts if re.fullmatch(r"interval|than 1|one in|\+?,?(\.\d[fg%])?", p)]
    names = [part for part in parts if part not in forms]
    plain = next((form for form in forms if form != "interval"), "")
    if names[0] == "paper":
        value = printed(paper, *names[1:])
        if value is None:
            raise LookupError(f"{paper} prints no number at {names[1:]}")
        return number_told(value, plain)
    keyed = [name for name in names if re.match(r"\w+=", name)]
    plain_names = (name for name in names if name not in keyed)
    columns = dict(zip(("metric", "method", "dataset"), plain_names, strict=False))
    columns |= dict(name.split("=", 1) for name in keyed)
    rows = [r for r in records if all(str(r.get(k)) == v for k, v in columns.items())]
    if len(rows) > 1 and "over" not in columns:
        # A mean over one data set has the name of that set as well.
        rows = [r for r in rows if "over" not in r]
    if len(rows) != 1:
        raise LookupError(f"{len(rows)} records have {columns}")
    if words:
        side = sign(rows[0], "than 1" in forms)
        return words[0] if side > 0 else words[1] if side < 0 else words[-1]
    value, low, high = expanded(rows[0])
    if low is None or low == high or "interval" not in forms:
        return number_told(value, plain)
    return f"{number_told(value, plain)} [{number_told(low, plain)}, {number_told(high, plain)}]"


def number_told(value, form):
    """Three digits where no format says otherwise; a minus and powers of ten that are such."""
    if form == "one in":
        return _one_in(value)
    text = format(value, form or (",.0f" if abs(value) >= 1000 else ".3g"))
    if "e" in text:
        digits, power = text.split("e")
        text = f"{digits}·10{str(int(power)).translate(_RAISED)}"
    return re.sub(r"^[-+](?=[0.]+$)", "", text).replace("-", "−")


def _one_in(percent):
    """A share as "one in five", for those up to a half."""
    if not 0 < percent <= 50:
        return "none" if percent == 0 else f"{percent:.0f}%"
    number = round(100 / percent)
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return f"one in {words[number - 2] if number <= 10 else f'{number:,}'}"


def answers(chapter, sentences, records):
    """Those of a chapter's sentences for which there are records, filled from them."""
    lines = []
    for sentence in sentences if records is not None else ():
        with contextlib.suppress(LookupError):  # data that this run is not on
            lines.append(filled(sentence, records, chapter.split("/")[0]))
    return lines


def opening(chapter, about, records, published=None):
    """The box of a chapter as Markdown; empty where there is nothing to say.

    Parameters
    ----------
    chapter : str
    about : dict
        The chapter's front matter: its ``question``, and the sentences of its ``finding``, of
        which those without records are left out.
    records : Results or None
        Of the run that made the page: all in the box is of these.
    published : Results, optional
        Of a larger run: a line says where its verdicts differ.
    """
    findings = about.get("finding", ())
    sentences = answers(chapter, findings, records)
    if records is None or not (sentences or "question" in about):
        return ""
    verdicts = chapter_verdicts(chapter, records)
    beside = verdicts if published is None else chapter_verdicts(chapter, published)
    return render(
        "opening.md",
        question=about.get("question", "What was found"),
        findings=findings,
        sentences=sentences,
        counts=verdict_counts(verdicts),
        verdicts=verdicts_label(chapter),
        differences=list(differences(verdicts, beside)),
        date=records.run["date"][:10],
        data=_data(records),
        n_seeds=records.run["parameters"].get("n_seeds"),
    )


def differences(ours, theirs):
    """Of each claim that two runs judge otherwise, by verdict or by sign: its headline, and both.

    Parameters
    ----------
    ours, theirs : iterable of Verdict
        On the same claims in the same order.
    """
    for pair in zip(ours, theirs, strict=True):
        words = [one.verdict for one in pair]
        sides = [_side(one) for one in pair]
        if None not in sides and sides[0] != sides[1]:
            words = [f"{word}, {side}" for word, side in zip(words, sides, strict=True)]
        if words[0] != words[1]:
            yield pair[0].claim.headline, *words


def _side(verdict):
    """On which side of the claim's threshold the number is; None where it is on none."""
    threshold = verdict.mark.holds[1]
    if verdict.value in (None, threshold):
        return None
    return f"{'above' if verdict.value > threshold else 'below'} {threshold:g}"


def _data(records):
    """Names of a run's data, as text."""
    used = [d["name"] for d in records.run["data"]] or [r.get("dataset", "") for r in records]
    return ", ".join(dict.fromkeys(hyphens(name) for name in used if name)) or "no data"


def exercises(chapter, about, records, published=None):
    """The section of exercises as Markdown; empty where there are none.

    Of the front matter's ``exercises``, each with what to ``ask``, an ``answer``, and parameters
    to ``run`` the chapter with or ``code`` that solves it, if any. Numbers in answers are this
    run's; where it has no records of them, those of the ``published`` larger one, which the answer
    says; where neither has, the answer is left to the reader.
    """
    shown = []
    for exercise in about.get("exercises", ()):
        sentence = [exercise.get("answer", "")]
        told = answers(chapter, sentence, records)
        if not told and records is not None:
            told = [f"In our full run: {text}" for text in answers(chapter, sentence, published)]
        shown.append(exercise | {"answer": "".join(told)})
    return render("exercises.md", chapter=chapter, exercises=shown)
