"""What generative systems share: whose images are real, what is kept, what scores depend on."""

import numpy as np
import pytest

from zslib.compatibility.conse import softmax_objective
from zslib.compatibility.generative import base
from zslib.compatibility.generative.base import GenerativeModel, repeated
from zslib.optim import minimize


class Toy(GenerativeModel):
    """Each class is at its embedding times 10; every training of a classifier is counted."""

    n_generated, classifier_penalty, feature_length = 5, 1e-2, 3.0

    def __init__(self, random_state=0):
        self.random_state = random_state

    def _fit_generator(self, X, codes, embeddings, rng):
        self.length_ = np.mean(np.sum(X**2, axis=1)) ** 0.5
        self.trained = 0

    def _generate(self, embeddings, per_class, rng):
        self.trained += 1
        images = 10.0 * repeated(embeddings, per_class)
        return images + (0.1 * rng.standard_normal(images.shape)).astype(images.dtype)


@pytest.fixture
def world():
    """As many features as attributes; classes 0 to 3 are seen."""
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, 3))
    y = np.repeat(np.arange(4), 7)
    return S[y] + 0.1 * rng.standard_normal((28, 3)), y, S


def test_features_are_brought_to_one_length(world):
    X, y, S = world
    model, again = Toy().fit(X, y, S), Toy().fit(7.0 * X, y, S)
    assert model.length_ == pytest.approx(3.0)
    scores = model.decision_function(X, S)
    np.testing.assert_allclose(again.decision_function(7.0 * X, S), scores, atol=1e-6)


def test_seen_candidates_get_their_images(world):
    """The classifier of seen classes alone is the softmax regression on their images."""
    X, y, S = world
    model = Toy().fit(X, y, S)
    chosen = np.array([2, 0, 3])
    scores = model.decision_function(X, S[chosen])
    assert model.trained == 0
    some = np.isin(y, chosen)
    codes = np.array([1, -1, 0, 2])[y[some]]
    images = model.scale_ * X

    def objective(w):
        return softmax_objective(w, images[some], codes, 1e-2)

    weights, _ = minimize(objective, np.zeros((4, 3)), max_iter=200, tol=1e-3)
    logits = images @ weights[:-1] + weights[-1]
    expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_the_set_of_candidates_is_what_counts(world):
    X, y, S = world
    model = Toy().fit(X, y, S)
    scores = model.decision_function(X, S)
    for same in (np.array([5, 0, 3, 1, 4, 2]), np.array([0, 1, 2, 3, 4, 5, 4, 0])):
        np.testing.assert_array_equal(model.decision_function(X, S[same]), scores[:, same])
    assert model.trained == 1
    fewer = model.decision_function(X, S[3:])
    assert model.trained == 2
    # Not the same but for a constant: the classifier is another one.
    assert np.ptp(fewer[:, 1] - fewer[:, 2] - (scores[:, 4] - scores[:, 5])) > 1e-3
    np.testing.assert_array_equal(model.decision_function(X, S[:1]), 0.0)


def test_classifiers_are_kept(world, monkeypatch):
    X, y, S = world
    monkeypatch.setattr(base, "KEPT", 2)
    model = Toy().fit(X, y, S)
    first = model.decision_function(X, S)
    model.decision_function(X, S[3:])
    model.decision_function(X, S)
    assert model.trained == 2
    model.decision_function(X, S[2:])
    assert len(model._classifiers) == 2
    np.testing.assert_array_equal(model.decision_function(X, S), first)
    assert model.trained == 4
    model.fit(X + 0.5, y, S)
    assert not np.allclose(model.decision_function(X, S), first)


def test_seeds_matter_only_where_something_is_generated(world):
    X, y, S = world
    one, other = (Toy(seed).fit(X, y, S) for seed in (0, 1))
    assert not np.array_equal(one.decision_function(X, S), other.decision_function(X, S))
    seen = one.decision_function(X, S[:4])
    np.testing.assert_array_equal(seen, other.decision_function(X, S[:4]))


def test_classes_of_equal_embeddings_share_their_images(world):
    X, y, S = world
    S[1], S[2, 0] = S[0], 0.0
    scores = Toy().fit(X, y, S).decision_function(X, S)
    np.testing.assert_array_equal(scores[:, 0], scores[:, 1])
    merged = Toy().fit(X, np.where(y == 1, 0, y), S)
    np.testing.assert_array_equal(merged.decision_function(X, S), scores)
    S[2, 0] = -0.0
    np.testing.assert_array_equal(merged.decision_function(X, S), scores)


def test_candidates_of_another_type_are_the_same_candidates(world):
    X, y, S = world[0].astype("float32"), world[1], world[2].astype("float32")
    model = Toy().fit(X, y, S)
    for kind in ("float32", "float64"):
        assert model.decision_function(X.astype(kind), S.astype(kind)).dtype == kind
    assert model.trained == 1
