"""Seen-unseen curves as small plots: marks stand on the curves."""

import numpy as np

from book.seen_unseen import draw_balance, draw_seen_unseen
from zslib.metrics import seen_unseen_curve
from zslib.show.figures import look


def test_marks_stand_where_gamma_puts_them():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 30, 5))
    curve = seen_unseen_curve(
        scores[0], rng.integers(3, size=30), scores[1], rng.integers(3, 5, size=30),
        np.array([True, True, True, False, False]),
    )  # fmt: skip
    fig = draw_seen_unseen({"a": {"x": (curve, {"zero": 0.0}), "y": (curve, {"one": 1.0})}})
    ax = fig.axes[0]
    marks = [line.get_xydata()[0] for line in ax.get_lines() if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(marks, 100 * np.array([curve.at(0.0), curve.at(1.0)]))
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["x", "y", "zero", "one"]
    assert sum(a.axison for a in fig.axes) == 1
    fig = draw_seen_unseen({"a": {"x": (curve, {"γ = 0": 0.0, "γ chosen": 1.0})}})
    marks = [line.get_marker() for line in fig.axes[0].get_lines()[1:]]
    assert marks == [look("none")["marker"], look("chosen")["marker"]]


def test_a_system_stands_where_its_two_accuracies_say():
    systems = [("x", "a", 50.0, 20.0), ("x", "c", "·", "·"), ("y", "a", 10.0, None)]
    rows = [
        {"dataset": data, "method": method, "metric": metric, "value": value}
        for data, method, seen, unseen in systems
        for metric, value in (("seen", seen), ("unseen", unseen), ("H", 1.0))
    ]
    fig = draw_balance([*rows, {**rows[0], "dataset": "y", "method": "b", "metric": "seen"}])
    first, second = fig.axes
    assert [line.get_xydata().tolist() for line in first.get_lines()] == [[[50.0, 20.0]]]
    assert "a" in [text.get_text() for text in first.texts]
    assert first.get_ylim()[0] < 20.0 < first.get_ylim()[1] < 30.0, "a scale of its own"
    assert not list(second.get_lines())
