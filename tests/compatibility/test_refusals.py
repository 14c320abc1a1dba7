"""What the scorers refuse: parameters, inputs, and trainings that leave the range of numbers."""

from inspect import isclass, signature

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import zslib.compatibility
from zslib.compatibility import CompatibilityModel

SCORERS = [
    Model
    for Model in vars(zslib.compatibility).values()
    if isclass(Model) and issubclass(Model, CompatibilityModel)
]

OF_MANY = [
    ("learning_rate", 0.0, "learning_rate must be .* above 0"),
    ("n_epochs", 0, "n_epochs must be at least 1"),
    ("n_epochs", 2.0, "n_epochs must be an integer", TypeError),
    ("n_steps", 0, "n_steps must be at least 1"),
    ("n_steps", 2.0, "n_steps must be an integer", TypeError),
    ("batch_size", 0, "batch_size must be at least 1"),
    ("batch_size", 2.0, "batch_size must be an integer", TypeError),
    ("random_state", "x", "random_state", TypeError),
    ("regularization", -1.0, "regularization must be .* (at least|above) 0"),
    ("margin", 0.0, "margin must be .* above 0"),
    ("margin", np.nan, "margin"),
    ("max_iter", 0, "max_iter must be at least 1"),
    ("tol", -1.0, "tol must be .* at least 0"),
    ("tol", "x", "tol must be a number", TypeError),
    ("mixture_penalty", 0.0, "mixture_penalty must be .* above 0"),
    ("threshold", "median", "threshold must be 'mean' or a number"),
    ("threshold", None, "threshold must be a number", TypeError),
    ("threshold", np.nan, "threshold must be a finite number"),
    ("threshold", 7.0, "threshold=7.0 gives all classes in y the same"),
    ("n_generated", 0, "n_generated must be at least 1"),
    ("classifier_penalty", -1.0, "classifier_penalty must be .* at least 0"),
    ("feature_length", 0.0, "feature_length must be .* above 0"),
    ("feature_penalty", 0.0, "feature_penalty"),
    ("feature_penalty", -1, "feature_penalty"),
    ("feature_penalty", np.nan, "feature_penalty"),
    ("feature_penalty", "1", "feature_penalty", TypeError),
    ("embedding_penalty", 0.0, "embedding_penalty"),
    ("embedding_penalty", -1, "embedding_penalty"),
    ("embedding_penalty", np.nan, "embedding_penalty"),
    ("embedding_penalty", "1", "embedding_penalty", TypeError),
]
"""Parameter, value, words and, if it is no ValueError, the error: each is refused by
every scorer that has the parameter."""

OF_ONE = {
    "ESZSL": [
        ("other_target", 1.0, "other_target must be .* below 1"),
        ("other_target", 2.0, "other_target must be .* below 1"),
        ("other_target", np.nan, "other_target must be .* below 1"),
    ],
    "SAE": [
        ("regularization", 0.0, "regularization must be .* above 0"),
        ("direction", "both", "direction must be one of 'semantic_to_feature'"),
    ],
    "BiDiLEL": [
        ("n_components", 0, "n_components must be at least 1"),
        ("regularization", 0.0, "regularization must be .* above 0"),
        ("n_neighbors", 0, "n_neighbors must be at least 1"),
        ("n_neighbors", 2.5, "n_neighbors must be an integer", TypeError),
    ],
    "CMT": [
        ("n_hidden", 0, "n_hidden must be at least 1"),
        ("novelty", "outlier", "novelty must be None or a detector such as Outlier", TypeError),
    ],
    "CNZSL": [
        ("n_hidden", 0, "n_hidden must be at least 1"),
        ("scale", 0.0, "scale must be .* above 0"),
        ("normalize", "no", "normalize must be one of"),
        ("small_start", None, "small_start must be one of"),
        ("rectified", 2, "rectified must be one of"),
    ],
    "ConSE": [
        ("n_averaged", 0, "n_averaged must be at least 1"),
        ("n_averaged", 1.5, "n_averaged must be an integer", TypeError),
    ],
    "ICINESS": [
        ("n_hidden", (0,), "n_hidden must be at least 1"),
        ("n_hidden", (), "n_hidden is empty"),
        ("n_hidden", 64, "n_hidden must be a sequence of integers", TypeError),
        ("n_rivals", 1, "n_rivals must be at least 2"),
    ],
    "JLSE": [
        ("code_penalty", 0.0, "code_penalty must be .* above 0"),
        ("match_weight", -1.0, "match_weight must be .* at least 0"),
        ("n_rounds", 0, "n_rounds must be at least 1"),
        ("loss", "hinge", "loss must be one of"),
    ],
    "PSR": [
        ("n_hidden", 0, "n_hidden must be at least 1"),
        ("similar_quantile", 1.5, "similar_quantile must be .* at most 1"),
        ("similar_weight", -1.0, "similar_weight must be"),
        ("reconstruction_weight", -1.0, "reconstruction_weight must be"),
    ],
    "SSE": [("feature_map", "tanh", "feature_map must be one of 'relu', 'intersection'")],
    "SynC": [
        ("sigma", 0.0, "sigma must be .* above 0"),
        ("regularization", 0.0, "regularization must be .* above 0"),
        ("loss", "hinge", "loss must be one of 'one_vs_other'"),
        ("normalize", "yes", "normalize must be one of"),
    ],
    "ZKL": [
        ("kernel", "linear", "kernel must be one of 'gaussian'"),
        ("sigma", 0.0, "sigma must be .* above 0"),
        ("orthogonality", -1.0, "orthogonality must be .* at least 0"),
        ("degree", 1.5, "degree must be an integer", TypeError),
        ("offset", -1.0, "offset must be .* at least 0"),
    ],
    "DeViSE": [("first_violating", "yes", "first_violating must be one of False, True")],
    "LatEm": [
        ("n_matrices", 0, "n_matrices must be at least 1"),
        ("n_matrices", 1.5, "n_matrices must be an integer", TypeError),
        ("draw", "hard", "draw must be one of 'any', 'violating'"),
    ],
    "DARK": [
        ("rank", 0, "rank must be at least 1"),
        ("rank", 2.5, "rank must be an integer", TypeError),
        ("margin", 1.0, "margin must be"),
        ("drop_at", -1, "drop_at must be at least 0"),
        ("drop_factor", 0.0, "drop_factor must be"),
        ("iteration", "epoch", "iteration must be one of"),
        ("n_iter", 0, "n_iter must be at least 1"),
        ("refresh_every", 0, "refresh_every must be at least 1"),
        ("objective_every", 0, "objective_every must be at least 1"),
        ("label_view", "no", "label_view must be one of"),
        ("hardness", None, "hardness must be one of"),
        ("gradient", "full", "gradient must be one of"),
        ("normalize", 2, "normalize must be one of"),
        ("init_scale", 0.0, "init_scale must be"),
    ],
    "MetricLearner": [
        ("metric_dim", 0, "metric_dim must be at least 1"),
        ("metric_dim", 2.0, "metric_dim must be an integer", TypeError),
        ("attribute_weight", -1.0, "attribute_weight must be"),
        ("negatives", "hard", "negatives must be one of 'random'"),
        (
            "negatives",
            "uncertainty_correlation",
            "all images of each class have the same vector, as in the paper's AwA",
        ),
        ("negatives_per_positive", 0, "negatives_per_positive must be at least 1"),
        ("negatives_per_positive", 12, "only 11 different attribute vectors"),
        ("balanced", "no", "balanced must be one of"),
        ("hinge", "squared", "hinge must be one of"),
        ("growth", "none", "growth must be one of"),
        ("n_scored", 1, "n_scored must be at least 2"),
        ("keep_epochs", 3, "keep_epochs must be one of"),
    ],
    "CADAVAE": [
        ("n_latent", 0, "n_latent must be at least 1"),
        ("n_hidden", 512, "n_hidden must be four integers"),
        ("n_hidden", (1, 2, 3), "n_hidden must be four integers"),
        ("n_hidden", (1, 2, 3, 0), r"n_hidden\[3\] must be at least 1"),
        ("divergence_weight", -1.0, "divergence_weight must be"),
        ("cross_weight", -1.0, "cross_weight must be"),
        ("distance_weight", -1.0, "distance_weight must be"),
        ("noise", "none", "noise must be one of"),
        ("n_seen", 0, "n_seen must be at least 1"),
    ],
    "GMMN": [
        ("n_hidden", (0,), "n_hidden must be at least 1"),
        ("n_hidden", 64, "n_hidden must be a sequence of integers", TypeError),
        ("n_noise", 0, "n_noise must be at least 1"),
        ("bandwidths", (), "bandwidths is empty"),
        ("bandwidths", (1.0, 0.0), "bandwidths must be .* above 0"),
        ("bandwidths", 1.0, "bandwidths must be a sequence of numbers", TypeError),
    ],
    "FeatureGenerator": [
        ("recipe", "GAN", "recipe must be one of 'WGAN', 'f-CLSWGAN'"),
        ("recipe", "cycle-UWGAN", "pass unseen_embeddings to fit"),
        ("size", "large", "size must be one of"),
        ("classification_weight", -1.0, "classification_weight must be .* at least 0"),
        ("adversarial_weight", "1", "adversarial_weight must be a number", TypeError),
        ("n_hidden", 0, "n_hidden must be at least 1"),
    ],
    "Centred": [("estimator", Ridge(), "estimator must be a scorer", TypeError)],
    "Scaled": [
        ("estimator", Ridge(), "estimator must be a scorer", TypeError),
        ("gamma", np.inf, "gamma must be a finite number"),
    ],
    "MapScorer": [
        ("estimator", zslib.compatibility.ESZSL(), "estimator must be a map", TypeError)
    ],
    "UnitClassImages": [("estimator", zslib.compatibility.DARK(), "bilinear scorer", TypeError)],
}

CASES = [
    (Model, name, value, words, *(error or [ValueError]))
    for Model in SCORERS
    for name, value, words, *error in OF_MANY + OF_ONE.get(Model.__name__, [])
    if name in signature(Model).parameters
]


@pytest.mark.parametrize(("Model", "name", "value", "words", "error"), CASES)
def test_bad_parameters(Model, name, value, words, error, problem):
    with pytest.raises(error, match=words):
        Model(**{name: value}).fit(problem.X, problem.y, problem.S)


@pytest.mark.parametrize("Model", SCORERS)
def test_bad_samples(Model, problem):
    broken = problem.X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X holds NaN .* row 3"):
        Model().fit(broken, problem.y, problem.S)
    with pytest.raises(ValueError, match="one class only"):
        Model().fit(problem.X, np.zeros_like(problem.y), problem.S)


FAST = {"learning_rate": 1e30}


@pytest.mark.parametrize(
    ("name", "parameters", "large", "words"),
    [
        ("CMT", {"n_epochs": 1}, "S", "lower learning_rate, or scale features and embeddings"),
        ("PSR", {"n_epochs": 1}, "S", "lower learning_rate, or scale the class embeddings"),
        ("CADAVAE", {"n_steps": 3}, "S", "lower learning_rate or feature_length, or scale class"),
        (
            "CNZSL",
            {"n_hidden": 16, "n_epochs": 5, "scale": 5.0, **FAST},
            "",
            "lower learning_rate",
        ),
        ("ICINESS", {"n_hidden": (16,), "n_epochs": 5, **FAST}, "", "lower learning_rate"),
        ("SSE", {"n_epochs": 3, **FAST}, "", "lower learning_rate"),
        ("GMMN", {"n_hidden": (16,), "n_steps": 30, **FAST}, "", "lower learning_rate"),
        ("FeatureGenerator", {"n_hidden": 16, "n_steps": 3, **FAST}, "", "lower learning_rate"),
        ("ZKL", {"kernel": "polynomial", **FAST}, "", "lower learning_rate, or degree and offset"),
        ("MetricLearner", {"learning_rate": 1e8}, "", r"in epoch \d+.*learning_rate=10{8}\.0 "),
        (
            "DARK",
            FAST,
            "",
            r"before step \d+: .*12 classes learning_rate=1e\+30 or refresh_every=10",
        ),
        *(
            (name, {"learning_rate": 1e38}, "", r"diverged in epoch \d+: .*learning_rate=1e\+38")
            for name in ("ALE", "DeViSE", "SJE", "LatEm")
        ),
    ],
)
def test_divergence_is_reported(name, parameters, large, words, problem32):
    for part in large:
        setattr(problem32, part, getattr(problem32, part) * np.float32(1e30))
    model = getattr(zslib.compatibility, name)(**parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    with pytest.raises(ValueError, match=words):
        model.fit(problem32.X, problem32.y, problem32.S)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("name", ["CMT", "LatEm", "MetricLearner"])
def test_a_unit_in_which_nothing_is_learned_is_refused(name, problem):
    unit = 1e-9
    model = getattr(zslib.compatibility, name)(random_state=0)
    with pytest.raises(ValueError, match=r"training failed: .* is .*bring rows to a length near"):
        model.fit(problem.X * unit, problem.y, problem.S * unit)
    assert not hasattr(model, "classes_")


def test_classes_that_all_point_the_same_way_are_refused_by_bidilel(problem):
    with pytest.raises(ValueError, match=r"point the same way, .*: subtract their mean first"):
        zslib.compatibility.BiDiLEL().fit(problem.X, problem.y, 1e4 + problem.S)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DAP", "scale the features"),
        ("IAP", "scale the features"),
        ("SSE", "scale the features"),
    ],
)
def test_features_out_of_range(name, words, problem32):
    model = getattr(zslib.compatibility, name)()
    with pytest.raises(ValueError, match=words):
        model.fit(problem32.X * np.float32(1e30), problem32.y, problem32.S)
