"""The loss of CLAREL against Algorithm 1 as loops, finite differences, and at the extremes."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from zslib.compatibility import CLAREL
from zslib.compatibility.clarel import network as _clarel_network
from zslib.compatibility.clarel.loss import (
    batch_retrieval_loss,
    clarel_loss,
    embedding_distances,
    retrieval_probabilities,
)


def measure(a, b, distance):
    square = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    return square if distance == "squared" else math.sqrt(square)


def algorithm_1(zv, zt, li, lt, y, lam, kappa, distance="euclidean", same=None):
    """The loss of one batch, line by line; pairs with a text in common are left out of sums."""
    B = len(zv)

    def d(i, j):
        return measure(zv[i], zt[j], distance)

    def rivals(i):
        return [j for j in range(B) if j == i or same is None or not same[i][j]]

    J_TC = J_IC = J_TR = J_IR = 0.0
    for i in range(B):
        J_TC += (logsumexp(lt[i]) - lt[i][y[i]]) / B
        J_IC += (logsumexp(li[i]) - li[i][y[i]]) / B
    for i in range(B):
        J_TR += (d(i, i) + logsumexp([-d(i, j) for j in rivals(i)])) / B
        J_IR += (d(i, i) + logsumexp([-d(j, i) for j in rivals(i)])) / B
    J = lam * J_TR + (1 - lam) * J_IR
    J = (1 - kappa) * J + kappa / 2 * (J_TC + J_IC)
    return J, J_TR, J_IR, J_TC, J_IC


def batch(seed=0, B=5, e=3, C=4, scale=1.0):
    rng = np.random.default_rng(seed)
    zv, zt = scale * rng.standard_normal((2, B, e))
    li, lt = rng.standard_normal((2, B, C))
    same = rng.random((B, B)) < 0.3
    return (zv, zt, li, lt), rng.integers(C, size=B), same | same.T


@given(
    seed=st.integers(0, 10**6),
    B=st.integers(2, 7),
    e=st.integers(1, 5),
    C=st.integers(1, 4),
    lam=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    kappa=st.sampled_from([0.0, 0.4, 1.0]),
    distance=st.sampled_from(["euclidean", "squared"]),
    excluded=st.booleans(),
    whole=st.booleans(),
)
def test_algorithm_1(seed, B, e, C, lam, kappa, distance, excluded, whole):
    arrays, y, same = batch(seed, B, e, C)
    if whole:  # ties and embeddings that coincide
        arrays = tuple(np.round(a) for a in arrays)
    same = same if excluded else None
    options = {"retrieval_mix": lam, "classification_weight": kappa, "distance": distance}
    terms, _ = clarel_loss(*arrays, y, **options, same_text=same)
    expected = algorithm_1(*arrays, y, lam, kappa, distance, same)
    np.testing.assert_allclose([float(t) for t in terms], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("distance", ["euclidean", "squared"])
@pytest.mark.parametrize(("lam", "kappa"), [(0.5, 0.5), (0.0, 0.2), (1.0, 0.0), (0.3, 1.0)])
def test_gradients(check_objective, distance, lam, kappa):
    parameters = {"retrieval_mix": lam, "classification_weight": kappa, "distance": distance}

    def objective(*given):
        terms, gradients = clarel_loss(*given[:5], same_text=given[5], **parameters)
        return terms.total, gradients

    def slowly(*given):
        return algorithm_1(*given[:5], lam, kappa, distance, given[5])[0]

    arrays, y, same = batch(1)
    check_objective(objective, slowly, (*arrays, y, same), by=range(4))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("distance", ["euclidean", "squared"])
def test_far_apart(distance, dtype):
    (zv, zt, li, lt), y, _ = batch(4)
    zv, zt = (zv + 1e4).astype(dtype), (zt - 1e4).astype(dtype)
    arrays = zv, zt, li.astype(dtype), lt.astype(dtype)
    terms, gradients = clarel_loss(*arrays, y, distance=distance)
    expected = algorithm_1(*(a.astype(float) for a in arrays), y, 0.5, 0.5, distance)
    np.testing.assert_allclose([float(t) for t in terms], expected, rtol=1e-6)
    for gradient in gradients:
        assert gradient.dtype == dtype
        assert np.all(np.isfinite(gradient))
    # Each image is far from its own text and at another's: pulled with length 1 / B, no more.
    images = 1e4 * np.eye(3)
    texts = np.roll(images, 1, axis=0)
    TR, _, by_image, by_text = batch_retrieval_loss(images, texts, retrieval_mix=0.5)
    assert float(TR) == pytest.approx(1e4 * math.sqrt(2))
    np.testing.assert_allclose(np.linalg.norm(by_image, axis=1), 1 / 3)
    np.testing.assert_allclose(np.linalg.norm(by_text, axis=1), 1 / 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("distance", ["euclidean", "squared"])
def test_distance_zero(backend, distance, dtype):
    rng = np.random.default_rng(5)
    z = 100.0 * rng.standard_normal((6, 40)).astype(dtype)
    D = embedding_distances(backend.asarray(z), backend.asarray(z), distance=distance)
    D = backend.to_numpy(D)
    assert D.dtype == dtype
    assert not D.diagonal().any()
    alike = backend.asarray(np.broadcast_to(z[:1], z.shape).copy())
    options = {"retrieval_mix": 0.5, "distance": distance}
    *losses, by_image, by_text = batch_retrieval_loss(alike, alike, **options)
    assert [float(loss) for loss in losses] == pytest.approx([math.log(6)] * 2, rel=1e-12)
    backend.assert_allclose(by_image, 0.0, atol=1e-12)
    backend.assert_allclose(by_text, 0.0, atol=1e-12)


@pytest.mark.parametrize("distance", ["euclidean", "squared"])
def test_distances_are_those_of_a_loop(backend, distance):
    (zv, zt, *_), _, _ = batch(6, B=4)
    far = backend.asarray(zv + 1e3), backend.asarray(zt[:3] + 1e3)
    expected = [[measure(a, b, distance) for b in zt[:3]] for a in zv]
    backend.assert_allclose(embedding_distances(*far, distance=distance), expected, rtol=1e-9)


def test_probabilities(backend):
    (zv, zt, *_), _, same = batch(7)
    given = backend.asarray(zv), backend.asarray(zt)
    p, q = retrieval_probabilities(*given, same_text=backend.asarray(same))
    weights = np.exp([[-measure(a, b, "euclidean") for b in zt] for a in zv])
    weights *= ~same | np.eye(len(zv), dtype=bool)
    backend.assert_allclose(p, weights / weights.sum(axis=1, keepdims=True), rtol=1e-10)
    backend.assert_allclose(q, weights / weights.sum(axis=0), rtol=1e-10)


@pytest.mark.parametrize("exclude_equal", [True, False])
@pytest.mark.parametrize("text_rows", ["shared rows", "equal rows"])
def test_training_excludes_equal_texts_or_none(monkeypatch, exclude_equal, text_rows):
    """Without exclusion each batch has the loss of Algorithm 1, shared texts or not."""
    batches, compute = [], _clarel_network.batch_loss

    def watched(*arrays, **parameters):
        found = compute(*arrays, **parameters)
        batches.append((arrays, [float(term) for term in found[0]]))
        return found

    monkeypatch.setattr(_clarel_network, "batch_loss", watched)
    rng = np.random.default_rng(0)
    X, y, texts = rng.standard_normal((8, 5)), np.arange(8) % 3, rng.standard_normal((3, 4))
    of = [0, 1, 0, 2, 0, 1, 2, 0]
    shared, equal = (texts, [[i] for i in of], None), (texts[of], None, np.array(of))
    given = shared if text_rows == "shared rows" else equal
    options = {"embedding_dim": 3, "text_encoder": None, "dropout": 0.0, "batch_size": 6}
    model = CLAREL(0.3, 0.4, exclude_equal=exclude_equal, n_batches=5, random_state=0, **options)
    model.fit(X, y, *given)
    assert len(batches) == 5
    for (zv, zt, (li, lt), codes), terms in batches:
        same = [[np.allclose(a, b, atol=1e-12) for b in zt] for a in zt]
        assert np.sum(same) > 6
        to_the_letter = algorithm_1(zv, zt, li, lt, codes, 0.3, 0.4)
        without = algorithm_1(zv, zt, li, lt, codes, 0.3, 0.4, same=same)
        assert to_the_letter[1] > without[1]
        np.testing.assert_allclose(terms, without if exclude_equal else to_the_letter, rtol=1e-10)


ARRAYS, Y, SAME = batch()
PAIR = dict(zip(("images", "texts"), ARRAYS[:2], strict=True))
LOGITS = dict(zip(("image_logits", "text_logits"), ARRAYS[2:], strict=True))
PROBABILITIES = partial(retrieval_probabilities, **PAIR)
LOSS = partial(clarel_loss, **PAIR, **LOGITS, codes=Y)
A, B = np.ones((2, 3)), np.ones((4, 3))
REFUSALS = {
    (PROBABILITIES, LOSS): [
        ({name: a[:1] for name, a in PAIR.items()}, "the batch has one pair"),
        ({"distance": "cosine"}, "distance must be one of 'euclidean', 'squared', got 'cosine'"),
        ({"texts": ARRAYS[1][:4]}, "images has 5 rows and texts has 4"),
        ({"texts": ARRAYS[1][:, :2]}, "images has 3 columns and texts has 2"),
        ({"images": ARRAYS[0] * np.nan}, "images holds NaN"),
        ({"texts": ARRAYS[1].astype("float32")}, "texts is float32", TypeError),
        ({"same_text": SAME.astype(int)}, "same_text must hold booleans, got int64", TypeError),
        ({"same_text": SAME[:4]}, r"shape \(5, 5\), got \(4, 5\)"),
    ],
    LOSS: [
        *(
            ({name: value}, f"{name} must be .* at least 0.0, at most 1.0")
            for name in ("retrieval_mix", "classification_weight")
            for value in (-0.1, 1.1, np.nan)
        ),
        *(({name: a[:4]}, f"images has 5 rows and {name} has 4") for name, a in LOGITS.items()),
    ],
    partial(embedding_distances, distance="squared"): [
        ({"A": A, "B": B, "distance": "cosine"}, "distance must be one of .* got 'cosine'"),
        ((A, B[:, :2]), "A has 3 columns and B has 2"),
        ((A[0], B), "A must be a 2-d array"),
        ((A, B * np.nan), "B holds NaN"),
        ((A.astype(int), B), "A must be float32 or float64", TypeError),
    ],
}


def test_refusals(refusal):
    refusal()
