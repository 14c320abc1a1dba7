"""Class embeddings from TF-IDF against scikit-learn's own and loops."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from chapters.clarel import baseline
from tests.datasets.pairs.test_problem import own_texts
from zslib.compatibility import ESZSL
from zslib.datasets import synthetic_pairs
from zslib.datasets.words.tokens import tokenize
from zslib.protocols import ZeroShotMethod, evaluate_zero_shot


@pytest.fixture(scope="module")
def pairs():
    return synthetic_pairs(n_seen=10, n_val=3, n_unseen=4, images_per_class=6, n_features=24)


def expected_vectors(problem, dimension, min_count):
    known = sorted({problem.texts[i] for i in problem.training_texts})
    split = [word for text in known for word in tokenize(text)]
    words = sorted({word for word in split if split.count(word) >= min_count})
    weights = TfidfVectorizer(tokenizer=tokenize, token_pattern=None, vocabulary=words,
                              sublinear_tf=True)  # fmt: skip
    projection = TruncatedSVD(dimension, algorithm="arpack").fit(weights.fit_transform(known))
    vectors = projection.transform(weights.transform(problem.texts))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def with_texts(pairs, texts):
    return replace(pairs, texts=tuple(texts), text_ids=None)


@pytest.mark.parametrize("min_count", [1, 4])
def test_vectors_are_those_of_scikit_learn(pairs, min_count):
    found = baseline.tfidf_vectors(pairs, dimension=8, min_count=min_count)
    expected = expected_vectors(pairs, 8, min_count)
    # The sign of each component is free.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


def test_fitted_on_training_texts_alone(pairs):
    rows = pairs.training_texts
    others = ("red red" if i not in rows else t for i, t in enumerate(pairs.texts))
    before, after = (
        baseline.tfidf_vectors(p, dimension=8)[rows] for p in (pairs, with_texts(pairs, others))
    )
    np.testing.assert_array_equal(before, after)


def test_a_text_without_a_known_word_is_zero(pairs):
    own = own_texts(pairs, pairs.test_unseen[-1])[0]
    texts = ("zyx wvu" if i == own else t for i, t in enumerate(pairs.texts))
    assert not baseline.tfidf_vectors(with_texts(pairs, texts), dimension=8)[own].any()


def test_a_class_is_the_mean_of_its_texts(pairs):
    problem, vectors = baseline.mean_text_problem(pairs), baseline.tfidf_vectors(pairs)
    for c in range(14):
        part = pairs.trainval if c in pairs.seen_classes else pairs.test_unseen
        rows = [t for i in part[pairs.labels[part] == c] for t in own_texts(pairs, i)]
        mean = vectors[rows].mean(axis=0)
        unit = mean / np.linalg.norm(mean)
        np.testing.assert_allclose(problem.class_embeddings[c], unit, rtol=1e-5, atol=1e-6)
    assert problem.class_embeddings.dtype == pairs.features.dtype
    for name in ("trainval", "test_seen", "test_unseen", "train", "val", "labels"):
        np.testing.assert_array_equal(getattr(problem, name), getattr(pairs, name))
    centred = pairs.features - pairs.features[pairs.trainval].mean(axis=0)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.features, centred / lengths, rtol=1e-3, atol=1e-5)
    assert problem.feature_scaling == "centred, then unit length"


def test_ready_vectors_are_averaged(pairs):
    vectors = np.random.default_rng(0).normal(size=(pairs.n_texts, 5)).astype("f4")
    ready = replace(pairs, texts=None, text_vectors=vectors)
    problem = baseline.mean_text_problem(ready)
    rows, places = ready.prototype_rows()
    mean = vectors[rows[places == 3]].mean(axis=0)
    np.testing.assert_allclose(problem.class_embeddings[3], mean / np.linalg.norm(mean), rtol=1e-4)


def test_every_backend(backend, pairs):
    moved = replace(pairs, features=backend.asarray(pairs.features))
    problem, expected = map(baseline.mean_text_problem, (moved, pairs))
    for name in ("features", "class_embeddings"):
        wanted = getattr(expected, name)
        backend.assert_allclose(getattr(problem, name), wanted, rtol=1e-4, atol=1e-6)


def test_directions_of_no_weight_are_left_out(pairs):
    """Five sets of words in every order: many texts, five dimensions."""
    rng = np.random.default_rng(0)
    sets = [text.split() for text in pairs.texts[:5]]
    texts = [" ".join(rng.permutation(sets[i % 5])) for i in range(len(pairs.texts))]
    vectors = baseline.tfidf_vectors(with_texts(pairs, texts), dimension=10**6)
    assert vectors.shape[1] == np.linalg.matrix_rank(vectors) == 5


@pytest.mark.parametrize("held_out", [False, True])
def test_texts_of_the_class_by_loop(pairs, held_out):
    """No text of a held-out image is pooled."""
    before = pairs.validation_problem() if held_out else pairs
    problem = baseline.with_class_texts(before)
    for image, label in enumerate(before.labels):
        part = before.trainval if image in before.trainval else before.test_unseen
        mates = part[before.labels[part] == label] if image in part else ()
        expected = {t for i in mates for t in own_texts(before, i)}
        assert set(own_texts(problem, image)) == expected
    assert problem.level == "class"
    for found, wanted in zip(problem.prototype_rows(), before.prototype_rows(), strict=True):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(problem.training_texts, before.training_texts)
    np.testing.assert_array_equal(problem.text_ids, before.text_ids)


def test_mean_texts_are_tuned_within_the_validation_split(pairs):
    method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.01, 1.0, 100.0)})
    outcome, best = baseline.run_mean_texts(method, pairs)
    held, whole = map(baseline.mean_text_problem, (pairs.validation_problem(), pairs))
    curves = {
        penalty: evaluate_zero_shot(ESZSL(penalty), held).curve
        for penalty in method.grid["feature_penalty"]
    }
    penalty = max(curves, key=lambda penalty: curves[penalty].best_harmonic_mean)
    assert best["parameters"] == {"feature_penalty": penalty}
    assert best["H"] == pytest.approx(100 * curves[penalty].best_harmonic_mean)
    assert best["gamma"] == pytest.approx(curves[penalty].best_gamma)
    tested = evaluate_zero_shot(ESZSL(penalty), whole).at(outcome.gamma)
    assert outcome.gamma == best["gamma"]
    assert outcome.value("H") == pytest.approx(tested.value("H"))


BAD = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (-1.0,)})


def test_a_method_none_of_whose_candidates_can_be_trained_is_refused(pairs):
    with pytest.raises(ValueError, match="all 1 candidates of ESZSL on"):
        baseline.run_mean_texts(BAD, pairs)
