"""The comparison of record sets sees each difference, and nothing else."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location(
    "compare_records", Path(__file__).with_name("compare_records.py")
)
compare_records = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare_records)

HITS = {"metric": "P@1", "method": "ridge", "value": 30.0, "low": 28.0, "high": 32.0}


def keep(folder, *records, key=None):
    """A record set as it is kept: under the key of its run, or copied without."""
    chapter = folder / "hubness" / "01_setup"
    place = chapter / key if key else chapter
    place.mkdir(parents=True)
    (place / "records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    if key:
        (chapter / "latest").write_text(key + "\n")
    return str(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": 30.5}, "became {'value': 30.5"),
        ({"low": 27.0}, "became"),
        ({"method": "lasso"}, 'gone: {"method": "ridge"'),
        ({"n_seeds": 3}, "became"),
    ],
)
def test_a_difference_is_told(tmp_path, capsys, changes, said):
    old, new = keep(tmp_path / "old", HITS), keep(tmp_path / "new" / "results", HITS | changes)
    assert compare_records.main([old, new]) == 1
    assert said in capsys.readouterr().out


def test_the_latest_run_is_read_and_order_is_no_difference(tmp_path, capsys):
    other = HITS | {"method": "gold"}
    old = keep(tmp_path / "old", HITS, other)
    new = keep(tmp_path / "new", other, dict(reversed(HITS.items())), key="0123")
    assert compare_records.main([old, new, "hubness/01_setup"]) == 0
    assert capsys.readouterr().out == "the same: 2 records\n"


def test_tolerance_is_asked_for(tmp_path):
    old = keep(tmp_path / "old", HITS)
    new = keep(tmp_path / "new", HITS | {"value": 30.0 + 1e-9})
    assert compare_records.main([old, new]) == 1
    assert compare_records.main([old, new, "--tolerance", "1e-6"]) == 0


def test_a_chapter_without_records_is_an_error(tmp_path):
    old = keep(tmp_path / "old", HITS)
    with pytest.raises(SystemExit, match="2"):
        compare_records.main([old, old, "hubness/99_absent"])
