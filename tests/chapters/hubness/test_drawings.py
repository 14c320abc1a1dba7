"""What the drawings of hubs and intruders show."""

from types import SimpleNamespace

import numpy as np

from chapters.hubness.drawings import draw_pollution


def test_polluted_queries_lie_right_of_the_diagonal():
    rng = np.random.default_rng(0)
    targets, trained = rng.normal(size=(9, 4)), np.arange(9) < 5
    queries = rng.normal(size=(40, 4))
    rows = np.array([0, 1, 2, 5, 6, 8])
    problem = SimpleNamespace(targets=targets, is_training_target=trained)
    directions = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    outcome = SimpleNamespace(problem=problem, rows=rows, directions=directions)
    polluted = 0
    for x in queries:
        cosines = [x @ t / np.linalg.norm(x) / np.linalg.norm(t) for t in targets[rows]]
        polluted += trained[rows[int(np.argmax(cosines))]]
    (ax,) = draw_pollution({"a": outcome}).axes
    right, left, _ = ax.get_lines()
    assert [len(of.get_xdata()) for of in (right, left)] == [polluted, 40 - polluted]
    assert (right.get_xdata() > right.get_ydata()).all()
    assert (left.get_xdata() <= left.get_ydata()).all()
    assert f"{100 * polluted / 40:.0f}% polluted" in ax.get_title()
