"""ALE: its place in the family, and what all ranking systems owe their users."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit

from zslib.compatibility import ALE, SJE, DeViSE, LatEm, zero_shot_scorer

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


@pytest.mark.parametrize("system", SYSTEMS)
def test_training_lowers_the_loss(system, problem32):
    model = system(n_epochs=60, random_state=0)
    model.fit(problem32.X, problem32.y, problem32.S)
    assert model.learning_curve_[-1] < 0.5 * model.learning_curve_[0]
    assert len(model.learning_curve_) == 60


@pytest.mark.parametrize("system", SYSTEMS)
def test_unseen_embeddings_do_not_influence_training(system, problem):
    model = system(n_epochs=2, random_state=0)
    X_unseen, S_unseen = problem.X_unseen, problem.S_unseen
    expected = clone(model).fit(problem.X, problem.y, problem.S)
    changed = problem.S.copy()
    changed[problem.unseen] = 1e6
    model.fit(problem.X, problem.y, changed)
    np.testing.assert_array_equal(
        model.decision_function(X_unseen, S_unseen), expected.decision_function(X_unseen, S_unseen)
    )
    assert model.learning_curve_ == expected.learning_curve_


@pytest.mark.parametrize("system", SYSTEMS)
def test_seeds(system, problem):
    def scores(seed):
        model = system(n_epochs=1, random_state=seed).fit(problem.X, problem.y, problem.S)
        return model.decision_function(problem.X)

    np.testing.assert_array_equal(scores(1), scores(1))
    np.testing.assert_array_equal(scores(1), scores(np.random.default_rng(1)))
    assert not np.array_equal(scores(1), scores(2))


@pytest.mark.parametrize("system", SYSTEMS)
def test_inputs_are_left_alone(system, problem):
    before = problem.X.copy(), problem.y.copy(), problem.S.copy()
    system(n_epochs=1).fit(problem.X, problem.y, problem.S)
    for array, copy in zip((problem.X, problem.y, problem.S), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("system", SYSTEMS)
def test_scikit_learn_conventions(system, problem):
    model = system(margin=0.3, n_epochs=1, random_state=0)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError, match=system.__name__):
        model.predict(problem.X, problem.S)
    assert model.fit(problem.X, problem.y, problem.S) is model
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(problem.X), model.predict(problem.X))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"margin": 0.0}, ValueError, "margin must be .* above 0"),
        ({"margin": float("nan")}, ValueError, "margin"),
        ({"learning_rate": 0}, ValueError, "learning_rate must be"),
        ({"n_epochs": 0}, ValueError, "n_epochs must be at least 1"),
        ({"n_epochs": 2.0}, TypeError, "n_epochs must be an integer"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1"),
        ({"regularization": -1.0}, ValueError, "regularization must be"),
        ({"random_state": "seed"}, TypeError, "random_state"),
    ],
)
def test_bad_parameters(system, parameters, error, message, problem):
    with pytest.raises(error, match=message):
        system(**parameters).fit(problem.X, problem.y, problem.S)


@pytest.mark.parametrize("system", SYSTEMS)
def test_bad_input(system, problem):
    broken = problem.X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X holds NaN .* row 3"):
        system().fit(broken, problem.y, problem.S)
    with pytest.raises(ValueError, match="one class only"):
        system().fit(problem.X, np.zeros_like(problem.y), problem.S)


@pytest.mark.parametrize("system", SYSTEMS)
def test_divergence_names_the_learning_rate(system, problem32):
    model = system(learning_rate=1e38, random_state=0)
    with pytest.raises(ValueError, match=r"diverged in epoch \d+: .*learning_rate=1e\+38"):
        model.fit(problem32.X, problem32.y, problem32.S)


def test_grid_search_over_held_out_classes(problem):
    search = GridSearchCV(
        ALE(random_state=0),
        {"n_epochs": [1, 10]},
        cv=GroupShuffleSplit(2, test_size=0.3, random_state=0),
        scoring=zero_shot_scorer,
    )
    search.fit(problem.X, problem.y, groups=problem.y, class_embeddings=problem.S)
    assert search.best_params_ in ({"n_epochs": 1}, {"n_epochs": 10})
    assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))


def test_penalty_shrinks(problem):
    norms = [
        np.linalg.norm(
            ALE(regularization=penalty, learning_rate=0.5, n_epochs=5, random_state=0)
            .fit(problem.X, problem.y, problem.S)
            .coef_
        )
        for penalty in (0.0, 0.1, 0.5)
    ]
    assert norms[0] > norms[1] > norms[2] > 0
