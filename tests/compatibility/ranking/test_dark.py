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
)


def setting(seed=0, n=11, p=4, q=3, r=2, k=4):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    X, S = unit(rng.standard_normal((n, p))), unit(rng.standard_normal((k, q)))
    return rng.standard_normal((p, r)), rng.standard_normal((q, r)), X, S, codes


def slow_weights(X, codes):
    """Eq. 6, image by image."""
    weights = np.zeros(len(X))
    for i in range(len(X)):
        members = [j for j in range(len(X)) if codes[j] == codes[i]]
        center = sum(X[j] for j in members) / len(members)
        raw = {j: math.exp(-sum((X[j] - center) ** 2)) for j in members}
        weights[i] = raw[i] / sum(raw.values())
    return weights


def slow_terms(U, V, X, S, codes, both, batch=None):
    """Every triplet's own score, rival score and share: Eqs. 4 and, for both views, 5 in loops."""
    batch, classes = range(len(X)) if batch is None else batch, range(len(S))
    F, weights = (X @ U) @ (S @ V).T, slow_weights(X, codes)
    for i in batch:
        for c in classes:
            if c != codes[i]:
                yield F[i, codes[i]], F[i, c], 1 / len(batch)
    sets = [sum(weights[j] * F[j] for j in range(len(X)) if codes[j] == c) for c in classes]
    for c, rival in itertools.permutations(classes, 2) if both else ():
        yield sets[c][c], sets[rival][c], 1 / len(S)


def slow_fixed(terms, m, soft):
    """Margin and weight of every triplet (Eqs. 3 and 8)."""
    for own, rival, _ in terms:
        margin = m * math.log(1 + math.exp(own))
        R = margin + rival - own
        yield margin, 1 / (1 + math.exp(-R)) if soft else float(R > 0)


def slow_objective(U, V, terms, fixed, penalty):
    """Eq. 9 with given margins and weights."""
    total = penalty * (np.sum(U**2) + np.sum(V**2))
    for (own, rival, share), (margin, weight) in zip(terms, fixed, strict=True):
        total += share * weight * (margin + rival - own)
    return total


@given(st.integers(0, 1000), st.integers(4, 12), st.integers(1, 5))
def test_image_weights_in_loops(seed, n, p):
    _, _, X, S, codes = setting(seed, n=n, p=p)
    X = 3 * X
    weights = slow_weights(X, codes)
    np.testing.assert_allclose(image_weights(X, codes, len(S)), weights, rtol=1e-9)
    expected = [weights[codes == c] @ X[codes == c] for c in range(len(S))]
    np.testing.assert_allclose(prototypes(X, codes, len(S)), expected, atol=1e-12)


def test_image_weights_far_from_their_centre_do_not_vanish():
    X = 1e4 * np.array([[1.0], [-1.0], [1.0], [-1.0], [5.0]])
    for codes, expected in (([0, 0, 0, 0, 1], [0.25] * 4 + [1.0]), ([0, 0, 0], [0.5, 0.0, 0.5])):
        weights = image_weights(X[: len(codes)], np.array(codes), max(codes) + 1)
        np.testing.assert_allclose(weights, expected)


@given(st.floats(-700, 700), st.floats(0.01, 0.99))
def test_density_margin_is_softplus(score, m):
    found = density_margin(np.array([score]), m)[0]
    assert found == pytest.approx(m * (max(score, 0) + math.log1p(math.exp(-abs(score)))))
    assert found >= m * max(score, 0)


def slopes(numerical_gradient, loss, U, V):
    by_u = numerical_gradient(lambda W: loss(W, V), U)
    return by_u, numerical_gradient(lambda W: loss(U, W), V)


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("follow", ["margin", "objective"])
def test_gradients_that_follow_margins_and_weights(soft, follow, numerical_gradient):
    """Weights that are not followed are constants."""
    U, V, X, S, codes = setting()
    options, k = {"margin": 0.5, "soft": soft, "gradient": follow}, len(S)
    images = assess(image_scores(U, V, X, S), codes, **options)
    means = prototypes(X, codes, k)
    labels = assess(label_scores(U, V, means, S), np.arange(k), **options)
    G = X.T @ pulls(images) + means.T @ pulls(labels).T
    weights = [w for _, w in slow_fixed(slow_terms(U, V, X, S, codes, True), 0.5, soft)]

    def loss(U, V):
        terms = list(slow_terms(U, V, X, S, codes, True))
        moving = slow_fixed(terms, 0.5, soft)
        if follow == "margin":
            moving = ((margin, w) for (margin, _), w in zip(moving, weights, strict=True))
        return slow_objective(U, V, terms, moving, 0.01)

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

    images, labels = views(U, V)
    expected = [[x @ s / math.sqrt((x @ x) * (s @ s)) for s in S @ V] for x in X @ U]
    np.testing.assert_allclose(images.scores, scale * np.array(expected))
    found = cosine_gradients(U, V, S, [(X, pulls(images)), (means, pulls(labels).T)], scale)

    def loss(U, V):
        return dual_loss(U, V, views(U, V), 0.0)

    for gradient, slope in zip(found, slopes(numerical_gradient, loss, U, V), strict=True):
        np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-8)


def slow_fit(numerical_gradient, model, X, codes, S):
    """Algorithm 1 with finite differences of Eq. 9 as gradients."""
    m, soft, both = model.margin, model.hardness, model.label_view
    size, penalty = model.batch_size, model.regularization
    rng = np.random.default_rng(model.random_state)
    X, S = unit(X), unit(S)
    U, V = (rng.standard_normal((rows.shape[1], model.rank)) for rows in (X, S))
    order, objective = [], []
    for step in range(model.n_iter + 1):
        terms = list(slow_terms(U, V, X, S, codes, both))
        objective.append(slow_objective(U, V, terms, slow_fixed(terms, m, soft), penalty))
        if step == model.n_iter:
            return U, V, objective
        if step % model.refresh_every == 0:
            then = U, V
        if not order:
            drawn = rng.permutation(len(X))
            order = [drawn[i : i + size] for i in range(0, len(X), size)]
        given = X, S, codes, both, order.pop(0)
        fixed = list(slow_fixed(slow_terms(*then, *given), m, soft))

        def loss(U, V, given=given, fixed=fixed):
            return slow_objective(U, V, slow_terms(U, V, *given), fixed, penalty)

        tau = model.learning_rate * (0.1 if step >= model.drop_at else 1.0)
        U = U - tau * numerical_gradient(lambda W, V=V, loss=loss: loss(W, V), U)
        V = V - tau * numerical_gradient(lambda W, U=U, loss=loss: loss(U, W), V)


def samples():
    rng = np.random.default_rng(1)
    y = np.concatenate([np.arange(4), rng.integers(4, size=10)])
    return 2 * rng.standard_normal((14, 5)), y, rng.uniform(0.1, 1, (6, 4))


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
    scores = (unit(X) @ U) @ (unit(S) @ V).T
    np.testing.assert_allclose(model.decision_function(X, S), scores, atol=1e-6)


def test_with_the_papers_settings_the_objective_falls(problem32):
    """200 steps of one batch, from a start whose scores are about 1."""
    model = DARK(iteration="step", init_scale=0.125, batch_size=64, random_state=0)
    model.fit(problem32.X, problem32.y, problem32.S)
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
    X, S, options = problem.X, problem.S, {"n_iter": 20, "random_state": 0}
    model = DARK(4, **options).fit(4.0 * X, problem.y, 0.5 * S)
    by_hand = DARK(4, normalize=False, **options).fit(unit(X), problem.y, unit(S))
    np.testing.assert_allclose(model.U_, by_hand.U_, atol=1e-12)
    found, expected = model.decision_function(X, 2.0 * S), by_hand.decision_function(unit(X), S)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("options", "expected"), [({}, 1.0), ({"init_scale": 0.3}, 0.3)])
def test_start(problem, options, expected):
    model = DARK(50, n_iter=1, learning_rate=1e-14, random_state=0, **options)
    model.fit(problem.X, problem.y, problem.S)
    for start in (model.U_, model.V_):
        assert np.std(start) == pytest.approx(expected, rel=0.1)


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


X, Y, S = samples()
ZERO, ZERO_CLASS = (np.where(np.arange(len(rows))[:, None] == 3, 0.0, rows) for rows in (X, S))
REFUSALS = [
    (lambda: DARK(2).fit(ZERO, Y, S), "X has 1 zero row"),
    (lambda: DARK(2).fit(X, Y, ZERO_CLASS), "class_embeddings has 1 zero row"),
    (
        lambda: DARK(2, n_iter=1).fit(X, Y, S).predict(X, ZERO_CLASS),
        "class_embeddings has 1 zero row",
    ),
]


def test_refusals(refusal):
    refusal()
