"""No unit, offset, batch, block, layout or order of bytes changes what a search finds.

The oracle computes with fractions, and so knows the order that the numbers given have.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
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
    for kind in draw(st.lists(st.sampled_from(KINDS))):
        row, other = rng.integers(0, n_targets, 2)
        if kind == "copy":
            targets[row] = targets[other]
        elif kind in ("twice", "thrice"):
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


@settings(max_examples=300)
@given(case=searches(), data=st.data())
def test_order_and_ranks_are_those_of_fractions(case, data):
    metric, queries, targets = case
    dtype, n_targets = queries.dtype, len(targets)
    keys = [exact_keys(q, targets, metric) for q in queries]
    k = data.draw(st.integers(1, n_targets), "k")
    block_size = data.draw(st.sampled_from([None, 1, 7, 64]), "block_size")
    gold = [data.draw(st.integers(0, n_targets - 1)) for _ in queries]
    sums = [[np.abs(q.astype(float)) @ np.abs(t.astype(float)) for t in targets] for q in queries]
    assume(metric != "dot" or np.max(sums) < np.finfo(dtype).max / 1e3)  # refused
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
            np.testing.assert_array_equal(alone[0][0], scores[row])
            np.testing.assert_array_equal(alone[1][0], indices[row])
