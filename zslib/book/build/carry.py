"""Published runs carried over to changed sources, where runs before and after are equal."""

from __future__ import annotations

import json
from pathlib import Path

from zslib.book.agreement import ABSENT, EQUAL, compare
from zslib.book.build.report import write_manifest
from zslib.book.build.writing import write_if_changed
from zslib.book.keys import code_digests, outdated
from zslib.book.parameters import Source
from zslib.book.paths import layout
from zslib.book.store import latest_records, published_records

__all__ = ["carry"]


def carry(chapters, before, *, root=None):
    """Let published runs stand for the sources as they are now; ``{chapter: why not}`` of others.

    For a change of code that is meant to change no number. ``before`` is a copy of the book at
    the sources that the published runs are of. A chapter is carried over if its latest runs there
    and here, of the same parameters and data, have the same records, equal as `compare` says.
    Its ``run.json`` then has the digests of these sources, and under ``carried`` what it was run
    with and how many numbers were compared.
    """
    place, refused = layout(root), {}
    for name in chapters:
        try:
            _carry(Source.read(name, place), place, Path(before))
        except (OSError, ValueError) as error:
            refused[name] = str(error)
    write_manifest(place)
    return refused


def _carry(source, place, before):
    theirs = published_records(source.name, root=place.root)
    if theirs is None:
        raise ValueError("nothing is published")
    run = theirs.run
    changed = outdated(run, source)
    if not changed:
        return
    if other := set(changed) - {"chapter", "package"}:
        raise ValueError(f"{', '.join(sorted(other))} changed too: run it in full")
    old, new = (latest_records(source.name, root=root) for root in (before, place.root))
    now = code_digests(source)
    for records, digests, where in ((old, run["digests"], before), (new, now, place.root)):
        if any(records.run["digests"][of] != digests[of] for of in now):
            raise ValueError(f"the latest run in {where} is of other sources: run it there anew")
    if old.run["parameters"] != new.run["parameters"]:
        raise ValueError("the two runs have other parameters")
    if old.run["digests"]["data"] != new.run["digests"]["data"]:
        raise ValueError("the two runs are of other data")
    found = compare(new, old)
    gone = [one for one in compare(old, new) if one.kind == ABSENT]
    apart = [one for one in found if one.kind != EQUAL] + gone
    if apart:
        raise ValueError(f"{len(apart)} of {len(found)} numbers differ, first {apart[0].what}")
    ran = {"chapter": run["digests"]["chapter"], "package": run["digests"]["package"]}
    note = ran | {"by": new.run["commit"], "date": new.run["date"], "equal numbers": len(found)}
    run |= {"digests": run["digests"] | now, "carried": [*run.get("carried", []), note]}
    text = json.dumps(run, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    write_if_changed(place.published / source.name / "run.json", text)
