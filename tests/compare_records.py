"""Compare the records of quick runs before and after a change: same fields, same values.

``python tests/compare_records.py OLD NEW [CHAPTER …]`` prints what differs and ends with 1 where
something does. OLD and NEW are folders of record sets (``results``, or a copy with
``<paper>/<chapter>/records.jsonl``), or commits: then their chapters are run in quick mode.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RESULT = ("value", "low", "high", "n_seeds", "unit", "n_units")


def read(folder):
    """``{chapter: {what was measured: its result}}`` of a folder of record sets."""
    folder = folder / "results" if (folder / "results").is_dir() else folder
    files = {p.parent: p for p in folder.glob("*/*/records.jsonl")}
    for latest in folder.glob("*/*/latest"):
        files[latest.parent] = latest.parent / latest.read_text("utf-8").strip() / "records.jsonl"
    chapters = {}
    for place, file in sorted(files.items()):
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        chapters[place.relative_to(folder).as_posix()] = {
            json.dumps({k: v for k, v in sorted(r.items()) if k not in RESULT}): {
                k: r[k] for k in RESULT if k in r
            }
            for r in records
        }
    return chapters


def run(commit, chapters):
    """Record sets of quick runs of a commit, made in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, commit], check=True)
        try:
            here = os.environ | {"PYTHONPATH": str(tree), "ZSLIB_BOOK": str(tree)}
            command = [sys.executable, "-m", "zslib.cli", "run", "--quick"]
            subprocess.run([*command, *(chapters or ["--all"])], cwd=tree, env=here, check=True)
            return read(tree)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], check=True)


def same(a, b, tolerance):
    """Whether two results agree; without tolerance, to the last digit."""
    return a.keys() == b.keys() and all(
        a[k] == b[k] or math.isclose(a[k], b[k], rel_tol=tolerance, abs_tol=tolerance) for k in a
    )


def differences(old, new, tolerance=0.0):
    """Lines that say what two readings do not share.

    Examples
    --------
    >>> a = {"hubness/01": {"{'metric': 'P@1'}": {"value": 1.0}}}
    >>> b = {"hubness/01": {"{'metric': 'P@1'}": {"value": 1.5}}}
    >>> differences(a, a), differences(a, b, tolerance=0.6)
    ([], [])
    >>> differences(a, b)
    ["hubness/01: {'metric': 'P@1'}: {'value': 1.0} became {'value': 1.5}"]
    """
    lines = [f"{chapter}: gone" for chapter in old.keys() - new.keys()]
    lines += [f"{chapter}: new" for chapter in new.keys() - old.keys()]
    for chapter in sorted(old.keys() & new.keys()):
        a, b = old[chapter], new[chapter]
        lines += [f"{chapter}: gone: {what} {a[what]}" for what in a if what not in b]
        lines += [f"{chapter}: new: {what} {b[what]}" for what in b if what not in a]
        lines += [
            f"{chapter}: {what}: {a[what]} became {b[what]}"
            for what in a
            if what in b and not same(a[what], b[what], tolerance)
        ]
    return lines


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", help="folder or commit")
    parser.add_argument("new", help="folder or commit")
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="these alone")
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative and absolute")
    given = parser.parse_args(words)
    sides = []
    for side in (given.old, given.new):
        chapters = read(Path(side)) if Path(side).is_dir() else run(side, given.chapters)
        kept = {c: r for c, r in chapters.items() if not given.chapters or c in given.chapters}
        if not kept:
            parser.error(f"{side} has no records of these chapters")
        sides.append(kept)
    found = differences(*sides, given.tolerance)
    print("\n".join(found) or f"the same: {sum(map(len, sides[0].values()))} records")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
