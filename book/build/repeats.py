"""Repeats of the published run on other machines: kept as counts, shown on a page of the book."""

from __future__ import annotations

import json
from collections import Counter

from book.agreement import ABSENT, APART, EQUAL, WITHIN, compare, other_parameters
from book.build.publishing import listed
from book.paths import layout
from zslib.show.tables import escape, pipes
from zslib.show.writing import write_if_changed

__all__ = ["keep_repeat", "repeats_page"]

_HEADS = {EQUAL: "equal", WITHIN: "within", APART: "apart", ABSENT: "unmatched"}


def keep_repeat(name, pairs, *, root=None):
    """Write how runs agree with the published ones to ``results/published/repeats/<name>.json``.

    Parameters
    ----------
    name : str
        Of the repeat: ``"another-kernel"``.
    pairs : iterable of (str, Results, Results or None)
        Chapter, its run and its published run; chapters without one are left out.

    Returns
    -------
    pathlib.Path
    """
    chapters, apart, machine, dates = {}, [], {}, []
    manifest = listed(layout(root))
    for chapter, ours, theirs in pairs:
        if theirs is None:
            continue
        found = compare(ours, theirs)
        chapters[chapter] = {
            "counts": Counter(one.kind for one in found),
            "settings": other_parameters(ours.run, theirs.run),
            "seconds": ours.run["wall_seconds"],
            "published": _records_digest(chapter, manifest),
        }
        apart += [
            [chapter, one.what, one.record["value"], one.published]
            for one in found
            if one.kind == APART
        ]
        machine = ours.run["machine"]
        dates.append(ours.run["date"][:10])
    if not chapters:
        raise ValueError("no chapter has both run here and been published: run some first")
    content = {"date": max(dates), "machine": machine, "chapters": chapters, "apart": apart}
    path = layout(root).published / "repeats" / f"{name}.json"
    write_if_changed(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return path


def repeats_page(place):
    """What came of the repeats, in Markdown: a table of all, and for each what is apart."""
    manifest = listed(place)
    parts = [_published_run(manifest)] if manifest else []
    for path in sorted((place.published / "repeats").glob("*.json")):
        repeat = json.loads(path.read_text(encoding="utf-8"))
        parts.append(_repeat(path.stem.replace("-", " "), repeat, manifest))
    if len(parts) == bool(manifest):
        parts.append("The published run has not been repeated yet.")
    return "\n\n".join(parts) + "\n"


def _published_run(manifest):
    """What the published run cost, in a sentence."""
    hours = {name: float(row["wall_seconds"]) / 3600 for name, row in manifest.items()}
    longest = max(hours, key=hours.get)
    return (
        f"The published run's chapters took {sum(hours.values()):.1f} hours, one after another; "
        f"{escape(longest)}, the longest, {hours[longest]:.1f}."
    )


def _records_digest(chapter, manifest):
    return manifest.get(chapter, {}).get("records digest", "")


def _repeat(name, repeat, manifest):
    """One repeat: a sentence, and folds of its chapters, its settings and the numbers apart."""
    chapters, machine = repeat["chapters"], repeat["machine"]
    counts, n_apart = Counter(), Counter()
    for chapter, of in chapters.items():
        counts.update(of["counts"])
        n_apart[chapter] = of["counts"].get(APART, 0)
    compared = counts.total() - counts[ABSENT]
    share = (counts[EQUAL] + counts[WITHIN]) / max(compared, 1)
    told = ", ".join(f"{counts[k]:,} {_HEADS[k]}" for k in (EQUAL, WITHIN, APART) if counts[k])
    more = f"{counts[ABSENT]:,} more have no like in the published run. " if counts[ABSENT] else ""
    said = (
        f"**{share:.1%} of the {compared:,} numbers that both runs have agree:** {told}. {more}"
        f"{machine['processor']}, {machine.get('blas', 'BLAS not noted')}, {repeat['date']}."
    )
    if most := ", ".join(f"{escape(name)} ({n})" for name, n in n_apart.most_common(3) if n):
        said += f" Apart most often: {most}."
    anew = [c for c, of in chapters.items() if of["published"] != _records_digest(c, manifest)]
    if anew:
        said += f" Of {len(chapters)} chapters, {len(anew)} have other published numbers by now."
    counted = [[c, *(of["counts"].get(k, "") for k in _HEADS)] for c, of in chapters.items()]
    others = [(chapter, of["settings"]) for chapter, of in chapters.items() if of["settings"]]
    apart = [
        [c, what, f"{ours:.4g}", f"{theirs:.4g}"] for c, what, ours, theirs in repeat["apart"]
    ]
    folds = {
        f"By chapter ({len(chapters)})": _table(["chapter", *_HEADS.values()], 1, counted),
        "What was set otherwise": [f"- {escape(name)}: {escape(of)}" for name, of in others],
        f"The {len(apart):,} apart": apart
        and _table(["chapter", "number", "here", "published"], 2, apart),
    }
    parts = [f"## {name[0].upper()}{name[1:]}", said]
    parts += [
        "\n".join([f":::{{dropdown}} {title}", "", *lines, "", ":::"])
        for title, lines in folds.items()
        if lines
    ]
    return "\n\n".join(parts)


def _table(heads, n_names, rows):
    """Lines of a table whose first ``n_names`` columns are names, the others numbers."""
    rule = "|" + ":--|" * n_names + "--:|" * (len(heads) - n_names)
    return [pipes(heads), rule, *(pipes(map(escape, row)) for row in rows)]
