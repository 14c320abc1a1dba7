"""Exactness, order, bounds and refusals of the search."""

import contextlib
import tracemalloc

import numpy as np
import pandas
import pytest
from scipy import sparse
from threadpoolctl import ThreadpoolController, threadpool_limits

from zslib.search import exact, gold_ranks, top_k, top_k_and_ranks
from zslib.search import ranks as _ranks
from zslib.search import selection as _selection
from zslib.search import threads as _threads
from zslib.search import tiles as _tiles
from zslib.search.corrections import InvertedSoftmax

METRICS = ("cosine", "dot", "euclidean")


def full_scores(queries, targets, metric):
    """Every score by a plain loop in float64."""

    def score(q, t):
        if metric == "euclidean":
            return -np.sqrt(((q - t) ** 2).sum())
        return q @ t / (np.sqrt(q @ q) * np.sqrt(t @ t) if metric == "cosine" else 1)

    queries, targets = queries.astype(np.float64), targets.astype(np.float64)
    return np.array([[score(q, t) for t in targets] for q in queries])


def order_of(scores):
    """Targets of each query, best first, ties to the lower index."""
    return np.array([sorted(range(len(row)), key=lambda j: (-row[j], j)) for row in scores])


def integer_vectors(rng, n, d, low=-2, high=3):
    """Small integers: sums of their products are exact in any order, so ties are real."""
    return rng.integers(low, high, (n, d)).astype(np.float32)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_top_k_and_ranks_follow_the_full_matrix(backend, metric, dtype):
    rng = np.random.default_rng(0)
    queries = rng.standard_normal((7, 5)).astype(dtype)
    targets = rng.standard_normal((90, 5)).astype(dtype)
    queries.flags.writeable = targets.flags.writeable = False
    gold = rng.integers(0, 90, 7)
    expected = full_scores(queries, targets, metric)
    order = order_of(expected)
    q, t = backend.asarray(queries), backend.asarray(targets)
    found = top_k(q, t, 6, metric=metric, block_size=40)
    ranks = gold_ranks(q, t, backend.asarray(gold), metric=metric, block_size=40)
    scores, indices, ranks = map(backend.to_numpy, (*found, ranks))
    assert [a.dtype for a in (scores, indices, ranks)] == [dtype, np.int64, np.int64]
    np.testing.assert_array_equal(indices, order[:, :6])
    np.testing.assert_allclose(scores, -np.sort(-expected, axis=1)[:, :6], atol=2e-6)
    np.testing.assert_array_equal(order[np.arange(7), ranks], gold)


@pytest.mark.parametrize("metric", ["dot", "euclidean"])
def test_ties_go_to_the_lower_index_whatever_the_blocks(backend, metric):
    rng = np.random.default_rng(1)
    queries, targets = integer_vectors(rng, 5, 3), integer_vectors(rng, 230, 3)
    order = order_of(full_scores(queries, targets, metric))
    q, t = backend.asarray(queries), backend.asarray(targets)
    for block_size in backend.some((64, 1, 1000, None)):
        options = {"metric": metric, "block_size": block_size}
        _, indices = top_k(q, t, 60, **options)
        backend.assert_equal(indices, order[:, :60])
        for position in (0, 10, 229):
            backend.assert_equal(gold_ranks(q, t, order[:, position], **options), position)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "block_size"), [(3, 33), (250, None), (250, 700)])
def test_rank_below_k_means_listed_at_that_rank(monkeypatch, metric, block_size, n):
    """Also under rounding, with near-duplicates, and over several chunks and blocks."""
    monkeypatch.setattr(_tiles, "HOST_CHUNK", 100)
    monkeypatch.setattr(_ranks, "WAITING", 50)
    rng = np.random.default_rng(2)
    targets = rng.standard_normal((3000, 20)).astype(np.float32)
    targets[1000:2000] = targets[:1000]
    targets[2000:2500] = targets[:500] * np.float32(1.1)
    queries = targets[rng.integers(0, 3000, n)] + np.float32(0.1)
    gold = [rng.integers(0, 3000, rng.integers(1, 4)) for _ in range(n)]
    _, indices = top_k(queries, targets, 300, metric=metric, block_size=block_size)
    ranks = gold_ranks(queries, targets, gold, metric=metric, block_size=block_size)
    for row, accepted, rank in zip(indices, gold, ranks, strict=True):
        positions = np.flatnonzero(np.isin(row, accepted))
        assert rank == positions[0] if positions.size else rank >= 300


@pytest.mark.parametrize(("k", "n"), [(1, 1), (1, 350), (20, 40), (700, 1), (700, 350)])
def test_many_targets_against_a_full_sort(monkeypatch, k, n):
    """Large enough for every branch of the fast path: several blocks and chunks."""
    monkeypatch.setattr(_tiles, "HOST_CHUNK", 100)
    rng = np.random.default_rng(3)
    queries, targets = (integer_vectors(rng, rows, 6, -8, 9) for rows in (n, 9001))
    expected = queries @ targets.T
    order = np.argsort(-expected, axis=1, kind="stable")[:, :k]
    scores, indices = top_k(queries, targets, k, metric="dot")
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(scores, np.take_along_axis(expected, order, axis=1))
    gold = order[:, -1]
    np.testing.assert_array_equal(gold_ranks(queries, targets, gold, metric="dot"), k - 1)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_rows_tie_in_spite_of_rounding(backend, metric):
    """Sums of many float32 products differ with a row's place in its block."""
    rng = np.random.default_rng(12)
    queries = rng.standard_normal((20, 300)).astype(np.float32)
    kinds = rng.standard_normal((5, 300)).astype(np.float32)
    which = rng.integers(5, size=400)
    q, t = backend.asarray(queries), backend.asarray(kinds[which])
    order = order_of(full_scores(queries, kinds, metric)[:, which])
    found = which[order[:, :200]]
    same = found[:, 1:] == found[:, :-1]
    for block_size in backend.some((100, 7, None)):
        options = {"metric": metric, "block_size": block_size}
        scores, indices = top_k(q, t, 200, **options)
        backend.assert_equal(indices, order[:, :200])
        assert (np.diff(backend.to_numpy(scores), axis=1)[same] == 0).all()
        for position in (30, 399):
            backend.assert_equal(gold_ranks(q, t, order[:, position], **options), position)


@pytest.mark.parametrize("metric", METRICS)
def test_tile_scores_lie_within_their_slack(backend, metric):
    rng = np.random.default_rng(13)
    queries = (100 + rng.standard_normal((30, 200))).astype(np.float32)
    spread = 10.0 ** rng.integers(-3, 3, (90, 1))
    targets = (100 + rng.standard_normal((90, 200)) * spread).astype("f4")
    tiles = _tiles.Tiles(*map(backend.asarray, (queries, targets)), metric, 40)
    pairs, _ = tiles.pairs.scores(np.repeat(np.arange(30), 90), np.tile(np.arange(90), 30))
    pairs = pairs.reshape(30, 90)
    expected = full_scores(queries, targets, metric)
    np.testing.assert_allclose(pairs, expected, rtol=1e-7)
    for rows in tiles.blocks:
        (tile,) = map(backend.to_numpy, tiles.walk(rows))
        levels = tiles.level(pairs[:, rows])
        slack = np.stack([tiles.slack(c, rows) for c in levels.T], 1)
        assert (np.abs(tile.T - levels) <= slack).all()
        assert (tiles.slack(levels[:, 0], rows) <= tiles.slack(levels[:, 0])).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_pair_has_one_score_whatever_the_batch(metric, dtype):
    rng = np.random.default_rng(15)
    queries, targets = (rng.standard_normal((n, 70)).astype(dtype) for n in (9, 40))
    targets *= (10.0 ** rng.integers(-9, 9, (40, 1))).astype(dtype)
    every = _tiles.Pairs(queries, targets, metric)
    scores, reach = every.scores(np.repeat(np.arange(9), 40), np.tile(np.arange(40), 9))
    for row in range(9):
        alone = _tiles.Pairs(queries[row : row + 1], targets, metric)
        for target in range(40):
            one = alone.scores(np.array([0]), np.array([target]))
            assert [scores[40 * row + target], reach[40 * row + target]] == [*one[0], *one[1]]


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8])
def test_euclidean_search_far_from_zero(backend, offset):
    rng = np.random.default_rng(14)
    queries = rng.standard_normal((30, 20)) + offset
    targets = rng.standard_normal((500, 20)) + offset
    order = order_of(full_scores(queries, targets, "euclidean"))
    q, t = backend.asarray(queries), backend.asarray(targets)
    _, indices = top_k(q, t, 9, metric="euclidean", block_size=64)
    backend.assert_equal(indices, order[:, :9])
    backend.assert_equal(gold_ranks(q, t, order[:, 200], metric="euclidean", block_size=64), 200)


def test_what_scikit_learn_converts_is_converted(frame):
    queries, targets = np.array([[0, 1], [2, 1]]), np.array([[1, 0], [3, 4], [0, 2]])
    expected = top_k(queries.astype(float), targets.astype(float), 2)
    for q, t in [
        (queries, targets),
        (queries.tolist(), targets.tolist()),
        (frame(queries), frame(targets)),
        (queries.astype(float), targets.astype(np.float16)),
        (np.ma.array(queries.astype(float)), targets.astype(float)),
    ]:
        for got, want in zip(top_k(q, t, 2), expected, strict=True):
            assert type(got) is np.ndarray
            np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(gold_ranks(q, t, [2, 0]), [0, 0])
    half = top_k(queries.astype(np.float16), targets.astype(np.float16), 2)
    assert half[0].dtype == np.float32


def test_columns_in_two_orders_are_refused(frame):
    queries, targets = frame(np.eye(2), columns=["a", "b"]), np.eye(2)
    turned = frame(targets, columns=["b", "a"])
    message = r"column 0 of targets is 'b', where queries has 'a': .* by targets\[names\]"
    searches = (
        lambda t: top_k(queries, t, 1)[1],
        lambda t: gold_ranks(queries, t, [0, 1]),
        lambda t: top_k_and_ranks(queries, t, 1, [0, 1])[0][0],
    )
    for search in searches:
        with pytest.raises(ValueError, match=message):
            search(turned)
        # A map names the columns that it makes otherwise than the targets.
        for other in (targets, frame(targets), frame(targets, columns=["a", "map1"])):
            np.testing.assert_array_equal(search(other), search(targets))


@pytest.mark.parametrize("correction", [None, "csls"])
def test_memory_mapped_targets(tmp_path, correction):
    rng = np.random.default_rng(5)
    queries, targets = (rng.standard_normal((n, 6)).astype("f4") for n in (14, 500))
    np.save(tmp_path / "targets.npy", targets)
    mapped = np.load(tmp_path / "targets.npy", mmap_mode="r")
    options = {"block_size": 64, "correction": correction}
    found, expected = (
        [*top_k(queries, t, 3, **options), gold_ranks(queries, t, np.arange(14), **options)]
        for t in (mapped, targets)
    )
    for got, want in zip(found, expected, strict=True):
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("correction", [None, "csls"])
def test_any_memory_layout(correction):
    rng = np.random.default_rng(7)
    queries, targets = integer_vectors(rng, 14, 6), integer_vectors(rng, 80, 6)
    options = {"metric": "dot", "correction": correction}
    expected = top_k(queries, targets, 9, **options)
    for views in (
        (np.asfortranarray(queries), np.asfortranarray(targets)),
        (queries.repeat(2, axis=1)[:, ::2], targets.repeat(2, axis=0)[::2]),
        (queries[::-1].copy()[::-1], targets[:, ::-1].copy()[:, ::-1]),
    ):
        for got, want in zip(top_k(*views, 9, **options), expected, strict=True):
            np.testing.assert_array_equal(got, want)


def test_gold_in_every_accepted_form(backend):
    targets = np.eye(4, dtype=np.float32)
    queries = np.array([[4, 3, 2, 1], [1, 2, 3, 4]], dtype=np.float32)
    q, t = backend.asarray(queries), backend.asarray(targets)
    for gold, expected in [
        (np.array([1, 0]), [1, 3]),
        (backend.asarray(np.array([1, 0])), [1, 3]),
        ([1, 0], [1, 3]),
        ((np.int32(1), 0), [1, 3]),
        ([[1, 3], [0]], [1, 3]),
        ([[3, 1, 1], (0, 2)], [1, 1]),
        ([np.array([3]), np.array([0, 3])], [3, 0]),
        (np.array([[3, 2], [0, 1]]), [2, 2]),
    ]:
        backend.assert_equal(gold_ranks(q, t, gold, metric="dot"), expected)


def with_value(array, row, value):
    array = array.copy()
    array[row] = value
    return array


Q, T = np.split(np.random.default_rng(8).standard_normal((13, 4)).astype("f4"), [3])
BAD = [(metric, value) for metric in METRICS for value in (np.nan, np.inf, -np.inf)]
POOR = [
    *((m, with_value(Q, (2, 1), v), T, "queries holds NaN or infinity.*row 2") for m, v in BAD),
    *((m, Q, with_value(T, (7, 0), v), "targets holds NaN or infinity.*row 7") for m, v in BAD),
    ("cosine", with_value(Q, 1, 0), T, "queries has 1 zero row.*row 1"),
    ("cosine", Q, with_value(T, 8, 0), "targets has a zero row.*row 8.*drop"),
    ("dot", 1e30 * Q, with_value(T, 4, 1e30), "too large for the dot scores.*scale"),
    ("dot", 1e200 * Q.astype(float), 1e200 * T.astype(float), "too large for the dot.*scale"),
    ("euclidean", 1e30 * Q, with_value(T, 4, 3e38), "too large for the euclidean .*scale"),
]


@pytest.mark.parametrize(("metric", "queries", "targets", "words"), POOR)
def test_poor_vectors(metric, queries, targets, words):
    for search, asked, options in (
        (top_k, 1, {}),
        (top_k, 1, {"block_size": 3}),
        (gold_ranks, [0, 7, 0], {"block_size": 3}),
        (gold_ranks, [9, 7, 9], {"correction": InvertedSoftmax()}),
    ):
        with pytest.raises(ValueError, match=words):
            search(queries, targets, asked, metric=metric, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"queries": np.ones(4)}, ValueError, r"queries must be a 2-d array.*vector\[None, :\]"),
        ({"targets": np.ones((2, 2, 2))}, ValueError, "targets must be a 2-d array"),
        ({"queries": sparse.eye_array(3, 4)}, TypeError, r"queries is sparse.*toarray\(\)"),
        ({"targets": sparse.eye_array(3, 4)}, TypeError, r"targets is sparse.*toarray\(\)"),
        ({"queries": np.ma.masked_less(np.eye(4), 1)}, ValueError, "queries has masked entries"),
        ({"targets": np.ma.masked_less(np.eye(4), 1)}, ValueError, "targets has masked entries"),
        ({"targets": np.ones((9, 4))}, TypeError, "queries is float32 and targets is float64"),
        ({"queries": np.ones((3, 5), "f4")}, ValueError, "5 columns and targets has 4"),
        ({"queries": np.ones((0, 4), "f4")}, ValueError, "queries is empty"),
        ({"targets": np.ones((0, 4), "f4")}, ValueError, "targets is empty"),
        ({"queries": [["a"] * 4]}, ValueError, "could not convert string"),
        ({"k": 0}, ValueError, r"k must be between 1 and 10.*number of targets"),
        ({"k": 11}, ValueError, r"k must be between 1 and 10.*number of targets.*got 11"),
        ({"k": 2.0}, TypeError, "k must be an integer"),
        ({"k": True}, TypeError, "k must be an integer"),
        ({"metric": "manhattan"}, ValueError, "metric must be one of 'cosine'"),
        ({"correction": "cls"}, ValueError, r"correction must be one of .*'csls'"),
        ({"correction": 3}, TypeError, "correction must be"),
        ({"block_size": 0}, ValueError, "block_size must be at least 1"),
        ({"block_size": 2.5}, TypeError, "block_size must be an integer"),
    ],
)
def test_bad_arguments_of_top_k(change, error, message):
    with pytest.raises(error, match=message):
        top_k(**{"queries": Q, "targets": T, "k": 2, **change})


@pytest.mark.parametrize(
    ("gold", "error", "message"),
    [
        ([0, 1], ValueError, "gold has 2 entries for 3 queries"),
        ([0, 1, 10], ValueError, r"gold must lie in \[0, 10\).*10"),
        ([0, 1, -1], ValueError, r"gold must lie in \[0, 10\).*-1"),
        ([[0], [], [1]], ValueError, "no acceptable target for 1 .*position 1"),
        ([0.0, 1.0, 2.0], TypeError, "gold must hold integers"),
        (np.array([0.0, 1.0, 2.0]), TypeError, "gold must hold integers"),
        ([[0], [1], [2.5]], TypeError, "gold must hold integers"),
        ([True, False, True], TypeError, "gold must hold integers"),
        (["a", "b", "c"], TypeError, "gold must hold integers"),
        (5, TypeError, "gold is a int: it must be"),
        ({0: [5], 1: [7], 2: [1]}, TypeError, "gold is a dict.*in the order of the queries"),
        ({0, 1, 2}, TypeError, "gold is a set"),
        ([True, 1, 2], TypeError, "gold must hold integers, .* got bool"),
        ([0, 1, 2, 3], ValueError, "gold has 4 entries for 3 queries"),
        ([{5}, {1, 2}, {3}], TypeError, "or a list of such for each query, got set at position 0"),
        (np.ma.array([0, 1, 2], mask=[0, 1, 0]), ValueError, "gold has masked entries"),
        (np.eye(3, 10, dtype=int), ValueError, "gold looks like a mask of zeros and ones"),
        (pandas.DataFrame(np.eye(3, dtype=int)), TypeError, "gold is a DataFrame"),
    ],
)
def test_bad_gold(monkeypatch, gold, error, message):
    with pytest.raises(error, match=message):
        gold_ranks(Q, T, gold)
    monkeypatch.setattr(exact, "KEPT", len(T))  # query by query
    with pytest.raises(error, match=message):
        top_k_and_ranks(Q, T, 1, gold)


def test_corrections_are_several():
    for one in ("csls", InvertedSoftmax(), None):
        with pytest.raises(TypeError, match="corrections must be a sequence, got"):
            top_k_and_ranks(Q, T, 1, [0, 1, 2], corrections=one)


@pytest.fixture
def three_threads(monkeypatch):
    """Threads even for small work and where BLAS is set to one."""
    monkeypatch.setattr(_threads, "one_blas_thread", lambda: contextlib.nullcontext(3))
    monkeypatch.setattr(_selection, "SMALL", 0)


@pytest.mark.parametrize("correction", [None, "csls"])
@pytest.mark.parametrize("spread", [1, 3, 50])
def test_threads_change_nothing(three_threads, spread, correction):
    rng = np.random.default_rng(9)
    queries, targets = (integer_vectors(rng, n, 3, -spread, spread + 1) for n in (90, 2500))
    options = {"metric": "dot", "block_size": 100, "correction": correction}
    scores, indices = top_k(queries, targets, 15, **options)
    ranks = gold_ranks(queries, targets, indices[:, 11], **options)
    np.testing.assert_array_equal(ranks, 11)
    if correction is None:
        expected = queries @ targets.T
        order = np.argsort(-expected, axis=1, kind="stable")[:, :15]
        np.testing.assert_array_equal(indices, order)
        np.testing.assert_array_equal(scores, np.take_along_axis(expected, order, axis=1))


def test_an_error_in_a_thread_is_raised(three_threads):
    targets = with_value(np.tile(T, (50, 1)), (333, 0), np.nan)
    with pytest.raises(ValueError, match=r"targets holds NaN.*row 333"):
        top_k(Q, targets, 2, block_size=10)


def test_blas_threads_are_restored():
    def count():
        blas = ThreadpoolController().select(user_api="blas")
        return [lib["num_threads"] for lib in blas.info()]

    before = count()
    with _threads.one_blas_thread() as threads:
        assert threads == max(before, default=1)
        with _threads.one_blas_thread() as again:
            assert again == threads
            assert set(count()) <= {1}
        assert set(count()) <= {1}
    assert count() == before
    with pytest.raises(RuntimeError), _threads.one_blas_thread():
        raise RuntimeError
    assert count() == before


@pytest.mark.parametrize("correction", [None, "csls"])
def test_memory_stays_far_below_the_whole_matrix(correction):
    rng = np.random.default_rng(10)
    shapes = (300, 4), (60_000, 4)  # 72 MB of scores
    queries, targets = (rng.standard_normal(shape).astype("f4") for shape in shapes)
    for search, asked in ((top_k, 10), (gold_ranks, np.zeros(300, int))):
        tracemalloc.start()
        search(queries, targets, asked, correction=correction)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30e6


def test_more_queries_than_16_bits_count():
    queries = np.linspace(-1, 1, 70_001, dtype=np.float32)[:, None]
    targets = np.array([[1.0], [-1.0], [2.0]], dtype=np.float32)
    _, plain = top_k(queries, targets, 1, metric="dot")
    np.testing.assert_array_equal(plain, np.where(queries < 0, 1, np.where(queries > 0, 2, 0)))
    correction = InvertedSoftmax(temperature=1.0, reference=queries[:2])
    _, corrected = top_k(queries, targets, 3, metric="dot", correction=correction)
    for some in (slice(0, 40), slice(69_000, None)):
        _, expected = top_k(queries[some], targets, 3, metric="dot", correction=correction)
        np.testing.assert_array_equal(corrected[some], expected)


def _distances(kind, rng):
    """Queries and targets in float32 that squares in float32 do not tell apart, or cannot hold."""
    queries, targets = rng.standard_normal((12, 5)), rng.standard_normal((400, 5))
    if kind == "clusters":  # far apart, each narrow
        queries[::2, 0] += 1e5
        targets[::3, 0] += 1e5
    elif kind == "tiny":
        queries, targets = queries * 1e-25, targets * 1e-25
    elif kind == "some are huge":
        targets[100:120] *= 1e17
        targets[300] *= 1e25
    elif kind == "all are huge":
        queries, targets = queries * 1e17, targets * 1e17
    elif kind == "copies":
        targets[::2] = queries[3]
    return queries.astype(np.float32), targets.astype(np.float32)


@pytest.mark.parametrize(("threads", "block_size"), [(1, 64), (2, None)])
@pytest.mark.parametrize(
    "kind", ["plain", "clusters", "tiny", "some are huge", "all are huge", "copies"]
)
def test_distances_of_float32_are_those_of_float64(kind, block_size, threads, monkeypatch):
    monkeypatch.setattr(_selection, "SMALL", 2**28 if threads == 1 else 0)
    queries, targets = _distances(kind, np.random.default_rng(0))
    with np.errstate(over="ignore"):
        d = queries[:, None].astype(np.float64) - targets[None].astype(np.float64)
        expected = -np.sqrt((d**2).sum(axis=2))
    order = np.argsort(-expected, axis=1, kind="stable")
    expected = expected.astype(np.float32)
    options = {"metric": "euclidean", "block_size": block_size}
    for k in (1, 7, 400):
        scores, indices = top_k(queries, targets, k, **options)
        np.testing.assert_array_equal(indices, order[:, :k])
        np.testing.assert_array_equal(scores, np.take_along_axis(expected, indices, axis=1))
    gold = np.random.default_rng(1).integers(0, 400, 12)
    ranks = gold_ranks(queries, targets, gold, **options)
    np.testing.assert_array_equal(order[np.arange(12), ranks], gold)
    one = top_k(queries, targets[:1], 1, **options)[0]
    np.testing.assert_array_equal(one, expected[:, :1])


def test_a_pair_has_one_score_whatever_the_threads_of_blas():
    """BLAS would share out a product of rows as long as these."""
    rng = np.random.default_rng(0)
    targets = rng.standard_normal((1400, 10_500))
    queries = targets[:20] + 0.01 * rng.standard_normal((20, 10_500))
    for metric in ("euclidean", "dot", "cosine"):
        with threadpool_limits(2):
            ranks = gold_ranks(queries, targets, np.arange(20), metric=metric)
        np.testing.assert_array_equal(ranks, 0)


def test_gold_by_name(frame):
    rng = np.random.default_rng(3)
    names = [f"it{row}" for row in range(50)]
    targets = frame(rng.standard_normal((50, 4)), index=names)
    queries = rng.standard_normal((4, 4))
    rows = [[7], [3, 9], [0], [49]]
    expected = gold_ranks(queries, targets, rows)
    called = [[names[row] for row in accepted] for accepted in rows]
    for gold in (called, [np.array(accepted) for accepted in called]):
        np.testing.assert_array_equal(gold_ranks(queries, targets, gold), expected)
        [(_, ranks)] = top_k_and_ranks(queries, targets, 2, gold)
        np.testing.assert_array_equal(ranks, expected)
    first, alone = [accepted[0] for accepted in called], [accepted[0] for accepted in rows]
    expected = gold_ranks(queries, targets, alone)
    for gold in (first, np.array(first), frame({"gold": first})["gold"]):
        np.testing.assert_array_equal(gold_ranks(queries, targets, gold), expected)
    with pytest.raises(ValueError, match="gold has 'it77', which targets lacks"):
        gold_ranks(queries, targets, ["it77", *first[1:]])
    with pytest.raises(TypeError, match="names need a data frame as targets"):
        gold_ranks(queries, targets.to_numpy(), first)
