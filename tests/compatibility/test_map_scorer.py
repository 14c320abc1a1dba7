"""Maps as scorers."""

import numpy as np
import pytest
from scipy.spatial.distance import cosine

from zslib.compatibility import MapScorer
from zslib.mapping import MaxMarginMap, ProcrustesMap, RidgeMap

REVERSE, MARGIN = RidgeMap(0.3, direction="reverse"), MaxMarginMap(n_epochs=2, random_state=0)


@pytest.mark.parametrize("estimator", [RidgeMap(0.3), REVERSE, ProcrustesMap(), MARGIN], ids=str)
def test_scores_in_a_loop(backend, estimator):
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((20, 4)), rng.standard_normal((5, 4)), np.arange(20) % 3
    model = MapScorer(estimator).fit(*map(backend.asarray, (X, y, S)))
    scores = backend.to_numpy(model.decision_function(backend.asarray(X), backend.asarray(S)))
    mapping = estimator.fit(X, S[y])
    mapped, targets = mapping.transform(X), mapping.transform_targets(S)
    expected = [[1 - cosine(x, s) for s in targets] for x in mapped]
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-9)
