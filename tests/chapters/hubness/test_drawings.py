"""What the drawings of hubs and intruders show."""

from types import SimpleNamespace

import numpy as np

from chapters.hubness.drawings import draw_pollution


def test_polluted_queries_lie_right_of_the_diagonal_and_all_in_one_plane():
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
    fig = draw_pollution({"a": outcome})
    plane, cosines = fig.axes
    right, left, _, centre = cosines.get_lines()
    both = [np.concatenate([right.get_data()[i], left.get_data()[i]]).mean() for i in (0, 1)]
    np.testing.assert_allclose(np.ravel(centre.get_data()), both)
    assert len(right.get_xdata()) == polluted
    assert (right.get_xdata() > right.get_ydata()).all()
    assert (left.get_xdata() <= left.get_ydata()).all()
    assert f"{100 * polluted / 40:.0f}% polluted" in plane.get_title()
    labels, seen, others, unseen, centre = plane.get_lines()
    images = [seen, unseen]
    where = np.concatenate([of.get_xdata() for of in images]).mean()
    np.testing.assert_allclose(centre.get_xdata(), where)
    assert len(labels.get_xdata()) == 3  # of the six rows that are searched
    assert labels.get_xdata().mean() > others.get_xdata().mean()
    np.testing.assert_allclose(labels.get_ydata().mean(), others.get_ydata().mean(), atol=1e-12)
    assert [len(of.get_xdata()) for of in images] == [polluted, 40 - polluted]
    assert all((np.hypot(*of.get_data()) <= 1 + 1e-12).all() for of in plane.get_lines())
