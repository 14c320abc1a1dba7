"""Golden records: what each chapter's quick run gives, to be held against by `test_golden.py`.

``python tests/golden/make.py OTHER [OTHER ...] [CHAPTER ...]`` reads the quick runs here, of
``make book QUICK=1``, and in each OTHER, a copy of the same commit that rounds otherwise:

    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Sandybridge zslib run --all --quick --force
    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Nehalem zslib run --all --quick --force
    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=SkylakeX zslib run --all --quick --force
    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4" \\
      zslib run --all --quick --force

(A finished run is kept whatever rounded it, so `--force`. NumPy names the features that a
processor lacks as unknown: leave those out.) Numbers on which all agree are written with six
digits. Of the others, whose trainings follow the last bits, only what was recorded is kept, and
no value. Two chapters read published records (`leaderboard/01_systems`,
`together/04_hubness_explains`): write theirs anew after publishing.
"""

import json
import sys
from pathlib import Path

from book.agreement import compare
from book.build.plan import plan
from book.paths import layout
from book.records import RESULT
from book.store import latest_records, read_records

ROUNDING = "Haswell, threads 1"  # as in the Makefile


def golden(records, others):
    """Lines of the golden file of one chapter."""
    numbers = [
        (found[0].record, all(one.same for one in found))
        for found in zip(*(compare(records, other) for other in others), strict=True)
    ]
    # A number over all systems follows each of them.
    moved = {r.get("dataset") for r, same in numbers if not same and r.get("method") != "all"}
    for record, same in numbers:
        kept = {k: v for k, v in record.items() if k not in RESULT}
        if same and not (record.get("method") == "all" and record.get("dataset") in moved):
            kept |= {k: short(v) for k, v in record.items() if k in RESULT}
        yield json.dumps(kept, ensure_ascii=False) + "\n"


def short(value):
    """A number with a fraction to six digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main(*arguments):
    runs = plan(layout().names(), {"quick": True})
    names = [one for one in arguments if one in runs]
    others = [one for one in arguments if one not in runs]
    for name in names or runs:
        blas = json.loads((runs[name].folder / "run.json").read_text("utf-8"))["machine"]["blas"]
        if not blas.endswith(ROUNDING):
            sys.exit(f"the quick run of {name} here is of {blas}, not of {ROUNDING}: use --force")
        there = [latest_records(name, root=other) for other in others]
        lines = list(golden(read_records(runs[name].folder), there))
        path = Path(__file__).parent / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
