"""Trainings, settings and pairs of metric learners, against their definitions."""

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


def test_settings_are_the_best_of_a_slow_loop(problem):
    tuning = ml.tuning_problems(problem, 0.25)
    for one in tuning:
        assert set(one.unseen_classes).isdisjoint(one.seen_classes)
    assert len({tuple(one.unseen_classes) for one in tuning}) == 3
    rates = (0.01, 0.03, 0.1, 1e6)  # the last diverges
    model = MetricLearner(8, n_epochs=10)
    found = ml.choose_settings(model, tuning, {"learning_rate": rates})

    def score(rate):
        options = {"learning_rate": rate, "n_epochs": 10}
        models = [MetricLearner(8, random_state=seed, **options) for seed in range(3)]
        outcomes = map(evaluate_zero_shot, models, tuning)
        return np.mean([outcome.accuracy for outcome in outcomes])

    # The best at an end of the grid extends it.
    best = max(map(score, rates[:3]))
    assert score(found["learning_rate"]) >= best - 1e-6
    assert found["learning_rate"] in rates or score(found["learning_rate"]) > best


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


def test_without_the_metric_the_distance_is_plain(problem, run):
    plain = ml.without_metric(run.model)
    X, S = problem.features[:4], problem.class_embeddings
    A = attribute_estimates((plain.coef_, plain.intercept_), X)
    wanted = -np.linalg.norm(A[:, None] - S, axis=2)
    np.testing.assert_allclose(plain.decision_function(X, S), wanted, rtol=1e-4)
    assert run.model.metric_.shape[1] == 8
