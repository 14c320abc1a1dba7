"""ALE: its place in the family, and what all ranking systems owe their users."""

import numpy as np

from zslib.compatibility import ALE, SJE, DeViSE, LatEm

SYSTEMS = [ALE, DeViSE, SJE, LatEm]


def test_one_step_by_hand():
    """At W = 0 both rivals violate by the margin: weight (1 + 1/2) / 2 each."""
    X, S = np.array([[1.0, 2.0], [0.5, 0.0]]), np.eye(3)
    model = ALE(2.0, learning_rate=1.0, n_epochs=1, batch_size=2, random_state=0)
    model.fit(X, np.array([0, 1]), np.concatenate([S, [[5.0, 5.0, 5.0]]]))
    # Two seen classes only, so one violation each: weight 1.
    np.testing.assert_allclose(model.coef_, [[0.25, -0.25, 0], [1, -1, 0]])
    assert model.learning_curve_ == [2.0]
    X, y = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), np.array([0, 1, 2])
    model.set_params(batch_size=3).fit(X, y, S)
    np.testing.assert_allclose(model.coef_, np.outer([1, 2], [1.5, -0.75, -0.75]) / 3)
    assert model.learning_curve_ == [3.0]


def test_two_classes_make_all_systems_one(problem):
    """With a single rival there is nothing to choose or to weigh."""
    two = np.isin(problem.y, problem.y[[0, -1]])
    X, y = problem.X[two], problem.y[two]
    fits = [
        system(learning_rate=0.5, n_epochs=3, random_state=0).fit(X, y, problem.S).coef_
        for system in (ALE, DeViSE, SJE)
    ]
    np.testing.assert_allclose(fits[1], fits[0], atol=1e-14)
    np.testing.assert_allclose(fits[2], fits[0], atol=1e-14)
