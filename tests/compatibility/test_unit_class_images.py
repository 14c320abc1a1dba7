"""Class images of one length."""

import numpy as np

from zslib.compatibility import ESZSL, UnitClassImages


def test_scores_in_a_loop_and_lengths_of_classes_do_not_matter(backend):
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((20, 5)), rng.standard_normal((4, 3)), np.arange(20) % 3
    model = UnitClassImages(ESZSL(0.1, 0.1)).fit(*map(backend.asarray, (X, y, S)))
    scores = backend.to_numpy(model.decision_function(backend.asarray(X), backend.asarray(S)))
    W = ESZSL(0.1, 0.1).fit(X, y, S).coef_
    expected = [[x @ (W @ s) / np.linalg.norm(W @ s) for s in S] for x in X]
    np.testing.assert_allclose(scores, expected, rtol=1e-6)
    longer = S * np.array([[1.0], [2.0], [30.0], [0.1]])
    again = model.decision_function(backend.asarray(X), backend.asarray(longer))
    backend.assert_allclose(again, scores, rtol=1e-6, atol=1e-9)
