"""Centring inside a map: the definition, and shifts undone."""

import numpy as np
import pytest

from zslib.arrays import unit_rows as unit
from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap

MAPS = (
    RidgeMap(0.3),
    RidgeMap(0.3, direction="reverse"),
    RidgeMap(0.3, fit_intercept=True),
    ProcrustesMap(),
    MultiStepMap(),
    MaxMarginMap(n_epochs=2, random_state=0),
)


@pytest.mark.parametrize("estimator", MAPS, ids=str)
def test_it_is_the_map_between_centred_directions(backend, estimator):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 4)) + 2.0
    Y = X @ rng.standard_normal((4, 4)) - 3.0
    x, y = backend.asarray(X), backend.asarray(Y)
    model = CentredMap(estimator).fit(x, y)
    X, Y = unit(X - X.mean(axis=0)), unit(Y - Y.mean(axis=0))
    plain, close = estimator.fit(X, Y), {"rtol": 1e-6, "atol": 1e-9}
    backend.assert_allclose(model.transform(x), plain.transform(X), **close)
    backend.assert_allclose(model.transform_targets(y), plain.transform_targets(Y), **close)
