"""Shares over classes: the exact share of all rows, and intervals that know of classes."""

import numpy as np
import pytest

from chapters.dark.by_class import share_over_classes


def test_a_share_is_a_sum_over_a_sum():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 5)
    runs = [(rng.random(30), rng.random(30)) for _ in range(2)]
    value = share_over_classes(runs, codes)
    assert value.mean == pytest.approx(np.mean([a.sum() / b.sum() for a, b in runs]))
    assert value.low < value.mean < value.high
    assert (value.unit, value.n_units, value.n_seeds) == ("classes", 6, 2)


def test_classes_that_are_alike_leave_no_interval_and_nothing_is_no_share():
    codes = np.array([0, 0, 1, 1])
    alike = share_over_classes([(np.array([1.0, 3.0, 3.0, 1.0]), 2.0)], codes)
    assert alike.low == alike.mean == alike.high == 1.0
    assert share_over_classes([(np.zeros(4), 0.0)], codes).mean == 0.0
