"""Arms of the ablation: all triplets alike, and one margin for all, by their derivatives."""

import numpy as np
import pytest

from chapters.dark.ablation import ARMS, ConstantMargin, SelectAll
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import pulls, view_loss
from zslib.compatibility.ranking.loss import violations

RNG = np.random.default_rng(0)
SCORES, OWN = RNG.normal(size=(5, 4)), np.array([0, 3, 1, 1, 2])


def test_all_triplets_weigh_one_and_the_own_label_nothing():
    view = SelectAll()._assess(SCORES, OWN)
    expected = np.ones((5, 4))
    expected[np.arange(5), OWN] = 0.0
    np.testing.assert_array_equal(view.weights, expected)
    np.testing.assert_array_equal(view.margins, DARK()._assess(SCORES, OWN).margins)


def test_with_one_margin_residuals_are_those_of_the_older_systems():
    view = ConstantMargin()._assess(SCORES, OWN)
    own = SCORES[np.arange(5), OWN][:, None]
    R = violations(SCORES, OWN, view.margins)
    np.testing.assert_allclose(np.delete(R[0], OWN[0]), np.delete(1 + SCORES - own, OWN[0], 1)[0])
    assert view.slopes is None


@pytest.mark.parametrize(
    "model", [SelectAll(gradient="margin"), ConstantMargin(gradient="objective")]
)
def test_what_is_followed_is_the_derivative_of_the_loss(model):
    followed, h = pulls(model._assess(SCORES, OWN)), 1e-6
    for i, j in np.ndindex(SCORES.shape):
        step = np.zeros_like(SCORES)
        step[i, j] = h
        losses = [view_loss(model._assess(SCORES + s, OWN)) for s in (step, -step)]
        assert (losses[0] - losses[1]) / (2 * h) == pytest.approx(followed[i, j], abs=1e-7)


def test_both_are_tuned_like_dark():
    for method in ARMS.values():
        assert set(method.grid) == set(DARK.grid)
        assert method.estimator(seed=0).init_scale == 0.2
