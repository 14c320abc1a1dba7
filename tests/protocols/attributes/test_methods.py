"""Metric learners in the protocol: image attributes, common scale, validation, curves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from chapters.hardneg.ratios import fixed_method, second_choice
from zslib.compatibility import ESZSL, MetricLearner
from zslib.compatibility.metric import learner as metric_learner
from zslib.compatibility.metric.negatives import NegativeSet
from zslib.datasets import available, load_problem, synthetic_attributes
from zslib.datasets.attributes.scaling import common_scale
from zslib.protocols import (
    ZERO_SHOT_METHODS,
    ZeroShotMethod,
    evaluate_zero_shot,
    run_table,
    run_zero_shot,
    tune_zero_shot,
)
from zslib.protocols.attributes.curves import accuracy_by_epoch, epochs_to_share, zero_shot_curves
from zslib.protocols.attributes.methods import (
    HARD_NEGATIVE_METHODS,
    READINGS,
    hard_negative_problems,
    named,
    origin,
    seen_candidates,
    with_enough_steps,
)


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
    with pytest.raises(ValueError, match="class_embeddings of all seen classes are zero"):
        common_scale(replace(made, class_embeddings=0 * made.class_embeddings))


def test_problems_by_request():
    synthetic, digits = hard_negative_problems("synthetic+digits", quick=True)
    assert synthetic.synthetic
    assert not digits.synthetic
    expected = common_scale(load_problem("metric learning", "synthetic", quick=True))
    assert synthetic.checksum == expected.checksum
    with pytest.raises(ValueError, match="split must be one of 'standard', 'proposed'"):
        hard_negative_problems("digits", split="official")
    with pytest.raises(ValueError, match="no data set for the metric learning setting"):
        hard_negative_problems("europarl+dinu2015")


@pytest.mark.skipif(not available("apy"), reason="aPY's attributes are not here")
def test_splits_of_real_data():
    standard, proposed = (
        hard_negative_problems("apy", split=split, quick=True)[0]
        for split in ("standard", "proposed")
    )
    assert standard.unseen_classes.tolist() == list(range(20, 32))
    assert proposed.unseen_classes.tolist() != standard.unseen_classes.tolist()


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


def test_bucher_is_one_random_negative():
    model = HARD_NEGATIVE_METHODS["Bucher"].estimator()
    assert (model.negatives, model.negatives_per_positive) == ("random", 1)
    chosen = {m.estimator().negatives for m in HARD_NEGATIVE_METHODS.values()}
    assert chosen == {"random", "uncertainty", "uncertainty_correlation"}


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


def test_candidates_of_seen_classes(problem):
    found = seen_candidates(problem)
    rows = problem.trainval
    np.testing.assert_array_equal(found.vectors[found.own], problem.image_attributes[rows])
    np.testing.assert_array_equal(problem.seen_classes[found.labels], problem.labels[rows])
    found = seen_candidates(replace(problem, image_attributes=None))
    expected = problem.class_embeddings[problem.labels[rows]]
    np.testing.assert_array_equal(found.vectors[found.own], expected)
    assert found.fewest == len(problem.seen_classes) - 1


def test_one_vector_per_class_refuses_correlation(problem):
    classes_only = replace(problem, image_attributes=None)
    with pytest.raises(ValueError, match="same vector"):
        run_zero_shot(small("uncertainty/correlation"), classes_only, split="random")


def test_more_negatives_than_there_are_is_passed_over():
    (digits,) = hard_negative_problems("digits", quick=True)
    method = small("uncertainty", negatives_per_positive=(1, 500))
    run = run_zero_shot(method, digits, split="random", fraction=0.2, must_learn=False)
    assert run.parameters["negatives_per_positive"] == 1
    failed = [t["failed"] for t in run.tuned.trials if "failed" in t]
    assert len(failed) == 2
    assert "negatives_per_positive=500" in failed[0]


def test_enough_steps(problem):
    method = HARD_NEGATIVE_METHODS["uncertainty"]
    assert len(problem.trainval) == 297  # five minibatches
    for options, epochs in (({}, 200), ({"steps": 7}, 15), ({"steps": 7, "n_epochs": 1}, 2)):
        changed = with_enough_steps(method, problem, **options)
        assert changed.fixed == method.fixed | {"n_epochs": epochs}
        assert changed.grid == method.grid
    for wrong in ({"steps": 0}, {"n_epochs": 0}):
        with pytest.raises(ValueError, match="must be at least 1"):
            with_enough_steps(method, problem, **wrong)


def test_share_of_validation_classes_reaches_the_split(problem):
    found = {}
    for fraction in (0.2, 0.5):
        method = small("random")
        how = {"split": "random", "fraction": fraction, "must_learn": False}
        run = run_table([method], problem, [4, 5], **how)["random"]
        expected = tune_zero_shot(method, problem, **how)
        assert run[0].tuned.trials == expected.trials
        assert run[1].tuned.trials == expected.trials
        found[fraction] = [trial["score"] for trial in expected.trials]
    assert found[0.2] != found[0.5]


@pytest.mark.parametrize("fraction", [0.99, 0.92])
def test_no_class_left_to_train_on(problem, fraction):
    with pytest.raises(ValueError, match="20 seen classes leaves fewer than two to train on"):
        run_zero_shot(small("random"), problem, split="random", fraction=fraction)


def test_our_readings_are_marked():
    assert [named(name) for name in ("SAE", *READINGS)] == ["SAE", "ICINESS †", "JLSE †"]


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


@pytest.mark.parametrize("name", ["DAP", "IAP"])
def test_dap_and_iap_are_compared_systems(name):
    """Over three worlds, well above chance: one small training may turn on a rounding."""
    assert not ZERO_SHOT_METHODS[name].seeds_matter
    times_chance = []
    for seed in range(3):
        world = common_scale(small_world(seed=seed))
        run = run_zero_shot(name, world, split="random", fraction=0.2, quick=True)
        times_chance.append(run.outcome.accuracy * len(world.unseen_classes) / 100)
    assert np.mean(times_chance) > 1.5


def test_curve_is_the_accuracy_of_shorter_trainings(problem):
    model = MetricLearner(8, learning_rate=0.1, n_epochs=4, random_state=1)
    curve = accuracy_by_epoch(model, problem)
    for epochs in (1, 3, 4):
        shorter = evaluate_zero_shot(model.set_params(n_epochs=epochs), problem)
        assert curve[epochs - 1].mean() == pytest.approx(shorter.accuracy)
    assert not hasattr(model, "coef_")
    with pytest.raises(TypeError, match="ESZSL keeps no epochs"):
        accuracy_by_epoch(ESZSL(), problem)


def test_curves_of_several_seeds_are_kept(problem, monkeypatch):
    method = small("uncertainty")
    given = {"attribute_weight": 0.1, "n_epochs": 3}
    curves = zero_shot_curves(method, problem, [0, 1], parameters=given)
    assert curves.shape == (2, 3, len(problem.unseen_classes))
    model = method.estimator(seed=1).set_params(**given)
    np.testing.assert_array_equal(curves[1], accuracy_by_epoch(model, problem))
    monkeypatch.setattr(MetricLearner, "fit", None)
    again = zero_shot_curves(method, problem, [1, 0], parameters=given)
    np.testing.assert_array_equal(again, curves[::-1])
    with pytest.raises(ValueError, match="seeds is empty"):
        zero_shot_curves(method, problem, [])


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


def test_refusals_of_curves():
    for curve in ([], [[1.0]], [np.nan], [-1.0, 2.0]):
        with pytest.raises(ValueError, match="curve must be a 1-d sequence"):
            epochs_to_share(curve)
    with pytest.raises(ValueError, match="got 1 epochs for 2 values"):
        epochs_to_share([1.0, 2.0], epochs=[1])
    with pytest.raises(ValueError, match="share must be"):
        epochs_to_share([1.0], share=1.5)
    with pytest.raises(ValueError, match="of must be one of 'final', 'best'"):
        epochs_to_share([1.0], of="last")


def test_the_second_choice_is_that_of_validation():
    method, problem = (
        ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.01, 1.0)}),
        small_world(),
    )
    runs = run_table([method], problem, (3, 4))["ESZSL"]
    found = second_choice(method, problem, runs)
    (_, second, *_) = runs[0].tuned.ranked
    assert [run.parameters for run in found] == 2 * [second["parameters"]]
    assert second["parameters"] != runs[0].parameters
    expected = run_zero_shot(method, problem, seed=3, parameters=second["parameters"])
    assert found[0].outcome.accuracy == expected.outcome.accuracy
