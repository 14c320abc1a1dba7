"""Metric learners in the protocol: image attributes, common scale, validation, curves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from chapters.hardneg.ratios import fixed_method
from zslib.compatibility import ESZSL
from zslib.compatibility.metric import learner as metric_learner
from zslib.compatibility.metric.negatives import NegativeSet
from zslib.datasets import synthetic_attributes
from zslib.datasets.attributes.scaling import common_scale
from zslib.protocols import (
    ZERO_SHOT_METHODS,
    ZeroShotMethod,
    evaluate_zero_shot,
    run_zero_shot,
    tune_zero_shot,
)
from zslib.protocols.attributes.curves import epochs_to_share
from zslib.protocols.attributes.methods import HARD_NEGATIVE_METHODS, origin


class Remembers(BaseEstimator):
    """Scores by class number; keeps what fit was given."""

    given = ()

    def fit(self, X, y, class_embeddings, image_attributes="none"):
        type(self).given = (*type(self).given, (X, y, image_attributes))
        return self

    def decision_function(self, X, class_embeddings):
        return np.tile(np.arange(len(class_embeddings), dtype="f4"), (len(X), 1))


class Plain(Remembers):
    def fit(self, X, y, class_embeddings):
        return super().fit(X, y, class_embeddings)


class LooksAhead(Remembers):
    def fit(self, X, y, class_embeddings, unseen_embeddings):
        return super().fit(X, y, class_embeddings, unseen_embeddings)


def small_world(seed=0):
    return synthetic_attributes("APY", scale=0.05, att="original", n_features=40, seed=seed)


@pytest.fixture
def problem():
    return common_scale(small_world())


@pytest.fixture(autouse=True)
def fresh():
    Remembers.given = Plain.given = LooksAhead.given = ()


def small(name, **changes):
    """A method of the paper with two candidates that are quick to train."""
    method = HARD_NEGATIVE_METHODS[name]
    grid = {"attribute_weight": (0.1, 1.0)} | changes
    fixed = method.fixed | {"n_epochs": 2, "metric_dim": 8}
    return replace(method, grid=grid, fixed={k: v for k, v in fixed.items() if k not in changes})


def test_image_attributes_go_to_models_that_take_them(problem):
    evaluate_zero_shot(Remembers(), problem)
    ((X, y, attributes),) = Remembers.given
    np.testing.assert_array_equal(X, problem.features[problem.trainval])
    np.testing.assert_array_equal(y, problem.labels[problem.trainval])
    np.testing.assert_array_equal(attributes, problem.image_attributes[problem.trainval])
    evaluate_zero_shot(Plain(), problem)
    assert Plain.given[0][2] == "none"


def test_unseen_vectors_go_to_models_that_take_them(problem):
    evaluate_zero_shot(LooksAhead(), problem)
    vectors = problem.class_embeddings
    np.testing.assert_array_equal(LooksAhead.given[0][2], vectors[problem.unseen_classes])
    # Tuning shows the vectors of validation classes in their place.
    how = {"split": "random", "fraction": 0.2, "must_learn": False}
    tune_zero_shot(ZeroShotMethod("l", LooksAhead), problem, **how)
    shown = [np.flatnonzero((vectors == row).all(axis=1))[0] for row in LooksAhead.given[1][2]]
    assert 0 < len(shown) < len(problem.seen_classes)
    assert set(shown) <= set(problem.seen_classes)


def test_images_of_both_trainings_have_their_attributes(problem):
    evaluate_zero_shot(Remembers(), problem, train_on="all seen")
    every = np.concatenate([problem.trainval, problem.test_seen])
    for rows, (_, y, attributes) in zip((problem.trainval, every), Remembers.given, strict=True):
        np.testing.assert_array_equal(y, problem.labels[rows])
        np.testing.assert_array_equal(attributes, problem.image_attributes[rows])


def test_without_image_attributes_nothing_is_passed(problem):
    evaluate_zero_shot(Remembers(), replace(problem, image_attributes=None))
    assert Remembers.given[0][2] == "none"


def test_validation_trains_on_the_attributes_of_its_own_images(problem):
    how = {"split": "random", "fraction": 0.2, "must_learn": False}
    tune_zero_shot(ZeroShotMethod("r", Remembers), problem, **how)
    X, _, attributes = Remembers.given[0]
    where = [np.flatnonzero((problem.features == x).all(axis=1))[0] for x in X]
    np.testing.assert_array_equal(attributes, problem.image_attributes[where])
    assert set(where) <= set(problem.trainval)


def test_common_scale(problem):
    made = synthetic_attributes("APY", scale=0.05, att="original", n_features=40)
    seen = problem.class_embeddings[problem.seen_classes]
    assert np.linalg.norm(seen, axis=1).mean() == pytest.approx(1.0)
    assert np.ptp(np.linalg.norm(seen, axis=1)) > 0.05
    np.testing.assert_allclose(np.linalg.norm(problem.features, axis=1), 1, rtol=1e-5)
    ratio = made.image_attributes / problem.image_attributes
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-5)
    ratio = made.class_embeddings / problem.class_embeddings
    np.testing.assert_allclose(ratio, (made.image_attributes / problem.image_attributes)[0, 0])
    assert problem.class_embeddings.dtype == np.float32
    assert "mean length 1" in problem.feature_scaling
    again = common_scale(problem.scaled("none"))
    np.testing.assert_allclose(again.class_embeddings, problem.class_embeddings, rtol=1e-6)


@pytest.mark.parametrize("name", HARD_NEGATIVE_METHODS)
def test_methods_learn(name, problem):
    method = HARD_NEGATIVE_METHODS[name]
    for key in method.grid:
        assert key in method.estimator().get_params()
    first = {key: values[0] for key, values in method.grid.items()}
    model = method.estimator(seed=0, **first)
    assert model.random_state == 0
    assert model.negatives_per_positive == (1 if name == "Bucher" else 10)
    accuracies = [
        evaluate_zero_shot(model.set_params(random_state=seed), problem).accuracy
        for seed in range(3)
    ]
    assert np.mean(accuracies) > 1.5 * 100 / len(problem.unseen_classes)


@pytest.mark.parametrize("growth", ["within_epoch", "across_epochs"])
@pytest.mark.parametrize("name", HARD_NEGATIVE_METHODS)
def test_all_ways_have_as_many_negatives(name, growth, problem, monkeypatch):
    found = []

    class Counts(NegativeSet):
        def add(self, drawn):
            super().add(drawn)
            found.append(self.per_image)

    monkeypatch.setattr(metric_learner, "NegativeSet", Counts)
    method = fixed_method(name, growth, n_epochs=3, metric_dim=4)
    evaluate_zero_shot(method.estimator(seed=0), problem)
    if name == "Bucher":
        assert found == [1, 1, 1]
    else:
        assert found == ([10, 20, 30] if growth == "across_epochs" else [10, 10, 10])


def test_each_system_has_a_year_and_one_of_a_few_families():
    years, families = zip(*map(origin, ZERO_SHOT_METHODS), strict=True)
    assert all(2005 < year < 2030 for year in years)
    assert len(set(families)) < 12
    assert "other" not in families
    assert origin("ESZSL") == (ESZSL.year, ESZSL.family)
    assert replace(ZERO_SHOT_METHODS["ESZSL"], year=1999).year == 1999


class Slow(ESZSL):
    slow = True


def test_one_seed_chooses_settings_of_what_is_slow(problem):
    for make, seeds in ((Slow, 1), (ESZSL, 3)):
        method = ZeroShotMethod(make.__name__, make, {"feature_penalty": (1,)})
        (trial,) = run_zero_shot(method, problem, quick=True).tuned.trials
        assert trial["n_seeds"] == seeds


def test_epochs_to_share_by_loop():
    rng = np.random.default_rng(0)
    for _ in range(50):
        curve = rng.random(7).tolist()
        share = float(rng.uniform(0.1, 1.0))
        for of, goal in (("final", curve[-1]), ("best", max(curve))):
            expected = next(e for e, v in enumerate(curve, 1) if v >= share * goal)
            assert epochs_to_share(curve, share, of=of) == expected
    assert epochs_to_share([0.0, 0.0]) == 1
    assert epochs_to_share([1.0, 3.0, 2.9], epochs=[10, 20, 40]) == 20


def without_classes(problem):
    return replace(problem, class_embeddings=0 * problem.class_embeddings)


def without_attributes(problem):
    return replace(problem, image_attributes=None)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: epochs_to_share([]), "curve must be a 1-d sequence"),
        (lambda p: epochs_to_share([[1.0]]), "curve must be a 1-d sequence"),
        (lambda p: epochs_to_share([np.nan]), "curve must be a 1-d sequence"),
        (lambda p: epochs_to_share([-1.0, 2.0]), "curve must be a 1-d sequence"),
        (lambda p: epochs_to_share([1.0, 2.0], epochs=[1]), "got 1 epochs for 2 values"),
        (lambda p: epochs_to_share([1.0], share=1.5), "share must be"),
        (lambda p: epochs_to_share([1.0], of="last"), "of must be one of 'final', 'best'"),
        (
            lambda p: common_scale(without_classes(p)),
            "class_embeddings of all seen classes are zero",
        ),
        (
            lambda p: run_zero_shot(small("random"), p, split="random", fraction=0.99),
            "20 seen classes leaves fewer than two to train on",
        ),
        (
            lambda p: run_zero_shot(small("random"), p, split="random", fraction=0.92),
            "20 seen classes leaves fewer than two to train on",
        ),
        (
            lambda p: run_zero_shot(
                small("uncertainty/correlation"), without_attributes(p), split="random"
            ),
            "same vector",
        ),
    ],
)
def test_refused(call, words, problem):
    with pytest.raises(ValueError, match=words):
        call(problem)
