"""Trainings, settings and pairs of metric learners, against their definitions."""

from copy import copy

import numpy as np
import pytest

from chapters.hardneg import metric_learning as ml
from zslib.compatibility import MetricLearner
from zslib.compatibility.metric.objective import attribute_estimates
from zslib.protocols import evaluate_zero_shot, mean_estimate


@pytest.fixture(scope="module")
def run(problem):
    (found,) = ml.trained(MetricLearner(8, n_epochs=3), problem, [1])
    return found


def test_a_run_is_what_evaluation_of_its_model_says(problem, run):
    model = MetricLearner(8, n_epochs=3, random_state=1)
    assert run.outcome.accuracy == evaluate_zero_shot(model, problem).accuracy


def test_settings_are_the_most_regular_of_a_slow_loop(problem):
    """The smallest rate that is within one standard error of the best, over ten draws."""
    tuning = ml.tuning_problems(problem, 0.25)
    draws = [tuning(seed) for seed in range(10)]
    for one in draws:
        assert set(one.unseen_classes).isdisjoint(one.seen_classes)
    assert len({tuple(one.unseen_classes) for one in draws}) == 10
    scores = {}

    def chosen(rates):
        for rate in set(rates) - scores.keys():
            options = {"learning_rate": rate, "n_epochs": 10}
            models = [MetricLearner(8, random_state=seed, **options) for seed in range(10)]
            outcomes = map(evaluate_zero_shot, models, draws)
            scores[rate] = np.array([outcome.accuracy for outcome in outcomes])
        best = max(rates, key=lambda rate: scores[rate].mean())
        leads = {rate: scores[best] - scores[rate] for rate in rates}
        return min(r for r in rates if leads[r].mean() <= leads[r].std(ddof=1) / np.sqrt(10))

    rates = [0.01, 0.03, 0.1]
    for _ in range(4):
        if chosen(rates) == min(rates):  # at an end of the grid, which goes on
            first, second, *_ = sorted(rates)
            rates.append(float(f"{first * first / second:.3g}"))
    model = MetricLearner(8, n_epochs=10)
    found = ml.choose_settings(model, tuning, {"learning_rate": (0.01, 0.03, 0.1, 1e6)})
    assert found == {"learning_rate": chosen(rates)}  # 1e6 diverges


def test_attributes_alone_or_with_the_metric(problem):
    model, tuning = MetricLearner(8, n_epochs=30), ml.tuning_problems(problem, 0.25)
    settings = ml.metric_settings(model, tuning, 0.3)
    weights = [chosen["attribute_weight"] for chosen in settings.values()]
    assert weights == [1e4, 0.3]
    runs = ml.metric_or_plain(model, problem, [0, 1], settings)
    *plain, learned = runs.values()
    assert list(runs)[-1] == ml.LEARNED
    for of in plain:
        for run in of:
            np.testing.assert_array_equal(run.model.metric_, np.eye(run.model.embedding_dim_))
    (joint,) = ml.trained(model, problem, [1], **settings["joint training"])
    assert learned[1].outcome.accuracy == joint.outcome.accuracy


def test_pairs_and_their_sides(problem, run):
    near, far = ml.pair_distances(run)
    model, i = run.model, 5
    theta = model.coef_, model.intercept_, model.metric_
    x = problem.features[problem.test_unseen[i]][None]
    apart = attribute_estimates(theta, x) - problem.class_embeddings[problem.unseen_classes]
    distances = np.linalg.norm(apart @ model.metric_, axis=1)
    own = problem.unseen_classes == problem.labels[problem.test_unseen[i]]
    np.testing.assert_allclose(near[i], distances[own][0], rtol=1e-4)
    np.testing.assert_allclose(far[i], distances[~own], rtol=1e-4)
    edge = np.sqrt(max(model.threshold_[0], 0.0))
    assert ml.threshold_distance(model) == pytest.approx(edge)
    classes = problem.labels[problem.test_unseen]
    of = [classes == c for c in np.unique(classes)]
    sides = near < edge, (far > edge).mean(axis=1)
    shares = [100 * np.mean([side[c].mean() for c in of]) for side in sides]
    found = [ml.PAIR_MEASURES[name]([run]).mean for name in list(ml.PAIR_MEASURES)[1:]]
    np.testing.assert_allclose(found, shares)
    assert ml.smaller_side([run]).mean == pytest.approx(min(shares))
    order = ml.PAIR_MEASURES["negative pairs farther than the positive one, %"]([run])
    assert order == mean_estimate([100 * (far > near[:, None]).mean(axis=1)], classes=classes)


def test_the_smaller_side_is_that_of_each_training(problem, run):
    def with_threshold(tau):
        model = copy(run.model)
        model.threshold_ = np.array([tau])
        return ml.FittedRun(model, problem)

    all_within, all_beyond = with_threshold(1e9), with_threshold(0.0)
    runs = [all_within, all_beyond]
    assert ml.smaller_side(runs).mean == 0.0
    within, beyond = list(ml.PAIR_MEASURES)[1:]
    assert ml.PAIR_MEASURES[within](runs).mean == ml.PAIR_MEASURES[beyond](runs).mean == 50.0


def test_without_the_metric_the_distance_is_plain(problem, run):
    plain = ml.without_metric(run.model)
    X, S = problem.features[:4], problem.class_embeddings
    A = attribute_estimates((plain.coef_, plain.intercept_), X)
    wanted = -np.linalg.norm(A[:, None] - S, axis=2)
    np.testing.assert_allclose(plain.decision_function(X, S), wanted, rtol=1e-4)
    assert run.model.metric_.shape[1] == 8
