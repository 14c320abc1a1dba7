"""MetricLearner: objective against loops and finite differences; negatives, growth, epochs."""

import math
import pickle

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
    attribute_estimates,
    metric_objective,
    pair_hinge,
    squared_distances,
)

WEIGHTS = {"positive_weight": 0.7, "negative_weight": 0.4, "attribute_weight": 1.3}


def distance(theta, x, v):
    """Eqs. 1 and 2 for one image and one vector."""
    W_X, b_X, metric, _ = theta
    estimate = np.maximum(0.0, x @ W_X + b_X)
    return np.linalg.norm((estimate - v) @ metric)


def hinge_loss(S, sign, threshold, hinge):
    """Eq. 3, and how it is meant."""
    if hinge == "as_printed":
        return max(0.0, 1.0 - sign * (threshold - S) ** 2)
    return max(0.0, 1.0 - sign * (threshold - S**2))


def loop(theta, X, vectors, own, counts, hinge):
    value = 0.0
    for x, o, row in zip(X, own, counts, strict=True):
        error = np.maximum(0.0, x @ theta[0] + theta[1]) - vectors[o]
        loss = hinge_loss(distance(theta, x, vectors[o]), 1, theta[3][0], hinge)
        value += WEIGHTS["positive_weight"] * (loss + WEIGHTS["attribute_weight"] * error @ error)
        for v, count in zip(vectors, row, strict=True):
            loss = hinge_loss(distance(theta, x, v), -1, theta[3][0], hinge)
            value += WEIGHTS["negative_weight"] * count * loss
    return value


@pytest.fixture
def pairs():
    """Parameters, images and pairs, some within each hinge and some beyond it."""
    rng = np.random.default_rng(0)
    theta = (
        rng.standard_normal((3, 4)),
        rng.standard_normal(4),
        1.2 * rng.standard_normal((4, 2)),
        np.array([2.2]),
    )
    X, vectors, own = (
        rng.standard_normal((6, 3)),
        rng.uniform(0.0, 1.5, (5, 4)),
        rng.integers(5, size=6),
    )
    listed = np.stack([rng.permutation(np.delete(np.arange(5), o))[:3] for o in own])
    counts = np.zeros((6, 5))
    np.put_along_axis(counts, listed, 1.0, axis=1)
    return theta, X, vectors, own, listed, counts


@pytest.mark.parametrize("hinge", HINGES)
@pytest.mark.parametrize("form", ["listed", "counted"])
def test_objective_and_gradients(check_objective, pairs, hinge, form):
    theta, X, vectors, own, listed, counts = pairs
    check_objective(
        lambda *given: metric_objective(given[:4], *given[4:], **WEIGHTS, hinge=hinge),
        lambda *given: loop(given[:4], *given[4:7], counts, hinge),
        (*theta, X, vectors, own, listed if form == "listed" else counts),
        by=range(4),
        atol=2e-7,
    )


def test_pairs_lie_on_both_sides_of_the_hinges(pairs):
    """So that the comparison above covers both."""
    theta, X, vectors, own, _, _ = pairs
    for hinge in HINGES:
        positive = [
            hinge_loss(distance(theta, x, vectors[o]), 1, 2.2, hinge)
            for x, o in zip(X, own, strict=True)
        ]
        assert min(positive) == 0.0 < max(positive)
    negative = [hinge_loss(distance(theta, x, v), -1, 2.2, HINGES[0]) for x in X for v in vectors]
    assert min(negative) == 0.0 < max(negative)


def test_vectors_many_times_over(pairs):
    """A vector counted twice is two pairs, whatever form they have."""
    theta, X, vectors, own, listed, counts = pairs
    twice = metric_objective(theta, X, vectors, own, 2.0 * counts, **WEIGHTS)
    listed = np.concatenate([listed, listed], axis=1)
    other = metric_objective(theta, X, vectors, own, listed, **WEIGHTS)
    assert twice[0] == pytest.approx(other[0], rel=1e-12)
    for a, b in zip(twice[1], other[1], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_derivatives_at_kinks_are_zero():
    for hinge, at_kink in zip(HINGES, (1.0, 1.0), strict=True):
        loss, by_squared, by_threshold = pair_hinge(np.array([at_kink]), 1, np.array([2.0]), hinge)
        assert (loss[0], by_squared[0], by_threshold[0]) == (0.0, 0.0, 0.0)
    _, by_squared, _ = pair_hinge(np.array([0.0]), -1, np.array([2.0]), "as_printed")
    assert by_squared[0] == 0.0
    theta = np.zeros((1, 1)), np.zeros(1), np.ones((1, 1)), np.ones(1)
    _, gradients = metric_objective(
        theta, np.ones((1, 1)), np.array([[1.0], [2.0]]), np.array([0]), np.array([[1]]), **WEIGHTS
    )
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


def objective(model, X, y, S, counts, per_image):
    """Eq. 11, or Eq. 6 divided by half the number of pairs, as loops."""
    theta = model.coef_, model.intercept_, model.metric_, model.threshold_
    n = len(X)
    positive, negative = 1.0 / n, 1.0 / (n * per_image)
    if not model.balanced:
        positive = negative = 2.0 / (n + n * per_image)
    value = 0.0
    for x, own, row in zip(X, y, counts, strict=True):
        error = np.maximum(0.0, x @ theta[0] + theta[1]) - S[own]
        value += positive * hinge_loss(distance(theta, x, S[own]), 1, theta[3][0], model.hinge)
        value += positive * model.attribute_weight * error @ error
        for c, count in enumerate(row):
            loss = hinge_loss(distance(theta, x, S[c]), -1, theta[3][0], model.hinge)
            value += negative * count * loss
    squares = sum(float(np.sum(part * part)) for part in theta[:3])
    return value + model.regularization * squares


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("hinge", HINGES)
def test_a_step_is_down_the_objective(balanced, hinge, numerical_gradient):
    """One epoch with one batch and all negatives: the start less the rate times the slope."""
    rng = np.random.default_rng(0)
    X, y, S = rng.uniform(size=(6, 3)), np.array([0, 1, 2, 3, 0, 1]), rng.uniform(size=(4, 2))
    options = {"balanced": balanced, "hinge": hinge, "negatives_per_positive": 3}
    model = MetricLearner(2, 0.5, 0.1, batch_size=6, random_state=0, **options)
    start = clone(model).set_params(n_epochs=1, learning_rate=1e-300).fit(X, y, S)
    after = clone(model).set_params(n_epochs=1, learning_rate=1e-3).fit(X, y, S)
    counts = 1.0 - np.eye(4)[y]
    for name in ("coef_", "intercept_", "metric_", "threshold_"):
        first = getattr(start, name)

        def value(part, name=name, first=first):
            setattr(start, name, part)
            found = objective(start, X, y, S, counts, 3)
            setattr(start, name, first)
            return found

        slope = numerical_gradient(value, first)
        np.testing.assert_allclose(getattr(after, name), first - 1e-3 * slope, atol=1e-9)


def test_balanced_or_not_is_the_same_with_one_negative(problem):
    fits = [
        MetricLearner(4, balanced=balanced, n_epochs=3, growth="within_epoch", random_state=0).fit(
            problem.X, problem.y, problem.S
        )
        for balanced in (True, False)
    ]
    np.testing.assert_allclose(fits[0].metric_, fits[1].metric_, atol=1e-12)


@pytest.mark.parametrize("negatives", ["random", "uncertainty", "uncertainty_correlation"])
def test_attributes_of_images(backend, problem, negatives, monkeypatch):
    """Also in small blocks, and on every library the same."""
    rng = np.random.default_rng(0)
    A = np.round(problem.S[problem.y] + 0.1 * rng.standard_normal((len(problem.y), 8)), 1)
    options = {"learning_rate": 0.01, "n_epochs": 3, "batch_size": 8, "random_state": 0}
    model = MetricLearner(8, negatives=negatives, negatives_per_positive=2, **options)
    expected = clone(model).fit(problem.X, problem.y, problem.S, A)
    assert 12 < expected.n_candidates_ <= len(A)
    monkeypatch.setattr(arrays, "ENTRIES", 5 * expected.n_candidates_)
    model.fit(*map(backend.asarray, (problem.X, problem.y, problem.S, A)))
    backend.check(model.threshold_)
    backend.assert_allclose(model.metric_, expected.metric_, atol=1e-9)


def test_few_are_scored_of_many_different_attributes(backend, problem, monkeypatch):
    """They are of other classes, none twice, and the same on all array libraries."""
    rng = np.random.default_rng(0)
    A = problem.S[problem.y] + 0.1 * rng.standard_normal((len(problem.y), 8))
    options = {"n_epochs": 15, "learning_rate": 0.01, "negatives_per_positive": 2}
    model = MetricLearner(8, negatives="uncertainty", n_scored=20, random_state=0, **options)
    inputs = problem.X, problem.y, problem.S, A
    drawn, _ = recorded(monkeypatch, clone(model), *inputs)
    candidates = distinct_candidates(problem.y, problem.S, A)
    last = drawn[-1]
    assert np.all(last[:, 0] != last[:, 1])
    assert np.all(candidates.classes[last] != problem.y[:, None])
    expected = clone(model).fit(*inputs)
    there = clone(model).fit(*map(backend.asarray, inputs))
    backend.assert_allclose(there.metric_, expected.metric_, atol=1e-9)
    exact = clone(model).set_params(n_scored=None).fit(*inputs)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(exact.metric_, expected.metric_, atol=1e-9)


def test_attributes_of_the_class_are_the_default(problem):
    model = MetricLearner(4, n_epochs=3, negatives="uncertainty", random_state=0)
    one = clone(model).fit(problem.X, problem.y, problem.S)
    other = model.fit(problem.X, problem.y, problem.S, problem.S[problem.y])
    np.testing.assert_allclose(one.metric_, other.metric_, atol=1e-12)


def recorded(monkeypatch, model, *inputs):
    """What is drawn in each epoch, and how many pairs an image has then."""
    drawn, sizes = [], []
    add = NegativeSet.add

    def spy(self, pairs):
        add(self, pairs)
        drawn.append(pairs)
        sizes.append(self.per_image)

    monkeypatch.setattr(NegativeSet, "add", spy)
    model.fit(*inputs)
    return drawn, sizes


def test_growth(problem, monkeypatch):
    for growth, expected in (("across_epochs", [2, 4, 6]), ("within_epoch", [2, 2, 2])):
        model = MetricLearner(
            4, n_epochs=3, negatives_per_positive=2, growth=growth, random_state=0
        )
        _, sizes = recorded(monkeypatch, model, problem.X, problem.y, problem.S)
        assert sizes == expected


def test_the_first_epoch_is_random_and_later_ones_follow_the_metric(problem, monkeypatch):
    """Uncertain negatives are nearer than random ones; the first draw does not know the metric."""
    inputs = problem.X, problem.y, problem.S
    options = {"n_epochs": 15, "learning_rate": 0.01, "keep_epochs": True, "random_state": 0}
    options["average_last"] = 1
    model = MetricLearner(8, negatives="uncertainty", **options)
    drawn, _ = recorded(monkeypatch, model, *inputs)
    plain = MetricLearner(8, negatives="random", **options)
    others, _ = recorded(monkeypatch, plain, *inputs)
    np.testing.assert_array_equal(drawn[0], others[0])
    S = -model.at_epoch(14).decision_function(problem.X, problem.S[model.classes_])
    near, any_ = (np.take_along_axis(S, found[14], axis=1).mean() for found in (drawn, others))
    assert near < any_
    # The chance of a draw is that of Eq. 8 among the other classes.
    own = np.searchsorted(model.classes_, problem.y)
    weights = np.exp(-S)
    weights[np.arange(len(own)), own] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    expected = (weights * S).sum(axis=1)
    spread = math.sqrt(((weights * S**2).sum(axis=1) - expected**2).sum()) / len(own)
    assert near == pytest.approx(expected.mean(), abs=4 * spread)


@pytest.mark.parametrize("negatives", NEGATIVES)
def test_draws_follow_eqs_8_to_10(problem, monkeypatch, negatives):
    """With parameters that stay where they are, over many epochs, candidate by candidate."""
    X, y, S = problem.X[::4], problem.y[::4], problem.S
    rng = np.random.default_rng(0)
    A = S[y] * np.round(rng.uniform(0.5, 2.0, (len(y), 1)))  # up to two vectors of a class
    A[::10] *= 4.0
    model = MetricLearner(
        4, negatives=negatives, n_epochs=600, batch_size=len(y), learning_rate=1e-300
    ).set_params(random_state=0, growth="within_epoch", keep_epochs=True)
    drawn, _ = recorded(monkeypatch, model, X, y, S, A)
    rows, own = np.unique(np.column_stack([y, A]), axis=0, return_inverse=True)
    own, vectors = own.reshape(-1), rows[:, 1:]
    law = {way: np.zeros((len(y), len(vectors))) for way in NEGATIVES}
    first = model.at_epoch(1)
    theta = first.coef_, first.intercept_, first.metric_, first.threshold_
    for i, x in enumerate(X):
        for j, v in enumerate(vectors):
            mates = A[y == rows[j, 0]]
            if rows[j, 0] == y[i]:
                continue
            count = np.sum(own == j)
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
        np.testing.assert_array_equal(
            then.decision_function(problem.X), short.decision_function(problem.X)
        )
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.at_epoch(2).metric_, model.at_epoch(2).metric_)
    for epoch in (0, 6):
        with pytest.raises(ValueError, match="epoch must be between 1 and 5"):
            model.at_epoch(epoch)
    with pytest.raises(ValueError, match="fit with keep_epochs=True"):
        model.at_epoch(2).at_epoch(1)
    with pytest.raises(NotFittedError):
        MetricLearner().at_epoch(1)


def test_the_model_is_the_mean_of_its_last_epochs(problem):
    inputs = problem.X, problem.y, problem.S
    names = "coef_", "intercept_", "metric_", "threshold_"
    single = MetricLearner(4, n_epochs=7, average_last=1, keep_epochs=True, random_state=0)
    single.fit(*inputs)
    for last, n_epochs, first in ((3, 7, 5), (5, 7, 3), (5, 2, 1)):
        model = MetricLearner(4, n_epochs=n_epochs, average_last=last, random_state=0).fit(*inputs)
        # Negatives follow the single epochs, so both trainings are the same.
        assert model.learning_curve_ == single.learning_curve_[:n_epochs]
        kept = [single.at_epoch(epoch) for epoch in range(first, n_epochs + 1)]
        for name in names:
            mean = sum(getattr(one, name) for one in kept) / len(kept)
            np.testing.assert_allclose(getattr(model, name), mean, rtol=1e-12)


def test_scores_are_distances(backend, problem, monkeypatch):
    inputs = [backend.asarray(array) for array in (problem.X, problem.y, problem.S)]
    model = MetricLearner(3, n_epochs=2, random_state=0).fit(*inputs)
    monkeypatch.setattr(arrays, "ENTRIES", 100)
    parts = (model.coef_, model.intercept_, model.metric_, model.threshold_)
    theta = [backend.to_numpy(part) for part in parts]
    expected = [[-distance(theta, x, s) for s in problem.S] for x in problem.X]
    found = backend.to_numpy(model.decision_function(inputs[0], inputs[2]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    estimates = backend.to_numpy(attribute_estimates(parts, inputs[0]))
    assert estimates.min() == 0.0


def test_bad_attributes_of_images(problem):
    A = problem.S[problem.y]
    broken = A.copy()
    broken[3, 1] = np.nan
    for attributes, error, message in (
        (A[:-1], ValueError, r"image_attributes must have shape \(240, 8\)"),
        (A[:, :5], ValueError, r"image_attributes must have shape \(240, 8\)"),
        (broken, ValueError, "image_attributes holds NaN or infinity in 1 row"),
        (sparse.csr_array(A), TypeError, "image_attributes is sparse"),
    ):
        with pytest.raises(error, match=message):
            MetricLearner().fit(problem.X, problem.y, problem.S, attributes)
    same = problem.S[problem.y]
    with pytest.raises(ValueError, match=r"q of Eq\. 9 is then 1 for every vector"):
        MetricLearner(negatives="uncertainty_correlation").fit(
            problem.X, problem.y, problem.S, same
        )
