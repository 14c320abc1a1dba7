"""LatEm: Algorithm 1 of the original in loops."""

import math

import numpy as np
import pytest

from zslib.compatibility import LatEm


def slow_fit(model, X, y, S):
    """One sample, one drawn label, two winning matrices at a time."""
    n_matrices, margin, rate = model.n_matrices, model.margin, model.learning_rate
    rng = np.random.default_rng(model.random_state)
    (n, p), (n_labels, q) = X.shape, S.shape
    start = rng.standard_normal((p, n_matrices * q)) / math.sqrt(p)
    W = [start[:, k * q : (k + 1) * q].copy() for k in range(n_matrices)]
    curve = []
    for _ in range(model.n_epochs):
        total = 0.0
        for i in rng.permutation(n):

            def best(label, i=i):
                scores = [X[i] @ M @ S[label] for M in W]
                return max(scores), int(np.argmax(scores))

            own_score, own_matrix = best(y[i])
            rival = (y[i] + rng.integers(1, n_labels)) % n_labels
            score, matrix = best(rival)
            for M in W:
                M *= 1 - 2 * rate * model.regularization
            if margin + score - own_score > 0:
                total += margin + score - own_score
                W[matrix] -= rate * np.outer(X[i], S[rival])
                W[own_matrix] += rate * np.outer(X[i], S[y[i]])
        curve.append(total / n)
    return np.stack(W), curve


def samples():
    rng = np.random.default_rng(0)
    S = rng.standard_normal((5, 6))
    return rng.standard_normal((15, 3)), np.arange(15) % 4, S


@pytest.mark.parametrize(("n_matrices", "penalty"), [(1, 0.0), (3, 0.0), (3, 0.2)])
def test_algorithm_1_step_by_step(n_matrices, penalty):
    X, y, S = samples()
    options = {"regularization": penalty, "learning_rate": 0.1, "n_epochs": 4}
    model = LatEm(n_matrices, margin=0.9, batch_size=1, random_state=5, **options).fit(X, y, S)
    coefs, curve = slow_fit(model, X, y, S[:4])
    np.testing.assert_allclose(model.coefs_, coefs, atol=1e-12)
    np.testing.assert_allclose(model.learning_curve_, curve, atol=1e-12)


def test_scores_are_the_largest_over_the_matrices():
    X, y, S = samples()
    model = LatEm(3, n_epochs=1, learning_rate=0.1, random_state=0).fit(X, y, S)
    expected = [[max(x @ W @ c for W in model.coefs_) for c in S] for x in X]
    np.testing.assert_allclose(model.decision_function(X, S), expected, atol=1e-12)
