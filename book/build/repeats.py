"""Repeats of the published run on other machines: kept as counts, shown on a page of the book."""

import json
from collections import Counter

from book.agreement import ABSENT, APART, EQUAL, WITHIN
from book.build.opening import differences
from book.build.publishing import listed
from book.build.render import render
from book.paths import layout
from zslib.show.writing import write_if_changed

_HEADS = {EQUAL: "equal", WITHIN: "within", APART: "apart", ABSENT: "unmatched"}


def keep_repeat(name, compared, judged=(), *, root=None):
    """Write how runs agree with the published ones to ``results/published/repeats/<name>.json``.

    Parameters
    ----------
    name : str
        Of the repeat: ``"another-kernel"``.
    compared : dict
        By chapter: ``run.json`` of its run, in which parameters the published one differs, as
        text, and what `compare` says of its numbers.
    judged : sequence of pairs of Verdict
        The published one and the repeat's on each claim.

    Returns
    -------
    pathlib.Path
    """
    if not compared:
        raise ValueError("no chapter has both run here and been published: run some first")
    manifest = listed(layout(root))
    chapters, apart = {}, []
    for chapter, (run, settings, numbers) in compared.items():
        chapters[chapter] = {
            "counts": Counter(number.kind for number in numbers),
            "settings": settings,
            "seconds": run["wall_seconds"],
            "published": _records_digest(chapter, manifest),
        }
        far = [number for number in numbers if number.kind == APART]
        apart += [[chapter, one.what, one.record["value"], one.published] for one in far]
    date = max(run["date"][:10] for run, *_ in compared.values())
    others = list(differences(*zip(*judged, strict=True))) if judged else []
    content = {"date": date, "machine": run["machine"], "chapters": chapters, "apart": apart}
    content |= {"claims": len(judged), "judged otherwise": others}
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
    repeats.sort(key=lambda repeat: -repeat["n_compared"])
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
    return repeat | {
        "title": name[0].upper() + name[1:].replace("-", " "),
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
    }
