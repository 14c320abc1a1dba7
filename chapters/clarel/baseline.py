"""What pairs add: a scorer of class embeddings that needs none, and texts without their images."""

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from zslib.arrays import like, namespace, ragged_rows, take_rows, to_host, unit_rows
from zslib.datasets import ZeroShotProblem
from zslib.datasets.words.tokens import UNKNOWN, Vocabulary, tokenize
from zslib.protocols.attributes.methods import resolve_method
from zslib.protocols.attributes.runs import run_zero_shot
from zslib.protocols.attributes.tuning import seen_as
from zslib.protocols.choices import told_apart
from zslib.protocols.sweep import best_that_trains, sweep


def tfidf_vectors(problem, *, dimension=300, min_count=2):
    """Each text as a vector of length one: TF-IDF of its words, then a truncated SVD.

    Weights and projection are fitted on the distinct texts of training images. A word that is not
    known from there, or occurs in them less than ``min_count`` times, does not count; a text
    without a known word is zero. Fewer texts or words than ``dimension``, or texts that depend on
    each other, give fewer dimensions.
    """
    known = sorted({problem.texts[i] for i in problem.training_texts})
    words = Vocabulary.fit(known, min_count).words[UNKNOWN + 1 :]
    weights = TfidfVectorizer(
        tokenizer=tokenize, token_pattern=None, vocabulary=words, sublinear_tf=True
    )
    trained = weights.fit_transform(known)
    dimension = min(dimension, min(trained.shape) - 1)
    projection = TruncatedSVD(dimension, algorithm="arpack", random_state=0).fit(trained)
    vectors = projection.transform(weights.transform(problem.texts))
    # Directions of singular value zero are arbitrary.
    vectors = vectors[:, projection.singular_values_ > 1e-10 * projection.singular_values_[0]]
    return normalize(vectors)


@lru_cache(maxsize=2)
def mean_text_problem(problem, *, held_out=False) -> ZeroShotProblem:
    """The same images and split, each class embedded as the mean of its texts' vectors.

    So that any scorer of class embeddings can be run beside a model trained on pairs. The texts
    of a class are those of `ImageTextProblem.prototype_rows`; their vectors are the problem's own
    or `tfidf_vectors`. Features are centred on the training images and divided by their length,
    since scorers such as ESZSL have no constant term, which CLAREL's image head has. With
    ``held_out`` all this is of the validation data. The last two are remembered.
    """
    if held_out:
        problem = problem.validation_problem()
    if problem.texts is None:
        vectors = to_host(problem.text_vectors).astype(np.float64)
    else:
        vectors = tfidf_vectors(problem)
    rows, positions = problem.prototype_rows()
    sums = np.zeros((len(problem.class_names), vectors.shape[1]))
    np.add.at(sums, positions, vectors[rows])
    means = unit_rows(sums / np.bincount(positions)[:, None], name="class_embeddings")
    features = problem.features
    xp = namespace(features)
    centred = features - xp.mean(take_rows(features, problem.trainval), axis=0)[None, :]
    before = "" if problem.feature_scaling == "none" else f"{problem.feature_scaling}, then "
    kept = ("name", "synthetic", "description", "labels", "class_names", "coverage", "setting")
    kept += ("trainval", "test_seen", "test_unseen", "train", "val")
    return ZeroShotProblem(
        features=unit_rows(centred, name="features"),
        class_embeddings=xp.astype(like(means, features), features.dtype),
        feature_scaling=f"{before}centred, then unit length",
        **{name: getattr(problem, name) for name in kept},
    )


def run_mean_texts(method, problem, *, seed=0, device="cpu"):
    """Choose parameters by H on validation data, as CLAREL's are, then train anew and test.

    Validation is that of `run_image_text`. Class embeddings are made within it, so that no text
    of a validation class or of a held-out image takes part in the weights of words, the
    projection or the mean image.

    Returns
    -------
    ZeroShotOutcome, dict
        The outcome on `mean_text_problem` under the chosen gamma, and the chosen trial: its
        ``parameters``, and ``ACC``, ``H`` and ``gamma`` on validation data.
    """
    method = resolve_method(method)

    def outcome(data, parameters):
        options = {"seed": seed, "parameters": parameters, "device": device}
        return run_zero_shot(method, data, **options).outcome

    def attempt(parameters):
        tested = outcome(mean_text_problem(problem, held_out=True), parameters)
        H, gamma = 100 * tested.curve.best_harmonic_mean, tested.curve.best_gamma
        return {"ACC": tested.value("ACC"), "H": float(H), "gamma": float(gamma)}

    name = f"{method.name} on {problem.name}"
    asked = {"class embeddings": "mean texts"} | seen_as(problem) | told_apart(method.fixed)
    asked |= {"seed": seed, "split_seed": 0}
    trials = sweep(method.grid, attempt, name, by="H", limits=method.limits, **asked)
    train = partial(outcome, mean_text_problem(problem))
    best, tested, _ = best_that_trains(trials, "H", train, name)
    return tested.at(best["gamma"]), best


def with_class_texts(problem):
    """The same problem, where a text no longer tells which image of its class it belongs to.

    Each training image has the texts of all training images of its class; test images of unseen
    classes all texts of theirs; test images of seen classes none. So prototypes are the same, and
    what is left of the supervision is the class. For validation, pool after the split: before it,
    images that train would own texts of images that are held out. Texts of one class stay each
    other's negatives: nothing changes but which text an image has.
    """
    rows, classes = problem.prototype_rows()
    beyond = len(problem.class_names)  # a class without texts, for the test images of seen ones
    starts = np.searchsorted(classes, np.arange(beyond + 2))
    owners = np.full(len(problem.labels), beyond)
    for images in (problem.trainval, problem.test_unseen):
        owners[images] = problem.labels[images]
    offsets, index = ragged_rows(starts, rows, owners)
    return replace(
        problem,
        name=f"{problem.name} by class",
        level="class",
        text_offsets=offsets,
        text_index=index,
    )
