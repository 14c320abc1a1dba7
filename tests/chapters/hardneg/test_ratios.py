"""Cells by number of negatives, their means and differences."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from chapters.hardneg import ratios
from chapters.hardneg.problems import hard_negative_problems
from chapters.hardneg.ratios import fixed_method
from zslib.datasets import available
from zslib.protocols import run_table, run_zero_shot, zero_shot_estimate, zero_shot_measures
from zslib.protocols.attributes.crossing import CrossFittedOutcome, crossed_problems

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
    runs, settings = ratios.run_ratios(NAMES, problem, [1, 2], 2, [0, 1], **options)
    assert list(runs) == [(name, k) for name in NAMES for k in (1, 2)]
    assert settings["n_epochs"] == 1
    cells = [("random", 1), ("uncertainty", 2)]
    means = ratios.MeanOfCells.of(runs, cells)
    accuracies = np.array([[run.accuracy for run in runs[cell]] for cell in cells])
    np.testing.assert_allclose([m.value("ACC") for m in means], accuracies.mean(axis=0))
    found = zero_shot_estimate(means, "ACC", minus=ratios.MeanOfCells.of(runs, cells[:1]))
    assert found.mean == pytest.approx((accuracies.mean(axis=0) - accuracies[0]).mean())
    one = ratios.MeanOfCells.of(runs, cells[:1])
    assert zero_shot_estimate(one, "ACC") == zero_shot_estimate(runs[cells[0]], "ACC")
    accuracy = zero_shot_measures(["ACC"])["ACC"]
    gains = {row["method"]: row["value"].mean for row in ratios.gain_rows(runs, accuracy)}
    means = {cell: accuracy(own) for cell, own in runs.items()}
    assert gains == pytest.approx(ratios.printed_gains(means))


def test_every_class_is_unseen_once_with_the_settings_of_the_runs(problem):
    rows = ratios.table_methods(problem, 2, "within_epoch", fraction=0.2, quick=True)
    rows = {m.name: m for m in rows}
    short = replace(rows["Bucher"], fixed={**rows["Bucher"].fixed, "n_epochs": 2})
    methods = {problem: [short, rows["ESZSL"], rows["SSE"]]}
    runs = {problem: run_table(methods[problem], problem, [0], quick=True)}
    found, failed = ratios.crossed_runs(methods, runs, 3, [0, 1], earlier={problem: {"ESZSL"}})
    assert (failed, set(found[problem])) == ({problem: {}}, {"Bucher", "ESZSL"})
    parameters = runs[problem]["Bucher"][0].parameters
    both = found[problem]["Bucher"][1].class_accuracies()
    for part in crossed_problems(problem, 3, seed=1):
        alone = run_zero_shot(short, part, seed=1, parameters=parameters).outcome
        np.testing.assert_allclose(both[part.unseen_classes], alone.class_accuracies("ACC"))


def test_a_failed_training_is_told(problem):
    method = fixed_method("Bucher", None, n_epochs=2)
    run = SimpleNamespace(parameters={"learning_rate": 1e9})
    asked = {problem: [method]}, {problem: {"Bucher": [run]}}
    found, failed = ratios.crossed_runs(*asked, 2, [0], earlier={problem: {None}})
    assert found == {problem: {}}
    assert "left the range" in failed[problem]["Bucher"]


def test_steadiness_is_a_ratio_of_deviations():
    a, b = (
        [SimpleNamespace(outcome=SimpleNamespace(accuracy=v)) for v in values]
        for values in ([1.0, 3.0, 5.0], [2.0, 3.0, 4.0])
    )
    found = ratios.steadiness(a, b)
    assert found.mean == pytest.approx(2.0)
    # Of normal samples with the deviations that were found, 95% have ratios like these.
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((2, 20_000, 3)).std(axis=2)
    low, high = np.quantile(draws[0] / draws[1], [0.025, 0.975])
    assert (2.0 / found.high, 2.0 / found.low) == pytest.approx((low, high), rel=0.1)
    assert ratios.steadiness(a[:1], b[:1]) is None


def test_gains_of_classes_that_are_alike(problem):
    classes, n = np.unique(problem.labels), len(np.unique(problem.labels))
    V = problem.class_embeddings[classes]
    near = [-min(np.linalg.norm(V[i] - V[j]) for j in range(n) if j != i) for i in range(n)]
    true = np.repeat(np.arange(n), 40)
    share = np.argsort(np.argsort(near)) / n  # a class gains the more, the nearer its rival is

    def outcome(right):
        answers = np.concatenate([np.where(np.arange(40) < 40 * s, c, c - 1) for c, s in right])
        return CrossFittedOutcome("", true, answers)

    runs, others = outcome(enumerate(share)), outcome(enumerate(np.zeros(n)))
    found = ratios.gain_where_classes_are_alike(problem, [runs], [others])
    assert found.mean == pytest.approx(stats.spearmanr(np.ceil(40 * share), near).statistic)
    assert 0.8 < found.low <= found.high <= 1.0
    back = ratios.gain_where_classes_are_alike(problem, [others] * 2, [runs] * 2)
    assert (back.mean, back.n_seeds) == (pytest.approx(-found.mean), 2)


def test_classes_that_defaults_were_set_on_are_counted(problem):
    assert ratios.tested_before(problem) == 0
    if available("cub"):
        splits = ("standard", "proposed")
        (standard,), (proposed,) = (hard_negative_problems("cub", split=s) for s in splits)
        validating = {str(proposed.class_names[c]) for c in set(proposed.labels[proposed.val])}
        tested = {str(standard.class_names[c]) for c in standard.unseen_classes}
        assert ratios.tested_before(standard) == len(validating & tested) > 0
        assert ratios.tested_before(proposed) == 0
