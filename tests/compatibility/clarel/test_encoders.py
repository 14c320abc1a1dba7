"""Text encoders: against loops, finite differences, and each text on its own; bad texts."""

import numpy as np
import pytest

from zslib.compatibility.clarel.draws import RowParameter, TextDraw
from zslib.compatibility.clarel.encoders import (
    ConvLSTMEncoder,
    MeanEncoder,
    ReadyVectors,
    check_tokens,
)

TEXTS = np.array([[2, 3, 0, 0], [4, 5, 6, 2], [3, 3, 3, 0], [7, 0, 0, 0], [5, 1, 0, 0]])
DRAW = TextDraw(
    np.array([0, 0, 1, 2, 2, 2]),
    np.array([1, 3, 0, 3, 2, 1]),
    np.array([0.5, 0.5, 1.0, 0.25, 0.25, 0.5]),
    3,
)
KINDS = ["mean", "paper, mean", "paper, last"]


def make(kind, like):
    rng = np.random.default_rng(0)
    if kind == "mean":
        return MeanEncoder(8, 5, rng, like=like)
    sizes = {"filters": (4, 6), "lstm_units": 3, "pooling": kind.split(", ")[1]}
    return ConvLSTMEncoder(8, 5, rng, **sizes, like=like)


def weighted_mean(vectors, draw):
    """Row i: the sum over the pairs of owner i, one by one."""
    out = np.zeros((draw.n, vectors.shape[1]))
    for owner, text, share in zip(draw.owner, draw.text, draw.share, strict=True):
        out[owner] += share * vectors[text]
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_a_draw_is_the_weighted_mean_of_its_texts(backend, kind):
    encoder = make(kind, backend.asarray(np.zeros(1, "float32")))
    texts, each = encoder.prepare(backend.asarray(TEXTS)), np.arange(5)
    for _ in range(3):  # running averages of batch normalisation that are not those of the start
        encoder.encode(texts, TextDraw.single(each), train=True)
        encoder._saved = None
    alone = [encoder.encode(texts, TextDraw.single(each[i : i + 1])) for i in each]
    one_by_one = np.concatenate([backend.to_numpy(vector) for vector in alone])
    together = backend.to_numpy(encoder.encode(texts, DRAW))
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, weighted_mean(one_by_one, DRAW), rtol=0, atol=2e-6)
    # Padding changes nothing, wherever it is as long as words stay in order.
    wide = np.pad(TEXTS, ((0, 0), (0, 5)))
    again = backend.to_numpy(encoder.encode(encoder.prepare(backend.asarray(wide)), DRAW))
    np.testing.assert_allclose(again, together, rtol=0, atol=2e-6)


def test_mean_is_that_of_the_words():
    encoder = make("mean", np.zeros(1))
    E = encoder.weight.value
    rows = [np.mean([E[t] for t in text if t], axis=0) for text in TEXTS]
    found = encoder.encode(encoder.prepare(TEXTS), TextDraw.single(np.arange(5)))
    np.testing.assert_allclose(found, rows, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind):
    """Along three random directions of each parameter: the layers' own tests look at all."""
    encoder, rng = make(kind, np.zeros(1)), np.random.default_rng(1)
    texts, weights = encoder.prepare(TEXTS), rng.standard_normal((3, encoder.width))

    def loss():
        return float(np.sum(weights * encoder.encode(texts, DRAW, train=True)))

    loss()
    encoder.backward(weights.copy())
    for name, parameter in encoder.parameters().items():
        gradient, start = parameter.gradient.copy(), parameter.value.copy()
        for towards in rng.standard_normal((3, *start.shape)):
            around = []
            for step in (1e-5, -1e-5):
                parameter.value[...] = start + step * towards
                around.append(loss())
            parameter.value[...] = start
            slope = (around[0] - around[1]) / 2e-5
            assert np.sum(gradient * towards) == pytest.approx(slope, abs=2e-6, rel=1e-7), name


def test_the_paper_encoder_by_its_layers():
    """Embedding, two blocks, LSTM, pooling: in this order, and of the paper's sizes."""
    encoder = ConvLSTMEncoder(50, 20, np.random.default_rng(0), like=np.zeros(1, "float32"))
    assert encoder.width == 1024
    assert list(encoder.layers.layers) == ["embedding", "block1", "block2", "lstm", "pool"]
    shapes = {name: p.value.shape for name, p in encoder.parameters().items()}
    assert shapes["block1.conv1.weight"] == (3, 20, 128)
    assert shapes["block2.conv1.weight"] == (3, 128, 256)
    assert shapes["lstm.input_weight"] == (2, 256, 2048)
    penalised = {name for name, p in encoder.parameters().items() if p.penalty == 0.001}
    assert penalised == {name for name in shapes if name.startswith("block")}
    assert {"block1.norm1.gamma", "block1.norm1.beta"} <= penalised


def test_a_text_drawn_twice_is_encoded_once(monkeypatch):
    encoder, seen = make("paper, mean", np.zeros(1)), []
    forward = encoder.layers.forward

    def watched(x, *mask, **options):
        seen.append(x.shape)
        return forward(x, *mask, **options)

    monkeypatch.setattr(encoder.layers, "forward", watched)
    encoder.encode(encoder.prepare(TEXTS), TextDraw(*(np.zeros(4, int),) * 2, np.ones(4), 1))
    assert seen == [(1, 2)]  # one text, of two tokens


def test_ready_vectors(backend):
    vectors = np.random.default_rng(2).standard_normal((5, 4))
    encoder = ReadyVectors(4, like=backend.asarray(np.zeros(1)))
    texts = encoder.prepare(backend.asarray(vectors))
    found = backend.to_numpy(encoder.encode(texts, DRAW, train=True))
    np.testing.assert_allclose(found, weighted_mean(vectors, DRAW), rtol=1e-12)
    some = TextDraw.single(np.array([4, 0]))
    backend.assert_equal(encoder.encode(texts, some), vectors[np.array([4, 0])])
    assert encoder.backward(backend.asarray(found)) is None
    assert encoder.parameters() == {}


def test_row_parameter(backend):
    rng = np.random.default_rng(3)
    start, values = rng.standard_normal((6, 2)), rng.standard_normal((3, 2))
    table = RowParameter.from_host(start, like=backend.asarray(np.zeros(1)))
    rows, dense = np.array([4, 0, 5]), np.zeros((6, 2))
    table.add_rows(rows, backend.asarray(values.copy()))
    table.add_rows(rows[:1], backend.asarray(values[:1].copy()))
    dense[rows] += values
    dense[4] += values[0]
    backend.assert_allclose(table.gradient, dense, rtol=1e-12)
    table.descend(0.5)
    assert not backend.to_numpy(table.gradient).any()
    table.add_rows(rows, backend.asarray(values))
    table.zero_gradient()
    table.descend(0.5)
    backend.assert_allclose(table.value, start - 0.5 * dense, rtol=1e-12)


HERE, RNG = np.zeros(1), np.random.default_rng(0)
REFUSALS = [
    (lambda: check_tokens(np.array([[2, 3], [0, 0], [4, 0], [0, 0]])), r"2 text\(s\) .* row 1"),
    (lambda: check_tokens(np.ones((2, 3))), "texts must hold token .* text_encoder=N", TypeError),
    (lambda: check_tokens(np.array([2, 3])), r"texts must be \(m, T\)"),
    (lambda: check_tokens(np.ones((2, 0), int)), r"texts must be \(m, T\)"),
    (lambda: check_tokens(np.array([[2, -1]])), r"texts .*must lie in \[0, 3\), found -1 to 2"),
    *(
        (
            lambda k=kind: make(k, HERE).prepare(np.array([[2, 8]])),
            r"must lie in \[0, 8\), found 2 to 8",
        )
        for kind in KINDS
    ),
    (lambda: ReadyVectors(4, like=HERE).prepare(np.ones((2, 3))), "texts has 3 columns, but 4 we"),
    (lambda: ConvLSTMEncoder(8, 5, RNG, pooling="max", like=HERE), "pooling must be one of"),
]


def test_bad_texts(refusal):
    refusal()
