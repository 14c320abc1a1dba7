"""The best of the leaderboard beside a recipe, and words and classes that chose nothing."""

from types import SimpleNamespace

import numpy as np

from book import Results
from chapters.together.recipe import best_on_board, on_other_classes, on_unused_words, other_splits
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import ZERO_SHOT_METHODS, repeat, unit_length


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
    rows = list(
        best_on_board(Results(records), [SimpleNamespace(name="cub")], lambda p: p.name.upper())
    )
    found = {r["method"]: r["value"].mean for r in rows}
    assert found == {"best by ACC: A": 50.0, "best by H: B": 30.0}
    assert {r["dataset"] for r in rows} == {"CUB"}


def test_words_that_chose_nothing_are_new():
    (runs,) = repeat("cross-linguistic", "europarl", quick=True)
    other, known = on_unused_words(runs).problem, runs.problem
    assert not set(other.test_words) & {*known.test_words, *known.train_words}
    assert "that chose nothing" in other.description and len(other.test_words) > 100
    np.testing.assert_array_equal(other.X_train, known.X_train)
    (synthetic,) = repeat("cross-linguistic", "synthetic", quick=True)
    assert on_unused_words(synthetic) is synthetic


def test_classes_that_chose_nothing_are_each_unseen_once():
    problem = unit_length(digits_segments())
    parts = list(other_splits(problem))
    unseen = np.concatenate([part.unseen_classes for part in parts])
    np.testing.assert_array_equal(np.sort(unseen), problem.seen_classes)
    for part in parts:
        assert np.isin(problem.unseen_classes, part.train_classes).all()
    (outcome,) = on_other_classes([ZERO_SHOT_METHODS["ESZSL"]], problem, quick=True)["ESZSL"]
    np.testing.assert_array_equal(np.unique(outcome.labels("ACC")), problem.seen_classes)
