"""Record sets on disk: written all or nothing, read by chapter."""

import json
import os
from pathlib import Path

from book.keys import full_size
from book.parameters import ChapterText
from book.paths import CHOSEN, layout
from book.results import Results
from book.unfinished import replace_run, unfinished

# Set by the runner: the record sets, {chapter: key}, that the running chapter may read.
DEPENDENCIES = "ZSLIB_RUN_DEPENDS"


def write_records(folder, records, run, chosen=None):
    """Write ``records.jsonl``, ``run.json`` and the text of ``chosen.json`` into ``folder``."""
    lines = (json.dumps(r, ensure_ascii=False, allow_nan=False) + "\n" for r in records)
    Path(folder, "records.jsonl").write_text("".join(lines), encoding="utf-8")
    Path(folder, "run.json").write_text(run_text(run), encoding="utf-8")
    if chosen is not None:
        Path(folder, CHOSEN).write_text(chosen, encoding="utf-8")


def run_text(run):
    """``run.json`` as text."""
    return json.dumps(run, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read_records(folder):
    """`Results` of one run's folder."""
    path = Path(folder, "records.jsonl")
    with path.open(encoding="utf-8") as lines:
        texts = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    records = [_object(line, f"line {number} of {path}") for number, line in texts]
    run = Path(folder, "run.json")
    return Results(records, run=_object(run.read_text(encoding="utf-8"), str(run)))


def _object(text, where):
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError(f"it is {value!r:.40}")
    except ValueError as why:
        raise ValueError(
            f"{where} is not a JSON object ({why}): restore the file, or delete its folder and "
            "run the chapter again"
        ) from None
    return value


def latest_records(chapter, *, root=None):
    """`Results` of the latest run of another chapter.

    Within ``zslib run`` only the chapters listed under ``zslib: depends:`` in the front matter
    can be read, and the run is the one that belongs to this: same data, same seeds, same speed.

    Parameters
    ----------
    chapter : str
        ``"hubness/02_hubness"``.
    root : path, optional
        The book's folder; None: the one above the working folder.

    Returns
    -------
    Results

    Raises
    ------
    FileNotFoundError
        When the chapter has not run yet.
    LookupError
        When the running chapter does not list ``chapter`` among those it depends on.
    """
    folder = layout(root).results / chapter
    if (listed := os.environ.get(DEPENDENCIES)) is not None:
        keys = json.loads(listed)
        if chapter not in keys:
            raise LookupError(
                f"this chapter reads the records of {chapter!r}: list it under zslib: depends: "
                "in the front matter, so that it runs first"
            )
        run = folder / keys[chapter]
        # The runner leaves out what the published run has.
        kept = None if run.is_dir() else published_records(chapter, root=root)
        return read_records(run) if kept is None else kept
    try:
        return read_records(folder / (folder / "latest").read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        raise FileNotFoundError(
            f"chapter {chapter!r} has no records yet: run it with `zslib run {chapter}`"
        ) from None


def full_records(chapter, *, root=None):
    """`Results` of the latest run of another chapter where it is a full one, else the published.

    A smaller run of one's own has few systems or data: it serves where nothing is published. See
    `latest_records`.
    """
    kept = published_records(chapter, root=root)
    try:
        latest = latest_records(chapter, root=root)
    except FileNotFoundError:
        if kept is None:
            raise
        return kept
    full = full_size(latest.run["parameters"], ChapterText.read(chapter, layout(root)))
    return latest if full or kept is None else kept


def published_records(chapter, *, root=None):
    """`Results` of the run of a chapter on real data that is kept with the sources, or None.

    Parameters
    ----------
    chapter : str
        ``"hubness/02_hubness"``.
    root : path, optional
        The book's folder; None: the one above the working folder.

    Returns
    -------
    Results or None
    """
    folder = layout(root).published / chapter
    gone = [name for name in ("records.jsonl", "run.json") if not (folder / name).is_file()]
    if len(gone) == 2:
        return None
    if gone:
        raise FileNotFoundError(
            f"{folder} lacks {gone[0]}: restore it, or delete the folder and publish again "
            f"(zslib publish {chapter})"
        )
    records = read_records(folder)
    parts = [(folder / "run.json", records.run, ("data", "date", "parameters"))]
    numbered = enumerate(records, 1)
    parts += [(f"record {n} of {folder}", record, ("metric", "value")) for n, record in numbered]
    for part, fields, needed in parts:
        if lacking := [name for name in needed if name not in fields]:
            raise ValueError(f"{part} lacks {lacking[0]!r}: restore it, or publish again")
    return records


def published(*, root=None):
    """``{chapter: Results}`` of every run kept with the sources.

    Examples
    --------
    >>> published(root="/nowhere")
    {}
    """
    base = layout(root).published
    names = [folder.relative_to(base).as_posix() for folder in sorted(base.glob("*/*/"))]
    runs = {name: published_records(name, root=root) for name in names}
    return {name: records for name, records in runs.items() if records is not None}


def keep_run(folder, key, records, run, chosen=None):
    """Write a run to ``folder/key`` and point ``folder/latest`` to it, all or nothing."""
    with unfinished(folder, key) as temporary:
        write_records(temporary, records, run, chosen)
        publish_run(temporary, folder, key)


def publish_run(temporary, folder, key):
    """Rename the finished folder ``temporary`` to ``folder/key`` and point ``latest`` to it."""
    replace_run(temporary, folder / key)
    point_latest(folder, key)


def point_latest(folder, key):
    """Make ``key`` the run that ``latest_records`` reads."""
    pointer = folder / f".latest-{os.getpid()}"
    pointer.write_text(key + "\n", encoding="utf-8")
    os.replace(pointer, folder / "latest")
