"""Generated worlds with one knob turned."""

from __future__ import annotations

import math

from chapters.hubness.worlds import turned_knob


def test_noise_costs_precision_and_gold_queries_find_themselves():
    sizes = {"n_targets": 200, "n_train": 100, "n_test": 40, "dimension": 30}
    rows = list(turned_knob("noise", (0.1, 3.0), [0, 1], n_epochs=2, **sizes))
    p = {
        (row["method"], row["noise"]): row["value"].mean
        for row in rows
        if row["metric"] == "P@1, %"
    }
    assert p["gold", 3.0] == 100
    assert p["ridge", 0.1] > p["ridge", 3.0]
    assert all(math.isfinite(row["value"].mean) for row in rows)
