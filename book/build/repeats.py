"""Repeats of the published run on other machines: kept as counts, shown on a page of the book."""

import json
from collections import Counter

from book.agreement import ABSENT, APART, EQUAL, WITHIN, compare, other_parameters
from book.build.publishing import listed
from book.build.render import render
from book.paths import layout
from zslib.show.writing import write_if_changed

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
        pairs_of_numbers = compare(ours, theirs)
        chapters[chapter] = {
            "counts": Counter(pair.kind for pair in pairs_of_numbers),
            "settings": other_parameters(ours.run, theirs.run),
            "seconds": ours.run["wall_seconds"],
            "published": _records_digest(chapter, manifest),
        }
        apart += [
            [chapter, pair.what, pair.record["value"], pair.published]
            for pair in pairs_of_numbers
            if pair.kind == APART
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
    hours = {name: float(row["wall_seconds"]) / 3600 for name, row in manifest.items()}
    repeats = [
        _summary(path.stem, json.loads(path.read_text(encoding="utf-8")), manifest)
        for path in sorted((place.published / "repeats").glob("*.json"))
    ]
    longest = max(hours, key=hours.get, default=None)
    return render("repeats.md", hours=hours, longest=longest, heads=_HEADS, repeats=repeats)


def _records_digest(chapter, manifest):
    return manifest.get(chapter, {}).get("records digest", "")


def _summary(name, repeat, manifest):
    """What the page says of one repeat."""
    chapters = repeat["chapters"]
    counts = {chapter: Counter(entry["counts"]) for chapter, entry in chapters.items()}
    total = sum(counts.values(), Counter())
    compared = {kind: total[kind] for kind in (EQUAL, WITHIN, APART)}
    n_compared = sum(compared.values())
    n_apart = Counter({chapter: count[APART] for chapter, count in counts.items()})
    settings = {chapter: entry["settings"] for chapter, entry in chapters.items()}
    return {
        "title": name[0].upper() + name[1:].replace("-", " "),
        "date": repeat["date"],
        "machine": repeat["machine"],
        "compared": compared,
        "n_compared": n_compared,
        "share": (total[EQUAL] + total[WITHIN]) / max(n_compared, 1),
        "n_absent": total[ABSENT],
        "most_apart": [pair for pair in n_apart.most_common(3) if pair[1]],
        "n_anew": sum(
            entry["published"] != _records_digest(chapter, manifest)
            for chapter, entry in chapters.items()
        ),
        "rows": [
            [chapter, *(count.get(kind, "") for kind in _HEADS)]
            for chapter, count in counts.items()
        ],
        "settings": {chapter: text for chapter, text in settings.items() if text},
        "apart": [
            [chapter, number, f"{ours:.4g}", f"{theirs:.4g}"]
            for chapter, number, ours, theirs in repeat["apart"]
        ],
    }
