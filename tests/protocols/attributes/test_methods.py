"""Metric learners in the protocol: image attributes, common scale, validation, curves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from chapters.hardneg.ratios import fixed_method
from zslib.compatibility import ESZSL
from zslib.datasets import synthetic_attributes
from zslib.datasets.attributes.scaling import common_scale
from zslib.protocols import ZERO_SHOT_METHODS, ZeroShotMethod, evaluate_zero_shot, run_zero_shot
from zslib.protocols.attributes.methods import HARD_NEGATIVE_METHODS, origin
from zslib.protocols.attributes.tuning import tune_zero_shot


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


LOADED = synthetic_attributes("APY", scale=0.05, att="original", n_features=40)


@pytest.fixture(scope="module")
def problem():
    return common_scale(LOADED)


@pytest.fixture(autouse=True)
def fresh():
    Remembers.given = Plain.given = LooksAhead.given = ()


HOW = {"split": "random", "fraction": 0.2, "must_learn": False}


def test_image_attributes_go_to_models_that_take_them(problem):
    evaluate_zero_shot(Remembers(), problem, train_on="all seen")
    every = np.concatenate([problem.trainval, problem.test_seen])
    for rows, given in zip((problem.trainval, every), Remembers.given, strict=True):
        arrays = problem.features, problem.labels, problem.image_attributes
        for found, array in zip(given, arrays, strict=True):
            np.testing.assert_array_equal(found, array[rows])
    evaluate_zero_shot(Plain(), problem)
    assert Plain.given[0][2] == "none"
    evaluate_zero_shot(Remembers(), replace(problem, image_attributes=None))
    assert Remembers.given[2][2] == "none"


def test_unseen_vectors_go_to_models_that_take_them(problem):
    evaluate_zero_shot(LooksAhead(), problem)
    vectors = problem.class_embeddings
    np.testing.assert_array_equal(LooksAhead.given[0][2], vectors[problem.unseen_classes])
    # Tuning shows the vectors of validation classes in their place.
    tune_zero_shot(ZeroShotMethod("l", LooksAhead), problem, **HOW)
    shown = [np.flatnonzero((vectors == row).all(axis=1))[0] for row in LooksAhead.given[1][2]]
    assert 0 < len(shown) < len(problem.seen_classes)
    assert set(shown) <= set(problem.seen_classes)


def test_validation_trains_on_the_attributes_of_its_own_images(problem):
    tune_zero_shot(ZeroShotMethod("r", Remembers), problem, **HOW)
    X, _, attributes = Remembers.given[0]
    where = [np.flatnonzero((problem.features == x).all(axis=1))[0] for x in X]
    np.testing.assert_array_equal(attributes, problem.image_attributes[where])
    assert set(where) <= set(problem.trainval)


def test_common_scale(problem):
    lengths = np.linalg.norm(problem.class_embeddings[problem.seen_classes], axis=1)
    assert lengths.mean() == pytest.approx(1.0)
    assert np.ptp(lengths) > 0.05
    np.testing.assert_allclose(np.linalg.norm(problem.features, axis=1), 1, rtol=1e-5)
    first = LOADED.class_embeddings[0, 0] / problem.class_embeddings[0, 0]
    for name in ("class_embeddings", "image_attributes"):
        ratio = getattr(LOADED, name) / getattr(problem, name)
        np.testing.assert_allclose(ratio, first, rtol=1e-5)
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
    models = [method.estimator(seed=seed, **first) for seed in range(3)]
    assert models[2].random_state == 2
    assert models[0].negatives_per_positive == (1 if name == "Bucher" else 10)
    accuracies = [evaluate_zero_shot(model, problem).accuracy for model in models]
    assert np.mean(accuracies) > 1.5 * 100 / len(problem.unseen_classes)


@pytest.mark.parametrize("name", HARD_NEGATIVE_METHODS)
def test_all_but_the_original_keep_old_negatives_as_told(name):
    model = fixed_method(name, "across_epochs").estimator()
    default = HARD_NEGATIVE_METHODS["Bucher"].estimator().growth
    assert model.growth == (default if name == "Bucher" else "across_epochs")


def test_each_system_has_a_year_and_one_of_a_few_families():
    years, families = zip(*map(origin, ZERO_SHOT_METHODS), strict=True)
    assert 2005 < min(years) <= max(years) < 2030
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


def without_classes(problem):
    return replace(problem, class_embeddings=0 * problem.class_embeddings)


def without_attributes(problem):
    return replace(problem, image_attributes=None)


def drawn(problem, name="random", **options):
    """A method of the paper with two candidates that are quick to train, on drawn classes."""
    method = HARD_NEGATIVE_METHODS[name]
    fixed = method.fixed | {"n_epochs": 2, "metric_dim": 8}
    small = replace(method, grid={"attribute_weight": (0.1, 1.0)}, fixed=fixed)
    return run_zero_shot(small, problem, split="random", **options)


FEW = "20 seen classes leaves fewer than two to train on"
REFUSALS = [
    (lambda p: common_scale(without_classes(p)), "class_embeddings of all seen classes are zero"),
    (lambda p: drawn(p, fraction=0.99), FEW),
    (lambda p: drawn(p, fraction=0.92), FEW),
    (lambda p: drawn(without_attributes(p), "uncertainty/correlation"), "same vector"),
]


def test_refused(refusal, problem):
    refusal(problem)
