"""What each chapter's quick run gives is what it gave: see `make.py`."""

import json
from collections import Counter
from pathlib import Path

import pytest

from book.agreement import compare, identity
from book.build.plan import plan
from book.build.run import run_chapters
from book.paths import layout
from book.store import read_records
from tests.golden.make import ROUNDING

ROOT = Path(__file__).parents[2]
NAMES = layout(ROOT).names()

pytestmark = [pytest.mark.book, pytest.mark.usefixtures("light_runs")]


@pytest.mark.parametrize("name", NAMES)
def test_a_quick_run_gives_its_golden_records(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    runs = plan([name], {"quick": True})
    run_chapters(runs, progress=False)  # nothing where `make book QUICK=1` went before
    run = json.loads((runs[name].folder / "run.json").read_text("utf-8"))
    if not (blas := run["machine"].get("blas", "another")).endswith(ROUNDING):
        pytest.skip(f"golden records are of OpenBLAS {ROUNDING}, and this run is of {blas}")
    path = Path(__file__).parent / f"{name}.jsonl"
    assert path.is_file(), f"{name} has no golden records: tests/golden/make.py writes them"
    lines = path.read_text("utf-8").splitlines()
    golden = [json.loads(line) for line in lines]
    records = [r for r in read_records(runs[name].folder) if not r.get("timing")]
    assert Counter(map(identity, records)) == Counter(map(identity, golden))
    found = compare(records, [record for record in golden if "value" in record])
    moved = [
        f"{one.what}: {one.record['value']} for {one.published}"
        for one in found
        if one.other is not None and not one.same
    ]
    assert moved == []
