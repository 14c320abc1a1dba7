"""DeViSE: the hinge sum as an objective, and the original's first violating label."""

import numpy as np

from zslib.compatibility import DeViSE


def slow_first_violating(X, y, S, *, margin, rate, n_epochs, seed):
    """Labels are tried one after the other, in the order of the model's random keys."""
    rng = np.random.default_rng(seed)
    W = np.zeros((X.shape[1], S.shape[1]))
    for _ in range(n_epochs):
        for i in rng.permutation(len(X)):
            scores = X[i] @ W @ S.T
            for c in np.argsort(-rng.random(len(S))):
                if c != y[i] and margin + scores[c] - scores[y[i]] > 0:
                    W = W - rate * np.outer(X[i], S[c] - S[y[i]])
                    break
    return W


def test_first_violating_label_step_by_step():
    rng = np.random.default_rng(3)
    X, S, y = rng.standard_normal((12, 3)), rng.standard_normal((5, 4)), np.arange(12) % 5
    model = DeViSE(
        learning_rate=0.1, n_epochs=3, first_violating=True, batch_size=1, random_state=8
    ).fit(X, y, S)
    expected = slow_first_violating(X, y, S, margin=1.0, rate=0.1, n_epochs=3, seed=8)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-12)
