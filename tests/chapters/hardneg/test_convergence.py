"""Epochs to convergence, on curves whose answers are known."""

import numpy as np
import pytest

from chapters.hardneg import convergence
from chapters.hardneg.ratios import fixed_method
from zslib.compatibility import MetricLearner
from zslib.protocols import evaluate_zero_shot

CURVES = {
    ("slow", 1): np.array([[10.0, 20, 30, 40], [0.0, 10, 40, 40]]),
    ("slow", 9): np.array([[10.0, 40, 40, 40], [0.0, 10, 40, 40]]),
    ("fast", 1): np.array([[40.0, 40, 40, 40], [40.0, 40, 40, 40]]),
    ("fast", 9): np.array([[40.0, 40, 40, 40], [30.0, 30, 30, 40]]),
}
# All classes alike: what remains of the intervals is the spread of the runs.
ALIKE = {cell: np.repeat(values[:, :, None], 3, axis=2) for cell, values in CURVES.items()}


def value(rows, **columns):
    (row,) = (r for r in rows if all(r.get(k) == v for k, v in columns.items()))
    return row["value"]


def test_epochs_and_their_ratios():
    rows = list(convergence.convergence_rows(ALIKE, 1.0, "data"))
    epochs = {"metric": "epochs to converge", "mark": "own"}
    assert value(rows, method="slow", ratio=1, **epochs).mean == 3.5  # 4 and 3
    assert value(rows, method="fast", ratio=9, **epochs).mean == 2.5  # 1 and 4
    times = {"metric": "times faster to converge", "mark": "common"}
    found = value(rows, method="slow / fast", ratio=1, **times)
    assert found.mean == pytest.approx(np.sqrt(4 * 3))
    both = value(rows, method="slow / fast", over="both ratios", **times)
    assert both.mean == pytest.approx((4 / 1 * 3 / 1 * 2 / 1 * 3 / 4) ** 0.25)
    ratios = value(rows, method="one / most negatives", **times)
    assert ratios.mean == pytest.approx((4 / 2 * 3 / 3 * 1 / 1 * 1 / 4) ** 0.25)


def test_what_never_reaches_the_common_mark_has_no_number():
    never = np.array([[40.0, 40, 40, 40], [9.0, 9, 9, 9]])
    low = ALIKE | {("fast", 9): np.repeat(never[:, :, None], 3, axis=2)}
    rows = list(convergence.convergence_rows(low, 1.0, "data"))  # the mark is 24.5
    missed = "runs that never reach the common mark"
    assert value(rows, metric=missed, method="fast", ratio=9) == 1
    common = {"metric": "times faster to converge", "mark": "common", "method": "slow / fast"}
    assert value(rows, over="both ratios", **common) is None
    assert value(rows, ratio=1, **common) is not None


def test_epochs_needed_by_loop():
    lowest = min(values[:, -1].mean() for values in CURVES.values())
    for share in (0.5, 0.9, 1.0):
        own, common = (
            convergence.epochs_needed(CURVES, share, mark) for mark in ("own", "common")
        )
        for cell, runs in CURVES.items():
            near_end = [[i for i, v in enumerate(run, 1) if v >= share * run[-1]] for run in runs]
            assert own[cell].tolist() == [epochs[0] for epochs in near_end]
            for run, epoch in zip(runs, common[cell], strict=True):
                there = [i for i, v in enumerate(run, 1) if v >= share * lowest]
                assert epoch == (there[0] if there else len(run) + 1)


def test_intervals_resample_classes():
    # Two runs that agree; half of the classes are fast where the other half is slow.
    fast, slow = np.array([40.0, 40, 40, 40]), np.array([0.0, 0, 0, 40])
    half = np.stack([fast, fast, slow, slow], axis=1)[None].repeat(2, axis=0)
    curves = {("a", 1): half, ("b", 1): np.full_like(half, 40.0)}
    rows = list(convergence.convergence_rows(curves, 0.6, "data"))
    found = value(rows, metric="epochs to converge", method="a", mark="own")
    assert (found.mean, found.low, found.high) == (4, 1, 4)
    times = value(rows, metric="times faster to converge", mark="own", over="both ratios")
    assert (times.mean, times.low, times.high) == pytest.approx((4, 1, 4))
    even = value(rows, metric="epochs to converge", method="b", mark="own")
    assert (even.mean, even.low, even.high) == (1, 1, 1)


def test_leads_are_paired_differences():
    rows = list(convergence.accuracy_rows(ALIKE, "data"))
    assert value(rows, method="slow", ratio=1, epoch=2).mean == 15.0
    assert value(rows, method="fast - slow", ratio=9, epoch=2).mean == 10.0
    assert sum(row["method"] == "fast - slow" for row in rows) == 2 * 2


def test_smaller_steps_are_tried_while_accuracy_rises(problem, monkeypatch):
    # Means of the third and of the last of four epochs: 10 and 12, then 10 and 10.5.
    last = {64: 12.0, 32: 10.5, 16: 99.0}

    def curves(method, problem, seeds, *, parameters, device):
        assert (parameters["n_epochs"], method.fixed["batch_size"]) == (4, 16)
        return np.array([[[0.0], [0.0], [10.0], [last[parameters["batch_size"]]]]])

    monkeypatch.setattr(convergence, "zero_shot_curves", curves)
    trials = convergence.try_batch_sizes(
        problem, (64, 32, 16), [0], n_epochs=4, fraction=0.25, quick=True
    )
    assert [(t["size"], t["rise"], t["end"]) for t in trials] == [(64, 2, 12), (32, 0.5, 10.5)]
    assert trials[-1]["parameters"]["batch_size"] == 32


def test_curve_is_the_accuracy_of_shorter_trainings(problem):
    model = MetricLearner(8, learning_rate=0.1, n_epochs=4, random_state=1)
    curve = convergence.accuracy_by_epoch(model, problem)
    for epochs in (1, 3, 4):
        shorter = evaluate_zero_shot(model.set_params(n_epochs=epochs), problem)
        assert curve[epochs - 1].mean() == pytest.approx(shorter.accuracy)
    assert not hasattr(model, "coef_")


def test_curves_of_several_seeds_are_kept(problem, monkeypatch):
    method = fixed_method("uncertainty", "within_epoch", metric_dim=8)
    given = {"attribute_weight": 0.1, "n_epochs": 3}
    curves = convergence.zero_shot_curves(method, problem, [0, 1], parameters=given)
    assert curves.shape == (2, 3, len(problem.unseen_classes))
    model = method.estimator(seed=1).set_params(**given)
    np.testing.assert_array_equal(curves[1], convergence.accuracy_by_epoch(model, problem))
    monkeypatch.setattr(MetricLearner, "fit", None)
    again = convergence.zero_shot_curves(method, problem, [1, 0], parameters=given)
    np.testing.assert_array_equal(again, curves[::-1])
