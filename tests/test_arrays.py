"""Arrays keep their library, device and type, and unit rows have length one."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zslib import arrays


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_unit_rows_match_the_definition(backend, dtype):
    x = np.random.default_rng(0).normal(size=(5, 3)).astype(dtype)
    y = backend.to_numpy(arrays.unit_rows(backend.asarray(x)))
    assert y.dtype == dtype
    for row, unit in zip(x, y, strict=True):
        np.testing.assert_allclose(unit, row / np.sqrt(np.sum(row**2)), rtol=1e-5)


@given(hnp.arrays(np.float32, (3, 4), elements=st.floats(2**-120, 2**120, width=32)))
def test_unit_rows_survive_very_small_and_large_entries(x):
    lengths = np.linalg.norm(arrays.unit_rows(x).astype("f8"), axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-5)


def test_unit_rows_name_the_zero_row(backend):
    x = np.ones((4, 2))
    x[2] = 0
    with pytest.raises(ValueError, match=r"queries has 1 zero row\(s\), the first at row 2"):
        arrays.unit_rows(backend.asarray(x), name="queries")


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_unit_rows_name_the_row_that_is_not_finite(backend, wrong):
    x = np.ones((4, 2))
    x[2, 1] = wrong
    with pytest.raises(ValueError, match=r"queries holds NaN or infinity in 1 row\(s\), .* row 2"):
        arrays.unit_rows(backend.asarray(x), name="queries")


def test_like_and_to_host_round_trip(backend):
    reference = backend.asarray(np.zeros(2))
    there = backend.check(arrays.like(np.arange(4), reference))
    for array in (there, array_api_strict.arange(4)):  # of a device and of the host
        np.testing.assert_array_equal(arrays.to_host(array), np.arange(4))


REFUSALS = {
    arrays.namespace: [
        ((np.zeros(1), array_api_strict.zeros(1)), "arrays of one library", TypeError),
        (([1.0],), "arrays of one library", TypeError),
    ],
    arrays.random_generator: [
        ((-1,), "random_state"),
        (("1",), "random_state", TypeError),
        ((True,), "random_state", TypeError),
    ],
    arrays.resolve_device: [(("tpu",), "device must be")],
}


def test_refused(refusal):
    refusal()


def test_the_same_seed_gives_the_same_generator():
    a, b = arrays.random_generator(3), arrays.random_generator(3)
    assert a.integers(1000, size=5).tolist() == b.integers(1000, size=5).tolist()
    rng = np.random.default_rng(1)
    assert arrays.random_generator(rng) is rng


def test_devices():
    assert arrays.resolve_device("cpu") == "cpu"
    usable = arrays._gpu_usable()
    assert arrays.resolve_device("auto") == ("gpu" if usable else "cpu")
    if not usable:
        with pytest.raises(RuntimeError, match="no usable GPU"):
            arrays.resolve_device("gpu")


def test_take_rows_stays_where_the_array_is(backend):
    x = np.arange(6.0).reshape(3, 2)
    taken = arrays.take_rows(backend.asarray(x), np.array([2, 0, 2]))
    backend.assert_equal(taken, x[[2, 0, 2]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_add_rows_gathers_what_meets(backend, dtype, monkeypatch):
    monkeypatch.setattr(arrays, "_MEMBERS", 60)  # three of the seven rows at once
    rng = np.random.default_rng(0)
    target, values = rng.normal(size=(7, 2)).astype(dtype), rng.normal(size=(20, 2)).astype(dtype)
    rows = rng.integers(0, 6, 20)
    expected = target.astype("float64")
    for row, value in zip(rows, values, strict=True):
        expected[row] += value
    there = backend.asarray(target.copy())
    arrays.add_rows(there, backend.asarray(rows), backend.asarray(values))
    found = backend.to_numpy(there)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_array_equal(found[6], target[6])


@pytest.mark.parametrize("values", [7.0, 7, np.float32(7), np.array([7.0, 8.0])])
def test_put_replaces_one_entry_of_each_row(backend, values):
    x, columns = np.arange(6.0).reshape(2, 3), np.array([2, 0])
    expected = x.copy()
    expected[0, 2], expected[1, 0] = np.broadcast_to(values, 2)
    there = backend.asarray(values) if np.ndim(values) else values
    found = arrays.put(backend.asarray(x), backend.asarray(columns), there)
    backend.assert_equal(found, expected)


def test_tanh_in_place(backend):
    x = np.linspace(-3.0, 3.0, 7)
    there = backend.asarray(x.copy())
    assert arrays.tanh_in_place(there) is there
    backend.assert_allclose(there, np.tanh(x))


@given(codes=st.lists(st.integers(0, 4), min_size=1, max_size=30), entries=st.integers(1, 40))
def test_sums_of_classes_in_blocks(codes, entries):
    codes = np.array(codes)
    X = np.random.default_rng(0).standard_normal((len(codes), 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "ENTRIES", entries)
        sums, counts = arrays.class_sums(X, codes, 5)
        slices = list(arrays.row_blocks(len(codes), 5))
    for c in range(5):
        np.testing.assert_allclose(sums[c], X[codes == c].sum(axis=0), atol=1e-12)
        assert counts[c] == np.sum(codes == c)
    assert [i for s in slices for i in range(99)[s]] == list(range(len(codes)))
