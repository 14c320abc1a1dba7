"""What is kept with the sources: the published runs, their manifest, and whether they match."""

import csv
import hashlib
from pathlib import Path

from book.agreement import compare
from book.keys import code_digests, full_size, outdated
from book.parameters import ChapterText
from book.paths import CHOSEN, layout, text_of
from book.store import latest_records, published, published_records, run_text
from zslib.show.writing import write_if_changed

# Columns of the published runs' manifest, and the files that it has digests of.
_FILES = {"records": "records.jsonl", "run": "run.json", "settings": CHOSEN}
_DIGESTS = ("chapter", "package", "data")
_OF_RUN = ("commit", "date", "wall_seconds", "peak_memory_mib")
_OF_MACHINE = ("processor", "cores", "blas", "python", "numpy")


def publish(chapters, *, root=None):
    """Keep the latest records of ``chapters`` with the sources, as the published run.

    Smaller runs than the full one, and runs on synthetic data alone of chapters that have real
    data, are refused: readers compare with these.
    """
    place = layout(root)
    chosen = {}
    for name in chapters:
        chapter_text = ChapterText.read(name, place)
        records = latest_records(name, root=place.root)
        data = records.run["data"]
        about_synthetic = chapter_text.parameters["dataset"].default == "synthetic"
        if not full_size(records.run["parameters"], chapter_text):
            raise ValueError(f"the latest run of {name} is no full one: zslib run --full {name}")
        if data and all(d["synthetic"] for d in data) and not about_synthetic:
            raise ValueError(f"the latest run of {name} is on synthetic data alone")
        chosen[name] = records
    for name, records in chosen.items():
        source = place.results / name / records.run["key"]
        for file in _FILES.values():
            kept = place.published / name / file
            if file == CHOSEN and not (source / file).is_file():
                kept.unlink(missing_ok=True)
            else:
                write_if_changed(kept, (source / file).read_text(encoding="utf-8"))
    _write_manifest(chosen, place)
    return [place.published / name for name in chosen]


def _write_manifest(chapters, place):
    """List what is published, of what sources and data, where, when and in how many seconds.

    Rows of ``chapters`` are made anew; others stay, so that what was altered shows. What was
    ``carried`` was run at earlier sources, of which a run by this commit was found equal.
    """
    heads = ["chapter", "key", *(f"{part} digest" for part in (*_DIGESTS, *_FILES))]
    heads += [*_OF_RUN, *_OF_MACHINE, "carried"]
    rows, known = [heads], listed(place)
    for name, records in sorted(published(root=place.root).items()):
        run = records.run
        digests = [run.get("digests", {}).get(part, "")[:16] for part in _DIGESTS]
        carried = run.get("carried", [{"by": ""}])[-1]["by"]
        row = run | run["machine"] | {"chapter": name, "carried": carried}
        row |= zip(heads[2:], [*digests, *_file_digests(name, place)], strict=False)
        row = row if name in chapters else known.get(name, row)
        rows.append([str(row.get(head) or "") for head in heads])
    text = "".join("\t".join(row) + "\n" for row in rows)
    write_if_changed(place.published / "manifest.tsv", text)


def _file_digests(name, place):
    """Digests of a published run's files, empty for one that it has not."""
    paths = [place.published / name / file for file in _FILES.values()]
    texts = [text_of(path).encode() for path in paths]
    return [hashlib.sha256(text).hexdigest()[:16] if text else "" for text in texts]


def listed(place):
    """Rows of the manifest by chapter; none where nothing was published."""
    lines = text_of(place.published / "manifest.tsv").splitlines()
    return {row["chapter"]: row for row in csv.DictReader(lines, delimiter="\t")}


def _altered(name, row, place):
    """Which of a published run's files are not those of its row of the manifest."""
    now = zip(_FILES, _file_digests(name, place), strict=True)
    return [_FILES[part] for part, digest in now if row.get(f"{part} digest") != digest]


def stale(chapters, *, data=True, root=None):
    """``{chapter: why}`` of those whose published run is missing, broken, or of other sources.

    Without ``data`` chapters and package are looked at alone.
    """
    place = layout(root)
    reasons, rows = {}, listed(place)
    for name in chapters:
        chapter_text = ChapterText.read(name, place)
        try:
            records = published_records(name, root=root)
            if records is None:
                reasons[name] = "missing"
            elif files := _altered(name, rows.get(name, {}), place):
                reasons[name] = f"broken: {', '.join(files)} not as in manifest.tsv"
            elif why := outdated(
                checked_run(records, chapter_text, place), chapter_text, data=data
            ):
                reasons[name] = "stale: " + ", ".join(why)
        except (OSError, ValueError) as error:
            reasons[name] = f"broken: {error}"
    return reasons


def checked_run(records, chapter_text, place):
    """``run.json`` of a published run, whose parameters must be the chapter's."""
    if unknown := sorted(set(records.run["parameters"]) - set(chapter_text.parameters)):
        raise ValueError(
            f"{place.published / chapter_text.name / 'run.json'} names the parameter "
            f"{', '.join(map(repr, unknown))}, which the chapter does not declare: run it in "
            f"full and publish again (zslib publish {chapter_text.name})"
        )
    return records.run


def carry(chapters, before, *, root=None):
    """Let published runs stand for the sources as they are now; ``{chapter: why not}`` of others.

    For a change of code that is meant to change no number. ``before`` is a copy of the book at
    the sources that the published runs are of. A chapter is carried over if its latest runs there
    and here, of the same parameters and data, have the same records, numbers and intervals equal
    as `compare` says. Its ``run.json`` then has the digests of these sources, and under
    ``carried`` what it was run with and how many numbers were compared.
    """
    place, refused = layout(root), {}
    rows = listed(place)
    for name in chapters:
        try:
            if files := _altered(name, rows.get(name, {}), place):
                raise ValueError(f"{', '.join(files)} not as in manifest.tsv: restore the file")
            _carry(ChapterText.read(name, place), place, Path(before))
        except (OSError, ValueError) as error:
            refused[name] = str(error)
    _write_manifest(set(chapters) - set(refused), place)
    return refused


def _carry(chapter_text, place, before):
    theirs = published_records(chapter_text.name, root=place.root)
    if theirs is None:
        raise ValueError("nothing is published")
    run = theirs.run
    changed = outdated(run, chapter_text)
    if not changed:
        return
    if other := set(changed) - {"chapter", "package"}:
        raise ValueError(f"{', '.join(sorted(other))} changed too: run it in full")
    old, new = (latest_records(chapter_text.name, root=root) for root in (before, place.root))
    now = code_digests(chapter_text)
    for records, digests, where in ((old, run["digests"], before), (new, now, place.root)):
        if any(records.run.get("digests", {}).get(part) != digests[part] for part in now):
            raise ValueError(f"the latest run in {where} is of other sources: run it there anew")
    if old.run["parameters"] != new.run["parameters"]:
        raise ValueError("the two runs have other parameters")
    if old.run["digests"]["data"] != new.run["digests"]["data"]:
        raise ValueError("the two runs are of other data")
    pairs = compare(new, old)
    apart = dict.fromkeys(pair.what for pair in [*pairs, *compare(old, new)] if not pair.same)
    if apart:
        raise ValueError(f"{len(apart)} numbers differ, first {next(iter(apart))}")
    ran = {part: run["digests"][part] for part in now}
    note = ran | {"by": new.run["commit"], "date": new.run["date"], "equal numbers": len(pairs)}
    run |= {"digests": run["digests"] | now, "carried": [*run.get("carried", []), note]}
    write_if_changed(place.published / chapter_text.name / "run.json", run_text(run))
