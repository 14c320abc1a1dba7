"""Table 1 from records."""

from __future__ import annotations

from book import Records
from chapters.hubness.roadmap import SOURCES, roadmap


def test_each_step_takes_the_record_of_its_chapter_and_search_space():
    settings = (("cross-linguistic", "full"), ("cross-modal", "labels"), ("cross-modal", "full"))
    records = {
        source: Records(
            {"metric": "P@1", "method": method, "setting": setting, "space": space,
             "value": float(len(source) + len(method) + len(space)), "n_seeds": 3,
             "dataset": setting, "synthetic": True}
            for method in ("ridge", "max-margin", "chimera-5", "intruder")
            for setting, space in settings
        )
        for source in SOURCES
    }  # fmt: skip
    rows = {(r["method"], r["setting"]): r["value"].mean for r in roadmap(records)}
    assert len(rows) == 7
    assert rows["standard mapping", "cross-modal"] == len("hubness/02_hubnessridgelabels")
    assert rows["negative evidence", "cross-linguistic"] == len("hubness/04_negativesintruderfull")
