"""SJE: the structured SVM's objective, and DeViSE with all but the largest violation left out."""

import numpy as np

from zslib.compatibility import SJE


def test_one_step_by_hand():
    """All rivals tie at W = 0: the first is taken, and no other."""
    X, S = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), np.eye(3)
    model = SJE(learning_rate=3.0, n_epochs=1, batch_size=3, random_state=0)
    model.fit(X, np.array([2, 1, 0]), S)
    np.testing.assert_allclose(model.coef_, [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]])
