"""Prepared targets give the answers of the targets themselves."""

import pickle
from itertools import product

import numpy as np
import pytest

from zslib.search import gold_ranks, top_k, top_k_and_ranks
from zslib.search import prepared as _prepared
from zslib.search.prepared import PreparedTargets

METRICS = ("cosine", "dot", "euclidean")


@pytest.mark.parametrize("metric", METRICS)
def test_answers_are_those_of_the_tiles(backend, monkeypatch, metric):
    monkeypatch.setattr(_prepared, "PRODUCT", 700)  # several blocks
    monkeypatch.setattr(_prepared, "UNMEASURED", 100)
    kinds = ("copies", "plain", "far from zero", "tiny", "huge")
    for kind, dtype in backend.some([*product(kinds, ("float32", "float64"))]):
        rng = np.random.default_rng(0)
        targets = rng.standard_normal((900, 6)).astype(dtype)
        targets += 1000 * (kind == "far from zero")
        targets *= {"tiny": 1e-18, "huge": 1e17}.get(kind, 1)
        if kind == "copies":
            targets[300:] = targets[:600]
        queries = targets[rng.integers(0, 900, 12)] * np.array(1.1, dtype)
        gold = rng.integers(0, 900, 12)
        q, t = backend.asarray(queries), backend.asarray(targets)
        known = pickle.loads(pickle.dumps(PreparedTargets(targets, metric)))
        known = known if backend.name == "numpy" else PreparedTargets(t, metric)
        expected = [backend.to_numpy(a) for a in top_k(q, t, 30, metric=metric, block_size=64)]
        for got in (top_k(q, known, 30, metric=metric), top_k(q, t, 30, metric=metric)):
            for a, b in zip(got, expected, strict=True):
                backend.assert_equal(a, b)
        for row in range(3):
            alone = top_k(q[row : row + 1, :], known, 30, metric=metric)
            for a, b in zip(alone, expected, strict=True):
                backend.assert_equal(a, b[row : row + 1])
        ranks = gold_ranks(q, t, gold, metric=metric)
        backend.assert_equal(gold_ranks(q, known, gold, metric=metric), backend.to_numpy(ranks))
        [(indices, again)] = top_k_and_ranks(q, known, 30, gold, metric=metric)
        backend.assert_equal(indices, expected[1])
        backend.assert_equal(again, backend.to_numpy(ranks))


def test_corrections_take_them():
    rng = np.random.default_rng(1)
    queries, targets = rng.standard_normal((20, 4)), rng.standard_normal((50, 4))
    given = (PreparedTargets(targets), targets)
    found, expected = (top_k(queries, t, 5, correction="csls") for t in given)
    np.testing.assert_array_equal(found, expected)


def test_contiguous_arrays_and_memory_maps_are_not_copied(tmp_path):
    targets = np.random.default_rng(2).standard_normal((40, 3))
    np.save(tmp_path / "targets.npy", targets)
    for rows in (targets, np.load(tmp_path / "targets.npy", mmap_mode="r")):
        assert PreparedTargets(rows).targets is rows
    assert PreparedTargets(np.asfortranarray(targets)).targets.flags.c_contiguous


def frames(frame):
    rows = np.random.default_rng(3).standard_normal((4, 2))
    return PreparedTargets(frame(rows, columns=["a", "b"])), frame(rows, columns=["b", "a"])


REFUSALS = [
    (lambda t, frame: PreparedTargets(t, "manhattan"), "metric must be one of 'cosine'"),
    (lambda t, frame: PreparedTargets(t[0]), "targets must be a 2-d array"),
    (lambda t, frame: PreparedTargets(np.where(t == t[7], np.nan, t)), "first at row 7"),
    (lambda t, frame: PreparedTargets(np.where(t == t[7], 0, t)), "zero row, the first at row 7"),
    (lambda t, frame: top_k(t, PreparedTargets(t), 1, metric="dot"), "'cosine', and metric is 'd"),
    (lambda t, frame: gold_ranks(t, PreparedTargets(t), [0], metric="dot"), "pass the same"),
    (lambda t, frame: top_k(t[:1], PreparedTargets(t), 13), "between 1 and 12"),
    (lambda t, frame: top_k(t[:1, :2], PreparedTargets(t), 1), "queries has 2 columns"),
    (lambda t, frame: top_k(np.nan * t[:1], PreparedTargets(t), 1), "queries holds NaN"),
    (lambda t, frame: top_k(0 * t[:1], PreparedTargets(t), 1), "queries has 1 zero row"),
    (lambda t, frame: top_k(*frames(frame)[::-1], 1), "column 0 of queries is 'b'"),
]


def test_refusals(frame, refusal):
    refusal(np.random.default_rng(4).standard_normal((12, 3)), frame)
