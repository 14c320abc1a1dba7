"""Centring inside a map: the definition, and shifts undone."""

import numpy as np
import pytest

from zslib.arrays import unit_rows as unit
from zslib.mapping import CentredMap, MaxMarginMap, ProcrustesMap, RidgeMap

MAPS = (
    RidgeMap(0.3),
    RidgeMap(0.3, direction="reverse"),
    RidgeMap(0.3, fit_intercept=True),
    ProcrustesMap(),
    MaxMarginMap(n_epochs=2, random_state=0),
)


@pytest.fixture
def pairs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 4))
    return X + 2.0, X @ rng.standard_normal((4, 4)) - 3.0


@pytest.mark.parametrize("estimator", MAPS, ids=str)
def test_it_is_the_map_between_centred_directions(backend, pairs, estimator):
    X, Y = pairs
    model = CentredMap(estimator).fit(*(backend.asarray(a) for a in pairs))
    X, Y = unit(X - X.mean(axis=0)), unit(Y - Y.mean(axis=0))
    plain = estimator.fit(X, Y)
    mapped = backend.to_numpy(model.transform(backend.asarray(pairs[0])))
    np.testing.assert_allclose(mapped, plain.transform(X), rtol=1e-6, atol=1e-9)
    targets = backend.to_numpy(model.transform_targets(backend.asarray(pairs[1])))
    np.testing.assert_allclose(targets, plain.transform_targets(Y), rtol=1e-6, atol=1e-9)
