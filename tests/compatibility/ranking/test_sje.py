"""SJE: the structured SVM's objective, and DeViSE with all but the largest violation left out."""

import numpy as np

from zslib.compatibility import SJE, DeViSE


class LargestOfDeViSE(DeViSE):
    """DeViSE's weights, with those of all but the largest violation taken away."""

    def _weigh(self, residuals, own, rng):
        largest = residuals == residuals.max(axis=1, keepdims=True)
        first = largest & (np.cumsum(largest, axis=1) == 1)
        return super()._weigh(residuals, own, rng) * first


def test_sje_is_devise_with_only_the_largest_violation(problem):
    options = {"learning_rate": 1.0, "n_epochs": 4, "random_state": 0}
    one = SJE(**options).fit(problem.X, problem.y, problem.S)
    other = LargestOfDeViSE(**options).fit(problem.X, problem.y, problem.S)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.learning_curve_ == other.learning_curve_
    whole = DeViSE(**options).fit(problem.X, problem.y, problem.S)
    assert not np.array_equal(one.coef_, whole.coef_)


def test_loss_is_the_structured_hinge(problem):
    """With a tiny rate W stays 0 and the curve shows max(0, max_y margin + F(y) - F(own))."""
    model = SJE(0.7, learning_rate=1e-12, n_epochs=1, random_state=0)
    model.fit(problem.X, problem.y, problem.S)
    np.testing.assert_allclose(model.learning_curve_, [0.7])


def test_one_step_by_hand():
    """All rivals tie at W = 0: the first is taken, and no other."""
    X, S = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), np.eye(3)
    model = SJE(learning_rate=3.0, n_epochs=1, batch_size=3, random_state=0)
    model.fit(X, np.array([2, 1, 0]), S)
    np.testing.assert_allclose(model.coef_, [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]])
