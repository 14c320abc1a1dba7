"""What the scorers refuse: parameters, inputs, and trainings that leave the range of numbers."""

from inspect import isclass, signature

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import zslib.compatibility
from zslib.compatibility import ESZSL, BiDiLEL, CompatibilityModel

SCORERS = {
    name: Model
    for name, Model in vars(zslib.compatibility).items()
    if isclass(Model) and issubclass(Model, CompatibilityModel)
}

OF_ALL = {
    (0, "must be at least 1"): "batch_size max_iter metric_dim n_averaged n_components n_epochs "
    "n_generated n_iter n_latent n_matrices n_neighbors n_noise n_seen n_steps "
    "negatives_per_positive objective_every rank refresh_every",
    (2.5, "must be an integer", TypeError): "batch_size degree metric_dim n_averaged n_epochs "
    "n_matrices n_neighbors n_steps rank",
    (0.0, "must be .* above 0"): "code_penalty embedding_penalty feature_length "
    "feature_penalty init_scale learning_rate margin mixture_penalty scale sigma",
    (-1.0, "must be .* (at least|above) 0"): "embedding_penalty feature_penalty regularization",
    (-1, "must be .*at least 0"): "attribute_weight classification_weight classifier_penalty "
    "cross_weight distance_weight divergence_weight drop_at offset orthogonality "
    "reconstruction_weight similar_weight tol",
    (np.nan, "must be a finite number"): "embedding_penalty feature_penalty margin threshold",
    ("1", "must be a number", TypeError): "adversarial_weight embedding_penalty feature_penalty "
    "tol",
    ("x", "must be one of"): "balanced direction first_violating gradient growth "
    "hardness hinge iteration keep_epochs kernel label_view loss negatives normalize recipe",
    ("x", "", TypeError): "random_state",
}
"""By value, words after the parameter's name and, if it is no ValueError, the error: parameters
of which every scorer that has one refuses this."""

OF_SOME = [
    ("DAP IAP", "threshold", "median", "must be 'mean' or a number"),
    ("DAP IAP", "threshold", None, "must be a number", TypeError),
    ("DAP IAP", "threshold", 7.0, "=7.0 gives all classes in y the same"),
    *(("ESZSL", "other_target", value, "must be .* below 1") for value in (1.0, 2.0, np.nan)),
    ("SAE BiDiLEL SynC", "regularization", 0.0, "must be .* above 0"),
    ("CMT CNZSL PSR FeatureGenerator", "n_hidden", 0, "must be at least 1"),
    ("CMT", "novelty", "outlier", "must be None or a detector such as Outlier", TypeError),
    ("ICINESS GMMN CADAVAE", "n_hidden", (0,), "must be at least 1"),
    ("ICINESS GMMN CADAVAE", "n_hidden", 64, "must be a sequence of integers", TypeError),
    ("ICINESS GMMN CADAVAE", "n_hidden", (), "is empty"),
    ("ICINESS", "n_rivals", 1, "must be at least 2"),
    ("PSR", "similar_quantile", 1.5, "must be .* at most 1"),
    ("DARK", "margin", 1.0, "must be .* below 1"),
    ("MetricLearner", "negatives", "uncertainty_correlation", ".* same vector, as .* AwA"),
    ("MetricLearner", "negatives_per_positive", 12, ".* only 11 different attribute vectors"),
    ("MetricLearner", "n_scored", 1, "must be at least 2"),
    ("CADAVAE", "n_hidden", (1, 2, 3), "must be four integers"),
    ("GMMN", "bandwidths", (), "is empty"),
    ("GMMN", "bandwidths", (1.0, 0.0), "must be .* above 0"),
    ("GMMN", "bandwidths", 1.0, "must be a sequence of numbers", TypeError),
    ("FeatureGenerator", "recipe", "cycle-UWGAN", ".* pass unseen_embeddings to fit"),
    ("Scaled", "gamma", np.inf, "must be a finite number"),
    ("Centred Scaled", "estimator", Ridge(), "must be a scorer", TypeError),
    ("MapScorer", "estimator", ESZSL(), "must be a map", TypeError),
]

CASES = [
    (Model, parameter, *rest)
    for rest, parameters in OF_ALL.items()
    for parameter in parameters.split()
    for Model in SCORERS.values()
    if parameter in signature(Model).parameters
] + [(SCORERS[name], *rest) for names, *rest in OF_SOME for name in names.split()]


@pytest.mark.parametrize(
    ("Model", "parameter", "value", "words", "error"), [(*case, ValueError)[:5] for case in CASES]
)
def test_bad_parameters(Model, parameter, value, words, error, problem):
    with pytest.raises(error, match=f"{parameter} ?{words}"):
        Model(**{parameter: value}).fit(problem.X, problem.y, problem.S)


def test_every_rule_is_of_a_parameter_that_there_is():
    known = {name for Model in SCORERS.values() for name in signature(Model).parameters}
    assert set(" ".join(OF_ALL.values()).split()) <= known


@pytest.mark.parametrize("Model", SCORERS.values())
def test_bad_samples(Model, problem):
    broken = problem.X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X holds NaN .* row 3"):
        Model().fit(broken, problem.y, problem.S)
    with pytest.raises(ValueError, match="one class only"):
        Model().fit(problem.X, np.zeros_like(problem.y), problem.S)


FAST, SLOWER = {"learning_rate": 1e30}, "lower learning_rate"
RANKED = {"learning_rate": 1e38}, "", r"diverged in epoch \d+: .*learning_rate=1e\+38"


@pytest.mark.parametrize(
    ("name", "parameters", "large", "words"),
    [
        ("DAP", {}, "X", "scale the features"),
        ("IAP", {}, "X", "scale the features"),
        ("SSE", {}, "X", "scale the features"),
        ("CMT", {"n_epochs": 1}, "S", f"{SLOWER}, or scale features and embeddings"),
        ("PSR", {"n_epochs": 1}, "S", f"{SLOWER}, or scale the class embeddings"),
        ("CADAVAE", {"n_steps": 3}, "S", f"{SLOWER} or feature_length, or scale class"),
        ("CNZSL", {"n_hidden": 16, "n_epochs": 5, **FAST}, "", SLOWER),
        ("ICINESS", {"n_hidden": (16,), "n_epochs": 5, **FAST}, "", SLOWER),
        ("SSE", {"n_epochs": 3, **FAST}, "", SLOWER),
        ("GMMN", {"n_hidden": (16,), "n_steps": 30, **FAST}, "", SLOWER),
        ("FeatureGenerator", {"n_hidden": 16, "n_steps": 3, **FAST}, "", SLOWER),
        ("ZKL", {"kernel": "polynomial", **FAST}, "", f"{SLOWER}, or degree and offset"),
        ("MetricLearner", {"learning_rate": 1e8}, "", r"in epoch \d+.*learning_rate=10{8}\.0 "),
        ("DARK", FAST, "", r"before step \d+: .*12 classes learning_rate=1e\+30 or refresh_every"),
        *((name, *RANKED) for name in ("ALE", "DeViSE", "SJE", "LatEm")),
    ],
)
def test_divergence_is_reported(name, parameters, large, words, problem32):
    for part in large:
        setattr(problem32, part, getattr(problem32, part) * np.float32(1e30))
    model = SCORERS[name](**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    with pytest.raises(ValueError, match=words):
        model.fit(problem32.X, problem32.y, problem32.S)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("name", ["CMT", "LatEm", "MetricLearner"])
def test_a_unit_in_which_nothing_is_learned_is_refused(name, problem):
    unit, model = 1e-9, SCORERS[name](random_state=0)
    with pytest.raises(ValueError, match=r"training failed: .* is .*bring rows to a length near"):
        model.fit(problem.X * unit, problem.y, problem.S * unit)
    assert not hasattr(model, "classes_")


def test_classes_that_all_point_the_same_way_are_refused_by_bidilel(problem):
    with pytest.raises(ValueError, match=r"point the same way, .*: subtract their mean first"):
        BiDiLEL().fit(problem.X, problem.y, 1e4 + problem.S)
