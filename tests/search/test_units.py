"""No unit, offset, batch, block, layout or order of bytes changes what a search finds.

The oracle computes with fractions, and so knows the order that the numbers given have.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from zslib.search import gold_ranks, top_k, top_k_and_ranks
from zslib.search.prepared import PreparedTargets

KINDS = ("copy", "twice", "thrice", "near", "query", "zero", "tiny")
METRICS = ("cosine", "dot", "euclidean")


def exact_keys(query, targets, metric):
    """For each target a fraction that falls with its rank: the score, or its signed square."""
    q = [Fraction(float(x)) for x in query]
    keys = []
    for target in targets:
        t = [Fraction(float(x)) for x in target]
        product = sum(a * b for a, b in zip(q, t, strict=True))
        if metric == "euclidean":
            keys.append(-sum((a - b) ** 2 for a, b in zip(q, t, strict=True)))
        elif metric == "dot":
            keys.append(product)
        else:
            lengths = sum(a * a for a in q) * sum(b * b for b in t)
            keys.append(product * abs(product) / lengths)
    return keys


def root(fraction):
    """Square root of a fraction of any size, to the digits of a float."""
    if fraction == 0:
        return 0.0
    half = (fraction.numerator.bit_length() - fraction.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(fraction / Fraction(4) ** half), half)


def score_of(key, metric):
    if metric == "dot":
        return float(key)
    return math.copysign(root(abs(key)), key)


def order_of(query, targets, metric, keys):
    """Rows best first, ties to the lower; not for cases that less than 2^-80 decides."""
    order = sorted(range(len(keys)), key=lambda j: (-keys[j], j))
    for better, worse in itertools.pairwise(order):
        size = -keys[worse] if metric == "euclidean" else Fraction(1)
        if metric == "dot":
            sums = (np.abs(query).astype(float) @ np.abs(targets[j]) for j in (better, worse))
            size = Fraction(float(max(sums)))
        gap = keys[better] - keys[worse]
        assume(gap == 0 or gap > size / 2**80)
    return order


@st.composite
def searches(draw):
    """A metric, queries and targets of any unit, far from zero or near, some rows related."""
    metric = draw(st.sampled_from(METRICS), "metric")
    dtype = draw(st.sampled_from([np.float32, np.float64]), "dtype")
    n, n_targets, d = (draw(st.integers(1, high), "size") for high in (4, 40, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6), "seed"))
    if draw(st.booleans(), "integers"):
        queries, targets = (rng.integers(-3, 4, (m, d)).astype(float) for m in (n, n_targets))
    else:
        queries, targets = (rng.standard_normal((m, d)) for m in (n, n_targets))
    mean = draw(st.sampled_from([0.0, 0.0, 1.0, 1e3, 1e6]), "mean")
    units = [10.0 ** draw(st.integers(-30, 30), "unit") for _ in range(2)]
    queries, targets = (
        ((a + mean).astype(dtype) * dtype(unit)).astype(dtype)
        for a, unit in zip((queries, targets), units, strict=True)
    )
    spread = draw(st.sampled_from([0, 0, 30]), "spread") * (1 if dtype == np.float32 else 4)
    for rows in (queries, targets):  # each row in a unit of its own
        with np.errstate(over="ignore", under="ignore"):
            rows *= (10.0 ** rng.integers(-spread, spread + 1, (len(rows), 1))).astype(dtype)
        rows[~(np.abs(rows) < np.finfo(dtype).max / 10)] = 1
    for kind in draw(st.lists(st.sampled_from(KINDS))):
        row, other = rng.integers(0, n_targets, 2)
        if kind == "copy":
            targets[row] = targets[other]
        elif kind in ("twice", "thrice"):
            if np.abs(targets[other]).max() < np.finfo(dtype).max / 10:
                targets[row] = targets[other] * dtype(2 if kind == "twice" else 3)
        elif kind == "near":
            targets[row] = np.nextafter(targets[other], dtype(np.inf))
        elif kind == "query":
            targets[row] = queries[rng.integers(n)]
        elif kind == "zero" and metric != "cosine":
            targets[row] = 0
        elif kind == "tiny":
            targets[row] = np.finfo(dtype).smallest_subnormal * rng.integers(1, 9, d)
    if metric == "cosine":
        for rows in (queries, targets):
            rows[(rows == 0).all(axis=1)] = 1
    return metric, queries, targets


@given(case=searches(), data=st.data())
def test_order_and_ranks_are_those_of_fractions(case, data):
    metric, queries, targets = case
    dtype, n_targets = queries.dtype, len(targets)
    keys = [exact_keys(q, targets, metric) for q in queries]
    k = data.draw(st.integers(1, n_targets), "k")
    block_size = data.draw(st.sampled_from([None, 1, 7, 64]), "block_size")
    gold = [data.draw(st.integers(0, n_targets - 1)) for _ in queries]
    sums = [[np.abs(q.astype(float)) @ np.abs(t.astype(float)) for t in targets] for q in queries]
    peaks, limit = [float(np.abs(a).max()) for a in (queries, targets)], np.finfo(dtype).max / 1e3
    size = {"dot": 6 * peaks[0] * peaks[1], "cosine": 0, "euclidean": max(peaks)}[metric]
    assume(size < float(limit))  # or refused
    parts = zip(queries, keys, strict=True)
    order = np.array([order_of(q, targets, metric, row) for q, row in parts])
    options = {"metric": metric, "block_size": block_size}
    scores, indices = top_k(queries, targets, k, **options)
    np.testing.assert_array_equal(indices, order[:, :k])
    expected = np.array([[score_of(key, metric) for key in row] for row in keys])
    size = {"dot": np.array(sums), "cosine": 1.0, "euclidean": np.abs(expected)}[metric]
    smallest = float(np.finfo(dtype).smallest_subnormal)
    least = 4 * np.finfo(dtype).eps * size + 0 * expected + queries.shape[1] * smallest
    expected, least = (np.take_along_axis(a, indices, axis=1) for a in (expected, least))
    assert (np.abs(scores - expected) <= least).all()
    assert (np.diff(scores, axis=1) <= 0).all()
    assert not np.signbit(scores[scores == 0]).any()
    ranks = gold_ranks(queries, targets, gold, **options)
    np.testing.assert_array_equal(order[np.arange(len(gold)), ranks], gold)
    [(found, again)] = top_k_and_ranks(queries, targets, k, gold, metric=metric)
    np.testing.assert_array_equal(found, indices)
    np.testing.assert_array_equal(again, ranks)
    other = np.asfortranarray(targets), targets.astype(dtype.newbyteorder())
    for same in (*other, PreparedTargets(targets, metric)):
        for row, query in enumerate(np.asfortranarray(queries)):
            alone = top_k(query[None, :], same, k, metric=metric)
            last_digit = (metric == "dot") * np.finfo(dtype).eps
            np.testing.assert_allclose(alone[0][0], scores[row], rtol=last_digit)
            np.testing.assert_array_equal(alone[1][0], indices[row])


@pytest.mark.parametrize("mean", [100, 1000])
def test_cosines_of_nearly_parallel_rows_are_those_of_float64(backend, mean):
    rng = np.random.default_rng(0)
    queries, targets = (
        (rng.standard_normal((n, 30)) + mean).astype(np.float32) for n in (20, 400)
    )
    wide = queries.astype(float), targets.astype(float)
    unit = [a / np.linalg.norm(a, axis=1, keepdims=True) for a in wide]
    # Half the squared distance of unit rows is 1 - cosine, with more digits.
    order = ((unit[0][:, None] - unit[1][None]) ** 2).sum(axis=2).argsort(axis=1, kind="stable")
    q, t = backend.asarray(queries), backend.asarray(targets)
    backend.assert_equal(top_k(q, t, 20)[1], order[:, :20])
    for place in (0, 7, 399):
        backend.assert_equal(gold_ranks(q, t, order[:, place]), place)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances_to_itself_are_zero_and_depend_on_no_other_query(backend, dtype):
    rng = np.random.default_rng(1)
    targets = rng.standard_normal((300, 12)).astype(dtype)
    q, t = backend.asarray(targets[:20]), backend.asarray(targets)
    scores, indices = map(backend.to_numpy, top_k(q, t, 5, metric="euclidean"))
    np.testing.assert_array_equal(indices[:, 0], np.arange(20))
    assert not scores[:, 0].any() and not np.signbit(scores[:, 0]).any()
    far = backend.asarray(np.concatenate([targets[:20], targets[:20] + np.array(1e6, dtype)]))
    again = top_k(far, t, 5, metric="euclidean")
    np.testing.assert_array_equal(backend.to_numpy(again[0])[:20], scores)
    np.testing.assert_array_equal(backend.to_numpy(again[1])[:20], indices)


@pytest.mark.parametrize("metric", ["dot", "euclidean"])
@pytest.mark.parametrize(
    ("dtype", "left", "right"),
    [
        ("float32", 1e25, 1e-25),
        ("float32", 1e-30, 1),
        ("float32", 1e-30, 1e-30),
        ("float32", 1e-38, 1e-38),
        ("float64", 1, 1e300),
        ("float64", 1e-200, 1e-200),
        ("float64", 1e-300, 1e300),
        ("float64", 1e-160, 1e160),
    ],
)
def test_units_change_no_order(backend, metric, dtype, left, right):
    """Squares of lengths, or the scores themselves, are out of the range of the type."""
    rng = np.random.default_rng(2)
    queries, targets = (rng.standard_normal((n, 5)).astype(dtype) for n in (30, 300))
    targets[::7] = targets[1]
    left, right = (2.0 ** np.round(np.log2(unit)) for unit in (left, right))
    if metric == "euclidean":
        left = right
    order = top_k(queries, targets, 300, metric=metric)[1]
    q = backend.asarray(queries * np.array(left, dtype))
    t = backend.asarray(targets * np.array(right, dtype))
    backend.assert_equal(top_k(q, t, 300, metric=metric)[1], order)
    for place in (0, 5, 150):
        backend.assert_equal(gold_ranks(q, t, order[:, place], metric=metric), place)


def test_other_types_of_numbers():
    """Bytes in another order are the same numbers; integers and halves are converted."""
    rng = np.random.default_rng(3)
    queries, targets = rng.integers(-9, 9, (3, 4)), rng.integers(-9, 9, (30, 4))
    expected = top_k(queries.astype("f4"), targets.astype("f4"), 7, metric="dot")
    for kinds in ((">f4", "f4"), ("f4", ">f4"), ("<f4", ">f4"), ("f2", "f4"), ("f4", ">i2")):
        q, t = (a.astype(kind) for a, kind in zip((queries, targets), kinds, strict=True))
        for got, want in zip(top_k(q, t, 7, metric="dot"), expected, strict=True):
            np.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype and got.dtype.isnative
