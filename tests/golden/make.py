"""Golden records: what each chapter's quick run gives, to be held against by `test_golden.py`.

``python tests/golden/make.py OTHER [CHAPTER ...]`` reads the quick runs here and in OTHER, a copy
of the same commit, or a folder with ``results``, that ran on another kernel of linear algebra:

    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell zslib run --all --quick
    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Sandybridge zslib run --all --quick    # in OTHER

Numbers on which the two agree are written with six digits. Of the others, whose trainings follow
the last bits, only what was recorded is kept, and no value. Two chapters read published records
(`leaderboard/01_systems`, `together/04_hubness_explains`): write theirs anew after publishing.
"""

import json
import sys
from pathlib import Path

from book.agreement import compare
from book.build.plan import plan
from book.paths import layout
from book.records import RESULT
from book.store import read_records


def golden(records, other):
    """Lines of the golden file of one chapter."""
    for one in compare(records, other):
        kept = {k: v for k, v in one.record.items() if k not in RESULT}
        if one.same:
            kept |= {k: short(v) for k, v in one.record.items() if k in RESULT}
        yield json.dumps(kept, ensure_ascii=False) + "\n"


def short(value):
    """A number with a fraction to six digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main(other, *names):
    runs = plan(layout().names(), {"quick": True})
    for name in names or runs:
        folder = Path(other, "results", name)
        there = folder / (folder / "latest").read_text("utf-8").strip()
        lines = list(golden(read_records(runs[name].folder), read_records(there)))
        path = Path(__file__).parent / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
