"""Rules that choose negatives, against their formulas."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.hardneg import rules
from chapters.hardneg.metric_learning import trained
from zslib.compatibility import MetricLearner


@pytest.fixture(scope="module")
def problem(problem):
    exact = {n: getattr(problem, n).astype(float) for n in ("features", "class_embeddings")}
    return replace(problem, image_attributes=None, **exact)


@pytest.fixture(scope="module")
def view():
    rng = np.random.default_rng(0)
    own = np.array([0, 2, 1, 4])
    return rules.Rivals(
        rng.standard_normal((4, 5)), rng.standard_normal((4, 3)), rng.standard_normal((5, 3)),
        own, np.arange(1, 6),
    )  # fmt: skip


def test_an_intruder_is_near_the_image_and_far_from_the_truth(view):
    unit = [a / np.linalg.norm(a, axis=1, keepdims=True) for a in (view.mapped, view.targets)]
    for i, own in enumerate(view.own):
        slow = [unit[0][i] @ y - unit[1][own] @ y for y in unit[1]]
        slow[own] = -np.inf
        np.testing.assert_allclose(view.preferences("intruder")[i], slow)
        assert view.choose("intruder", 1, None)[i] == np.argmax(slow)


def test_drawn_intruders_vary_as_uncertainty_does(view):
    drawn, u = (
        np.where(view.rivals, view.preferences(rule) - np.log(view.counts), np.nan)
        for rule in ("drawn intruders", "uncertainty")
    )
    np.testing.assert_allclose(np.nanstd(drawn, axis=1), np.nanstd(u, axis=1))
    others = view.rivals[0]
    slope = np.corrcoef(drawn[0, others], view.preferences("intruder")[0, others])[0, 1]
    assert slope == pytest.approx(1.0)


def test_the_gradient_is_that_of_the_hinge(view, numerical_gradient):
    negatives, rows = np.array([[1, 2], [0, 3], [4, 0], [1, 2]]), np.arange(4)[:, None]

    def loss(F):
        gap = 1.0 + F[rows, negatives] - F[rows, view.own[:, None]]
        return np.maximum(gap, 0.0).mean(axis=1).sum()

    found = rules.hinge_gradient(view.log_u, view.own, negatives)
    np.testing.assert_allclose(found, numerical_gradient(loss, view.log_u), atol=1e-6)


@pytest.mark.parametrize("rule", ["random", "uncertainty"])
def test_the_ruled_metric_is_the_metric_learner(problem, rule):
    (ruled,) = trained(rules.RuledMetric(rule=rule, n_epochs=3), problem, [4])
    learner = MetricLearner(negatives=rule, n_epochs=3, growth="within_epoch")
    (own,) = trained(learner, problem, [4])
    np.testing.assert_allclose(ruled.model.coef_, own.model.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("every_step", [False, True])
def test_the_ruled_ranking_learns(problem, every_step):
    model = rules.RuledRanking("uncertainty", n_epochs=5, every_step=every_step)
    runs = trained(model, problem, range(3))
    accuracy = np.mean([run.outcome.accuracy for run in runs])
    assert accuracy > 150 / len(problem.unseen_classes)  # chance is 100 in place of 150
    run = runs[0]
    view = rules.training_view(run)
    chosen = rules.choose_once(run, "intruder")
    assert chosen.is_intruder.mean() == 100
    assert 0 < chosen.effective <= 100
    assert len(chosen.alike) == len(view.own) == len(problem.trainval)
    i = rules.telling_image(view)
    assert view.preferences("intruder")[i].argmax() != view.preferences("nearest")[i].argmax()
