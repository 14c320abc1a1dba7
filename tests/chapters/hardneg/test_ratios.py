"""Cells by number of negatives, their means and differences."""

import numpy as np
import pytest

from chapters.hardneg import ratios
from chapters.hardneg.problems import hard_negative_problems
from zslib.datasets import available
from zslib.protocols import zero_shot_estimate, zero_shot_measures

NAMES = ["random", "uncertainty", "uncertainty/correlation"]


def test_differences_are_those_of_section_3_2():
    cells = [(name, k) for name in NAMES for k in (1, 10)]
    found = {c["method"]: (plus, minus) for c, plus, minus in ratios.ratio_differences(cells)}
    selected = [(name, k) for name in NAMES[1:] for k in (1, 10)]
    assert found["selected - random"] == (selected, [("random", 1), ("random", 10)])
    assert found["selected - Bucher"] == (selected, [("random", 1)])
    assert found["random: most - one"] == ([("random", 10)], [("random", 1)])
    assert found["most - one"] == ([(n, 10) for n in NAMES], [(n, 1) for n in NAMES])


def test_cells_are_averaged_within_their_seeds(problem):
    options = {"n_epochs": 1, "growth": "within_epoch", "fraction": 0.25, "quick": True}
    runs, settings = ratios.run_ratios(NAMES, problem, [1, 2], [0, 1], **options)
    assert list(runs) == [(name, k) for name in NAMES for k in (1, 2)]
    assert settings["n_epochs"] == 1
    cells = [("random", 1), ("uncertainty", 2)]
    means = ratios.MeanOfCells.of(runs, cells)
    accuracies = np.array([[run.outcome.accuracy for run in runs[cell]] for cell in cells])
    np.testing.assert_allclose([m.value("ACC") for m in means], accuracies.mean(axis=0))
    found = zero_shot_estimate(means, "ACC", minus=ratios.MeanOfCells.of(runs, cells[:1]))
    assert found.mean == pytest.approx((accuracies.mean(axis=0) - accuracies[0]).mean())
    one = ratios.MeanOfCells.of(runs, cells[:1])
    alone = [run.outcome for run in runs[cells[0]]]
    assert zero_shot_estimate(one, "ACC") == zero_shot_estimate(alone, "ACC")
    accuracy = zero_shot_measures(["ACC"])["ACC"]
    gains = {row["method"]: row["value"].mean for row in ratios.gain_rows(runs, accuracy)}
    means = {cell: accuracy(own) for cell, own in runs.items()}
    assert gains == pytest.approx(ratios.printed_gains(means))


def test_classes_that_defaults_were_set_on_are_counted(problem):
    assert ratios.tested_before(problem) == 0
    if available("cub"):
        (standard,), (proposed,) = (
            hard_negative_problems("cub", split=split) for split in ("standard", "proposed")
        )
        validating = {str(proposed.class_names[c]) for c in set(proposed.labels[proposed.val])}
        tested = {str(standard.class_names[c]) for c in standard.unseen_classes}
        assert ratios.tested_before(standard) == len(validating & tested) > 0
        assert ratios.tested_before(proposed) == 0
