"""Readings of Algorithm 1: what diverges has no numbers, averages are smaller steps."""

import numpy as np
import pytest

from chapters.dark import readings
from zslib.protocols.attributes.training import held_out


@pytest.fixture(scope="module")
def trained(problem):
    return readings.train_readings(held_out(problem), range(2), n_iter=4)


def test_what_diverged_is_said_and_has_no_number(problem, trained):
    rows = list(
        readings.reading_rows(
            problem, held_out(problem), trained | {"A": None}, [("C", "A"), ("E", "C")]
        )
    )
    found = {(row["reading"], row["metric"]): row["value"] for row in rows}
    assert found["A", "diverges"] == 1.0
    assert found["A", "validation ACC"] == "diverges"
    assert found["C - A", "validation ACC"] is None
    gain = found["E", "validation ACC"].mean - found["C", "validation ACC"].mean
    assert found["E - C", "validation ACC"].mean == pytest.approx(gain)


def test_averaging_divides_the_step_and_keeps_the_pull_of_the_penalty(problem):
    held = held_out(problem)
    summed, averaged = (readings._model(name, held, 4, 0) for name in ("E", "G"))
    rivals = len(held.seen_classes) - 1
    assert averaged.learning_rate * rivals == pytest.approx(summed.learning_rate)
    pulls = [m.learning_rate * m.regularization for m in (summed, averaged)]
    assert pulls[0] == pytest.approx(pulls[1])


def test_more_steps_change_more(problem):
    rows = list(readings.change_rows(problem, held_out(problem), [0], n_iter=2))
    change = {
        row["span"]: row["value"] for row in rows if (row["moment"], row["what"]) == ("start", "U")
    }
    assert change["one step"] < change["10 steps"]


def test_slopes_of_exact_powers_are_their_exponents():
    times = {"samples n": {size: [1e-6 * size, 2e-6 * size] for size in (500, 1000, 2000)}}
    slopes = [row["value"].mean for row in readings.slope_rows(times)]
    np.testing.assert_allclose(slopes, 1.0)
    rows = list(readings.time_rows(times))
    linear = [row["value"] for row in rows if row["line"] == "linear"]
    measured = [row["value"].mean for row in rows if row["line"] == "measured"]
    np.testing.assert_allclose(linear, measured)
