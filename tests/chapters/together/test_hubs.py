"""Partial rank correlations of hubs and accuracy, and the points that they are of."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from chapters.together import hubs


def record(metric, value, dataset="A", method="ESZSL", **columns):
    return {"metric": metric, "value": value, "dataset": dataset, "method": method} | columns


def test_with_one_group_it_is_spearmans():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 30))
    expected = spearmanr(x, y).statistic
    assert hubs.partial_correlation(x, y, [np.zeros(30)]) == pytest.approx(expected)


def test_given_a_factor_it_is_the_correlation_of_what_regressions_leave():
    rng = np.random.default_rng(0)
    x, y = rng.permuted(np.tile(np.arange(24.0), (2, 1)), axis=1)
    family = np.arange(24) % 3
    left = [(v - np.array([v[family == f].mean() for f in range(3)])[family]) for v in (x, y)]
    expected = np.corrcoef(*left)[0, 1]
    found = hubs.partial_correlation(x, y, [np.zeros(24), family])
    assert found == pytest.approx(expected)


def test_a_connection_through_the_family_alone_is_gone_given_the_family():
    rng = np.random.default_rng(0)
    family = np.repeat(np.arange(4), 50)
    x, y = family + 0.01 * rng.standard_normal((2, 200))
    nothing = np.zeros(200)
    assert hubs.partial_correlation(x, y, [nothing]) > 0.9
    assert abs(hubs.partial_correlation(x, y, [nothing, family])) < 0.2


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
    assert "1 of 1 cases the hubs are smaller" in hubs.cures_told([change])


def test_intervals_are_over_systems_where_there_are_enough():
    rng = np.random.default_rng(0)

    def made(n):
        sets = ("A_classes", "B_classes")
        return [
            {"dataset": d, "method": str(m), "hubs": rng.random(), "accuracy": rng.random()}
            for d in sets
            for m in range(n)
        ]

    (few,) = hubs.correlation_rows(made(9), [("dataset",)])
    assert isinstance(few["value"], float)
    (many,) = hubs.correlation_rows(made(10), [("dataset",)])
    assert (many["value"].n_units, many["points"], many["dataset"]) == (10, 20, "A, B")
    assert many["value"].low < many["value"].mean < many["value"].high


def test_what_steps_add_is_the_difference_of_precisions():
    values = {"ridge": 30.0, "max-margin": 36.0, "intruder": 37.0, "reverse ridge": 40.0}
    flat = [
        record("P@1", value + 5 * bool(end), method=f"{name}{end}")
        for name, value in values.items()
        for end in ("", " + CSLS")
    ]
    flat += [record("P@1", 1.0, method="ridge", space="full"), record("ACC", 1.0, method="ridge")]
    flat += [record("P@1", 5.0, method="ridge + CSLS - ridge")]
    records = list(hubs.by_correction(flat))
    assert len(records) == 2 * len(values)
    steps = hubs.TRAINED | hubs.TURNED | {"absent": ("SAE", "ridge")}
    rows = {(r["method"], r["correction"]): r["value"] for r in hubs.gains_left(records, steps)}
    assert rows["a margin", "none"] == rows["a margin", "CSLS"] == 6.0
    assert rows["intruders", "none"] == 1.0
    assert rows["turning", "CSLS"] == 10.0
    assert rows["a margin in place of turning", "none"] == -4.0
    assert len(rows) == 8
