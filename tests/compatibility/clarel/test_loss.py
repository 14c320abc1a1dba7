"""The loss of CLAREL against Algorithm 1 as loops, finite differences, and at the extremes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def log_sum(values):
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))


def algorithm_1(zv, zt, li, lt, y, lam, kappa, distance="euclidean", same=None):
    """The loss of one batch, line by line; pairs with a text in common are left out of sums."""
    B = len(zv)

    def d(i, j):
        return measure(zv[i], zt[j], distance)

    def rivals(i):
        return [j for j in range(B) if j == i or same is None or not same[i][j]]

    J_TC = J_IC = J_TR = J_IR = 0.0
    for i in range(B):
        J_TC += (log_sum(list(lt[i])) - lt[i][y[i]]) / B
        J_IC += (log_sum(list(li[i])) - li[i][y[i]]) / B
    for i in range(B):
        J_TR += (d(i, i) + log_sum([-d(i, j) for j in rivals(i)])) / B
        J_IR += (d(i, i) + log_sum([-d(j, i) for j in rivals(i)])) / B
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
    terms, _ = clarel_loss(
        *arrays,
        y,
        retrieval_mix=lam,
        classification_weight=kappa,
        distance=distance,
        same_text=same,
    )
    expected = algorithm_1(*arrays, y, lam, kappa, distance, same)
    np.testing.assert_allclose([float(t) for t in terms], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("distance", ["euclidean", "squared"])
@pytest.mark.parametrize(("lam", "kappa"), [(0.5, 0.5), (0.0, 0.2), (1.0, 0.0), (0.3, 1.0)])
def test_gradients(backend, numerical_gradient, distance, lam, kappa):
    arrays, y, same = batch(1)
    parameters = {"retrieval_mix": lam, "classification_weight": kappa, "distance": distance}
    terms, gradients = clarel_loss(
        *(backend.asarray(a) for a in arrays),
        backend.asarray(y),
        **parameters,
        same_text=backend.asarray(same),
    )
    expected = algorithm_1(*arrays, y, lam, kappa, distance, same)
    np.testing.assert_allclose([float(t) for t in terms], expected, rtol=1e-12)
    for i, gradient in enumerate(gradients):

        def total(part, i=i):
            changed = [*arrays[:i], part, *arrays[i + 1 :]]
            return algorithm_1(*changed, y, lam, kappa, distance, same)[0]

        backend.assert_allclose(gradient, numerical_gradient(total, arrays[i]), atol=1e-8)


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
    TR, _, by_image, by_text = batch_retrieval_loss(
        images, np.roll(images, 1, axis=0), retrieval_mix=0.5
    )
    assert float(TR) == pytest.approx(1e4 * math.sqrt(2))
    np.testing.assert_allclose(np.linalg.norm(by_image, axis=1), 1 / 3)
    np.testing.assert_allclose(np.linalg.norm(by_text, axis=1), 1 / 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("distance", ["euclidean", "squared"])
def test_distance_zero(backend, distance, dtype):
    rng = np.random.default_rng(5)
    z = 100.0 * rng.standard_normal((6, 40)).astype(dtype)
    D = backend.to_numpy(
        embedding_distances(backend.asarray(z), backend.asarray(z), distance=distance)
    )
    assert D.dtype == dtype
    assert not D.diagonal().any()
    alike = backend.asarray(np.broadcast_to(z[:1], z.shape).copy())
    TR, IR, by_image, by_text = batch_retrieval_loss(
        alike, alike, retrieval_mix=0.5, distance=distance
    )
    assert float(TR) == pytest.approx(math.log(6), rel=1e-12)
    assert float(IR) == pytest.approx(math.log(6), rel=1e-12)
    backend.assert_allclose(by_image, 0.0, atol=1e-12)
    backend.assert_allclose(by_text, 0.0, atol=1e-12)


def test_distances_are_those_of_a_loop(backend):
    (zv, zt, *_), _, _ = batch(6, B=4)
    for distance in ("euclidean", "squared"):
        D = embedding_distances(
            backend.asarray(zv + 1e3), backend.asarray(zt[:3] + 1e3), distance=distance
        )
        expected = [[measure(a, b, distance) for b in zt[:3]] for a in zv]
        backend.assert_allclose(D, expected, rtol=1e-9)


def test_probabilities(backend):
    (zv, zt, *_), _, same = batch(7)
    p, q = (
        backend.to_numpy(part)
        for part in retrieval_probabilities(
            backend.asarray(zv), backend.asarray(zt), same_text=backend.asarray(same)
        )
    )
    B = len(zv)
    for i in range(B):
        weights = {
            j: math.exp(-measure(zv[i], zt[j], "euclidean"))
            for j in range(B)
            if i == j or not same[i, j]
        }
        for j in range(B):
            assert p[i, j] == pytest.approx(weights.get(j, 0.0) / sum(weights.values()), rel=1e-10)
    p_back, q_back = retrieval_probabilities(zt, zv, same_text=same.T)
    np.testing.assert_allclose(p, q_back.T, rtol=1e-12)
    np.testing.assert_allclose(q, p_back.T, rtol=1e-12)
    terms, _ = clarel_loss(zv, zt, zv, zt, np.zeros(B, int), same_text=same)
    assert float(terms.text_retrieval) == pytest.approx(-np.log(np.diag(p)).mean())
    assert float(terms.image_retrieval) == pytest.approx(-np.log(np.diag(q)).mean())


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
    of, ids = [0, 1, 0, 2, 0, 1, 2, 0], None
    if text_rows == "equal rows":
        texts, ids, rows = texts[of], np.array(of), None
    else:
        rows = [[i] for i in of]
    options = {"embedding_dim": 3, "text_encoder": None, "dropout": 0.0, "batch_size": 6}
    model = CLAREL(0.3, 0.4, exclude_equal=exclude_equal, n_batches=5, random_state=0, **options)
    model.fit(X, y, texts, rows, ids)
    assert len(batches) == 5
    for (zv, zt, li, lt, codes), terms in batches:
        same = [[np.allclose(a, b, atol=1e-12) for b in zt] for a in zt]
        assert np.sum(same) > 6
        to_the_letter = algorithm_1(zv, zt, li, lt, codes, 0.3, 0.4)
        without = algorithm_1(zv, zt, li, lt, codes, 0.3, 0.4, same=same)
        assert to_the_letter[1] > without[1]
        np.testing.assert_allclose(terms, without if exclude_equal else to_the_letter, rtol=1e-10)


def test_float32_is_near_float64():
    arrays, y, same = batch(8, B=32, e=64, scale=3.0)
    narrow, g32 = clarel_loss(*(a.astype("float32") for a in arrays), y, same_text=same)
    wide, g64 = clarel_loss(*arrays, y, same_text=same)
    np.testing.assert_allclose([float(t) for t in narrow], [float(t) for t in wide], rtol=1e-6)
    for one, two in zip(g32, g64, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, two, atol=1e-6)


@pytest.mark.parametrize("function", [retrieval_probabilities, clarel_loss])
def test_bad_pairs(function):
    arrays, y, same = batch()

    def refused(message, error=ValueError, images=arrays[0], texts=arrays[1], **parameters):
        rest = (*arrays[2:], y) if function is clarel_loss else ()
        with pytest.raises(error, match=message):
            function(images, texts, *rest, **parameters)

    refused("the batch has one instance", images=arrays[0][:1], texts=arrays[1][:1])
    refused("distance must be one of 'euclidean', 'squared', got 'cosine'", distance="cosine")
    refused("images has 5 rows and texts has 4", texts=arrays[1][:4])
    refused("images has 3 columns and texts has 2", texts=arrays[1][:, :2])
    refused("images holds NaN", images=arrays[0] * np.nan)
    refused("texts is float32", TypeError, texts=arrays[1].astype("float32"))
    refused("same_text must hold booleans, got int64", TypeError, same_text=same.astype("int64"))
    refused(r"shape \(5, 5\), got \(4, 5\)", same_text=same[:4])
    if function is not retrieval_probabilities:
        for name in ("retrieval_mix", "classification_weight"):
            for value in (-0.1, 1.1, float("nan")):
                refused(f"{name} must be .* at least 0.0, at most 1.0", **{name: value})


@pytest.mark.parametrize(("i", "name"), [(2, "image_logits"), (3, "text_logits")])
def test_logits_for_other_pairs(i, name):
    arrays, y, _ = batch()
    arrays = [*arrays[:i], arrays[i][:4], *arrays[i + 1 :]]
    with pytest.raises(ValueError, match=f"images has 5 rows and {name} has 4"):
        clarel_loss(*arrays, y)


A, B = np.ones((2, 3)), np.ones((4, 3))


@pytest.mark.parametrize(
    ("vectors", "distance", "words", "error"),
    [
        ((A, B), "cosine", "distance must be one of .* got 'cosine'", ValueError),
        ((A, B[:, :2]), "squared", "A has 3 columns and B has 2", ValueError),
        ((A[0], B), "squared", "A must be a 2-d array", ValueError),
        ((A, B * np.nan), "squared", "B holds NaN", ValueError),
        ((A.astype(int), B), "squared", "A must be float32 or float64", TypeError),
    ],
)
def test_bad_vectors(vectors, distance, words, error):
    with pytest.raises(error, match=words):
        embedding_distances(*vectors, distance=distance)
