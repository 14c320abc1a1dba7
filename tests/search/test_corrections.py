"""Each correction against its definition, over the whole matrix and in plain loops."""

import pickle

import numpy as np
import pytest
from scipy.special import log_ndtr, logsumexp
from sklearn.base import clone

from zslib.search import exact, gold_ranks, top_k, top_k_and_ranks
from zslib.search import ranks as _ranks
from zslib.search.corrections import (
    CORRECTIONS,
    CSLS,
    Correction,
    GloballyCorrected,
    InvertedSoftmax,
    LocalScaling,
    MutualProximity,
    resolve,
)
from zslib.search.corrections.base import largest
from zslib.search.corrections.mutual_proximity import log_normal_cdf


def base_scores(queries, targets, metric):
    """(n_queries, n_targets) in float64."""
    if metric == "euclidean":
        return -np.sqrt(((queries[:, None] - targets[None]) ** 2).sum(axis=-1))
    scores = queries @ targets.T
    if metric == "cosine":
        scores /= np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(targets, axis=1)
    return scores


def largest_scores(queries, targets, metric):
    """What the lengths of the vectors allow each query; the largest distance."""
    if metric == "euclidean":
        return abs(base_scores(queries, targets, metric)).max(axis=1)
    lengths = [np.linalg.norm(a, axis=1) for a in (queries, targets)]
    return lengths[0] * lengths[1].max() if metric == "dot" else np.ones(len(queries))


def mean_of_best(values, k):
    return np.mean(sorted(values, reverse=True)[:k])


def kth_distance(values, k, zero):
    return zero - sorted(values, reverse=True)[k - 1]


# name: (instance, definition of the score of query i with target j from the scores s of the
# queries and r of the references, both (n, n_targets), with c the largest that lengths allow)
def globally_corrected(s, r, i, j, metric, c):
    return -sum(r[:, j] > s[i, j]) + s[i, j] / (2 * c[i] + 2 * abs(s[i, j]))


def csls(s, r, i, j, metric, c):
    return 2 * s[i, j] - mean_of_best(s[i], 3) - mean_of_best(r[:, j], 3)


def inverted_softmax(s, r, i, j, metric, c):
    return s[i, j] / 0.2 - logsumexp(r[:, j] / 0.2)


def mutual_proximity(s, r, i, j, metric, c):
    of_query = (s[i, j] - s[i].mean()) / s[i].std()
    of_target = (s[i, j] - r[:, j].mean()) / r[:, j].std()
    return log_ndtr(float(of_query)) + log_ndtr(float(of_target))


def local_scaling(s, r, i, j, metric, c):
    zero = 1 if metric == "cosine" else 0
    scales = kth_distance(s[i], 4, zero) * kth_distance(r[:, j], 4, zero)
    return -((zero - s[i, j]) ** 2) / scales


DEFINITIONS = {
    "globally_corrected": (GloballyCorrected, {}, globally_corrected),
    "csls": (CSLS, {"k": 3}, csls),
    "inverted_softmax": (InvertedSoftmax, {"temperature": 0.2}, inverted_softmax),
    "mutual_proximity": (MutualProximity, {}, mutual_proximity),
    "local_scaling": (LocalScaling, {"k": 4}, local_scaling),
}
CASES = [
    (name, metric)
    for name in DEFINITIONS
    for metric in ("cosine", "dot", "euclidean")
    if (name, metric) != ("local_scaling", "dot")
]


def corrected_matrix(name, queries, targets, reference, metric):
    definition = DEFINITIONS[name][2]
    s = base_scores(queries, targets, metric)
    r = base_scores(queries if reference is None else reference, targets, metric)
    given = metric, largest_scores(queries, targets, metric)
    rows, columns = map(range, s.shape)
    return np.array([[definition(s, r, i, j, *given) for j in columns] for i in rows])


def correction_of(name, **options):
    kind, parameters, _ = DEFINITIONS[name]
    return kind(**parameters, **options)


def test_every_correction_has_a_definition_here():
    assert set(DEFINITIONS) == set(CORRECTIONS)


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_follows_the_definition(backend, name, metric):
    for with_reference in backend.some((True, False)):
        rng = np.random.default_rng(0)
        queries = rng.standard_normal((6, 3)) + 0.3
        targets = rng.standard_normal((25, 3))
        reference = rng.standard_normal((9, 3)) if with_reference else None
        there = backend.asarray(reference) if with_reference else None
        correction = correction_of(name, reference=there)
        expected = corrected_matrix(name, queries, targets, reference, metric)
        order = np.argsort(-expected, axis=1, kind="stable")
        q, t = backend.asarray(queries), backend.asarray(targets)
        options = {"metric": metric, "correction": correction, "block_size": 11}
        scores, indices = top_k(q, t, 7, **options)
        backend.assert_equal(indices, order[:, :7])
        backend.assert_allclose(scores, -np.sort(-expected, axis=1)[:, :7], rtol=1e-9, atol=1e-10)
        gold = rng.integers(0, 25, 6)
        ranks = backend.to_numpy(gold_ranks(q, t, gold, **options))
        np.testing.assert_array_equal(order[np.arange(6), ranks], gold)


@pytest.mark.parametrize("limit", [10**6, 100, 1], ids=["kept", "in groups", "not kept"])
def test_several_at_once_find_what_each_finds_alone(backend, monkeypatch, limit):
    monkeypatch.setattr(exact, "KEPT", limit)
    rng = np.random.default_rng(0)
    # Products of small integers are exact, whatever the shape of a tile.
    queries, targets = (rng.integers(1, 9, (n, 3)).astype(float) for n in (9, 40))
    gold = [[i, 39 - i] for i in range(9)]
    there = backend.asarray(queries), backend.asarray(targets)
    several = [correction_of(name) for name, metric in CASES if metric == "dot"]
    several += [None, CSLS(3, reference=backend.asarray(targets[:12]))]
    for asked in (several, [None]):
        found = top_k_and_ranks(*there, 4, gold, metric="dot", corrections=asked)
        for correction, both in zip(asked, found, strict=True):
            options = {"metric": "dot", "correction": correction}
            alone = top_k(*there, 4, **options)[1], gold_ranks(*there, gold, **options)
            for one, same in zip(both, alone, strict=True):
                backend.assert_equal(one, backend.to_numpy(same))


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_equal_targets_tie_in_the_order_of_their_rows(backend, name, metric):
    given = correction_of(name)
    for kinds, dtype in backend.some([(25, "float32"), (25, "float64"), (1, "float32")]):
        rng = np.random.default_rng(11)
        queries, targets = rng.standard_normal((17, 30)), rng.standard_normal((kinds, 30))
        which = np.append(np.arange(kinds), rng.integers(0, min(kinds, 12), 16))
        gold = [rng.integers(0, which.size, 1 + i % 3) for i in range(17)]
        narrow = queries.astype(dtype), targets[which].astype(dtype)
        expected = np.zeros((17, which.size))
        if kinds > 1:
            wide = (a.astype(float) for a in narrow)
            expected = corrected_matrix(name, *wide, None, metric)[:, which]  # those of the first
        order = np.argsort(-expected, axis=1, kind="stable")
        positions = [min(order[i].tolist().index(g) for g in of) for i, of in enumerate(gold)]
        q, t = map(backend.asarray, narrow)
        for block_size in backend.some((7, None)):
            options = {"metric": metric, "correction": given, "block_size": block_size}
            for k in backend.some((9, which.size)):
                scores, indices = map(backend.to_numpy, top_k(q, t, k, **options))
                np.testing.assert_array_equal(indices, order[:, :k])
                same = which[indices[:, 1:]] == which[indices[:, :-1]]
                assert scores.dtype == dtype and (np.diff(scores, axis=1)[same] == 0).all()
            backend.assert_equal(gold_ranks(q, t, gold, **options), positions)
        [found] = top_k_and_ranks(q, t, 9, gold, metric=metric, corrections=[given])
        for got, wanted in zip(found, (order[:, :9], positions), strict=True):
            backend.assert_equal(got, wanted)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_ranks_rest_on_the_tiles_of_the_walk(monkeypatch, name):
    """However far off the scores are that are expected beforehand."""
    rng = np.random.default_rng(12)
    queries, targets = (rng.standard_normal((n, 8)).astype("f4") for n in (30, 200))
    indices = top_k(queries, targets, 90, correction=name)[1]
    for off in (0.0, 1e-3, 5.0):
        expected = _ranks._expected
        with monkeypatch.context() as patch:
            patch.setattr(_ranks, "_expected", lambda *given: expected(*given) + off)  # noqa: B023
            found = gold_ranks(queries, targets, indices[:, 80], correction=name)
        np.testing.assert_array_equal(found, 80)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("kind", [GloballyCorrected, MutualProximity])
def test_what_cannot_be_among_the_best_is_left_out(kind, ties, metric):
    """And changes nothing: neither the best and their scores, nor the ranks of gold."""
    left_out = []

    class Watched(kind):
        def apply_above(self, scores, of_targets, statistics, bound):
            found = super().apply_above(scores, of_targets, statistics, bound)
            whole = self.apply(scores, of_targets, statistics)
            left_out.append(found == -np.inf)
            np.testing.assert_array_equal(found, np.where(left_out[-1], -np.inf, whole))
            return found

    class All(kind):
        bound = Correction.bound

    rng = np.random.default_rng(0)
    queries, targets = (rng.standard_normal((n, 6)).astype("float32") for n in (90, 900))
    if metric != "cosine":
        queries[0] = 0.0
    if ties:
        rounded = (a.round() for a in (queries, targets))
        queries, targets = (np.where(a.any(axis=1)[:, None], a, 1) for a in rounded)
    near = top_k(queries, targets, 9, metric=metric)[1][:, -1]
    for search in (
        lambda c: top_k(queries, targets, 3, metric=metric, correction=c, block_size=64),
        lambda c: gold_ranks(queries, targets, near, metric=metric, correction=c, block_size=64),
    ):
        np.testing.assert_array_equal(search(Watched()), search(All()))
    if metric == "cosine":  # else short queries are far from the first of any target
        assert np.mean(np.concatenate(left_out)) > 0.1


def test_a_reference_is_converted_as_queries_are(frame):
    rng = np.random.default_rng(2)
    queries, targets = rng.standard_normal((12, 4)), rng.standard_normal((60, 4))
    reference = rng.integers(1, 9, (15, 4))
    expected = top_k(queries, targets, 3, correction=CSLS(reference=reference.astype(float)))
    for given in (reference, reference.tolist(), frame(reference)):
        found = top_k(queries, targets, 3, correction=CSLS(reference=given))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "metric"), CASES)
def test_the_unit_of_the_vectors_changes_no_order(name, metric, dtype):
    if name == "inverted_softmax":  # its temperature has the unit of the score
        return
    rng = np.random.default_rng(15)
    drawn = [rng.standard_normal((n, 8)).astype("f4").astype(float) for n in (12, 60, 15)]
    drawn[0][0] = drawn[1][0]  # a distance of zero
    for reference in (None, drawn[2]):
        expected = corrected_matrix(name, *drawn[:2], reference, metric)
        order = np.argsort(-expected, axis=1, kind="stable")[:, :20]
        reach = 18 if (metric, dtype) == ("dot", "float32") else 30  # products stay in range
        for unit in 10.0 ** np.array([-30, -8, -3, 5, reach]):
            queries, targets, others = ((a * unit).astype(dtype) for a in drawn)
            correction = correction_of(name, reference=None if reference is None else others)
            options = {"metric": metric, "correction": correction}
            np.testing.assert_array_equal(top_k(queries, targets, 20, **options)[1], order)
            ranks = gold_ranks(queries, targets, order[:, 7], **options)
            np.testing.assert_array_equal(ranks, 7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", DEFINITIONS)
def test_vectors_that_are_nearly_parallel(name, dtype):
    """Cosines that differ in the ninth digit, against loops in long double."""
    rng = np.random.default_rng(16)
    queries, targets = ((1 + 1e-4 * rng.standard_normal((n, 6))).astype(dtype) for n in (12, 60))
    wide = [a.astype(np.longdouble) for a in (queries, targets)]
    expected = corrected_matrix(name, *wide, None, "cosine")
    order = np.argsort(-expected, axis=1, kind="stable")
    indices = top_k(queries, targets, 10, correction=correction_of(name))[1]
    np.testing.assert_array_equal(indices, order[:, :10])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("near", [1.0, 1e-2, 1e-4, 1e-6])
def test_the_nearest_of_one_query_is_one_scale_away(near, dtype):
    rng = np.random.default_rng(17)
    query, targets = ((1 + near * rng.standard_normal((n, 8))).astype(dtype) for n in (1, 50))
    for metric in ("cosine", "euclidean"):
        scores = top_k(query, targets, 2, metric=metric, correction=LocalScaling(k=1))[0]
        assert scores[0, 0] == pytest.approx(-1, rel=1e-2 if near == 1e-6 else 1e-5)
        assert scores[0, 1] < scores[0, 0]


def test_equal_scores_count_as_their_mean():
    """A target at right angles to all queries: Phi(0) on its side, whatever rounding leaves."""
    rng = np.random.default_rng(18)
    for unit in (1e-12, 1.0, 1e12):
        queries = np.zeros((20, 6))
        queries[:, :5] = rng.standard_normal((20, 5))
        turn = np.linalg.qr(rng.standard_normal((6, 6)))[0] * unit
        targets = np.vstack([rng.standard_normal((9, 6)), np.eye(6)[5:]])
        options = {"metric": "dot", "correction": "mutual_proximity"}
        scores, indices = top_k(queries @ turn, targets @ turn, 10, **options)
        raw = queries @ targets.T
        expected = log_ndtr((raw[:, 9] - raw.mean(axis=1)) / raw.std(axis=1)) + np.log(0.5)
        np.testing.assert_allclose(scores[indices == 9], expected, rtol=1e-9)


def test_a_spread_below_the_range_of_float32_is_no_zero():
    """Of equal references nothing spreads, and the rounding of distances is below float32."""
    rng = np.random.default_rng(19)
    queries, targets = ((rng.standard_normal((n, 1)) * 1e-28).astype("f4") for n in (30, 300))
    fitted = MutualProximity().fit(queries[[0, 0]], targets, metric="euclidean")
    scores = top_k(queries, targets, 300, metric="euclidean", correction=fitted)[0]
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_fitted_serves_as_with_the_reference(backend, name, metric):
    rng = np.random.default_rng(13)
    queries, targets, reference = (rng.standard_normal((n, 5)) for n in (6, 60, 20))
    targets[40:50] = targets[:10]
    for dtype in backend.some(("float64", "float32")):
        q, t, r = (backend.asarray(a.astype(dtype)) for a in (queries, targets, reference))
        expected = corrected_matrix(
            name, *(a.astype(dtype).astype(float) for a in (queries, targets, reference)), metric
        )
        fitted = correction_of(name).fit(r, t, metric=metric)
        if backend.name == "numpy":
            fitted = pickle.loads(pickle.dumps(fitted))
        options = {"metric": metric, "correction": fitted}
        scores, indices = map(backend.to_numpy, top_k(q, t, 9, **options))
        with_reference = {"metric": metric, "correction": correction_of(name, reference=r)}
        backend.assert_equal(top_k(q, t, 9, **with_reference)[1], indices)
        tolerance = 1e-9 if dtype == "float64" else 2e-4
        found = np.take_along_axis(expected, indices, axis=1)
        np.testing.assert_allclose(scores, found, rtol=tolerance, atol=tolerance)
        assert scores.dtype == dtype
        for i in range(2):
            found = top_k(q[i : i + 1, :], t, 9, **options)
            backend.assert_equal(found[1], indices[i : i + 1])
            backend.assert_allclose(found[0], scores[i : i + 1], rtol=1e-4, atol=1e-6)
        backend.assert_equal(gold_ranks(q, t, indices[:, 4], **options), 4)
        [both] = top_k_and_ranks(q, t, 9, indices[:, 4], metric=metric, corrections=[fitted])
        backend.assert_equal(both[0], indices)
        backend.assert_equal(both[1], 4)
        for attribute in fitted._KEPT:
            assert getattr(fitted, attribute).shape == (60,)
    assert not clone(fitted).fitted


def test_what_is_fitted():
    """The statistics of CSLS, by a loop."""
    rng = np.random.default_rng(14)
    targets, reference = rng.standard_normal((30, 5)), rng.standard_normal((20, 5))
    scores = base_scores(reference, targets, "cosine")
    fitted = CSLS(3).fit(reference.tolist(), targets)
    np.testing.assert_allclose(fitted.density_, [mean_of_best(of, 3) for of in scores.T])
    assert fitted.n_reference_ == 20


def at_a_reference():
    """One target is the only reference, from which no other query is a finite scale away."""
    line = np.arange(9, dtype="f4")[:, None] * np.float32(1e-9)
    fitted = LocalScaling(1).fit(line[3:4], line, metric="euclidean")
    return top_k(line[1:2], line, 9, metric="euclidean", correction=fitted)


ALONE = r"compares queries, and of one alone .*\.fit\(.*reference=\.\.\.\)"
REFUSALS = [
    (lambda c, q, t: top_k(q, t, 1, correction=c, metric="dot"), "was fitted with metric='cos"),
    (lambda c, q, t: top_k(q, t[:-1], 1, correction=c), r"other targets, of shape \(30, 4\)"),
    (lambda c, q, t: gold_ranks(q, t[::-1], [0] * 5, correction=c), "in another order"),
    (lambda c, q, t: top_k(q, t + 1, 1, correction=c), "was fitted on other targets"),
    (lambda c, q, t: top_k(q, t, 1, correction=c.set_params(k=3)), "were changed: fit it anew"),
    (lambda c, q, t: top_k(q, t, 1, correction=c.set_params(reference=q)), "were changed: fit it"),
    (lambda c, q, t: CSLS(1, reference=q).fit(q, t), "has a reference already"),
    (lambda c, q, t: CSLS(6).fit(q, t), "between 1 and 5 queries, got 6"),
    (lambda c, q, t: CSLS(1).fit(q[:, :2], t), "reference has 2 columns"),
    (lambda c, q, t: CSLS(1).fit(q * 0, t), "reference has 5 zero row"),
    (lambda c, q, t: CSLS(1).fit(q, t * 0), "targets has a zero row"),
    (lambda c, q, t: CSLS(1).fit(q, t, metric="cos"), "metric must be one of"),
    (lambda c, q, t: CSLS(2).fit(q * 0 + 6e153, t * 0 + 6e153, metric="dot"), "not finite"),
    (lambda *_: at_a_reference(), "LocalScaling gives scores that are not finite"),
    (lambda c, q, t: top_k(q[:1], t, 1, correction="csls"), r"CSLS\.fit\(.*reference=\.\.\.\)"),
    (lambda c, q, t: top_k(q[:1], t, 1, correction="local_scaling"), r"LocalScaling\.fit\("),
    (lambda c, q, t: top_k(q[:1], t, 1, correction="inverted_softmax"), ALONE),
    (lambda c, q, t: top_k(q[:1], t, 1, correction="globally_corrected"), ALONE),
    (lambda c, q, t: gold_ranks(q[:1], t, [0], correction="mutual_proximity"), ALONE),
    (lambda c, q, t: GloballyCorrected().fit(q[:1], t), ALONE),
    (lambda c, q, t: top_k(q, t, 1, metric="dot", correction="local_scaling"), "'dot' is none"),
]


def test_refusals_of_fitted(refusal):
    rng = np.random.default_rng(8)
    queries, targets = rng.standard_normal((5, 4)), rng.standard_normal((30, 4))
    refusal(CSLS(2).fit(queries, targets), queries, targets)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_duplicates_and_equal_scores_stay_finite(backend, name):
    """Integer data full of ties and zero distances; a target at right angles to all queries."""
    rng = np.random.default_rng(5)
    queries = rng.integers(1, 3, (10, 3)).astype(np.float64)
    queries[:, 2] = 0
    targets = np.vstack([queries, queries, [[0, 0, 1]]])
    options = {"correction": correction_of(name), "metric": "cosine", "block_size": 8}
    q, t = backend.asarray(queries), backend.asarray(targets)
    scores, indices = top_k(q, t, 21, **options)
    assert np.isfinite(backend.to_numpy(scores)).all()
    indices = backend.to_numpy(indices)
    np.testing.assert_array_equal(np.sort(indices, axis=1), np.tile(np.arange(21), (10, 1)))
    backend.assert_equal(gold_ranks(q, t, indices[:, 5], **options), 5)


@pytest.mark.parametrize("kind", CORRECTIONS.values())
def test_a_single_query_and_a_single_target(kind):
    one = np.array([[1.0, 2.0]])
    correction = kind(k=1) if "k" in kind().get_params() else kind()
    scores, indices = top_k(one, one, 1, correction=correction)
    assert indices == [[0]] and np.isfinite(scores).all()


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("given", ["unfitted", "fitted"])
@pytest.mark.parametrize("kind", [GloballyCorrected, InvertedSoftmax])
def test_a_query_may_be_a_reference_that_was_computed_otherwise(backend, kind, given, metric):
    """As where one row is mapped alone, and the reference in one product of matrices."""
    rng = np.random.default_rng(14)
    queries, targets = (rng.standard_normal((n, 40)).astype("f4") for n in (20, 300))
    expected = top_k(queries, targets, 1, correction=kind(), metric=metric)[1]
    other = (queries * (1 + rng.choice([-6e-8, 6e-8], queries.shape))).astype("f4")
    queries, targets, other = map(backend.asarray, (queries, targets, other))
    correction = kind(reference=other)
    if given == "fitted":
        correction = kind().fit(other, targets, metric=metric)
    rows = [queries[row : row + 1, :] for row in range(20)]
    found = [top_k(row, targets, 1, correction=correction, metric=metric)[1] for row in rows]
    np.testing.assert_array_equal([backend.to_numpy(indices)[0] for indices in found], expected)


def test_inverted_softmax_tells_targets_apart_where_one_query_has_nearly_all(backend):
    rng = np.random.default_rng(15)
    queries, targets = (rng.standard_normal((n, 20)).astype("f4") for n in (5, 200))
    s = base_scores(queries.astype(float), targets.astype(float), "cosine") / 0.01
    others = [np.exp(np.delete(s, row, axis=0) - s[row]).sum(axis=0) for row in range(5)]
    order = np.argsort(np.log1p(others), axis=1, kind="stable")[:, :5]
    there, correction = map(backend.asarray, (queries, targets)), InvertedSoftmax(0.01)
    backend.assert_equal(top_k(*there, 5, correction=correction)[1], order)


def test_nothing_underflows():
    """Differences that the plain probabilities would lose in float64 still decide."""
    queries = np.array([[1.0, 0.0], [0.0, 1.0]])
    targets = np.array([[1.0, 0.001], [1.0, 0.0]])
    scores, indices = top_k(queries, targets, 2, correction=InvertedSoftmax(temperature=1e-5))
    np.testing.assert_array_equal(indices[1], [0, 1])
    assert scores[1, 1] < -9e4 and np.isfinite(scores).all()


def test_log_normal_cdf(backend):
    z = np.concatenate([np.linspace(-40, 8, 2001), -np.logspace(2, 30, 29), [0.0, 20.0]])
    backend.assert_allclose(log_normal_cdf(backend.asarray(z)), log_ndtr(z), rtol=1e-12)


def test_log_normal_cdf_in_float32():
    z = np.concatenate([np.linspace(-40, 8, 2001), [-1e30, 0.0, 20.0]]).astype(np.float32)
    found = log_normal_cdf(z)
    assert found.dtype == np.float32
    with np.errstate(over="ignore"):
        expected = log_ndtr(z.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(found, expected, rtol=5e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranks_of_globally_corrected(backend, dtype):
    """Rows with and without ties, zeros of both signs, large and tiny numbers."""
    rng = np.random.default_rng(9)
    rows = rng.standard_normal((6, 40)) * 10.0 ** rng.integers(-30, 30, (6, 40))
    rows[1], rows[2], rows[3] = rng.integers(-2, 3, 40), 0.5, np.tile([-0.0, 0.0], 20)
    rows = rows.astype(dtype)
    wide = rows.astype(np.float64)
    expected = wide / (2 + 2 * np.abs(wide)) - (rows[:, None] > rows[:, :, None]).sum(axis=2)
    there = backend.asarray(rows)
    for reference in (there, backend.asarray(rows.copy())):
        backend.assert_equal(GloballyCorrected().apply(there, (reference,), (1.0, 0.0)), expected)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_moments(backend, metric, dtype):
    rng = np.random.default_rng(10)
    queries, targets = (rng.standard_normal((n, 4)) + 3 for n in (7, 50))
    found = {}

    class Spy(CSLS):
        def begin(self, side):
            found["moments"] = side.moments()
            return super().begin(side)

    q, t, r = (backend.asarray(a.astype(dtype)) for a in (queries, targets, targets[:3]))
    top_k(q, t, 2, metric=metric, correction=Spy(k=2, reference=r), block_size=11)
    s = base_scores(queries, targets, metric)
    tolerance = 1e-10 if dtype == "float64" else 1e-5
    for got, expected in zip(found["moments"], (s.mean(axis=1), s.std(axis=1)), strict=True):
        backend.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def test_largest(backend):
    values = np.random.default_rng(6).integers(0, 5, (8, 12)).astype(float)
    got = backend.to_numpy(largest(backend.asarray(values), 4))
    np.testing.assert_array_equal(np.sort(got), np.sort(values)[:, -4:])


def test_names_and_parameters():
    for name, kind in CORRECTIONS.items():
        found = resolve(name)
        assert type(found) is kind and isinstance(found, Correction)
        assert found.get_params() == kind().get_params()
    instance = CSLS(k=4)
    assert resolve(instance) is instance and instance.get_params() == {"k": 4, "reference": None}
    assert resolve(None) is None


@pytest.mark.parametrize(
    ("correction", "error", "message"),
    [
        ("clss", ValueError, "correction must be one of 'globally_corrected', 'csls'"),
        (CSLS, TypeError, r"call it: CSLS\(\)"),
        (5, TypeError, "correction must be None, a name or an instance"),
        (CSLS(k=0), ValueError, "CSLS.k must be between 1"),
        (CSLS(k=2.5), TypeError, "CSLS.k must be an integer"),
        (CSLS(k=6), ValueError, "CSLS.k must be between 1 and 5 queries, got 6"),
        (CSLS(k=50), ValueError, "CSLS.k must be between 1 and 30 targets, got 50"),
        (LocalScaling(k=9), ValueError, "LocalScaling.k must be between 1 and 5 queries"),
        (InvertedSoftmax(temperature=0), ValueError, "InvertedSoftmax.temperature"),
        (InvertedSoftmax(temperature="1"), TypeError, "InvertedSoftmax.temperature"),
        (InvertedSoftmax(temperature=1e-320), ValueError, "gives scores that are not finite"),
        (CSLS(k=1, reference=np.ones((2, 3))), ValueError, "reference has 3 columns"),
        (CSLS(k=1, reference=np.ones((2, 4), "f4")), TypeError, "reference is float32"),
        (CSLS(k=1, reference=np.ones((2, 4)) * np.nan), ValueError, "reference holds NaN"),
        (CSLS(k=1, reference=np.zeros((2, 4))), ValueError, "reference has 2 zero row"),
        (CSLS(k=1, reference=np.ones((0, 4))), ValueError, "reference is empty"),
        (CSLS(k=1, reference=[["a"] * 4]), ValueError, "reference must hold numbers"),
    ],
)
def test_refusals(correction, error, message):
    rng = np.random.default_rng(8)
    queries, targets = rng.standard_normal((5, 4)), rng.standard_normal((30, 4))
    for search, asked in ((top_k, 1), (gold_ranks, [0] * 5)):
        with pytest.raises(error, match=message):
            search(queries, targets, asked, correction=correction)


class Doubled(Correction):
    """Twice the scores, as whole numbers where all that come together are whole."""

    def apply(self, scores, of_targets, statistics):
        scores = 2 * scores
        whole = (scores == np.rint(scores)).all()
        return scores.astype(np.int64 if whole else np.float64)


@pytest.mark.parametrize("last", [38.75, 40.0])
def test_correction_that_changes_its_type_is_refused(last):
    targets = np.append(np.arange(40.0), last)[:, None]
    with pytest.raises(TypeError, match=r"Doubled.apply must give scores of one floating type"):
        top_k(np.ones((3, 1)), targets, 4, metric="dot", correction=Doubled())
