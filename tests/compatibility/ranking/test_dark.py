"""DARK: each equation in loops, finite differences of Eq. 9, Algorithm 1 step by step."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.arrays import unit_rows as unit
from zslib.compatibility import DARK
from zslib.compatibility.ranking.dark_objective import (
    assess,
    cosine_gradients,
    density_margin,
    dual_loss,
    gradient_u,
    gradient_v,
    image_scores,
    image_weights,
    label_scores,
    prototypes,
    pulls,
    view_loss,
)

SMALL_STEPS = {"iteration": "step", "init_scale": 0.125, "batch_size": 64, "random_state": 0}


def setting(seed=0, n=11, p=4, q=3, r=2, k=4, dtype="float64"):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    X, S = unit(rng.standard_normal((n, p))), unit(rng.standard_normal((k, q)))
    U, V = rng.standard_normal((p, r)), rng.standard_normal((q, r))
    return (*(a.astype(dtype) for a in (U, V, X, S)), codes)


def slow_weights(X, codes):
    """Eq. 6, image by image."""
    weights = np.zeros(len(X))
    for i in range(len(X)):
        members = [j for j in range(len(X)) if codes[j] == codes[i]]
        center = sum(X[j] for j in members) / len(members)
        raw = {j: math.exp(-sum((X[j] - center) ** 2)) for j in members}
        weights[i] = raw[i] / sum(raw.values())
    return weights


def softplus(f):
    return math.log(1 + math.exp(f))


def slow_terms(U, V, X, S, codes, m):
    """Every triplet's (view, own score, rival score, share): Eqs. 4 and 5 in loops."""
    k, weights = len(S), slow_weights(X, codes)

    def F(x, y):
        return float((x @ U) @ (y @ V))

    def F_set(c, y):
        return sum(weights[j] * F(X[j], y) for j in range(len(X)) if codes[j] == c)

    for i in range(len(X)):
        for c in range(k):
            if c != codes[i]:
                yield "image", F(X[i], S[codes[i]]), F(X[i], S[c]), 1 / len(X)
    for c in range(k):
        for rival in range(k):
            if rival != c:
                yield "label", F_set(c, S[c]), F_set(rival, S[c]), 1 / k


def slow_fixed(U, V, X, S, codes, m, soft):
    """Margin and weight of every triplet (Eqs. 3 and 8)."""
    fixed = []
    for _, own, rival, _ in slow_terms(U, V, X, S, codes, m):
        margin = m * softplus(own)
        R = margin + rival - own
        fixed.append((margin, 1 / (1 + math.exp(-R)) if soft else float(R > 0)))
    return fixed


def slow_objective(U, V, X, S, codes, m, penalty, fixed, label_view=True):
    """Eq. 9 with given margins and weights."""
    total = penalty * (np.sum(U**2) + np.sum(V**2))
    terms = slow_terms(U, V, X, S, codes, m)
    for (view, own, rival, share), (margin, weight) in zip(terms, fixed, strict=True):
        if view == "image" or label_view:
            total += share * weight * (margin + rival - own)
    return total


def views_of(U, V, X, S, codes, m, soft, label_view=True, **options):
    k = len(S)
    image = assess(image_scores(U, V, X, S), codes, margin=m, soft=soft, **options)
    if not label_view:
        return [image]
    scores = label_scores(U, V, prototypes(X, codes, k), S)
    return [image, assess(scores, np.arange(k), margin=m, soft=soft, **options)]


def derivative_of(views, X, codes, k):
    """By U (SV)', which the scores of both views are linear in."""
    rows = [X, prototypes(X, codes, k)]
    pulled = [pulls(views[0]), *(pulls(view).T for view in views[1:])]
    return sum(x.T @ pull for x, pull in zip(rows, pulled, strict=False))


@given(st.integers(0, 1000), st.integers(4, 12), st.integers(1, 5))
def test_image_weights_in_loops(seed, n, p):
    _, _, X, S, codes = setting(seed, n=n, p=p)
    X = 3 * X
    weights = image_weights(X, codes, len(S))
    np.testing.assert_allclose(weights, slow_weights(X, codes), rtol=1e-9)
    np.testing.assert_allclose(np.bincount(codes, weights), 1)
    expected = [
        sum(w * x for w, x, c in zip(weights, X, codes, strict=True) if c == k)
        for k in range(len(S))
    ]
    np.testing.assert_allclose(prototypes(X, codes, len(S)), expected, atol=1e-12)


def test_image_weights_far_from_their_centre_do_not_vanish():
    X = 1e4 * np.array([[1.0], [-1.0], [1.0], [-1.0], [5.0]])
    weights = image_weights(X, np.array([0, 0, 0, 0, 1]), 2)
    np.testing.assert_allclose(weights, [0.25, 0.25, 0.25, 0.25, 1.0])
    weights = image_weights(X[:3], np.array([0, 0, 0]), 1)
    np.testing.assert_allclose(weights, [0.5, 0.0, 0.5])


@given(st.floats(-700, 700), st.floats(0.01, 0.99))
def test_density_margin_is_softplus(score, m):
    found = density_margin(np.array([score]), m)[0]
    assert found == pytest.approx(m * (max(score, 0) + math.log1p(math.exp(-abs(score)))))
    assert found >= m * max(score, 0)


def slopes(numerical_gradient, loss, U, V):
    by_u = numerical_gradient(lambda W: loss(W, V), U)
    return by_u, numerical_gradient(lambda W: loss(U, W), V)


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("label_view", [True, False])
def test_objective_in_loops(soft, label_view):
    U, V, X, S, codes = setting()
    fixed = slow_fixed(U, V, X, S, codes, 0.5, soft)
    views = views_of(U, V, X, S, codes, 0.5, soft, label_view)
    expected = slow_objective(U, V, X, S, codes, 0.5, 0.01, fixed, label_view)
    assert dual_loss(U, V, views, 0.01) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize(
    ("follow", "label_view"),
    [("fixed", True), ("fixed", False), ("margin", True), ("objective", True)],
)
def test_gradients_of_the_printed_objective(soft, follow, label_view, numerical_gradient):
    """Margins and weights that are not followed stay those of another point: constants."""
    U, V, X, S, codes = setting()
    then = setting(seed=5)[:2] if follow == "fixed" else (U, V)
    fixed = slow_fixed(*then, X, S, codes, 0.5, soft)
    views = views_of(*then, X, S, codes, 0.5, soft, label_view, gradient=follow)
    G = derivative_of(views, X, codes, len(S))

    def loss(U, V):
        moving = slow_fixed(U, V, X, S, codes, 0.5, soft)
        margins, _ = zip(*(fixed if follow == "fixed" else moving), strict=True)
        _, weights = zip(*(moving if follow == "objective" else fixed), strict=True)
        now = zip(margins, weights, strict=True)
        return slow_objective(U, V, X, S, codes, 0.5, 0.01, now, label_view)

    by_u, by_v = slopes(numerical_gradient, loss, U, V)
    np.testing.assert_allclose(gradient_u(U, V, S, G, 0.01), by_u, atol=1e-8)
    np.testing.assert_allclose(gradient_v(U, V, S, G, 0.01), by_v, atol=1e-8)


@pytest.mark.parametrize("soft", [True, False])
def test_gradients_of_cosines_of_a_given_scale(soft, numerical_gradient):
    U, V, X, S, codes = setting()
    means, own, scale = prototypes(X, codes, len(S)), np.arange(len(S)), 5.0
    options = {"margin": 0.5, "soft": soft, "gradient": "objective"}

    def views(U, V):
        images = assess(image_scores(U, V, X, S, scale), codes, **options)
        return images, assess(label_scores(U, V, means, S, scale), own, **options)

    scores = views(U, V)[0].scores
    for i, x in enumerate(X @ U):
        for c, s in enumerate(S @ V):
            cosine = x @ s / math.sqrt((x @ x) * (s @ s))
            assert scores[i, c] == pytest.approx(scale * cosine)
    images, labels = views(U, V)
    found = cosine_gradients(U, V, S, [(X, pulls(images)), (means, pulls(labels).T)], scale)

    def loss(U, V):
        return dual_loss(U, V, views(U, V), 0.0)

    for gradient, slope in zip(found, slopes(numerical_gradient, loss, U, V), strict=True):
        np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-8)


def test_without_label_view_and_hardness_it_is_the_plain_hinge():
    """Then Eq. 9 is DeViSE's sum of hinges, with Eq. 3's margin."""
    U, V, X, S, codes = setting()
    scores = image_scores(U, V, X, S)
    own = scores[np.arange(len(X)), codes][:, None]
    hinges = np.maximum(0, 0.5 * np.log1p(np.exp(own)) + scores - own)
    hinges[np.arange(len(X)), codes] = 0
    (view,) = views_of(U, V, X, S, codes, 0.5, False, False)
    assert float(view_loss(view)) == pytest.approx(hinges.sum() / len(X))


def slow_fit(numerical_gradient, model, X, y, S):
    """Algorithm 1 with finite differences of Eq. 9 as gradients."""
    m, penalty, soft, both = model.margin, model.regularization, model.hardness, model.label_view
    rank, size, n_iter = model.rank, model.batch_size, model.n_iter
    rng = np.random.default_rng(model.random_state)
    X, S = unit(X), unit(S)
    U = rng.standard_normal((X.shape[1], rank))
    V = rng.standard_normal((S.shape[1], rank))
    weights, order, objective = slow_weights(X, y), [], []
    sets = [sum(weights[j] * X[j] for j in range(len(X)) if y[j] == c) for c in range(len(S))]
    for step in range(n_iter + 1):
        fixed = slow_fixed(U, V, X, S, y, m, soft)
        objective.append(slow_objective(U, V, X, S, y, m, penalty, fixed, both))
        if step == n_iter:
            return U, V, objective
        if step % model.refresh_every == 0:
            then = U, V
        if not order:
            drawn = rng.permutation(len(X))
            order = [drawn[i : i + size] for i in range(0, len(X), size)]
        batch = order.pop(0)

        def loss(U, V, then=then, batch=batch):
            total = penalty * (np.sum(U**2) + np.sum(V**2))
            rows = [(X[i], S, y[i], 1 / len(batch), False) for i in batch]
            if both:
                rows += [(sets, S[c], c, 1 / len(S), True) for c in range(len(S))]
            for left, right, own, share, label in rows:
                now = [np.dot(x @ U, s @ V) for x, s in _pairs(left, right, label)]
                old = [np.dot(x @ then[0], s @ then[1]) for x, s in _pairs(left, right, label)]
                margin = m * softplus(old[own])
                for c in range(len(S)):
                    if c != own:
                        R = margin + old[c] - old[own]
                        weight = 1 / (1 + math.exp(-R)) if soft else float(R > 0)
                        total += share * weight * (margin + now[c] - now[own])
            return total

        tau = model.learning_rate * (0.1 if step >= model.drop_at else 1.0)
        U = U - tau * numerical_gradient(lambda W, V=V, loss=loss: loss(W, V), U)
        V = V - tau * numerical_gradient(lambda W, U=U, loss=loss: loss(U, W), V)


def _pairs(left, right, label):
    """An image with all labels, or all sets of images with a label."""
    return [(x, right) for x in left] if label else [(left, s) for s in right]


def samples(dtype="float64", n=14):
    rng = np.random.default_rng(1)
    y = np.concatenate([np.arange(4), rng.integers(4, size=n - 4)])
    return (
        (2 * rng.standard_normal((n, 5))).astype(dtype),
        y,
        rng.uniform(0.1, 1, (6, 4)).astype(dtype),
    )


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("both", [True, False])
def test_algorithm_1_step_by_step(soft, both, numerical_gradient):
    X, y, S = samples()
    options = {"margin": 0.4, "regularization": 0.02, "learning_rate": 0.2, "drop_at": 3}
    options |= {"n_iter": 5, "iteration": "step", "batch_size": 6, "refresh_every": 2}
    model = DARK(2, **options, objective_every=1, label_view=both, hardness=soft, random_state=3)
    model.fit(X, y, S)
    U, V, objective = slow_fit(numerical_gradient, model, X, y, S[:4])
    np.testing.assert_allclose(model.U_, U, atol=1e-7)
    np.testing.assert_allclose(model.V_, V, atol=1e-7)
    np.testing.assert_allclose(model.objective_, objective, atol=1e-6)
    assert model.objective_steps_ == [0, 1, 2, 3, 4, 5]
    np.testing.assert_allclose(
        model.decision_function(X, S), (unit(X) @ U) @ (unit(S) @ V).T, atol=1e-6
    )


def test_with_the_papers_settings_the_objective_falls(problem32):
    """200 steps of one batch, from a start whose scores are about 1."""
    model = DARK(**SMALL_STEPS).fit(problem32.X, problem32.y, problem32.S)
    assert all(later < earlier for earlier, later in itertools.pairwise(model.objective_))
    assert model.objective_[-1] < 0.4 * model.objective_[0]


@pytest.mark.parametrize("part", [{}, {"label_view": False}, {"gradient": "objective"}])
def test_a_weight_of_the_data_is_a_longer_step_under_a_smaller_penalty(problem, part):
    options = {"n_iter": 10, "random_state": 0, "refresh_every": 1, **part}
    data = problem.X, problem.y, problem.S
    weighted = DARK(4, data_weight=2.0, regularization=0.01, learning_rate=0.01, **options)
    longer = DARK(4, regularization=0.005, learning_rate=0.02, **options)
    np.testing.assert_allclose(weighted.fit(*data).U_, longer.fit(*data).U_, rtol=1e-9)
    np.testing.assert_allclose(weighted.objective_, 2 * np.array(longer.objective_), rtol=1e-9)


def test_lengths_do_not_matter_when_normalised(problem):
    options = {"n_iter": 20, "random_state": 0}
    X, S = problem.X, problem.S
    expected = DARK(4, **options).fit(X, problem.y, S)
    scaled = DARK(4, **options).fit(4.0 * X, problem.y, 0.5 * S)
    np.testing.assert_allclose(scaled.U_, expected.U_, atol=1e-12)
    np.testing.assert_allclose(
        expected.decision_function(8.0 * X, 2.0 * S), expected.decision_function(X, S), atol=1e-12
    )
    by_hand = DARK(4, normalize=False, **options).fit(unit(X), problem.y, unit(S))
    np.testing.assert_allclose(by_hand.U_, expected.U_, atol=1e-12)
    np.testing.assert_allclose(
        by_hand.decision_function(unit(X), unit(S)), expected.decision_function(X, S), atol=1e-12
    )


def test_start(problem):
    options = {"n_iter": 1, "learning_rate": 1e-14, "random_state": 0}
    for scale, expected in (({}, 1.0), ({"init_scale": 0.3}, 0.3)):
        model = DARK(50, **scale, **options).fit(problem.X, problem.y, problem.S)
        assert np.std(model.U_) == pytest.approx(expected, rel=0.1)
        assert np.std(model.V_) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("size", [37, 10**6])
def test_a_pass_is_the_steps_of_all_batches(problem, size):
    """Also for the drop and the recorded objective, which count in iterations."""
    options = {"batch_size": size, "random_state": 0, "refresh_every": 3}
    length = math.ceil(len(problem.X) / size)
    passes, steps = (
        DARK(4, n_iter=6 * n, drop_at=4 * n, objective_every=2 * n, iteration=name, **options)
        for n, name in ((1, "pass"), (length, "step"))
    )
    for model in (passes, steps):
        model.fit(problem.X, problem.y, problem.S)
    np.testing.assert_array_equal(passes.U_, steps.U_)
    np.testing.assert_array_equal(passes.V_, steps.V_)
    assert passes.objective_ == steps.objective_
    assert passes.objective_steps_ == [0, 2 * length, 4 * length, 6 * length]
    assert passes.objective_steps_ == steps.objective_steps_


def test_bad_input():
    X, y, S = samples()
    zero, zero_class = X.copy(), S.copy()
    zero[3], zero_class[2] = 0.0, 0.0
    with pytest.raises(ValueError, match="X has 1 zero row"):
        DARK(2).fit(zero, y, S)
    with pytest.raises(ValueError, match="class_embeddings has 1 zero row"):
        DARK(2).fit(X, y, zero_class)
    model = DARK(2, n_iter=1).fit(X, y, S)
    with pytest.raises(ValueError, match="class_embeddings has 1 zero row"):
        model.predict(X, zero_class)
