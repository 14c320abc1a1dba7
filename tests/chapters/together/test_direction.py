"""What shrinks in either direction of a regression, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest

from book import Results
from chapters.together.direction import (
    REVERSED,
    found_by_turning,
    found_on_images,
    sizes_where_they_meet,
)
from zslib.protocols.intervals import Estimate
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


@pytest.mark.parametrize(
    ("low", "high", "word"), [(1.0, 9.0, "wins"), (-9.0, -1.0, "loses"), (-1.0, 1.0, "not told")]
)
def test_a_gain_is_told_by_its_interval(low, high, word):
    gain, plain = Estimate((low + high) / 2, low, high, 1), Estimate(30.0, 29.0, 31.0, 1)
    names = ("ridge", "reverse ridge", "ESZSL")
    values = dict.fromkeys(names, plain) | {f"reverse ridge - {n}": gain for n in names}
    results = Results(None, [
        {"dataset": "A", "metric": metric, "method": name, "value": value}
        for metric in ("P@1", "hub answers", "ACC")
        for name, value in values.items()
    ])  # fmt: skip
    assert word in next(found_by_turning(results))
    assert next(found_on_images(results)).count(word) == 2
