"""From a run to a model: answers of the run, for images and class vectors as they come."""

import pickle
from dataclasses import replace

import numpy as np
import pandas
import pytest
from sklearn.base import clone

from zslib.compatibility import ESZSL
from zslib.datasets import from_features, synthetic_attributes
from zslib.datasets.attributes.scaling import common_scale, unit_length
from zslib.protocols import ZERO_SHOT_METHODS, ZeroShotMethod, run_table, run_zero_shot


@pytest.fixture(scope="module")
def loaded():
    return synthetic_attributes("APY", scale=0.05, att="original")


SCALINGS = {
    "none": lambda problem: problem,
    "unit length": lambda problem: problem.scaled("unit length"),
    "standard": lambda problem: problem.scaled("standard"),
    "two steps": lambda problem: problem.scaled("unit length").scaled("standard"),
    "unit length of both": unit_length,
    "common scale": common_scale,
    "all": lambda problem: common_scale(problem).scaled("standard"),
}


def short(name, **fixed):
    method = ZERO_SHOT_METHODS[name]
    return replace(method, fixed=method.fixed | fixed)


METHODS = {
    "ESZSL": short("ESZSL"),
    "centred": short("ESZSL").on_centred(),
    "CMT*": short("CMT*", n_epochs=2),
    "GMMN": short("GMMN", n_hidden=(8,), n_steps=20, n_generated=5),
    "metric": short("Bucher", n_epochs=2),
    "unseen classes in training": short("cycle-UWGAN", n_steps=2, n_hidden=8, n_generated=5),
}


def check_answers(run, model, loaded):
    """What the model says of raw images is what the run's outcome has."""
    names, outcome = loaded.class_names, run.outcome
    every = dict(zip(names, loaded.class_embeddings, strict=True))
    unseen = {name: every[name] for name in names[loaded.unseen_classes]}
    for side, images in (("test_unseen", loaded.test_unseen), ("test_seen", loaded.test_seen)):
        tested, X = getattr(outcome, side), loaded.features[images]
        found = model.predict(X, every)
        np.testing.assert_array_equal(found, names[tested.neighbours(1)[:, 0]])
        np.testing.assert_array_equal(model.predict(X), found)
    tested, X = outcome.zero_shot, loaded.features[loaded.test_unseen]
    k = tested.unseen.shape[1]
    found, scores = model.top_classes(X, k, unseen)
    np.testing.assert_array_equal(found, names[tested.unseen])
    np.testing.assert_array_equal(scores, tested.unseen_scores)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("method", ["ESZSL", "CMT*"])
def test_a_model_answers_as_its_run(loaded, method, scaling):
    problem = SCALINGS[scaling](loaded)
    (run,) = run_table([METHODS[method]], problem, parameters={})[METHODS[method].name]
    check_answers(run, pickle.loads(pickle.dumps(run.fit(problem))), loaded)


@pytest.mark.parametrize("method", METHODS)
def test_every_kind_of_method_makes_a_model(loaded, method):
    problem = common_scale(loaded)
    run = run_zero_shot(METHODS[method], problem, seed=3, parameters={})
    check_answers(run, run.fit(problem), loaded)
    check_answers(run, run.fit(loaded), loaded)


def test_a_model_has_the_settings_that_validation_chose(loaded):
    problem = unit_length(loaded)
    run = run_zero_shot("ESZSL", problem, quick=True)
    model = run.fit(problem)
    assert run.parameters.items() <= model.estimator_.get_params().items()
    check_answers(run, model, loaded)
    # A model is an estimator of vectors as they come.
    rows = loaded.trainval
    names = loaded.class_names[loaded.labels[rows]]
    vectors = dict(zip(loaded.class_names, loaded.class_embeddings, strict=True))
    check_answers(run, clone(model).fit(loaded.features[rows], names, vectors), loaded)


def test_given_parameters_were_not_validated(loaded):
    run = run_zero_shot("ESZSL", unit_length(loaded), parameters={})
    with pytest.raises(ValueError, match="this one was given parameters: leave them out"):
        _ = run.validation_accuracy


@pytest.mark.parametrize("scale", [unit_length, common_scale])
def test_calibration_is_that_of_the_outcome(loaded, scale):
    problem = scale(loaded)
    run = run_zero_shot("ESZSL", problem, parameters={})
    model = run.fit(problem, gamma=0.05)
    outcome, X = run.outcome.at(0.05), loaded.features[loaded.test_unseen]
    assert not np.array_equal(outcome.predictions("unseen"), run.outcome.predictions("unseen"))
    expected = loaded.class_names[outcome.predictions("unseen")]
    np.testing.assert_array_equal(model.predict(X), expected)
    # Scaled vectors are known again, too.
    scaled = dict(zip(loaded.class_names, problem.class_embeddings, strict=True))
    if scale is unit_length:
        np.testing.assert_array_equal(model.predict(X, scaled), expected)


def test_candidates_need_no_images(loaded):
    run = run_zero_shot("ESZSL", unit_length(loaded), parameters={})
    model = run.fit(loaded)
    new = {"new": 3.0 * loaded.class_embeddings[0], "other": loaded.class_embeddings[1]}
    found = model.predict(loaded.features[:20], new)
    scaled = unit_length(loaded)
    best = model.estimator_.predict(scaled.features[:20], scaled.class_embeddings[:2])
    assert found.tolist() == [list(new)[c] for c in best]


def test_what_cannot_be_scaled_alike_is_refused(loaded):
    run = run_zero_shot("ESZSL", loaded.scaled("standard"), parameters={})
    unit = loaded.scaled("unit length")
    for problem, words in (
        (unit, "'unit length', which is not on the way to 'standard'"),
        (replace(unit, feature_scaling="standard"), r"\(standard\) after 'unit length'"),
    ):
        with pytest.raises(ValueError, match=words):
            run.fit(problem)
    with pytest.raises(TypeError, match="must be of the class ZeroShotProblem"):
        run.fit(loaded.features)


def test_a_method_of_ones_own_makes_a_model(loaded):
    own = ZeroShotMethod("own", ESZSL, fixed={"unit_embeddings": True})
    problem = loaded.scaled("standard")
    run = run_zero_shot(own, problem, parameters={"feature_penalty": 3.0})
    check_answers(run, run.fit(problem), loaded)


@pytest.mark.parametrize("prefix", ["f", None])
def test_columns_are_in_the_order_of_the_problem_s(loaded, prefix):
    images = pandas.DataFrame(loaded.features)
    images = images if prefix is None else images.add_prefix(prefix)
    classes = pandas.DataFrame(loaded.class_embeddings, index=loaded.class_names).add_prefix("a")
    unseen = loaded.class_names[loaded.unseen_classes]
    named = from_features(
        images, loaded.class_names[loaded.labels], classes, unseen_classes=unseen
    )
    for problem in (named, replace(loaded, features=images, class_embeddings=classes)):
        run = run_zero_shot("ESZSL", unit_length(problem), parameters={"feature_penalty": 1.0})
        model = pickle.loads(pickle.dumps(run.fit(problem)))
        some, candidates = images[:9], classes.loc[unseen]
        assert model.predict(some, candidates).shape == (9,)
        for given in ((some.iloc[:, ::-1], candidates), (some, candidates.iloc[:, ::-1])):
            with pytest.raises(ValueError, match=r"feature names|column 0 of (X|class_em)"):
                model.predict(*given)
    assert replace(named, features=loaded.features[:, :5]).columns.keys() == {"class_embeddings"}
    assert problem.checksum == loaded.checksum
