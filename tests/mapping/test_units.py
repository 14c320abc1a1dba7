"""Maps of vectors in any unit: the same answers, up to the unit."""

import numpy as np
import pytest
from sklearn.base import clone

from zslib.arrays import unit_rows as unit
from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap

MAPS = [
    RidgeMap(),
    RidgeMap(0.0),
    RidgeMap(direction="reverse"),
    RidgeMap(fit_intercept=True),
    ProcrustesMap(),
    MultiStepMap(),
    MultiStepMap(dewhiten=False),
    MultiStepMap(whiten=False),
    CentredMap(),
    MaxMarginMap(n_epochs=2, random_state=0),
]


EXPONENTS = [(-99, 0), (99, 0), (0, -99), (0, 99), (-45, 45), (45, 45)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("mapper", MAPS, ids=str)
def test_units_change_no_direction(mapper, dtype):
    """2**99 is 6e29: squares of such numbers are beyond float32."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6)).astype(dtype)
    Y = (X @ rng.standard_normal((6, 6)) + 0.1 * rng.standard_normal((60, 6))).astype(dtype)
    one, tolerance = clone(mapper).fit(X, Y), 2e-3 if dtype == "float32" else 1e-9
    for units in EXPONENTS:
        A, B = (array * array.dtype.type(2.0**e) for array, e in zip((X, Y), units, strict=True))
        other = clone(mapper).fit(A, B)
        for mine, its in (
            (one.transform(X), other.transform(A)),
            (one.transform_targets(Y), other.transform_targets(B)),
        ):
            assert its.dtype == dtype
            mine, its = (unit(array / np.abs(array).max()) for array in (mine, its))
            np.testing.assert_allclose(its, mine, rtol=0, atol=tolerance, err_msg=str(units))


@pytest.mark.parametrize("mapper", [MultiStepMap(), MultiStepMap(whiten=False), ProcrustesMap()])
def test_the_smallest_numbers_map_as_others_do(mapper):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 30, 4))
    small = clone(mapper).fit(X * 2.0**-1000, Y * 2.0**-1000)
    np.testing.assert_allclose(small.coef_, clone(mapper).fit(X, Y).coef_, rtol=1e-9, atol=1e-12)
