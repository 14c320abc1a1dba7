"""Readings of Algorithm 1: what diverges has no numbers, averages are smaller steps."""

from types import SimpleNamespace

import numpy as np
import pytest

from chapters.dark import readings
from zslib.protocols.attributes.training import held_out


def test_averaging_divides_the_step_and_keeps_the_pull_of_the_penalty(problem):
    held = held_out(problem)
    summed, averaged = (readings._model(name, held, 4, 0) for name in ("E", "G"))
    rivals = len(held.seen_classes) - 1
    assert averaged.learning_rate * rivals == pytest.approx(summed.learning_rate)
    pulls = [m.learning_rate * m.regularization for m in (summed, averaged)]
    assert pulls[0] == pytest.approx(pulls[1])


def test_slopes_of_exact_powers_are_their_exponents():
    times = {"samples n": {size: [1e-6 * size, 2e-6 * size] for size in (500, 1000, 2000)}}
    slopes = [row["value"].mean for row in readings.slope_rows(times)]
    np.testing.assert_allclose(slopes, 1.0)
    rows = list(readings.time_rows(times))
    linear = [row["value"] for row in rows if row["line"] == "linear"]
    measured = [row["value"].mean for row in rows if row["line"] == "measured"]
    np.testing.assert_allclose(linear, measured)


def test_what_holds_under_both_readings_is_trained_once(problem, monkeypatch):
    asked = []

    def train(gradient):
        asked.append(gradient)
        return {"DARK": gradient}, {"DARK-L": gradient}

    for chosen, times in (("objective", 2), ("fixed", 1)):
        both = {"chosen": chosen, "fixed": "fixed"}
        monkeypatch.setattr(readings, "gradients", lambda p, both=both: both)
        asked.clear()
        trained, failed = readings.in_readings(problem, train)
        assert len(asked) == times
        assert trained == {"chosen": {"DARK": chosen}, "fixed": {"DARK": "fixed"}}
        assert failed == {"DARK-L": "fixed"}


def test_ratios_of_the_objective_are_geometric_means(problem):
    def model(*objective):
        return SimpleNamespace(objective_=list(objective))

    trained = {"A": [model(4.0, 1.0, 2.0), model(1.0, 0.5, 8.0)], "I": [model(4.0, -1.0, 2.0)]}
    rows = readings.objective_ratios(problem, trained, ["A", "I"])
    rows = {(row["reading"], row["metric"]): row["value"] for row in rows}
    assert rows["A", "objective, last over first"].mean == pytest.approx(2.0)
    assert rows["A", "objective, last over lowest"].mean == pytest.approx(np.sqrt(2.0 * 16.0))
    assert rows["A", "trainings that end above their start, %"] == 50.0
    assert rows["I", "objective, last over first"] is None


def test_runs_that_were_trained_are_not_trained_again(problem):
    held = held_out(problem)
    trained = {"A": ["first"], "F": None}
    runs = readings.objective_runs(held, trained, ["A", "F"], range(2), n_iter=2)
    assert list(runs) == ["A"]
    assert runs["A"][0] == "first"
    assert runs["A"][1].random_state == 1
