"""SSE: the optimality of mixtures, the objective against a loop and finite differences."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from zslib import arrays
from zslib.compatibility import SSE
from zslib.compatibility.sse import margin_objective, seen_scores, simplex_mixtures


def loop(w, V, X, codes, Z, margins, lam=0.3):
    """The objective, hinge by hinge."""
    total = 0.0
    for x, own in zip(X, codes, strict=True):
        pi = np.array([w @ np.maximum(0.0, x - v) for v in V])
        for c in range(len(Z)):
            if c != own:
                total += max(0.0, margins[own, c] + pi @ Z[c] - pi @ Z[own])
    return total / len(X) + 0.5 * lam * (w @ w + np.sum(V**2))


def random_case(k=4, p=3, n=9):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((n, p)), rng.integers(0, k, n)
    w, V = rng.standard_normal(p), rng.standard_normal((k, p))
    return w, V, X, codes, rng.dirichlet(np.ones(k), k), rng.uniform(0.0, 2.0, (k, k))


def test_objective_and_gradients(check_objective, monkeypatch):
    monkeypatch.setattr(arrays, "ENTRIES", 16 * 4 * 3 * 2)

    def objective(w, V, *data):
        return margin_objective((w, V), *data, regularization=0.3)

    check_objective(objective, loop, random_case(), by=(0, 1))


def test_scores_of_seen_classes(backend, monkeypatch):
    monkeypatch.setattr(arrays, "ENTRIES", 16 * 4 * 3 * 2)
    w, V, X, *_ = random_case()
    expected = [[w @ np.maximum(0.0, x - v) for v in V] for x in X]
    got = backend.to_numpy(seen_scores(*map(backend.asarray, (w, V, X))))
    np.testing.assert_allclose(got, expected, rtol=1e-12)


@given(
    m=st.integers(1, 5),
    k=st.integers(1, 8),
    q=st.integers(1, 5),
    penalty=st.floats(1e-3, 10.0),
    seed=st.integers(0, 99),
)
def test_mixtures_meet_the_optimality_conditions(m, k, q, penalty, seed):
    rng = np.random.default_rng(seed)
    seen, embeddings = rng.standard_normal((k, q)), rng.standard_normal((m, q))
    z = simplex_mixtures(embeddings, seen, penalty)
    assert np.all(z >= 0)
    np.testing.assert_allclose(z.sum(axis=1), 1.0, atol=1e-9)
    # Where a class is used the slope is the smallest of all.
    slope = (z @ seen - embeddings) @ seen.T + penalty * z
    excess = slope - slope.min(axis=1, keepdims=True)
    assert np.all(z * excess < 1e-5)


def test_a_seen_class_is_itself(problem32):
    z = simplex_mixtures(problem32.S, problem32.S, 1e-6)
    assert z.dtype == np.float32
    np.testing.assert_allclose(z, np.eye(len(z)), atol=1e-3)
    # The larger the penalty, the more even.
    z = simplex_mixtures(problem32.S, problem32.S, 1e4)
    np.testing.assert_allclose(z, 1 / len(z), atol=1e-3)


def test_scores_mix_those_of_seen_classes(problem):
    model = SSE(mixture_penalty=0.01, n_epochs=2, random_state=0)
    model.fit(problem.X, problem.y, problem.S)
    pi = seen_scores(model.coef_, model.templates_, problem.X_unseen)
    z = simplex_mixtures(problem.S_unseen, problem.S[model.classes_], 0.01)
    scores = model.decision_function(problem.X_unseen, problem.S_unseen)
    np.testing.assert_allclose(scores, pi @ z.T, rtol=1e-10)


def test_intersections_have_the_same_predictions(problem):
    """With weights of the other sign, min(x, v) adds the same to the scores of all classes."""
    model = SSE(n_epochs=5, random_state=0).fit(problem.X, problem.y, problem.S)
    w, V = -model.coef_, model.templates_
    pi = np.array([[w @ np.minimum(x, v) for v in V] for x in problem.X])
    scores = pi @ simplex_mixtures(problem.S, model.seen_embeddings_, 0.1).T
    gap = scores - model.decision_function(problem.X)
    np.testing.assert_allclose(gap, np.tile((problem.X @ w)[:, None], (1, len(problem.S))))


def test_rescaled_features_train_alike(problem):
    settings = {"n_epochs": 5, "regularization": 0.0, "random_state": 0}
    model, large = (
        SSE(**settings).fit(scale * problem.X, problem.y, problem.S) for scale in (1.0, 100.0)
    )
    np.testing.assert_allclose(large.learning_curve_, model.learning_curve_, rtol=1e-4)
    np.testing.assert_allclose(large.templates_, 100 * model.templates_, rtol=1e-3)
