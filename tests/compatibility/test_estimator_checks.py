"""What holds for every zero-shot scorer: scikit-learn's conventions, seen classes only, libraries.

Every scorer that `zslib.compatibility` exports is tested. One that needs other parameters than
its defaults to be quick, or to solve the small problem, has a line in ``PARAMETERS``.
"""

import pickle
import re
from inspect import isclass, signature
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

import zslib.compatibility
from zslib.calibration import AdaptiveSmoothing, OutlierProbability
from zslib.compatibility import (
    CLAREL,
    DAP,
    ESZSL,
    SAE,
    BiDiLEL,
    BilinearModel,
    CompatibilityModel,
    MapScorer,
    zero_shot_scorer,
)
from zslib.compatibility.generative.base import GenerativeModel
from zslib.compatibility.zkl import KERNELS
from zslib.mapping import MultiStepMap, RidgeMap
from zslib.mapping.base import LinearMap
from zslib.nn import Layer

PARAMETERS = {
    "ESZSL": {"feature_penalty": 0.1, "embedding_penalty": 0.1},
    "SAE": {"direction": "feature_to_semantic"},
    "Centred": {"estimator": ESZSL(0.1, 0.1)},
    "ConSE": {"regularization": 1e-2},
    "CMT": {"learning_rate": 0.05},
    "CADAVAE": {"n_latent": 8, "n_hidden": (32, 32, 32, 32), "n_steps": 200, "n_generated": 50},
    "CNZSL": {"n_hidden": 32},
    "FeatureGenerator": {"n_hidden": 64, "n_steps": 100, "learning_rate": 0.01},
    "MapScorer": {"estimator": RidgeMap(0.1)},
    "MetricLearner": {"learning_rate": 0.03, "n_epochs": 40},
    "DAP": {"threshold": 0.3, "regularization": 1e-2},
    "GMMN": {"n_hidden": (32,), "n_noise": 4, "n_steps": 600, "n_generated": 20},
    "IAP": {"regularization": 1e-2},
    "ICINESS": {"n_hidden": (32,), "learning_rate": 0.01, "n_epochs": 30},
    "SSE": {"mixture_penalty": 0.01, "n_epochs": 30},
    "Scaled": {"estimator": ESZSL(0.1, 0.1)},
    "SynC": {"regularization": 1e-2},
}

EXPORTED = [getattr(zslib.compatibility, name) for name in zslib.compatibility.__all__]
ESTIMATORS = [Model for Model in EXPORTED if isclass(Model) and issubclass(Model, BaseEstimator)]
BASES = CompatibilityModel, BilinearModel
MODELS = [M for M in ESTIMATORS if issubclass(M, CompatibilityModel) and M not in BASES]

COMPETING = {"BiDiLEL": "new classes are placed among each other"} | {
    Model.__name__: "a classifier is trained for the candidates together"
    for Model in MODELS
    if issubclass(Model, GenerativeModel)
}
"""Scorers whose score of a class depends on the other candidates, with the reason."""

OTHERS = {"CLAREL": "its fit takes texts of samples, not embeddings of classes"}
"""Estimators that are no `CompatibilityModel`, with the reason; their own tests hold them to
scikit-learn's ``clone`` and ``get_params``."""


def test_no_estimator_is_forgotten():
    rest = {Model.__name__ for Model in ESTIMATORS if Model not in MODELS and Model not in BASES}
    assert rest == set(OTHERS)


def make(Model, **parameters):
    """A scorer with the parameters for the small problem, and a seed if it takes one."""
    if "random_state" in signature(Model).parameters:
        parameters.setdefault("random_state", 0)
    return Model(**{**PARAMETERS.get(Model.__name__, {}), **parameters})


def shortened(model):
    """The model for few epochs, for what does not ask how much it has learned."""
    lengths = {"n_epochs", "n_steps"} & set(model.get_params())
    return model.set_params(**dict.fromkeys(lengths, 3))


def fit_short(Model, X, y, S):
    return shortened(make(Model)).fit(X, y, S)


def seen_alone(problem):
    """Labels as rows of the class embeddings of the seen classes alone, and these."""
    codes = np.unique(problem.y, return_inverse=True)[1]
    return codes, np.delete(problem.S, problem.unseen, axis=0)


def state(model):
    """What training learned, apart from the candidates that are kept for later."""
    found = {}
    for name, value in vars(model).items():
        if isinstance(value, CompatibilityModel | LinearMap) and name.endswith("_"):
            found |= {f"{name}.{inner}": kept for inner, kept in state(value).items()}
        elif isinstance(value, Layer):
            found |= {f"{name}.{inner}": p.value for inner, p in value.parameters().items()}
            found |= {f"{name}.{inner}": kept for inner, kept in value.buffers().items()}
        elif name.endswith("_") and name != "class_embeddings_":
            found[name] = value
    return found


def assert_same_state(one, other):
    one, other = state(one), state(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(np.asarray(value), np.asarray(other[name]), err_msg=name)


each_model = pytest.mark.parametrize("Model", MODELS, ids=lambda Model: Model.__name__)


@each_model
def test_solves_easy_problems(Model, worlds):
    unseen, seen = [], []
    for world in worlds:
        model = make(Model).fit(world.X, world.y, world.S)
        unseen.append(model.score(world.X_unseen, world.y_unseen, world.S_unseen))
        seen.append(model.score(world.X, *seen_alone(world)))
    assert np.mean(unseen) > 0.5  # one in four by chance
    assert np.mean(seen) > 0.5  # one in twelve by chance


@each_model
def test_unseen_classes_never_influence_training(Model, problem):
    model = fit_short(Model, problem.X, problem.y, problem.S)
    other = problem.S.copy()
    other[problem.unseen] = 100.0 * np.random.default_rng(1).standard_normal((4, 8))
    assert_same_state(model, fit_short(Model, problem.X, problem.y, other))
    alone = fit_short(Model, problem.X, *seen_alone(problem))
    alone.classes_ = model.classes_
    assert_same_state(model, alone)


@each_model
def test_one_seed_one_result(Model, problem):
    model = shortened(make(Model))
    assert model.fit(problem.X, problem.y, problem.S) is model
    assert_same_state(model, clone(model).fit(problem.X, problem.y, problem.S))
    scores = model.decision_function(problem.X, problem.S)
    assert np.all(np.isfinite(scores))
    np.testing.assert_array_equal(model.predict(problem.X, problem.S), scores.argmax(axis=1))
    np.testing.assert_array_equal(model.decision_function(problem.X), scores)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.decision_function(problem.X, problem.S), scores)


@pytest.mark.parametrize("Model", [M for M in MODELS if "random_state" in signature(M).parameters])
def test_seeds_matter(Model, problem):
    one, same, other = (
        shortened(make(Model, random_state=seed)).fit(problem.X, problem.y, problem.S)
        for seed in (0, np.random.default_rng(0), 1)
    )
    assert_same_state(one, same)
    scores, others = (model.decision_function(problem.X) for model in (one, other))
    assert not np.allclose(scores, others)


FASTER, LONGER = {"learning_rate": 0.05}, {"learning_rate": 0.01, "n_epochs": 200}


@pytest.mark.parametrize(
    ("name", "parameters", "share"),
    [
        ("CNZSL", {"n_hidden": 16, "scale": 5.0, "n_epochs": 40}, 0.5),
        ("ICINESS", {"n_hidden": (16,), "learning_rate": 0.02, "n_epochs": 40}, 0.5),
        ("SSE", {"mixture_penalty": 0.01, "n_epochs": 30}, 0.2),
        *(("ZKL", {"kernel": kernel, **FASTER, "n_epochs": 30}, 0.8) for kernel in KERNELS),
        *((name, {"n_epochs": 60}, 0.5) for name in ("ALE", "DeViSE", "SJE", "LatEm")),
        ("CMT", {"n_hidden": 30, **FASTER, "n_epochs": 30}, 0.2),
        ("MetricLearner", {"negatives": "random", **LONGER}, 0.5),
        ("MetricLearner", {"negatives": "uncertainty", **LONGER}, 0.5),
    ],
)
def test_training_lowers_the_loss(name, parameters, share, problem):
    model = getattr(zslib.compatibility, name)(**parameters, random_state=0)
    curve = model.fit(problem.X, problem.y, problem.S).learning_curve_
    assert len(curve) == parameters["n_epochs"]
    assert curve[-1] < share * curve[0]


@each_model
def test_every_library_gives_the_same_scores(Model, backend, small_problem):
    host = small_problem.X, small_problem.y, small_problem.S
    X, y, S = map(backend.asarray, host)
    model, twin = fit_short(Model, X, y, S), fit_short(Model, *host)
    for value in state(model).values():
        if hasattr(value, "shape"):
            backend.check(value)
    scores = backend.to_numpy(model.decision_function(X, S))
    expected = twin.decision_function(host[0], host[2])
    # Iterations carry the last bits on: near, not equal.
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-3 * np.abs(expected).max())
    assert backend.to_numpy(model.predict(X, S)).dtype == np.int64
    assert model.score(X, y, S) == pytest.approx(twin.score(*host))


@each_model
def test_float32_stays_float32(Model, problem32):
    model = fit_short(Model, problem32.X, problem32.y, problem32.S)
    for name, value in state(model).items():
        if hasattr(value, "dtype") and value.dtype.kind == "f":
            assert value.dtype == np.float32, name
    narrow = model.decision_function(problem32.X, problem32.S)
    wide = model.decision_function(problem32.X.astype("float64"))
    assert (narrow.dtype, wide.dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(narrow, wide, rtol=0, atol=2e-4 * np.abs(wide).max())


@each_model
def test_candidates_are_scored_one_by_one(Model, problem):
    if Model.__name__ in COMPETING:
        pytest.skip(COMPETING[Model.__name__])
    model = fit_short(Model, problem.X, problem.y, problem.S)
    scores, some = model.decision_function(problem.X, problem.S), np.array([5, 1, 7])
    found = model.decision_function(problem.X[3:8], problem.S[some])
    size = np.abs(scores).max()
    np.testing.assert_allclose(found, scores[3:8][:, some], rtol=1e-6, atol=1e-7 * size)


EQUIVARIANT = {
    "X": "CADAVAE CNZSL Centred DARK FeatureGenerator GMMN ICINESS PSR ZKL",
    "S": "BiDiLEL CNZSL Centred ConSE DARK FeatureGenerator GMMN IAP ICINESS MapScorer SynC ZKL",
}
"""Scorers whose answers the unit of features, or of class embeddings, does not change."""

EXPONENTS = {"float32": (-140, -99, 99), "float64": (-1030, -99, 99, 990)}


@pytest.mark.parametrize("part", ["X", "S"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@each_model
def test_any_unit_is_served_or_refused(Model, dtype, part, small_problem):
    """The same answers, finite ones that differ, or an error that says what to scale."""
    whole = {k: v if k[0] in "yu" else v.astype(dtype) for k, v in vars(small_problem).items()}

    def scores(unit=1.0):
        unit = np.dtype(dtype).type(unit)
        given = SimpleNamespace(**{k: v * unit if k[0] == part else v for k, v in whole.items()})
        model = fit_short(Model, given.X, given.y, given.S)
        return model.decision_function(given.X_unseen, given.S_unseen)

    expected = scores().argmax(axis=1)
    for exponent in EXPONENTS[dtype]:
        must = Model.__name__ in EQUIVARIANT[part].split() and abs(exponent) <= 99
        try:
            found = scores(2.0**exponent)
        except ValueError as error:
            words = "scale|smaller|length near one|raise|learning_rate|threshold=0.3"
            assert re.search(words, str(error)) and not must, error
            continue
        assert np.all(np.isfinite(found))
        assert not np.all(found == found[:, :1])
        if must:
            np.testing.assert_array_equal(found.argmax(axis=1), expected)


@pytest.mark.parametrize("exponent", [-60, 60])
@pytest.mark.parametrize(
    ("Model", "name", "power"),
    [
        (ESZSL, "feature_penalty", 2),
        (SAE, "regularization", -2),
        (BiDiLEL, "regularization", 2),
        (MapScorer, "estimator__alpha", 2),
    ],
)
def test_a_penalty_in_the_unit_of_features_makes_answers_free_of_it(
    Model, name, power, exponent, problem32
):
    """Squares of 2**60 and 2**-60 sum beyond float32, those of their penalties do not."""
    model, unit = make(Model), np.float32(2.0**exponent)
    plain = clone(model).fit(problem32.X, problem32.y, problem32.S)
    model.set_params(**{name: model.get_params()[name] * float(unit) ** power})
    model.fit(problem32.X * unit, problem32.y, problem32.S)
    found = model.predict(problem32.X_unseen * unit, problem32.S_unseen)
    np.testing.assert_array_equal(found, plain.predict(problem32.X_unseen, problem32.S_unseen))


DISCRETE = {
    "direction": ["semantic_to_feature", "feature_to_semantic"],
    "kernel": KERNELS,
    "negatives": ["random", "uncertainty"],
    "hinge": ["squared_distance", "as_printed"],
    "growth": ["across_epochs", "within_epoch"],
    "gradient": ["fixed", "margin", "objective"],
    "iteration": ["pass", "step"],
    "recipe": ["WGAN", "f-CLSWGAN", "f-VAEGAN-D2", "cycle-WGAN", "cycle-CLSWGAN"],
    "novelty": [None, OutlierProbability()],
    "threshold": ["mean", 0.4],
    "n_neighbors": [None, 2],
    "estimator": {
        "Centred": [None, DAP()],
        "Scaled": [None, DAP()],
        "MapScorer": [None, RidgeMap(direction="reverse"), MultiStepMap()],
    },
    "loss": ["one_vs_other", "crammer_singer", "structured"],
}
"""Values of parameters that are no numbers; those that are truths have both."""


@each_model
def test_every_search_over_kinds_is_scored_on_held_out_classes(Model, small_problem):
    kinds = {}
    for name, parameter in signature(Model).parameters.items():
        if isinstance(parameter.default, bool):
            kinds[name] = [False, True]
        elif name in DISCRETE:
            values = DISCRETE[name]
            kinds[name] = values[Model.__name__] if isinstance(values, dict) else values
    grid = [{name: values} for name, values in kinds.items()] or [{}]
    X, y, S = small_problem.X, small_problem.y, small_problem.S
    folds = GroupShuffleSplit(1, test_size=3, random_state=0)
    options = {"cv": folds, "scoring": zero_shot_scorer, "refit": False, "error_score": "raise"}
    search = GridSearchCV(shortened(make(Model)), grid, **options)
    found = search.fit(X, y, groups=y, class_embeddings=S).cv_results_
    assert len(found["params"]) == max(1, sum(map(len, kinds.values())))
    train, test = next(folds.split(X, groups=y))
    classes, codes = np.unique(y[test], return_inverse=True)
    first = shortened(make(Model, **found["params"][0])).fit(X[train], y[train], S)
    assert found["split0_test_score"][0] == first.score(X[test], codes, S[classes])


ALWAYS = "DAP IAP CNZSL ICINESS CADAVAE FeatureGenerator GMMN"
WITH_PROBABILITIES = {name: {} for name in ALWAYS.split()} | {
    "CMT": {"novelty": OutlierProbability()},
    "Centred": {"estimator": DAP()},
    "Scaled": {"estimator": DAP()},
}


@each_model
def test_probabilities_where_a_method_has_them(Model, small_problem, backend):
    X, y, S = small_problem.X, small_problem.y, small_problem.S
    model = shortened(make(Model, **WITH_PROBABILITIES.get(Model.__name__, {})))
    assert hasattr(model, "predict_proba") == (Model.__name__ in WITH_PROBABILITIES)
    if Model.__name__ not in WITH_PROBABILITIES:
        return
    model.fit(*map(backend.asarray, (X, y, S)))
    for candidates in (S, S[:3]):
        given = backend.asarray(X), backend.asarray(candidates)
        likely = backend.to_numpy(model.predict_proba(*given))
        scores = backend.to_numpy(model.decision_function(*given))
        expected = [np.exp(row - row.max()) / np.exp(row - row.max()).sum() for row in scores]
        np.testing.assert_allclose(likely, expected, rtol=1e-6, atol=1e-12)


def test_what_has_no_score_is_not_searched_without_one(problem):
    """CLAREL learns from texts, and detectors and gates answer another question than classes."""
    for model in (CLAREL(), OutlierProbability(), AdaptiveSmoothing()):
        with pytest.raises(TypeError, match="scoring"):
            GridSearchCV(model, {}).fit(problem.X, problem.y)


DO_NOT_APPLY = {
    "DARK": {"check_estimators_dtypes": "a row cut to whole numbers is zero: no direction"},
    "SSE": {"check_classifiers_train": "two features of one weight cannot part three blobs"},
}
"""Checks of scikit-learn that cannot pass, with the reason. What no scorer can meet, ``fit``
without class embeddings and labels that are no row numbers, `ClosedSet` supplies."""

CLOSED = {"FeatureGenerator": {"n_steps": 3}, "GMMN": {"n_steps": 3}, "CADAVAE": {"n_steps": 30}}
"""Where no class is new, a generator has little say: the classifier has real images of all."""


class ClosedSet:
    """Turns a scorer into an ordinary classifier, whose class embeddings are one-hot.

    scikit-learn's checks call ``fit(X, y)`` with any labels. Apart from these nothing is added:
    everything else that is checked is the scorer's own.
    """

    def fit(self, X, y):
        if y is None:
            return super().fit(X, y, np.eye(2))
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=None), warn=True)
        check_classification_targets(y)
        labels, codes = np.unique(y, return_inverse=True)
        super().fit(X, codes, np.eye(len(labels)))
        self.classes_ = labels
        return self

    def decision_function(self, X, *candidates):
        scores = super().decision_function(X, *candidates)
        # The scorer's own methods say which candidates, if None; scikit-learn's checks do not.
        of_two = not candidates and len(self.classes_) == 2
        return scores[:, 1] - scores[:, 0] if of_two else scores

    def predict(self, X):
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


def closed_set(Model):
    """The scorer as a classifier of the same name, where pickle finds it."""
    name = Model.__name__
    globals()[name] = type(name, (ClosedSet, Model), {"__module__": __name__})
    return make(globals()[name], **CLOSED.get(name, {}))


LEARN = {"check_classifiers_train", "check_classifiers_classes"}
"""The checks that ask for right answers."""


@parametrize_with_checks(
    [closed_set(Model) for Model in MODELS],
    expected_failed_checks=lambda model: DO_NOT_APPLY.get(type(model).__name__, {}),
)
def test_scikit_learn(estimator, check):
    check(estimator if check.func.__name__ in LEARN else shortened(clone(estimator)))
