"""Class embeddings from TF-IDF against scikit-learn's own and loops."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from chapters.clarel.baseline import (
    mean_text_problem,
    run_mean_texts,
    tfidf_vectors,
    with_class_texts,
)
from zslib.compatibility import ESZSL
from zslib.datasets import ZeroShotProblem, synthetic_pairs, tokenize
from zslib.protocols import ZeroShotMethod, evaluate_zero_shot


@pytest.fixture(scope="module")
def pairs():
    return synthetic_pairs(n_seen=10, n_val=3, n_unseen=4, images_per_class=6, n_features=24)


def own_texts(problem, image):
    return problem.text_index[problem.text_offsets[image] : problem.text_offsets[image + 1]]


def expected_vectors(problem, dimension, min_count):
    known = sorted({problem.texts[i] for i in problem.training_texts})
    split = [word for text in known for word in tokenize(text)]
    words = sorted({word for word in split if split.count(word) >= min_count})
    weights = TfidfVectorizer(tokenizer=tokenize, token_pattern=None, vocabulary=words,
                              sublinear_tf=True)  # fmt: skip
    projection = TruncatedSVD(dimension, algorithm="arpack").fit(weights.fit_transform(known))
    vectors = projection.transform(weights.transform(problem.texts))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("min_count", [1, 4])
def test_vectors_are_those_of_scikit_learn(pairs, min_count):
    found = tfidf_vectors(pairs, dimension=8, min_count=min_count)
    expected = expected_vectors(pairs, 8, min_count)
    # The sign of each component is free.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_fitted_on_training_texts_alone(pairs):
    held = np.setdiff1d(np.arange(pairs.n_texts), pairs.training_texts)
    other = replace(
        pairs,
        texts=tuple("red red" if i in held else t for i, t in enumerate(pairs.texts)),
        text_ids=None,
    )
    rows = pairs.training_texts
    before, after = (tfidf_vectors(p, dimension=8)[rows] for p in (pairs, other))
    np.testing.assert_array_equal(before, after)


def test_words_that_are_not_known_do_not_count(pairs):
    (last,) = pairs.test_unseen[-1:]
    own = own_texts(pairs, last)
    texts = list(pairs.texts)
    texts[own[0]] = "zyx wvu"
    texts[own[1]] += " zyx"
    vectors = tfidf_vectors(replace(pairs, texts=tuple(texts), text_ids=None), dimension=8)
    assert not vectors[own[0]].any()
    np.testing.assert_allclose(vectors[own[1]], tfidf_vectors(pairs, dimension=8)[own[1]])


def test_a_class_is_the_mean_of_its_texts(pairs):
    problem = mean_text_problem(pairs, dimension=8)
    assert isinstance(problem, ZeroShotProblem)
    vectors = tfidf_vectors(pairs, dimension=8)
    for c in range(14):
        part = pairs.trainval if c in pairs.seen_classes else pairs.test_unseen
        rows = [t for i in part[pairs.labels[part] == c] for t in own_texts(pairs, i)]
        mean = vectors[rows].mean(axis=0)
        np.testing.assert_allclose(
            problem.class_embeddings[c], mean / np.linalg.norm(mean), rtol=1e-5, atol=1e-6
        )
    assert problem.class_embeddings.dtype == pairs.features.dtype
    for name in ("trainval", "test_seen", "test_unseen", "train", "val", "labels"):
        np.testing.assert_array_equal(getattr(problem, name), getattr(pairs, name))
    centred = pairs.features - pairs.features[pairs.trainval].mean(axis=0)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.features, centred / lengths, rtol=1e-3, atol=1e-5)
    assert problem.feature_scaling == "centred, then unit length"
    assert (problem.name, problem.description) == (pairs.name, pairs.description)


def test_ready_vectors_are_averaged(pairs):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(pairs.n_texts, 5)).astype("f4")
    ready = replace(pairs, texts=None, text_vectors=vectors)
    problem = mean_text_problem(ready)
    rows, places = ready.prototype_rows()
    mean = vectors[rows[places == 3]].mean(axis=0)
    np.testing.assert_allclose(problem.class_embeddings[3], mean / np.linalg.norm(mean), rtol=1e-4)


def test_every_backend(backend, pairs):
    moved = replace(pairs, features=backend.asarray(pairs.features))
    problem = mean_text_problem(moved, dimension=8)
    expected = mean_text_problem(pairs, dimension=8)
    for name in ("features", "class_embeddings"):
        found = backend.to_numpy(getattr(problem, name))
        np.testing.assert_allclose(found, getattr(expected, name), rtol=1e-4, atol=1e-6)


def test_the_dimension_is_at_most_what_the_texts_have(pairs):
    assert tfidf_vectors(pairs, dimension=10**6).shape[1] < 300


def test_directions_of_no_weight_are_left_out(pairs):
    """Five sets of words in every order: many texts, five dimensions."""
    rng = np.random.default_rng(0)
    sets = [text.split() for text in pairs.texts[:5]]
    texts = [" ".join(rng.permutation(sets[i % 5])) for i in range(len(pairs.texts))]
    vectors = tfidf_vectors(replace(pairs, texts=tuple(texts), text_ids=None), dimension=30)
    assert vectors.shape[1] == np.linalg.matrix_rank(vectors) == 5


def test_texts_of_the_class_by_loop(pairs):
    problem = with_class_texts(pairs)
    for image in range(len(pairs.labels)):
        part = pairs.trainval if image in pairs.trainval else pairs.test_unseen
        mates = part[pairs.labels[part] == pairs.labels[image]] if image in part else ()
        expected = {t for i in mates for t in own_texts(pairs, i)}
        assert set(own_texts(problem, image)) == expected
    assert problem.level == "class"
    assert problem.name == "synthetic-pairs by class"
    for found, before in zip(problem.prototype_rows(), pairs.prototype_rows(), strict=True):
        np.testing.assert_array_equal(found, before)
    np.testing.assert_array_equal(problem.training_texts, pairs.training_texts)
    np.testing.assert_array_equal(
        problem.text_ids[problem.training_texts], problem.text_labels[problem.training_texts]
    )


def test_own_ids_change_nothing_but_which_texts_an_image_has(pairs):
    problem, kept = with_class_texts(pairs), with_class_texts(pairs, own_ids=True)
    np.testing.assert_array_equal(kept.text_ids, pairs.text_ids)
    for name in ("text_offsets", "text_index"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(problem, name))
    assert kept.level == "class"


def test_no_text_of_a_held_out_image_is_pooled(pairs):
    held = pairs.validation_problem()
    pooled = with_class_texts(held)
    of_kept = {t for i in held.trainval for t in own_texts(held, i).tolist()}
    assert set(pooled.training_texts.tolist()) == of_kept
    rows, classes = pooled.prototype_rows()
    seen = pooled.is_seen[classes]
    assert set(rows[seen].tolist()) == of_kept
    for i in held.test_seen:
        own = own_texts(held, i)
        assert own.size
        assert not set(own.tolist()) & set(rows.tolist())


def test_mean_texts_are_tuned_within_the_validation_split(pairs):
    method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.01, 1.0, 100.0)})
    run = run_mean_texts(method, pairs, dimension=8)
    held = mean_text_problem(pairs.validation_problem(), dimension=8)
    for trial in run.trials:
        curve = evaluate_zero_shot(ESZSL(**trial["parameters"]), held).curve
        assert trial["H"] == pytest.approx(100 * curve.best_harmonic_mean)
        assert trial["gamma"] == pytest.approx(curve.best_gamma)
    best = max(run.trials, key=lambda trial: trial["H"])
    assert (run.parameters, run.gamma) == (best["parameters"], best["gamma"])
    whole = evaluate_zero_shot(ESZSL(**run.parameters), mean_text_problem(pairs, dimension=8))
    assert run.outcome.value("H") == pytest.approx(whole.at(run.gamma).value("H"))


BAD = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (-1.0,)})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda p: tfidf_vectors(
                replace(p, texts=None, text_vectors=np.ones((p.n_texts, 5), "f4"))
            ),
            "has ready text vectors and no words",
        ),
        (lambda p: tfidf_vectors(p, dimension=0), "dimension must be at least 1"),
        (lambda p: with_class_texts(with_class_texts(p)), "has texts of classes already"),
        (
            lambda p: run_mean_texts(BAD, p, dimension=8),
            "all 1 candidates of ESZSL on synthetic-pairs failed",
        ),
    ],
)
def test_refused(pairs, call, words):
    with pytest.raises(ValueError, match=words):
        call(pairs)
