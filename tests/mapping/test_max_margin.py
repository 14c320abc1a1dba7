"""Max-margin: the loss in loops, finite differences, a slow trainer, and scikit-learn's habits."""

import math
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from zslib.arrays import row_norms, take_rows, to_host
from zslib.arrays import unit_rows as unit
from zslib.mapping import MaxMarginMap
from zslib.mapping.max_margin import max_margin_step
from zslib.mapping.negatives import NEGATIVES

DISTANCES = ("cosine", "angle")


def slow_loss(W, X, labels, own, negatives, margin, distance, first_violating=False):
    """Section 2, term by term."""
    total = 0.0
    for i in range(len(X)):
        mapped = X[i] @ W

        def dist(label, mapped=mapped):
            cosine = float(mapped @ labels[label]) / math.sqrt(float(mapped @ mapped))
            return 1 - cosine if distance == "cosine" else math.acos(max(-1, min(1, cosine)))

        for j in negatives if negatives.ndim == 1 else negatives[i]:
            if j == own[i]:
                continue
            term = margin + dist(own[i]) - dist(j)
            if term > 0:
                total += term
                if first_violating:
                    break
    return total / len(X)


def loss_and_gradient(W, X, labels, own, negatives, *, margin, distance, first_violating=False):
    """Mean loss of given negatives, and its gradient for ``W``, from the step of training."""
    mapped = X @ W
    lengths = row_norms(mapped)[:, None]
    rivals = to_host(negatives).ravel()
    chosen = mapped / lengths, take_rows(labels, to_host(own)), take_rows(labels, rivals)
    loss, step = max_margin_step(
        *chosen,
        negatives != own[:, None],
        margin=margin,
        distance=distance,
        first_violating=first_violating,
    )
    n = X.shape[0]
    return float(loss) / n, X.T @ (step / (lengths * n))


def batch(seed=0, n=7, d1=4, d2=3, n_labels=9, k=5):
    rng = np.random.default_rng(seed)
    labels = unit(rng.standard_normal((n_labels, d2)))
    return (
        rng.standard_normal((d1, d2)),
        rng.standard_normal((n, d1)),
        labels,
        rng.integers(n_labels, size=n),
        rng.integers(n_labels, size=(n, k)),
    )


def negatives_of(kind):
    """A fixed set of negatives as each kind gives it, and the options that go with it."""
    W, X, labels, own, negatives = batch()
    if kind == "uniform":
        return negatives[0], {}
    if kind == "intruder":
        scores = unit(X @ W) @ labels.T - labels[own] @ labels.T
        scores[np.arange(len(own)), own] = -np.inf
        return scores.argmax(axis=1)[:, None], {}
    return negatives, {"first_violating": True} if kind == "first_violating" else {}


@pytest.mark.parametrize("kind", NEGATIVES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_loss_and_gradient(backend, kind, distance, numerical_gradient):
    W, X, labels, own, _ = batch()
    negatives, options = negatives_of(kind)
    given = [backend.asarray(array) for array in (W, X, labels, own, negatives)]
    for margin in backend.some((0.4, 0.0, 2.5)):
        options |= {"margin": margin, "distance": distance}
        loss, gradient = loss_and_gradient(*given, **options)
        rest = {"X": X, "labels": labels, "own": own, "negatives": negatives, **options}
        slow = partial(slow_loss, **rest)
        assert loss == pytest.approx(slow(W), abs=1e-12)
        backend.assert_allclose(gradient, numerical_gradient(slow, W), rtol=1e-6, atol=1e-8)


FEW = st.integers(1, 4)


@given(
    st.integers(0, 99), FEW, FEW, st.integers(2, 4), st.integers(2, 5), FEW,
    st.sampled_from(DISTANCES),
)  # fmt: skip
def test_loss_of_any_shape(seed, n, d1, d2, n_labels, k, distance):
    W, X, labels, own, negatives = batch(seed, n, d1, d2, n_labels, k)
    for these in (negatives, negatives[0]):
        given = W, X, labels, own, these
        loss, gradient = loss_and_gradient(*given, margin=0.4, distance=distance)
        expected = slow_loss(*given, 0.4, distance)
        assert loss == pytest.approx(expected, abs=1e-9)
        # Lengths do not matter: moving along a mapped vector changes nothing.
        assert float(np.sum(W * gradient)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_angle_at_its_kinks_is_finite(backend, dtype, sign):
    """Mapped exactly onto a label, or opposite to it: arccos has no slope there."""
    labels = np.array([[0.6, 0.8], [1.0, 0.0]])
    given = [a.astype(dtype) for a in (np.eye(2), sign * labels[:1], labels)]
    given = map(backend.asarray, [*given, np.array([0]), np.array([[1]])])
    loss, gradient = loss_and_gradient(*given, margin=3.0, distance="angle")
    angle = math.acos(0.6) if sign > 0 else math.pi - math.acos(0.6)
    expected = 3.0 + (0.0 if sign > 0 else math.pi) - angle
    assert loss == pytest.approx(expected, abs=2e-3)
    # Only the negative pushes, at right angles to the mapped vector, by 1 over its length.
    gradient = backend.to_numpy(gradient)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(np.linalg.norm(gradient), 1.0, rtol=1e-4)


def pairs(d1=5, dtype="float64"):
    """Pairs that no fit writes to, and in which some labels belong to several items."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((26, d1)).astype(dtype)
    Y = rng.standard_normal((20, 4)).astype(dtype)[[*range(20), *rng.integers(20, size=6)]]
    X.flags.writeable = Y.flags.writeable = False
    return X, Y


def slow_fit(numerical_gradient, model, X, Y):
    """The whole training, one item and one finite difference at a time."""
    negatives, k, size = model.negatives, model.n_negatives, model.batch_size
    rng = np.random.default_rng(model.random_state)
    rows = [tuple(y) for y in Y]
    distinct = list(dict.fromkeys(rows))
    labels, own = unit(np.array(distinct)), np.array([distinct.index(y) for y in rows])
    n, d1, d2 = len(X), X.shape[1], Y.shape[1]
    W = rng.standard_normal((d1, d2)) / math.sqrt(d1)
    squares, curve = np.zeros_like(W), []
    for _ in range(model.n_epochs):
        order = rng.permutation(n)
        n_batches = -(-n // size)
        if negatives == "uniform":
            drawn = np.repeat(rng.integers(len(labels), size=(n_batches, k)), size, axis=0)[:n]
        elif negatives != "intruder":
            drawn = rng.integers(len(labels) - 1, size=(n, k))
            drawn += drawn >= own[order][:, None]
        losses = []
        for start in range(0, n, size):
            items = order[start : start + size]
            if negatives == "intruder":
                cosines = (unit(X[items] @ W) - labels[own[items]]) @ labels.T
                cosines[np.arange(len(items)), own[items]] = -np.inf
                chosen = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
            else:
                chosen = drawn[start : start + size]

            def loss(W, items=items, chosen=chosen):
                given = W, X[items], labels, own[items], chosen, model.margin, model.distance
                return slow_loss(*given, first_violating=negatives == "first_violating")

            losses.append(loss(W) * len(items))
            gradient = numerical_gradient(loss, W)
            squares += gradient**2
            W = W - model.learning_rate * gradient / (np.sqrt(squares) + 1e-10)
        curve.append(sum(losses) / n)
    return W, curve


@pytest.mark.parametrize("negatives", NEGATIVES)
@pytest.mark.parametrize("distance", DISTANCES)
def test_training_step_by_step(negatives, distance, numerical_gradient):
    X, Y = pairs()
    options = {"learning_rate": 0.05, "n_epochs": 2, "batch_size": 8, "random_state": 7}
    mapper = MaxMarginMap(0.5, 3, negatives=negatives, distance=distance, **options).fit(X, Y)
    W, curve = slow_fit(numerical_gradient, mapper, X, Y)
    np.testing.assert_allclose(mapper.coef_, W, atol=1e-5)
    np.testing.assert_allclose(mapper.learning_curve_, curve, atol=1e-5)


@pytest.mark.parametrize("negatives", NEGATIVES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_library_learns_the_same_map(backend, negatives, dtype):
    X, Y = pairs(dtype=dtype)
    mapper = MaxMarginMap(0.5, 3, negatives=negatives, n_epochs=3, batch_size=8, random_state=1)
    reference = clone(mapper).fit(X, Y)
    mapper.fit(backend.asarray(X), backend.asarray(Y))
    coef = backend.to_numpy(mapper.coef_)
    assert coef.dtype == dtype
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    np.testing.assert_allclose(coef, reference.coef_, atol=tolerance)
    np.testing.assert_allclose(mapper.learning_curve_, reference.learning_curve_, atol=tolerance)
    backend.assert_allclose(mapper.transform(backend.asarray(X)), X @ coef, atol=1e-5)


@pytest.mark.parametrize("negatives", NEGATIVES)
def test_warm_start_is_one_long_fit(negatives):
    X, Y = pairs()
    options = {"n_negatives": 3, "negatives": negatives, "batch_size": 8, "random_state": 3}
    long = MaxMarginMap(n_epochs=5, **options).fit(X, Y)
    warm = MaxMarginMap(n_epochs=2, warm_start=True, **options).fit(X, Y)
    warm = pickle.loads(pickle.dumps(warm))
    warm.set_params(n_epochs=3).fit(X, Y)
    np.testing.assert_array_equal(warm.coef_, long.coef_)
    assert warm.learning_curve_ == long.learning_curve_


def test_warm_start_may_change_data_and_rate_but_not_spaces():
    X, Y = pairs()
    mapper = MaxMarginMap(n_epochs=1, warm_start=True, random_state=0).fit(X, Y)
    mapper.set_params(learning_rate=1e-12).fit(X[:9], Y[:9])
    before = mapper.coef_.copy()
    np.testing.assert_allclose(mapper.fit(X, Y).coef_, before, atol=1e-9)
    with pytest.raises(ValueError, match="warm_start=True goes on from a"):
        mapper.fit(X[:, :3], Y)
    with pytest.raises(ValueError, match="float32"):
        mapper.fit(X.astype("float32"), Y.astype("float32"))


def test_callback_sees_the_map_of_each_epoch():
    X, Y = pairs()
    seen = []

    def look(epoch, fitted):
        seen.append((epoch, fitted.coef_, fitted.transform(X), fitted.learning_curve_[-1]))

    mapper = MaxMarginMap(n_epochs=3, warm_start=True, random_state=0, callback=look).fit(X, Y)
    mapper.set_params(n_epochs=1).fit(X, Y)
    assert [epoch for epoch, *_ in seen] == [1, 2, 3, 4]
    assert [loss for *_, loss in seen] == mapper.learning_curve_
    for epoch, coef, mapped, _ in seen:
        alone = MaxMarginMap(n_epochs=epoch, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(coef, alone.coef_)
        np.testing.assert_array_equal(mapped, alone.transform(X))


@pytest.mark.parametrize("negatives", NEGATIVES)
def test_lengths_of_the_vectors_do_not_matter(negatives):
    X, Y = pairs()
    rng = np.random.default_rng(0)
    mapper = MaxMarginMap(negatives=negatives, n_negatives=3, n_epochs=2, random_state=0)
    expected = clone(mapper).fit(X, Y).coef_
    # Powers of two round nothing; equal labels stay equal.
    scaled = mapper.fit(X * 2.0 ** rng.integers(-9, 9, size=(len(X), 1)), 1024.0 * Y)
    np.testing.assert_allclose(scaled.coef_, expected, rtol=1e-9)


def test_a_shared_label_is_never_a_negative_of_its_items():
    """With two labels every draw is the other one, however often each occurs."""
    X = np.random.default_rng(0).standard_normal((9, 3))
    Y = np.array([[1.0, 0.0], [0.0, 1.0]])[[0, 0, 0, 0, 0, 0, 0, 1, 1]]
    for negatives in ("random", "intruder"):
        options = {"negatives": negatives, "batch_size": 9, "random_state": 0}
        curve = MaxMarginMap(5.0, 1, n_epochs=1, **options).fit(X, Y).learning_curve_
        W = np.random.default_rng(0).standard_normal((3, 2)) / math.sqrt(3)
        own = np.array([0] * 7 + [1] * 2)
        expected = slow_loss(W, X, np.eye(2), own, (1 - own)[:, None], 5.0, "cosine")
        assert curve == pytest.approx([expected])


def test_default_number_of_negatives():
    X, Y = pairs()
    for negatives, k in (("random", 10), ("intruder", 1)):
        mapper = MaxMarginMap(negatives=negatives, n_epochs=1, random_state=0)
        same = clone(mapper).set_params(n_negatives=k)
        np.testing.assert_array_equal(mapper.fit(X, Y).coef_, same.fit(X, Y).coef_)


def test_divergence_names_the_learning_rate():
    X, Y = pairs(dtype="float32")
    mapper = MaxMarginMap(learning_rate=0.1, n_epochs=1, warm_start=True, random_state=0)
    good = mapper.fit(X, Y).coef_.copy()
    with pytest.raises(ValueError, match=r"diverged in epoch 2: .*learning_rate=1e\+38"):
        mapper.set_params(learning_rate=1e38).fit(X, Y)
    # Nothing broken is gone on from.
    np.testing.assert_array_equal(mapper.set_params(learning_rate=0.1).fit(X, Y).coef_, good)
