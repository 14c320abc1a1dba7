"""MetricLearner: objective against loops and finite differences; negatives, growth, epochs."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from zslib import arrays
from zslib.compatibility import MetricLearner
from zslib.compatibility.metric.negatives import NEGATIVES, NegativeSet, distinct_candidates
from zslib.compatibility.metric.objective import (
    HINGES,
    metric_objective,
    pair_hinge,
    squared_distances,
)

NAMES = "coef_", "intercept_", "metric_", "threshold_"
WEIGHTS = {"positive_weight": 0.7, "negative_weight": 0.4, "attribute_weight": 1.3}


def theta_of(model):
    return tuple(getattr(model, name) for name in NAMES)


def distance(theta, x, v):
    """Eqs. 1 and 2 for one image and one vector."""
    estimate = np.maximum(0.0, x @ theta[0] + theta[1])
    return np.linalg.norm((estimate - v) @ theta[2])


def hinge_loss(S, sign, threshold, hinge):
    """Eq. 3, and how it is meant."""
    gap = (threshold - S) ** 2 if hinge == "as_printed" else threshold - S**2
    return max(0.0, 1.0 - sign * gap)


def loop(
    theta, X, vectors, own, counts, hinge, positive_weight, negative_weight, attribute_weight
):
    value = 0.0
    for x, o, row in zip(X, own, counts, strict=True):
        error = np.maximum(0.0, x @ theta[0] + theta[1]) - vectors[o]
        loss = hinge_loss(distance(theta, x, vectors[o]), 1, theta[3][0], hinge)
        value += positive_weight * (loss + attribute_weight * error @ error)
        for v, count in zip(vectors, row, strict=True):
            loss = hinge_loss(distance(theta, x, v), -1, theta[3][0], hinge)
            value += negative_weight * count * loss
    return value


@pytest.fixture
def pairs():
    """Parameters, images and pairs, some within each hinge, some beyond it, and some twice."""
    rng = np.random.default_rng(0)
    W_X, b_X, metric = (rng.standard_normal(shape) for shape in ((3, 4), 4, (4, 2)))
    theta = W_X, b_X, 1.2 * metric, np.array([2.2])
    X, vectors = rng.standard_normal((6, 3)), rng.uniform(0.0, 1.5, (5, 4))
    own = rng.integers(5, size=6)
    listed = np.stack([rng.permutation(np.delete(np.arange(5), o))[:3] for o in own])
    listed = np.concatenate([listed, listed[:, :1]], axis=1)
    counts = np.stack([np.bincount(row, minlength=5) for row in listed]).astype(float)
    return theta, X, vectors, own, listed, counts


@pytest.mark.parametrize("hinge", HINGES)
@pytest.mark.parametrize("form", ["listed", "counted"])
def test_objective_and_gradients(check_objective, pairs, hinge, form):
    theta, X, vectors, own, listed, counts = pairs
    check_objective(
        lambda *given: metric_objective(given[:4], *given[4:], **WEIGHTS, hinge=hinge),
        lambda *given: loop(given[:4], *given[4:7], counts, hinge, **WEIGHTS),
        (*theta, X, vectors, own, listed if form == "listed" else counts),
        by=range(4),
        atol=2e-7,
    )


def test_derivatives_at_kinks_are_zero():
    for hinge in HINGES:
        loss, by_squared, by_threshold = pair_hinge(np.array([1.0]), 1, np.array([2.0]), hinge)
        assert (loss[0], by_squared[0], by_threshold[0]) == (0.0, 0.0, 0.0)
    _, by_squared, _ = pair_hinge(np.array([0.0]), -1, np.array([2.0]), "as_printed")
    assert by_squared[0] == 0.0
    theta, X = (np.zeros((1, 1)), np.zeros(1), np.ones((1, 1)), np.ones(1)), np.ones((1, 1))
    given = np.array([[1.0], [2.0]]), np.array([0]), np.array([[1]])
    _, gradients = metric_objective(theta, X, *given, **WEIGHTS, hinge=HINGES[0])
    assert gradients[0][0, 0] == gradients[1][0] == 0.0


def test_distances_of_near_vectors_far_from_the_origin():
    rng = np.random.default_rng(0)
    V = (1000.0 + rng.standard_normal((5, 3))).astype("float32")
    metric = rng.standard_normal((3, 3)).astype("float32")
    A = V[:3] + np.float32(0.5)
    wide = (A[:, None, :].astype(float) - V) @ metric.astype(float)
    expected = (wide**2).sum(axis=2)
    np.testing.assert_allclose(squared_distances(A, V, metric), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("hinge", HINGES)
def test_pairs_that_are_near_in_float32(pairs, hinge):
    """Whatever form the negatives have; counted ones give differences of squares."""
    theta, X, vectors, own, listed, counts = pairs
    theta = (*theta[:3], np.array([0.5]))
    near = np.maximum(0.0, X @ theta[0] + theta[1])[:3] + 0.003
    vectors, own = np.concatenate([near, 3.0 + vectors]), np.arange(3)
    negatives = {"listed": listed[:3] + 3, "counted": np.pad(counts[:3], ((0, 0), (3, 0)))}
    for form, given in negatives.items():
        exact, _ = metric_objective(theta, X[:3], vectors, own, given, **WEIGHTS, hinge=hinge)
        narrow = (part.astype("float32") for part in (X[:3], vectors))
        given = given if form == "listed" else given.astype("float32")
        theta32 = tuple(part.astype("float32") for part in theta)
        value, gradients = metric_objective(theta32, *narrow, own, given, **WEIGHTS, hinge=hinge)
        assert {part.dtype for part in gradients} == {np.dtype("float32")}
        assert float(value) == pytest.approx(float(exact), rel=1e-5)


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("hinge", HINGES)
def test_a_step_is_down_the_objective(balanced, hinge, numerical_gradient):
    """One epoch, one batch, all negatives: the start less the rate times the slope of Eq. 11 or 6.

    Eq. 6 is divided by half the number of pairs.
    """
    rng = np.random.default_rng(0)
    X, y, S = rng.uniform(size=(6, 3)), np.array([0, 1, 2, 3, 0, 1]), rng.uniform(size=(4, 2))
    options = {"balanced": balanced, "hinge": hinge, "negatives_per_positive": 3}
    model = MetricLearner(2, 0.5, 0.1, batch_size=6, n_epochs=1, random_state=0, **options)
    start = theta_of(clone(model).set_params(learning_rate=1e-300).fit(X, y, S))
    after = theta_of(clone(model).set_params(learning_rate=1e-3).fit(X, y, S))
    weights = (1 / 6, 1 / (6 * 3)) if balanced else (2 / (6 + 6 * 3), 2 / (6 + 6 * 3))

    def objective(theta):
        squares = sum(np.sum(part**2) for part in theta[:3])
        return loop(theta, X, S, y, 1.0 - np.eye(4)[y], hinge, *weights, 0.5) + 0.1 * squares

    for i, (first, moved) in enumerate(zip(start, after, strict=True)):
        slope = numerical_gradient(
            lambda part, i=i: objective((*start[:i], part, *start[i + 1 :])), first
        )
        np.testing.assert_allclose(moved, first - 1e-3 * slope, atol=1e-9)


@pytest.mark.parametrize(
    ("negatives", "n_scored"),
    [("random", 256), ("uncertainty", 256), ("uncertainty_correlation", 256), ("uncertainty", 20)],
)
def test_attributes_of_images(backend, problem, negatives, n_scored, monkeypatch):
    """Also in small blocks, and on every library the same."""
    rng = np.random.default_rng(0)
    A = np.round(problem.S[problem.y] + 0.1 * rng.standard_normal((len(problem.y), 8)), 1)
    X, y, S, A = problem.X[::3], problem.y[::3], problem.S, A[::3]
    options = {"learning_rate": 0.01, "n_epochs": 3, "batch_size": 8, "random_state": 0}
    options |= {"negatives": negatives, "negatives_per_positive": 2, "n_scored": n_scored}
    model = MetricLearner(8, **options)
    expected = clone(model).fit(X, y, S, A)
    assert 20 < expected.n_candidates_ <= len(A)
    monkeypatch.setattr(arrays, "ENTRIES", 5 * expected.n_candidates_)
    model.fit(*map(backend.asarray, (X, y, S, A)))
    backend.check(model.threshold_)
    backend.assert_allclose(model.metric_, expected.metric_, atol=1e-9)


def test_few_are_scored_of_many_different_attributes(problem, monkeypatch):
    """They are of other classes, and none twice."""
    rng = np.random.default_rng(0)
    A = problem.S[problem.y] + 0.1 * rng.standard_normal((len(problem.y), 8))
    options = {"n_epochs": 3, "learning_rate": 0.01, "negatives_per_positive": 2}
    model = MetricLearner(8, negatives="uncertainty", random_state=0, **options)
    inputs = problem.X, problem.y, problem.S, A
    exact, _ = recorded(monkeypatch, clone(model).set_params(n_scored=None), *inputs)
    few, _ = recorded(monkeypatch, model.set_params(n_scored=20), *inputs)
    assert not np.array_equal(few[-1], exact[-1])
    assert np.all(few[-1][:, 0] != few[-1][:, 1])
    candidates = distinct_candidates(problem.y, problem.S, A)
    assert np.all(candidates.classes[few[-1]] != problem.y[:, None])


def recorded(monkeypatch, model, *inputs):
    """What is drawn in each epoch, and how many pairs an image has then."""
    drawn, sizes = [], []
    add = NegativeSet.add

    def spy(self, pairs):
        add(self, pairs)
        drawn.append(pairs)
        sizes.append(self.per_image)

    with monkeypatch.context() as patch:
        patch.setattr(NegativeSet, "add", spy)
        model.fit(*inputs)
    return drawn, sizes


def test_growth(problem, monkeypatch):
    options = {"n_epochs": 3, "negatives_per_positive": 2, "random_state": 0}
    for growth, expected in (("across_epochs", [2, 4, 6]), ("within_epoch", [2, 2, 2])):
        model = MetricLearner(4, growth=growth, **options)
        _, sizes = recorded(monkeypatch, model, problem.X, problem.y, problem.S)
        assert sizes == expected


def test_the_first_epoch_is_random_and_later_ones_follow_the_metric(problem, monkeypatch):
    """Uncertain negatives are nearer than random ones; the first draw does not know the metric."""
    inputs = problem.X, problem.y, problem.S
    options = {"n_epochs": 15, "learning_rate": 0.01, "keep_epochs": True, "average_last": 1}
    model = MetricLearner(8, negatives="uncertainty", random_state=0, **options)
    others, _ = recorded(monkeypatch, clone(model).set_params(negatives="random"), *inputs)
    drawn, _ = recorded(monkeypatch, model, *inputs)
    np.testing.assert_array_equal(drawn[0], others[0])
    S = -model.at_epoch(14).decision_function(problem.X, problem.S[model.classes_])
    near, any_ = (np.take_along_axis(S, found[14], axis=1).mean() for found in (drawn, others))
    # The chance of a draw is that of Eq. 8 among the other classes.
    own = np.searchsorted(model.classes_, problem.y)
    weights = np.exp(-S)
    weights[np.arange(len(own)), own] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    expected = (weights * S).sum(axis=1)
    spread = math.sqrt(((weights * S**2).sum(axis=1) - expected**2).sum()) / len(own)
    assert near == pytest.approx(expected.mean(), abs=4 * spread)
    assert any_ > expected.mean() + 4 * spread


@pytest.mark.parametrize("negatives", NEGATIVES)
def test_draws_follow_eqs_8_to_10(problem, monkeypatch, negatives):
    """With parameters that stay where they are, over many epochs, candidate by candidate."""
    X, y, S = problem.X[::4], problem.y[::4], problem.S
    rng = np.random.default_rng(0)
    A = S[y] * np.round(rng.uniform(0.5, 2.0, (len(y), 1)))  # up to two vectors of a class
    A[::10] *= 4.0
    options = {"n_epochs": 400, "learning_rate": 1e-300, "growth": "within_epoch"}
    model = MetricLearner(4, negatives=negatives, batch_size=60, random_state=0, **options)
    drawn, _ = recorded(monkeypatch, model, X, y, S, A)
    rows, own = np.unique(np.column_stack([y, A]), axis=0, return_inverse=True)
    own, vectors = own.reshape(-1), rows[:, 1:]
    law = {way: np.zeros((len(y), len(vectors))) for way in NEGATIVES}
    theta = theta_of(model)
    for i, x in enumerate(X):
        for j, v in enumerate(vectors):
            if rows[j, 0] == y[i]:
                continue
            mates, count = A[y == rows[j, 0]], np.sum(own == j)
            u = math.exp(-(distance(theta, x, v) - distance(theta, x, A[i])))
            q = math.exp(-np.mean([np.linalg.norm(v - mate) for mate in mates]))
            for way, weight in zip(NEGATIVES, (1.0, u, u * q), strict=True):
                law[way][i, j] = count * weight
    law = {way: weights / weights.sum(axis=1, keepdims=True) for way, weights in law.items()}
    later = np.concatenate(drawn[1:], axis=1)
    counts = np.stack([np.bincount(row, minlength=len(vectors)) for row in later])
    assert np.all(counts[law[negatives] == 0] == 0)
    # Image by image: Eq. 8 depends on the image, and a sum over images could hide that.
    draws = later.shape[1]

    def far(shares):
        """Pearson's statistic of each image, in its standard deviations from its mean."""
        some = shares > 0
        k = some.sum(axis=1)
        inverse = np.where(some, 1.0 / np.where(some, shares, 1.0), 0.0)
        chi_square = ((counts - draws * shares) ** 2 * inverse).sum(axis=1) / draws
        variance = 2.0 * (k - 1) + (inverse.sum(axis=1) - k**2 - 2.0 * k + 2.0) / draws
        return (chi_square - (k - 1)) / np.sqrt(variance)

    assert far(law[negatives]).max() < 7
    assert abs(far(law[negatives]).sum()) < 5 * math.sqrt(len(y))
    # Neither another strategy nor another image's chances pass for these.
    for way in set(NEGATIVES) - {negatives}:
        assert far(law[way]).sum() > 6 * math.sqrt(len(y))
    if negatives == "uncertainty":  # q draws to the same vectors for every image
        blind = np.where(law["random"] > 0, law[negatives].mean(axis=0), 0.0)
        assert far(blind / blind.sum(axis=1, keepdims=True)).sum() > 6 * math.sqrt(len(y))


def test_lists_and_other_types_are_converted(problem):
    given = problem.S[problem.y]
    model = MetricLearner(2, n_epochs=1, random_state=0)
    expected = clone(model).fit(problem.X, problem.y, problem.S, given).predict(problem.X)
    model.fit(problem.X, problem.y, problem.S.tolist(), given.astype("float16").tolist())
    assert np.mean(model.predict(problem.X) == expected) > 0.9


def test_epochs_are_kept(problem):
    inputs = problem.X, problem.y, problem.S
    model = MetricLearner(4, n_epochs=5, keep_epochs=True, random_state=0).fit(*inputs)
    for epoch in (1, 3, 5):
        short = MetricLearner(4, n_epochs=epoch, random_state=0).fit(*inputs)
        then = model.at_epoch(epoch)
        assert then.get_params() == short.get_params()
        assert then.learning_curve_ == short.learning_curve_
        scores = short.decision_function(problem.X)
        np.testing.assert_array_equal(then.decision_function(problem.X), scores)


def test_the_model_is_the_mean_of_its_last_epochs(problem):
    inputs = problem.X, problem.y, problem.S
    single = MetricLearner(4, n_epochs=7, average_last=1, keep_epochs=True, random_state=0)
    single.fit(*inputs)
    for last, n_epochs, first in ((3, 7, 5), (5, 7, 3), (5, 2, 1)):
        model = MetricLearner(4, n_epochs=n_epochs, average_last=last, random_state=0).fit(*inputs)
        # Negatives follow the single epochs, so both trainings are the same.
        assert model.learning_curve_ == single.learning_curve_[:n_epochs]
        kept = [theta_of(single.at_epoch(epoch)) for epoch in range(first, n_epochs + 1)]
        for found, parts in zip(theta_of(model), zip(*kept, strict=True), strict=True):
            np.testing.assert_allclose(found, sum(parts) / len(kept), rtol=1e-12)


def test_scores_are_distances(problem, monkeypatch):
    model = MetricLearner(3, n_epochs=2, random_state=0).fit(problem.X, problem.y, problem.S)
    monkeypatch.setattr(arrays, "ENTRIES", 100)
    expected = [[-distance(theta_of(model), x, s) for s in problem.S] for x in problem.X]
    np.testing.assert_allclose(model.decision_function(problem.X), expected, rtol=1e-9, atol=1e-9)
    assert (problem.X @ model.coef_ + model.intercept_).min() < 0.0


def short(attributes=lambda A: A, epoch=None, **options):
    """A call that fits a model to changed attributes of images, and asks for an epoch of it."""

    def call(problem):
        model = MetricLearner(2, n_epochs=2, random_state=0, **options)
        model.fit(problem.X, problem.y, problem.S, attributes(problem.S[problem.y]))
        return model.at_epoch(epoch)

    return call


REFUSALS = [
    (short(lambda A: A[:-1]), "X has 240 rows and image_attributes has 239"),
    (short(lambda A: A[:, :5]), "image_attributes has 5 columns and class_embeddings has 8"),
    (
        short(lambda A: np.where(np.arange(240)[:, None] == 3, np.nan, A)),
        "image_attributes holds NaN or infinity in 1 row",
    ),
    (short(sparse.csr_array), "image_attributes is sparse", TypeError),
    (short(negatives="uncertainty_correlation"), r"q of Eq\. 9 is then 1 for every vector"),
    (short(epoch=0, keep_epochs=True), "epoch must be between 1 and 2"),
    (short(epoch=3, keep_epochs=True), "epoch must be between 1 and 2"),
    (short(epoch=1), "fit with keep_epochs=True"),
    (lambda problem: MetricLearner().at_epoch(1), "not fitted", NotFittedError),
]


def test_refusals(refusal, problem):
    refusal(problem)
