"""Partial rank correlations of hubs and accuracy, and the points that they are of."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from chapters.together import hubs


def record(metric, value, dataset="A", method="ESZSL", **columns):
    return {"metric": metric, "value": value, "dataset": dataset, "method": method} | columns


def test_given_a_factor_it_is_the_correlation_of_what_regressions_leave():
    rng = np.random.default_rng(0)
    x, y = rng.permuted(np.tile(np.arange(24.0), (2, 1)), axis=1)
    family = np.arange(24) % 3
    left = [(v - np.array([v[family == f].mean() for f in range(3)])[family]) for v in (x, y)]
    expected = np.corrcoef(*left)[0, 1]
    found = hubs.partial_correlation(np.exp(x), y, [np.zeros(24), family])
    assert found == pytest.approx(expected)


def test_nothing_left_is_no_correlation():
    assert hubs.partial_correlation([1, 1, 2, 2], [1, 2, 3, 4], [[0] * 4, [0, 0, 1, 1]]) == 0.0


def test_points_join_what_is_of_the_same_search():
    records = [
        record("hub", 3.0), record("hub", 1.0, correction="CSLS"), record("ACC", 50.0),
        record("ACC", 60.0, correction="CSLS"), record("ACC", 70.0, dataset="B"),
        record("hub", -2.0, method="a - b"), record("ACC", 4.0, method="a - b"),
    ]  # fmt: skip
    found = [(p["hubs"], p["accuracy"]) for p in hubs.points(records, "hub", "ACC")]
    assert found == [(3.0, 50.0), (1.0, 60.0)]
    (change,) = hubs.points(records, "hub", "ACC", difference=True)
    assert (change["hubs"], change["accuracy"]) == (-2.0, 4.0)


def made(n):
    rng = np.random.default_rng(0)
    return [
        {"dataset": d, "method": str(m), "hubs": rng.random(), "accuracy": rng.random()}
        for d in ("A_classes", "B")
        for m in range(n)
    ]


def test_correlations_are_by_data_set_with_their_mean():
    points = made(9)
    rows = list(hubs.correlation_rows(points, [()]))
    assert [(r["dataset"], r.get("over")) for r in rows] == [
        ("A", None), ("B", None), ("A and B", "all sets"),
    ]  # fmt: skip
    for row, data in zip(rows, ("A_classes", "B"), strict=False):
        own = [(p["hubs"], p["accuracy"]) for p in points if p["dataset"] == data]
        assert row["value"] == pytest.approx(spearmanr(own).statistic)
    assert rows[2]["value"] == pytest.approx((rows[0]["value"] + rows[1]["value"]) / 2)
    assert [r["dataset"] for r in hubs.mean_named(rows)] == ["A", "B", "mean"]


def test_intervals_are_over_systems_where_there_are_enough(monkeypatch):
    monkeypatch.setattr(hubs, "_RESAMPLES", 50)
    *_, mean = hubs.correlation_rows(made(10), [()])
    assert (mean["value"].n_units, mean["method"]) == (10, "nothing")
    assert mean["value"].low < mean["value"].mean < mean["value"].high
    assert list(hubs.correlation_rows([], [()])) == []


def test_hubs_per_wrong_answer_do_not_fall_with_accuracy_alone():
    # A third of the wrong answers are hubs, whatever their number.
    records = [
        record(metric, value, method=name)
        for name, right in (("ESZSL", 40.0), ("SAE", 70.0))
        for metric, value in (("P@1", right), ("hub answers", (100.0 - right) / 3))
    ]
    found = hubs.points(records, "hub answers", "P@1", per_error=True)
    assert [p["hubs"] for p in found] == pytest.approx([100 / 3, 100 / 3])
