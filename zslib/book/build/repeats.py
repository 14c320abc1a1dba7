"""Repeats of the published run on other machines: kept as counts, shown on a page of the book."""

from __future__ import annotations

import json
from collections import Counter

from zslib.book.agreement import ABSENT, APART, EQUAL, WITHIN, compare, other_parameters
from zslib.book.build.writing import write_if_changed
from zslib.book.paths import layout
from zslib.book.tables import escape, pipes

__all__ = ["keep_repeat", "repeats_page"]

_HEADS = {EQUAL: "equal", WITHIN: "within", APART: "apart", ABSENT: "unmatched"}


def keep_repeat(name, pairs, *, root=None):
    """Write how runs agree with the published ones to ``results/published/repeats/<name>.json``.

    Parameters
    ----------
    name : str
        Of the repeat: ``"another-kernel"``.
    pairs : iterable of (str, Records, Records or None)
        Chapter, its run and its published run; chapters without one are left out.

    Returns
    -------
    pathlib.Path
    """
    chapters, apart, machine, dates = {}, [], {}, []
    for chapter, ours, theirs in pairs:
        if theirs is None:
            continue
        found = compare(ours, theirs)
        chapters[chapter] = {
            "counts": Counter(one.kind for one in found),
            "settings": other_parameters(ours.run, theirs.run),
            "seconds": ours.run["wall_seconds"],
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
    parts = []
    for path in sorted((place.published / "repeats").glob("*.json")):
        repeat = json.loads(path.read_text(encoding="utf-8"))
        parts.append(_repeat(path.stem.replace("-", " "), repeat))
    return "\n\n".join(parts or ["The published run has not been repeated yet."]) + "\n"


def _repeat(name, repeat):
    """One repeat: a sentence, a table of its chapters, folds of settings and of numbers apart."""
    counts = Counter()
    for of in repeat["chapters"].values():
        counts.update(of["counts"])
    machine = repeat["machine"]
    compared = counts.total() - counts[ABSENT]
    share = (counts[EQUAL] + counts[WITHIN]) / max(compared, 1)
    told = ", ".join(f"{counts[k]:,} {head}" for k, head in _HEADS.items() if counts[k])
    n_apart = Counter(
        {name: of["counts"].get(APART, 0) for name, of in repeat["chapters"].items()}
    )
    most = ", ".join(f"{escape(name)} ({n})" for name, n in n_apart.most_common(3) if n)
    lines = [
        f"## {name[0].upper()}{name[1:]}",
        "",
        f"**{share:.1%} of the numbers agree.** Of {counts.total():,}: {told}. "
        f"{machine['processor']}, {machine.get('blas', 'BLAS not noted')}, {repeat['date']}."
        + f" Apart most often: {most}."
        * bool(most),
        "",
        f":::{{dropdown}} By chapter ({len(repeat['chapters'])})",
        "",
        pipes(["chapter", *_HEADS.values()]),
        "|:--|" + "--:|" * len(_HEADS),
    ]
    for chapter, of in repeat["chapters"].items():
        counted = [of["counts"].get(kind, "") for kind in _HEADS]
        lines.append(pipes(map(escape, [chapter, *counted])))
    lines += ["", ":::"]
    others = [(chapter, of["settings"]) for chapter, of in repeat["chapters"].items()]
    if any(told for _, told in others):
        lines += ["", ":::{dropdown} What was set otherwise", ""]
        lines += [f"- {escape(name)}: {escape(told)}" for name, told in others if told]
        lines += ["", ":::"]
    if repeat["apart"]:
        lines += ["", f":::{{dropdown}} The {len(repeat['apart']):,} apart", ""]
        lines += ["| chapter | number | here | published |", "|:--|:--|--:|--:|"]
        for chapter, what, ours, theirs in repeat["apart"]:
            cells = [chapter, what, f"{ours:.4g}", f"{theirs:.4g}"]
            lines.append(pipes(map(escape, cells)))
        lines += ["", ":::"]
    return "\n".join(lines)
