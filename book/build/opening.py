"""What opens and closes a chapter: its question and finding, and exercises with answers."""

from __future__ import annotations

import contextlib
import re

from book.build.forest import KINDS
from book.papers import chapter_verdicts, printed

__all__ = ["answers", "exercises", "opening", "told"]


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def told(sentence, records, paper=None):
    """A sentence with its fields in braces filled from records.

    A field names a record by its metric, method, data set and other columns:
    ``{P@1; max-margin - ridge; europarl; space=full; +.1f}``. The last part is a number format;
    ``interval`` adds the interval. Of words behind bars, ``{P@1; … | above | below | near}``, the
    first stands for a number whose whole interval is above zero, the second for one below it, the
    last for the others. ``{paper; table1; max-margin}`` is a number that the paper prints.

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
    >>> told("It is {P@1; a - b | better | worse | as good} by {P@1; a - b; interval}.", records)
    'It is worse by −2 [−3.1, −0.9].'
    """
    return re.sub(r"\{([^{}]+)\}", lambda field: _filled(field[1], records, paper), sentence)


def _filled(field, records, paper):
    where, *words = (part.strip() for part in re.split(r"\s\|\s", field))
    parts = [part.strip() for part in where.split(";")]
    forms = [p for p in parts if p == "interval" or re.fullmatch(r"\+?,?(\.\d[fg%])?", p)]
    names = [part for part in parts if part not in forms]
    plain = next((form for form in forms if form != "interval"), "")
    if names[0] == "paper":
        value = printed(paper, *names[1:])
        if value is None:
            raise LookupError(f"{paper} prints no number at {names[1:]}")
        return _number(value, plain)
    keyed = [name for name in names if re.match(r"\w+=", name)]
    plain_names = (name for name in names if name not in keyed)
    columns = dict(zip(("metric", "method", "dataset"), plain_names, strict=False))
    columns |= dict(name.split("=", 1) for name in keyed)
    found = [r for r in records if all(str(r.get(k)) == v for k, v in columns.items())]
    if len(found) != 1:
        raise LookupError(f"{len(found)} records have {columns}")
    value, *ends = (found[0].get(key, found[0]["value"]) for key in ("value", "low", "high"))
    if words:
        return words[0] if min(ends) > 0 else words[1] if max(ends) < 0 else words[-1]
    reach = f" [{_number(ends[0], plain)}, {_number(ends[1], plain)}]"
    return _number(value, plain) + reach * ("interval" in forms and ends[0] < ends[1])


def _number(value, form):
    """Three digits where no format says otherwise; a minus and powers of ten that are such."""
    text = format(value, form or (",.0f" if abs(value) >= 1000 else ".3g"))
    if "e" in text:
        digits, power = text.split("e")
        text = f"{digits}·10{str(int(power)).translate(_RAISED)}"
    return re.sub(r"^[-+](?=[0.]+$)", "", text).replace("-", "−")


def answers(chapter, about, records):
    """The sentences of a chapter's ``finding`` for which there are records."""
    lines = []
    for sentence in about.get("finding", ()) if records is not None else ():
        with contextlib.suppress(LookupError):  # data that this run is not on
            lines.append(told(sentence, records, chapter.split("/")[0]))
    return lines


def opening(chapter, about, records, whose="Published run", below=None):
    """The box of a chapter as Markdown; empty where there is nothing to say.

    Parameters
    ----------
    chapter : str
    about : dict
        The chapter's front matter: its ``question``, and the sentences of its ``finding``, of
        which those without records are left out.
    records : Results or None
    whose : str
        Which run the records are of.
    below : Results, optional
        Of the page, where that is another run.
    """
    question = about.get("question", "What was found")
    lines = answers(chapter, about, records)
    if records is None or not (lines or "question" in about):
        return ""
    found = [v.verdict for v in chapter_verdicts(chapter, records)]
    chips = [
        f'<a class="chip {name}" href="#verdicts">{found.count(kind)} {kind}</a>'
        for kind, name in KINDS.items()
        if kind in found
    ]
    small = f"{len(found)} claim{'s' * (len(found) != 1)}: {' '.join(chips)} " if chips else ""
    small += f"{whose} of {records.run['date'][:10]}{_data(records)}."
    if below is not None:
        n_seeds = below.run["parameters"].get("n_seeds")
        seeds = f" of {n_seeds} seed{'s' * (n_seeds != 1)}" if n_seeds else ""
        small += f" The page below is a run{seeds}{_data(below)}."
        if _otherwise(chapter, about, records, below):
            small += " On this page some of the above comes out otherwise."
    body = [" ".join(lines), "", small] if lines else [small]
    return "\n".join([f":::{{admonition}} {question}", ":class: finding", "", *body, ":::"])


def _data(records):
    """Names of a run's data, behind "on"."""
    used = [d["name"] for d in records.run["data"]] or [r.get("dataset", "") for r in records]
    names = ", ".join(name.replace("_", "-") for name in dict.fromkeys(used) if name)
    return f" on {names or 'no data'}"


def _otherwise(chapter, about, records, below):
    """Whether another run turns a sentence round: a word or a sign of it is another."""
    both = (
        [answers(chapter, {"finding": [sentence]}, run) for run in (records, below)]
        for sentence in about.get("finding", ())
    )
    return any(here and there and _says(here) != _says(there) for here, there in both)


def _says(sentences):
    """Sentences without the digits of their numbers and without intervals."""
    return re.sub(r"\s*\[[−+\d][^]]*\]|[\d.,·⁻⁰¹²³⁴⁵⁶⁷⁸⁹]", "", " ".join(sentences))


def exercises(chapter, about, records):
    """The section of exercises as Markdown; empty where there are none.

    Of the front matter's ``exercises``, each with ``ask``, ``run`` and ``answer``. Answers are
    numbers of the published run; one whose records are not there is left to the reader.
    """
    parts = []
    for number, one in enumerate(about.get("exercises", ()), 1):
        shown = [f"```\nzslib run {chapter} {one['run']}\n```"]
        with contextlib.suppress(LookupError):
            shown.append(told(one["answer"], records or (), chapter.split("/")[0]))
        answer = "\n\n".join(shown)
        parts.append(f"**{number}.** {one['ask']}\n\n::::{{dropdown}} Answer\n{answer}\n::::")
    if parts and records:
        took = max(1, round(records.run["wall_seconds"] / 60))
        parts.insert(
            0,
            "The answers' numbers are the published run's. A command runs the chapter's default "
            f"settings, often smaller; with `--full` the published ones, which took {took} min.",
        )
    return "\n\n".join(["## Exercises", *parts]) if parts else ""
