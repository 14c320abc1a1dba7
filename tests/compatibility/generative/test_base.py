"""What generative systems share: whose images are real, what is kept, what scores depend on."""

import numpy as np
import pytest

from zslib.arrays import like, namespace, row_norms, take_rows
from zslib.compatibility.conse import softmax_objective
from zslib.compatibility.generative import base
from zslib.compatibility.generative.base import GenerativeModel
from zslib.optim import minimize


class Toy(GenerativeModel):
    """Each class is at its embedding times 10; every call is noted."""

    def __init__(
        self, n_generated=5, classifier_penalty=1e-2, feature_length=3.0, random_state=None
    ):
        self.n_generated = n_generated
        self.classifier_penalty = classifier_penalty
        self.feature_length = feature_length
        self.random_state = random_state

    def _fit_generator(self, X, codes, embeddings, rng):
        self.length_ = float(namespace(X).mean(row_norms(X) ** 2)) ** 0.5
        self.trained = 0

    def _generate(self, embeddings, per_class, rng):
        self.trained += 1
        places = np.repeat(np.arange(embeddings.shape[0]), per_class)
        noise = 0.1 * rng.standard_normal((len(places), embeddings.shape[1]))
        noise = namespace(embeddings).astype(like(noise, embeddings), embeddings.dtype)
        return 10.0 * take_rows(embeddings, places) + noise


@pytest.fixture
def world():
    """As many features as attributes; classes 0 to 3 are seen."""
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, 3))
    y = np.repeat(np.arange(4), 7)
    return S[y] + 0.1 * rng.standard_normal((28, 3)), y, S


def test_scale(world):
    X, y, S = world
    model = Toy(random_state=0).fit(X, y, S)
    assert model.length_ == pytest.approx(3.0)
    again = Toy(random_state=0).fit(7.0 * X, y, S)
    np.testing.assert_allclose(
        again.decision_function(7.0 * X, S), model.decision_function(X, S), atol=1e-6
    )


def test_seen_candidates_get_their_images(world):
    """The classifier of seen classes alone is the softmax regression on their images."""
    X, y, S = world
    model = Toy(random_state=0).fit(X, y, S)
    chosen = np.array([2, 0, 3])
    scores = model.decision_function(X, S[chosen])
    assert model.trained == 0
    some = np.isin(y, chosen)
    codes = np.array([1, -1, 0, 2])[y[some]]
    images = model.scale_ * X
    weights, _ = minimize(
        lambda w: softmax_objective(w, images[some], codes, 1e-2),
        np.zeros((4, 3)),
        max_iter=200,
        tol=1e-3,
    )
    logits = images @ weights[:-1] + weights[-1]
    expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1.0)


def test_the_set_of_candidates_is_what_counts(world):
    X, y, S = world
    model = Toy(random_state=0).fit(X, y, S)
    scores = model.decision_function(X, S)
    order = np.array([5, 0, 3, 1, 4, 2])
    np.testing.assert_array_equal(model.decision_function(X, S[order]), scores[:, order])
    twice = np.array([0, 1, 2, 3, 4, 5, 4, 0])
    np.testing.assert_array_equal(model.decision_function(X, S[twice]), scores[:, twice])
    assert model.trained == 1
    fewer = model.decision_function(X, S[3:])
    assert model.trained == 2
    # Not the same but for a constant: the classifier is another one.
    assert np.ptp(fewer[:, 1] - fewer[:, 2] - (scores[:, 4] - scores[:, 5])) > 1e-3
    alone = model.decision_function(X, S[:1])
    np.testing.assert_array_equal(alone, 0.0)


def test_classifiers_are_kept(world, monkeypatch):
    X, y, S = world
    monkeypatch.setattr(base, "KEPT", 2)
    model = Toy(random_state=0).fit(X, y, S)
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


def test_seeds_matter_where_something_is_generated(world):
    X, y, S = world
    one, same, other = (Toy(random_state=seed).fit(X, y, S) for seed in (0, 0, 1))
    scores = one.decision_function(X, S)
    np.testing.assert_array_equal(scores, same.decision_function(X, S))
    assert not np.array_equal(scores, other.decision_function(X, S))
    seen = one.decision_function(X, S[:4])
    np.testing.assert_array_equal(seen, other.decision_function(X, S[:4]))


def test_classes_of_equal_embeddings_share_their_images(world):
    X, y, S = world
    S = S.copy()
    S[1] = S[0]
    S[2, 0] = 0.0
    scores = Toy(random_state=0).fit(X, y, S).decision_function(X, S)
    np.testing.assert_array_equal(scores[:, 0], scores[:, 1])
    merged = Toy(random_state=0).fit(X, np.where(y == 1, 0, y), S)
    np.testing.assert_array_equal(merged.decision_function(X, S), scores)
    negative = S.copy()
    negative[2, 0] = -0.0
    np.testing.assert_array_equal(merged.decision_function(X, negative), scores)


def test_types(world):
    X, y, S = (array.astype("float32") if array.dtype == "float64" else array for array in world)
    model = Toy(random_state=0).fit(X, y, S)
    narrow = model.decision_function(X, S)
    assert narrow.dtype == np.float32
    wide = model.decision_function(X.astype("float64"), S.astype("float64"))
    assert wide.dtype == np.float64
    np.testing.assert_allclose(wide, narrow, atol=1e-4)
    assert len(model._classifiers) == 1
