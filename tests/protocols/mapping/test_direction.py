"""What shrinks in either direction of a regression, and what is said of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from zslib.protocols.intervals import Estimate
from zslib.protocols.mapping.direction import (
    REVERSED,
    found_by_turning,
    found_on_attributes,
    sizes_where_they_meet,
)
from zslib.protocols.mapping.repeated import Repeated


@pytest.mark.usefixtures("short_tuning")
def test_what_is_predicted_is_the_shorter_side(languages):
    runs = Repeated([languages], [0], quick=True)
    ridge, turned = next(iter(REVERSED.items()))
    found = {r["method"]: r["value"] for r in sizes_where_they_meet(runs, [ridge, turned])}
    X, Y = languages.X_train, languages.Y_train
    alpha = runs.train(ridge)[0].parameters["alpha"]
    mapped = X @ np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ Y)
    assert found[ridge] == pytest.approx(np.linalg.norm(mapped) / np.linalg.norm(Y), rel=1e-4)
    assert found[ridge] <= 1 <= found[turned]


class Rows:
    """As much of `Results` as the sentences read."""

    def __init__(self, rows):
        self.rows = rows

    def of(self, column):
        return list(dict.fromkeys(row[column] for row in self.rows))

    def only(self, **columns):
        return Rows([r for r in self.rows if all(r[k] == v for k, v in columns.items())])

    def value(self, **columns):
        (found,) = self.only(**columns).rows
        return found["value"]


def rows(metric, gain, values):
    ridge, turned = next(iter(REVERSED.items()))
    named = {ridge: values[0], turned: values[1], f"{turned} - {ridge}": gain}
    return [
        {"dataset": "A", "metric": metric, "method": name, "value": value}
        for name, value in named.items()
    ]


@pytest.mark.parametrize(
    ("low", "high", "word"), [(1.0, 9.0, "wins"), (-9.0, -1.0, "loses"), (-1.0, 1.0, "not told")]
)
def test_a_gain_is_told_by_its_interval(low, high, word):
    middle = Estimate((low + high) / 2, low, high, 1)
    plain = [SimpleNamespace(mean=30.0), SimpleNamespace(mean=40.0)]
    told = [*rows("P@1", middle, plain), *rows("hub answers", middle, plain)]
    assert word in next(found_by_turning(Rows(told)))
    assert word in next(found_on_attributes(Rows(rows("ACC", middle, plain))))
