"""The effective dimension against the eigenvalues that define it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zslib.metrics import effective_dimension


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_matches_the_eigenvalues_of_the_covariance(backend, dtype):
    x = (np.random.default_rng(0).normal(size=(40, 5)) * [1, 2, 3, 4, 5] + 7).astype(dtype)
    values = np.linalg.eigvalsh(np.cov(x.astype("float64"), rowvar=False))
    expected = values.sum() ** 2 / (values**2).sum()
    assert effective_dimension(backend.asarray(x)) == pytest.approx(expected, rel=1e-4)


@given(hnp.arrays(np.float64, (6, 3), elements=st.floats(-1e3, 1e3)), st.floats(1e-6, 1e6))
def test_lies_between_one_and_d_and_ignores_scale_and_place(x, scale):
    if np.ptp(x, axis=0).max() < 1e-3:
        return
    found = effective_dimension(x)
    assert 1 - 1e-9 <= found <= 3 + 1e-9
    assert effective_dimension(scale * x) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(("dtype", "scale"), [("f4", 1e37), ("f4", 1e-42), ("f8", 5e306)])
def test_sums_beyond_the_range(dtype, scale):
    x = np.random.default_rng(0).normal(size=(60, 5)) * [1, 2, 3, 4, 5] + 10
    expected = effective_dimension(x)
    assert effective_dimension((x * scale).astype(dtype)) == pytest.approx(expected, rel=0.02)
