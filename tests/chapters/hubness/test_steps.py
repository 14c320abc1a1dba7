"""The multi-step map among protocols: its targets move too, and each step is told apart."""

import numpy as np
import pytest

from chapters.hubness.steps import CHANGES, step_methods
from zslib.mapping import MultiStepMap
from zslib.protocols import METHODS, Method, evaluate, repeat, train, tune


@pytest.fixture(scope="module")
def runs():
    return repeat("cross-linguistic", "synthetic", n_seeds=2, quick=True)[0]


def test_targets_are_searched_where_the_map_takes_them(runs):
    outcome = runs.outcomes(["multi-step"])["multi-step"][0]
    problem = runs.problem
    mapper = MultiStepMap().fit(problem.X_train, problem.Y_train)
    queries, targets = mapper.transform(problem.X_test), mapper.transform_targets(problem.targets)
    scores = queries @ (targets / np.linalg.norm(targets, axis=1, keepdims=True)).T
    np.testing.assert_array_equal(outcome.neighbours[:, 0], scores.argmax(axis=1))


def test_equal_queries_among_moved_targets_are_searched_anew(runs):
    maps = {str(b): MultiStepMap(source_power=0.0, target_power=b) for b in (0.0, 4.0)}
    outcomes = runs.outcomes({name: Method(name, of) for name, of in maps.items()})
    still, moving = outcomes.values()
    np.testing.assert_array_equal(still[0].queries, moving[0].queries)
    assert (still[0].ranks != moving[0].ranks).any()


def test_tuning_searches_the_moved_targets(runs):
    grid = {"target_power": (0.0, 1.0)}
    tuned = tune(Method("m", MultiStepMap(), grid), runs.problem, seeds=[0])
    assert len({trial["score"] for trial in tuned.trials}) == 2
    kept = train(METHODS["multi-step"], runs.problem).mapping
    assert kept.target_coef_.shape == (runs.problem.targets.shape[1],) * 2


def test_steps_start_at_the_orthogonal_map_and_each_change_is_one_of_them(runs):
    steps = step_methods(runs.problem)
    problem = runs.problem
    turned = train(steps["turn"], problem)
    expected = evaluate(problem, train(METHODS["orthogonal"], problem).predictions)
    np.testing.assert_array_equal(evaluate(problem, turned.predictions).ranks, expected.ranks)
    assert {name for pair in CHANGES.values() for name in pair} == set(steps)
