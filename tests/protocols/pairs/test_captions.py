"""New sentences, images as they come, and candidate classes, against the protocol's outcome."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from zslib.compatibility import CLAREL
from zslib.datasets import ImageTextProblem, synthetic_pairs
from zslib.protocols import evaluate_image_text, fit_image_text, run_image_text, short_clarel

SHAPE = {"n_seen": 8, "n_val": 3, "n_unseen": 4, "images_per_class": 8}
LIGHT = {"embedding_dim": 8, "word_dim": 6, "batch_size": 8}


@pytest.fixture(scope="module")
def loaded():
    return synthetic_pairs(**SHAPE)


def light(problem, **changes):
    return short_clarel(problem, n_batches=20, **LIGHT | {"random_state": 0} | changes)


def texts_of(problem, classes):
    rows, owners = problem.prototype_rows()
    return {
        str(problem.class_names[c]): [problem.texts[i] for i in rows[owners == c]] for c in classes
    }


@pytest.mark.parametrize(
    ("scaling", "rate"), [("none", 1e-3), ("unit length", 5.0), ("standard", 1e-2)]
)
def test_a_model_answers_as_the_protocol(loaded, scaling, rate):
    problem = loaded.scaled(scaling)
    untrained = light(problem, learning_rate=rate)
    outcome = evaluate_image_text(untrained, problem, retrieval=False).outcome
    model = pickle.loads(pickle.dumps(fit_image_text(untrained, problem)))
    assert len(set(outcome.test_unseen.neighbours(1)[:, 0])) > 1
    for side, images in (("test_unseen", problem.test_unseen), ("test_seen", problem.test_seen)):
        expected = problem.class_names[getattr(outcome, side).neighbours(1)[:, 0]]
        np.testing.assert_array_equal(model.predict(loaded.features[images]), expected)
    images, unseen = loaded.features[problem.test_unseen], problem.unseen_classes
    expected = problem.class_names[outcome.zero_shot.unseen[:, 0]]
    found = model.predict(images, texts_of(problem, unseen))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "encoder",
    [
        {"text_encoder": "mean"},
        {"text_encoder": "paper", "filters": (4, 6), "lstm_units": 3, "n_batches": 5},
        {
            "text_encoder": "paper",
            "filters": (4, 6),
            "lstm_units": 3,
            "n_batches": 5,
            "pooling": "last",
        },
    ],
    ids=["mean", "paper", "last"],
)
def test_sentences_are_scored_one_by_one(loaded, encoder, backend):
    """Whatever others they are asked with, and so however far they are padded."""
    problem = loaded.scaled("unit length")
    problem = replace(problem, features=backend.asarray(problem.features))
    model = fit_image_text(
        CLAREL(**LIGHT, random_state=0, **{"n_batches": 20, **encoder}), problem
    )
    images = backend.asarray(loaded.features[:5])
    sentences = ["a red bird", "this small bird has a long black bill and a white belly", "bird"]
    scores = backend.to_numpy(model.decision_function(images, sentences))
    assert scores.shape == (5, 3)
    for j, sentence in enumerate(sentences):
        alone = backend.to_numpy(model.decision_function(images, [sentence]))
        np.testing.assert_allclose(alone[:, 0], scores[:, j], rtol=1e-4)
        tokens = backend.asarray(model.vocabulary.transform([sentence]))
        scaled = backend.asarray(problem.scaler.features(loaded.features[:5]))
        gaps = backend.to_numpy(model.model.embed_images(scaled)) - backend.to_numpy(
            model.model.embed_texts(tokens)
        )
        np.testing.assert_allclose(-scores[:, j], np.linalg.norm(gaps, axis=1), rtol=1e-4)
    best = [sentences[j] for j in scores.argmax(axis=1)]
    np.testing.assert_array_equal(model.best_sentence(images, sentences), best)


def test_a_run_makes_the_model_that_it_tested(loaded):
    problem = loaded.scaled("unit length")
    grid = {"learning_rate": (0.5, 5.0)}
    runs = run_image_text(
        light(problem), problem, [3, 4], grid=grid, min_count=1, must_learn=False
    )
    for seed, result in zip(runs.seeds, runs.results(), strict=True):
        model = runs.fit(problem, seed=seed)
        assert len(model.vocabulary) == result.n_words
        found = model.predict(loaded.features[problem.test_unseen])
        expected = result.outcome.test_unseen.neighbours(1)[:, 0]
        np.testing.assert_array_equal(found, problem.class_names[expected])
    first = runs.fit(problem).model.get_params()
    assert runs.parameters.items() <= first.items()
    assert first["random_state"] == 3


def test_ready_vectors_take_the_place_of_sentences(loaded):
    rng = np.random.default_rng(0)
    fields = {name: getattr(loaded, name) for name in ImageTextProblem.__dataclass_fields__}
    vectors = rng.standard_normal((loaded.n_texts, 5)).astype("f4")
    problem = ImageTextProblem(**fields | {"texts": None, "text_vectors": vectors})
    model = fit_image_text(light(problem), problem)
    images = loaded.features[:4]
    scores = model.decision_function(images, vectors[:3])
    np.testing.assert_array_equal(model.best_sentence(images, vectors[:3]), scores.argmax(axis=1))


def test_what_no_sentence_can_be_made_of_is_refused(loaded):
    model = fit_image_text(light(loaded), loaded)
    images = loaded.features[:2]
    for sentences, error, words in (
        (["a bird", "xyzzy plugh"], ValueError, r"sentence 1, 'xyzzy plugh', has no word"),
        ("a bird", TypeError, "must be a sequence of strings"),
        ([], ValueError, "empty"),
    ):
        with pytest.raises(error, match=words):
            model.decision_function(images, sentences)
    with pytest.raises(ValueError, match=r"images must be a 2-d array"):
        model.best_sentence(images[0], ["a bird"])
    with pytest.raises(TypeError, match="classes must be a dict of name to sentences, got list"):
        model.predict(images, ["a bird"])
    changed = replace(loaded.scaled("unit length"), feature_scaling="by hand")
    with pytest.raises(ValueError, match=r"changed \(by hand\) after 'unit length'"):
        fit_image_text(light(loaded), changed)
    with pytest.raises(TypeError, match="must be of the class ImageTextProblem"):
        fit_image_text(light(loaded), loaded.features)
