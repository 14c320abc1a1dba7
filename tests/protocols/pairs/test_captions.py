"""New sentences, images as they come, and candidate classes, against the protocol's outcome."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from zslib.compatibility import CLAREL
from zslib.datasets import synthetic_pairs
from zslib.protocols import evaluate_image_text, fit_image_text, run_image_text, short_clarel

SHAPE = {"n_seen": 8, "n_val": 3, "n_unseen": 4, "images_per_class": 8}
LIGHT = {"embedding_dim": 8, "word_dim": 6, "batch_size": 8}


@pytest.fixture(scope="module")
def loaded():
    return synthetic_pairs(**SHAPE)


def light(problem, **changes):
    return short_clarel(problem, n_batches=20, **LIGHT | {"random_state": 0} | changes)


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
    rows, owners = problem.prototype_rows()
    names = {c: str(problem.class_names[c]) for c in problem.unseen_classes}
    said = {name: [problem.texts[i] for i in rows[owners == c]] for c, name in names.items()}
    found = model.predict(loaded.features[problem.test_unseen], said)
    assert found.tolist() == [names[c] for c in outcome.zero_shot.unseen[:, 0]]


PAPER = {"text_encoder": "paper", "filters": (4, 6), "lstm_units": 3, "n_batches": 2}
ENCODERS = [{"text_encoder": "mean", "n_batches": 20}, PAPER, PAPER | {"pooling": "last"}]


@pytest.mark.parametrize("encoder", ENCODERS, ids=["mean", "paper", "last"])
def test_sentences_are_scored_one_by_one(loaded, encoder, backend):
    """Whatever others they are asked with, and so however far they are padded."""
    problem = loaded.scaled("unit length")
    problem = replace(problem, features=backend.asarray(problem.features))
    model = fit_image_text(CLAREL(**LIGHT, **encoder, random_state=0), problem)
    images = backend.asarray(loaded.features[:5])
    sentences = ["a red bird", "this small bird has a long black bill and a white belly", "bird"]
    scaled = backend.asarray(problem.scaler.features(loaded.features[:5]))
    scores = backend.to_numpy(model.decision_function(images, sentences))
    assert scores.shape == (5, 3)
    for j, sentence in enumerate(sentences):
        alone = backend.to_numpy(model.decision_function(images, [sentence]))
        np.testing.assert_allclose(alone[:, 0], scores[:, j], rtol=1e-4)
        tokens = backend.asarray(model.vocabulary.transform([sentence]))
        there = model.model.embed_images(scaled), model.model.embed_texts(tokens)
        gaps = np.subtract(*map(backend.to_numpy, there))
        np.testing.assert_allclose(-scores[:, j], np.linalg.norm(gaps, axis=1), rtol=1e-4)
    best = [sentences[j] for j in scores.argmax(axis=1)]
    for given in (sentences, iter(sentences)):
        np.testing.assert_array_equal(model.best_sentence(images, given), best)


def test_a_run_makes_the_model_that_it_tested(loaded):
    problem = loaded.scaled("unit length")
    options = {"grid": {"learning_rate": (0.5, 5.0)}, "min_count": 1, "must_learn": False}
    runs = run_image_text(light(problem), problem, [3, 4], **options)
    for seed, result in zip(runs.seeds, runs.results(), strict=True):
        model = runs.fit(problem, seed=seed)
        assert len(model.vocabulary) == result.n_words
        found = model.predict(loaded.features[problem.test_unseen])
        expected = result.outcome.test_unseen.neighbours(1)[:, 0]
        np.testing.assert_array_equal(found, problem.class_names[expected])
    first = runs.fit(problem).model.get_params()
    assert runs.parameters.items() <= first.items()
    assert first["random_state"] == 3


@pytest.mark.parametrize("prefix", ["f", None])
def test_columns_are_in_the_order_of_the_problem_s(loaded, frame, prefix):
    images = frame(loaded.features)
    images = images if prefix is None else images.add_prefix(prefix)
    problem = replace(loaded, features=images)
    assert problem.checksum == loaded.checksum
    assert replace(problem, features=loaded.features[:, :5]).columns == {}
    problem = problem.scaled("unit length")
    model = pickle.loads(pickle.dumps(fit_image_text(light(problem), problem)))
    some, turned = images[:4], images.iloc[:4, ::-1]
    np.testing.assert_array_equal(model.predict(some), model.predict(loaded.features[:4]))
    for use in (model.predict, lambda X: model.best_sentence(X, ["a red bird"])):
        with pytest.raises(ValueError, match=r"column 0 of images is .*, where the problem has"):
            use(turned)


def test_ready_vectors_take_the_place_of_sentences(loaded):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((loaded.n_texts, 5)).astype("f4")
    problem = replace(loaded, texts=None, text_vectors=vectors)
    model = fit_image_text(light(problem), problem)
    images = loaded.features[:4]
    scores = model.decision_function(images, vectors[:3])
    np.testing.assert_array_equal(model.best_sentence(images, vectors[:3]), scores.argmax(axis=1))


@pytest.mark.parametrize("use", [fit_image_text, evaluate_image_text])
def test_unseen_classes_of_unknown_words_are_refused(loaded, use):
    """Their prototypes are one point; a single text with a known word tells a class apart."""
    first, second = loaded.unseen_classes[:2]
    texts, owners = np.array(loaded.texts, object), loaded.text_labels
    texts[owners == first] = "这是一只鸟"
    names = str(loaded.class_names[first]), str(loaded.class_names[second])
    with pytest.raises(ValueError, match=rf"class '{names[0]}': none .*, as '这是一只鸟': write"):
        use(light(loaded), replace(loaded, texts=tuple(texts), text_ids=None))
    texts[owners == second] = "xyz"
    with pytest.raises(ValueError, match=rf"classes '{names[0]}', '{names[1]}': none of the"):
        use(light(loaded), replace(loaded, texts=tuple(texts), text_ids=None))
    for row in (owners == first).argmax(), (owners == second).argmax():
        texts[row] = loaded.texts[row]
    use(light(loaded), replace(loaded, texts=tuple(texts), text_ids=None))


def test_what_no_sentence_can_be_made_of_is_refused(loaded):
    model = fit_image_text(light(loaded), loaded)
    X, changed = loaded.features[:2], replace(loaded.scaled("unit length"), feature_scaling="hand")
    for function, given, error, words in (
        (model.decision_function, (X, ["bird", "xyz"]), ValueError, "sentence 1, 'xyz', has no"),
        (model.decision_function, (X, "a bird"), TypeError, "must be a sequence of strings"),
        (model.decision_function, (X, []), ValueError, "empty"),
        (model.best_sentence, (X[0], ["a bird"]), ValueError, "images must be a 2-d array"),
        (model.predict, (X, ["a bird"]), TypeError, "a dict of name to sentences, got list"),
        (model.predict, (X, {}), TypeError, "a dict of name to sentences, got an empty one"),
        (model.decision_function, (X, iter(["bird", "xyz"])), ValueError, "sentence 1, 'xyz'"),
        (fit_image_text, (light(loaded), changed), ValueError, r"\(hand\) after 'unit length'"),
        (fit_image_text, (light(loaded), X), TypeError, "must be of the class ImageTextProblem"),
    ):
        with pytest.raises(error, match=words):
            function(*given)
