"""Maps as scorers."""

import numpy as np
import pytest

from zslib.compatibility import MapScorer
from zslib.mapping import MaxMarginMap, ProcrustesMap, RidgeMap

MAPS = (
    RidgeMap(0.3),
    RidgeMap(0.3, direction="reverse"),
    ProcrustesMap(),
    MaxMarginMap(n_epochs=2, random_state=0),
)


@pytest.mark.parametrize("estimator", MAPS, ids=str)
def test_scores_in_a_loop(backend, estimator):
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((20, 4)), rng.standard_normal((5, 4)), np.arange(20) % 3
    model = MapScorer(estimator).fit(*(backend.asarray(a) for a in (X, y, S)))
    scores = backend.to_numpy(model.decision_function(backend.asarray(X), backend.asarray(S)))
    mapping = estimator.fit(X, S[y])
    mapped, targets = mapping.transform(X), mapping.transform_targets(S)
    for i, x in enumerate(mapped):
        for c, s in enumerate(targets):
            cosine = x @ s / (np.linalg.norm(x) * np.linalg.norm(s))
            assert scores[i, c] == pytest.approx(cosine, rel=1e-6, abs=1e-9)
