"""The leaderboard's ranks, what tells them apart, and what explains its numbers."""

import numpy as np
import pytest

from chapters.leaderboard.ranks import (
    correlations,
    critical_difference,
    explained,
    leading,
    mean_ranks,
    paired,
    with_origins,
    with_published,
)
from zslib.protocols.intervals import Estimate


def number(value):
    return Estimate(value, np.nan, np.nan, 1)


def table(**values):
    """Rows of metrics of methods, ``{metric: {(dataset, method): value}}``."""
    return [
        {"dataset": d, "method": m, "metric": metric, "value": number(v)}
        for metric, of in values.items()
        for (d, m), v in of.items()
    ]


def test_published_rows_stand_in_for_what_was_not_run():
    own = table(H={("cub", "SAE"): 1.0})
    theirs = table(
        H={("cub", "SAE"): 2.0, ("cub", "ZKL"): 3.0, ("awa1", "SAE"): 4.0},
        other={("awa1", "SAE"): 5.0},
    )
    theirs.append({"metric": "H", "method": "all", "value": number(6.0)})
    found = [(row["run"], row["value"].mean) for row in with_published(own, theirs)]
    assert found == [("this", 1.0), ("published", 3.0), ("published", 4.0)]


def test_rows_are_by_data_set_and_H():
    rows = table(
        ACC={("cub", "JLSE"): 1.0, ("cub", "mine"): 2.0, ("awa1", "SAE"): 9.0},
        H={("cub", "JLSE"): 1.0, ("cub", "mine"): 2.0, ("awa1", "SAE"): 9.0},
    )
    found = [(row["method"], row["year"], row["metric"]) for row in with_origins(rows)]
    assert found == [
        (name, year, metric)
        for name, year in (("mine", "?"), ("JLSE", 2016), ("SAE", 2017))
        for metric in ("ACC", "H")
    ]


def test_correlations_are_over_the_systems_of_a_data_set():
    hubs = {("cub", "a"): 1.0, ("cub", "b"): 2.0, ("cub", "c"): 5.0, ("awa1", "a"): 1.0}
    accuracy = {("cub", "c"): 1.0, ("cub", "a"): 7.0, ("cub", "b"): 3.0, ("awa1", "a"): 2.0}
    rows = table(hub=hubs, ACC=accuracy)
    assert paired(rows, "hub", "ACC") == {
        "cub": {"a": (1.0, 7.0), "b": (2.0, 3.0), "c": (5.0, 1.0)},
        "awa1": {"a": (1.0, 2.0)},
    }
    found = {row["dataset"]: row["value"] for row in correlations(rows, "hub", "ACC")}
    assert found == {"cub": pytest.approx(-1.0), "awa1": 0.0}


def test_ranks_by_loop():
    rng = np.random.default_rng(0)
    methods, sets = "abcde", range(4)
    accuracy = {(m, d): float(rng.integers(6)) for m in methods for d in sets}
    del accuracy["e", 2]
    rows = [
        {"dataset": d, "method": m, "metric": "ACC", "value": number(v)}
        for (m, d), v in accuracy.items()
    ]
    rows.append({"dataset": 0, "method": "a", "metric": "H", "value": number(99.0)})
    found = {row["method"]: row["value"] for row in mean_ranks(rows, "ACC")}
    for m in methods:
        ranks = []
        for d in sets:
            values = [accuracy.get((o, d), -1.0) for o in methods]
            own = accuracy.get((m, d), -1.0)
            ranks.append(sum(v > own for v in values) + (sum(v == own for v in values) + 1) / 2)
        assert found[m].mean == pytest.approx(np.mean(ranks))
        assert found[m].unit == "data sets"
    assert list(found) == sorted(found, key=lambda m: found[m].mean)


def test_critical_differences_of_the_paper():
    """Demšar's Table 5 (a): q of 2 to 10 classifiers at the level 0.05."""
    printed = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
    for k, q in enumerate(printed, 2):
        found = critical_difference(k, 6) / np.sqrt(k * (k + 1) / 36)
        assert found == pytest.approx(q, abs=1.1e-3)


def test_leading():
    ranks = [{"method": m, "value": number(v)} for m, v in (("b", 2.0), ("a", 1.0), ("c", 3.5))]
    assert leading(ranks, 1.0) == ["b", "a"]
    assert leading(ranks, 0.5) == ["a"]


def test_explained_by_loop_and_at_its_ends():
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": d, "method": m, "value": number(10.0 * d + 2.0 * (m in "ab") + rng.normal())}
        for d in range(3)
        for m in "abcdef"
    ]
    factors = {"pair": lambda row: row["method"] in "ab", "method": lambda row: row["method"]}
    found = {row["method"]: row["value"] for row in explained(rows, factors)}
    centred = []
    for row in rows:
        own = [other["value"].mean for other in rows if other["dataset"] == row["dataset"]]
        centred.append(row["value"].mean - np.mean(own))
    total = sum(v**2 for v in centred)
    for name, factor in factors.items():
        within, groups = 0.0, {factor(row) for row in rows}
        for group in groups:
            own = [v for v, row in zip(centred, rows, strict=True) if factor(row) == group]
            within += sum((v - np.mean(own)) ** 2 for v in own)
        expected = 1 - (within / (18 - len(groups))) / (total / 17)
        assert found[name] == pytest.approx(max(0.0, expected))
    exact = [
        row | {"value": number(5.0 * row["dataset"] + (row["method"] in "ab"))} for row in rows
    ]
    (row, _) = explained(exact, factors)
    assert row["value"] == pytest.approx(1.0)
    alike = [row | {"value": number(1.0 * row["dataset"])} for row in rows]
    assert [row["value"] for row in explained(alike, factors)] == [0.0, 0.0]
