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
    for F, own, R in zip(SCORES, OWN, violations(SCORES, OWN, view.margins), strict=True):
        np.testing.assert_allclose(np.delete(R, own), np.delete(1 + F - F[own], own))


@pytest.mark.parametrize(
    "model", [SelectAll(gradient="objective"), ConstantMargin(gradient="objective")]
)
def test_what_is_followed_is_the_derivative_of_the_loss(model, numerical_gradient):
    slopes = numerical_gradient(lambda F: view_loss(model._assess(F, OWN)), SCORES)
    np.testing.assert_allclose(pulls(model._assess(SCORES, OWN)), slopes, atol=1e-7)


def test_both_are_tuned_like_dark():
    for method in ARMS.values():
        assert set(method.grid) == set(DARK.grid)
        assert method.estimator(seed=0).init_scale == 0.2
