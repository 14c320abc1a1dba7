"""Readings of Algorithm 1: what diverges has no numbers, averages are smaller steps."""

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
