"""The best of the leaderboard beside a recipe."""

from types import SimpleNamespace

from chapters.together.recipe import best_on_board


def record(method, metric, value, **columns):
    ends = {"low": value - 1, "high": value + 1, "n_seeds": 1, "unit": "classes", "n_units": 50}
    own = {"dataset": "cub", "calibration": "chosen"} | columns
    return {"method": method, "metric": metric, "value": value} | ends | own


def test_each_metric_has_its_own_best_of_the_same_data():
    records = [
        record("A", "ACC", 50.0), record("B", "ACC", 40.0), record("A", "H", 20.0),
        record("B", "H", 30.0), record("A", "H", 90.0, calibration="none"),
        record("B", "ACC", 90.0, dataset="awa1"),
    ]  # fmt: skip
    rows = list(best_on_board(records, [SimpleNamespace(name="cub")], lambda p: p.name.upper()))
    assert [(r["method"], r["value"].mean) for r in rows] == [
        ("best by ACC: A", 50.0),
        ("best by H: B", 30.0),
    ]
    assert {r["dataset"] for r in rows} == {"CUB"}
