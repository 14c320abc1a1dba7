"""Embedding, pooling, ReLU, linear, dropout, rows of layers, and what all layers share."""

import operator

import numpy as np
import pytest

from zslib.nn import (
    BatchNorm,
    BiLSTM,
    Descent,
    Dropout,
    Embedding,
    LastPool,
    LeakyReLU,
    Linear,
    MaxPool,
    MeanPool,
    Parameter,
    ReLU,
    ResidualBlock,
    Sequential,
    sigmoid,
)
from zslib.optim import SGD


def rng():
    return np.random.default_rng(0)


def test_embedding(check_layer, texts):
    tokens = rng().integers(0, 6, (3, 5))
    _, mask = texts(n=3)

    def loop(p, x, mask):
        out = np.zeros((*x.shape, 2))
        for place in np.ndindex(x.shape):
            if mask is None or mask[place]:
                out[place] = p["weight"][x[place]]
        return out

    for given in (mask, None):
        check_layer(lambda like: Embedding(6, 2, rng(), like=like), loop, tokens, given)


def test_embedding_starts_with_rows_of_length_one():
    lengths = np.linalg.norm(Embedding(50, 400, rng()).weight.value, axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=0.15)


def test_mean_pool(check_layer, texts):
    def loop(p, x, mask):
        mask = np.ones(x.shape[:2], bool) if mask is None else mask
        tokens = [[row[t] for t in np.flatnonzero(m)] for row, m in zip(x, mask, strict=True)]
        return np.stack([sum(rows) / len(rows) for rows in tokens])

    x, mask = texts()
    for given in (mask, None):
        check_layer(lambda like: MeanPool(), loop, x, given)


@pytest.mark.parametrize("T", [1, 5, 6])
def test_max_pool(check_layer, texts, T):
    def loop(p, x, mask):
        out = np.zeros((len(x), (T + 1) // 2, x.shape[2]))
        for i, t, j in np.ndindex(out.shape):
            places = [s for s in (2 * t, 2 * t + 1) if s < T and (mask is None or mask[i, s])]
            out[i, t, j] = max((x[i, s, j] for s in places), default=0.0)
        return out

    x, mask = texts(T=T)
    if T > 2:
        check_layer(lambda like: MaxPool(), loop, x, mask)
    check_layer(lambda like: MaxPool(), loop, rng().normal(size=x.shape))
    tokens = np.array([[True] * 5, [True] * 3 + [False] * 2, [True] + [False] * 4])
    np.testing.assert_array_equal(MaxPool().mask_after(tokens).sum(axis=1), [3, 2, 1])


def test_last_pool(check_layer, texts):
    def loop(p, x, mask):
        rows = []
        for i, text in enumerate(x):
            tokens = [t for t in range(len(text)) if mask is None or mask[i, t]]
            rows.append([*text[max(tokens), :2], *text[min(tokens), 2:]])
        return np.array(rows)

    x, mask = texts(d=4)
    for given in (mask, None):
        check_layer(lambda like: LastPool(), loop, x, given)


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (ReLU(), lambda v: max(v, 0.0)),
        *((LeakyReLU(s), lambda v, s=s: v if v > 0 else s * v) for s in (0.0, 0.2, 1.0)),
    ],
)
def test_activations(check_layer, layer, function):
    def loop(p, x, mask):
        return np.vectorize(function)(x)

    check_layer(lambda like: layer, loop, rng().normal(size=(4, 3)))


@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
def test_the_slope_of_leaky_relu_at_zero(slope):
    layer = LeakyReLU(slope)
    layer.forward(np.zeros((1, 1)), train=True)
    assert layer.backward(np.ones((1, 1))) == slope


def test_sigmoid_does_not_overflow():
    np.testing.assert_array_equal(sigmoid(np.array([-1e300, 1e300])), [0.0, 1.0])


def test_linear(check_layer):
    def loop(p, x, mask):
        return np.array([p["bias"] + sum(map(operator.mul, row, p["weight"])) for row in x])

    x = rng().normal(size=(4, 3))
    check_layer(lambda like: Linear(3, 2, rng(), like=like), loop, x)


def test_linear_starts_as_glorot_says():
    layer = Linear(40, 60, rng(), penalty=0.5)
    limit, weight = 0.06**0.5, layer.weight.value
    assert -limit <= weight.min() < -0.98 * limit
    assert 0.98 * limit < weight.max() <= limit
    assert not layer.bias.value.any()
    assert layer.weight.penalty == layer.bias.penalty == 0.5
    half = Linear(40, 60, rng(), scale=0.5)
    np.testing.assert_array_equal(half.weight.value, 0.5 * layer.weight.value)


def test_linear_starts_normal():
    weight = Linear(4, 6, rng(), init="normal", scale=0.02).weight.value
    np.testing.assert_allclose(weight, 0.02 * rng().standard_normal((4, 6)), rtol=1e-6)


def test_descent_moves_every_parameter(backend):
    start = {"a": np.array([1.0, 2.0]), "b": np.array([[3.0]])}
    parameters = {name: Parameter(backend.asarray(value.copy())) for name, value in start.items()}
    parameters["b"].penalty = 0.5
    descent = Descent(parameters, lambda: SGD(0.1))
    parameters["a"].gradient += 1.0
    descent.step()
    backend.assert_allclose(parameters["a"].value, [0.9, 1.9])
    backend.assert_allclose(parameters["b"].value, [[2.7]])
    assert not backend.to_numpy(parameters["a"].gradient).any()
    parameters["a"].gradient += 1.0
    descent.step(learning_rate=1.0)
    backend.assert_allclose(parameters["a"].value, [-0.1, 0.9])


def test_dropout(backend):
    layer = Dropout(0.25, rng())
    x = rng().normal(size=(200, 30))
    out = backend.to_numpy(layer.forward(backend.asarray(x), train=True))
    kept = out != 0.0
    np.testing.assert_allclose(out, np.where(kept, x / 0.75, 0.0))
    assert abs(kept.mean() - 0.75) < 0.02
    backend.assert_allclose(layer.backward(backend.asarray(np.ones_like(x))), kept / 0.75)
    again = backend.to_numpy(layer.forward(backend.asarray(x), train=True))
    assert not np.array_equal(again != 0.0, kept)
    backend.assert_equal(layer.forward(backend.asarray(x)), x)


def test_dropout_draws_the_same_for_both_types():
    ones = (np.ones((3, 4), dtype) for dtype in ("f4", "f8"))
    masks = [Dropout(0.5, rng()).forward(x, train=True) for x in ones]
    np.testing.assert_array_equal(*masks)
    assert masks[0].dtype == np.float32


@pytest.mark.parametrize("normalise_shortcut", [False, True])
def test_residual_block(check_layer, loops, texts, normalise_shortcut):
    def make(like):
        return ResidualBlock(1, 2, rng(), normalise_shortcut=normalise_shortcut, like=like)

    def loop(p, x, mask):
        def convolved(name, x):
            return loops.convolution({"weight": p[f"{name}.weight"]}, x, mask)

        def normal(name, x):
            part = {kind: p[f"{name}.{kind}"] for kind in ("gamma", "beta")}
            return loops.normalisation(part, x, mask)

        h = x
        for k in (1, 2, 3):
            h = normal(f"norm{k}", convolved(f"conv{k}", h if k == 1 else np.maximum(h, 0.0)))
        past = convolved("shortcut", x)
        return np.maximum(h + (normal("shortcut_norm", past) if normalise_shortcut else past), 0.0)

    x, mask = texts(n=3, T=4, d=1)
    check_layer(make, loop, x, mask)
    check_layer(make, loop, x / 50)


def test_what_a_residual_block_hands_to_its_layers():
    constants = {"penalty": 0.001, "norm_momentum": 0.95, "norm_epsilon": 1e-6}
    for normalise, n_norms in ((False, 3), (True, 4)):
        block = ResidualBlock(3, 2, rng(), normalise_shortcut=normalise, **constants)
        assert {p.penalty for p in block.parameters().values()} == {0.001}
        assert len(block.buffers()) == 2 * n_norms
        layers = [*block.branch.layers.values(), *block.shortcut.layers.values()]
        norms = [layer for layer in layers if isinstance(layer, BatchNorm)]
        assert [(norm.momentum, norm.epsilon) for norm in norms] == n_norms * [(0.95, 1e-6)]


@pytest.fixture
def encoder():
    source = rng()
    return Sequential(
        embedding=Embedding(9, 3, source, like=np.zeros(1)),
        block=ResidualBlock(3, 2, source, like=np.zeros(1)),
        halve=MaxPool(),
        lstm=BiLSTM(2, 2, source, like=np.zeros(1)),
        pool=LastPool(),
        dropout=Dropout(0.0, source),
        out=Linear(4, 2, source, like=np.zeros(1)),
    )


def test_a_whole_encoder_has_the_gradients_of_its_output(encoder, numerical_gradient):
    """Along a random direction of each parameter, with texts of different lengths."""
    tokens, pull = rng().integers(1, 9, (4, 6)), rng().normal(size=(4, 2))
    mask = np.arange(6) < np.array([6, 3, 1, 4])[:, None]
    encoder.forward(tokens, mask, train=True)
    assert encoder.backward(pull.copy()) is None
    for name, parameter in encoder.parameters().items():
        start, way = parameter.value.copy(), rng().normal(size=parameter.value.shape)

        def loss(step, moved=parameter.value, start=start, way=way):
            moved[...] = start + step * way
            return np.sum(pull * encoder.forward(tokens, mask, train=True))

        slope = numerical_gradient(loss, np.zeros(()))
        assert np.sum(parameter.gradient * way) == pytest.approx(slope, rel=1e-4, abs=1e-6), name
        loss(0.0)


def test_gradients_add_up(encoder):
    tokens, totals = rng().integers(1, 9, (2, 3)), []
    for _ in range(2):
        encoder.backward(np.ones_like(encoder.forward(tokens, train=True)))
        totals.append([p.gradient.copy() for p in encoder.parameters().values()])
    for once, twice in zip(*totals, strict=True):
        np.testing.assert_allclose(twice, 2 * once, rtol=1e-10, atol=1e-12)


def test_parameter_penalty(backend):
    values = np.array([1.0, -3.0])
    weight = Parameter.from_host(values, like=backend.asarray(np.zeros(1)), penalty=0.25)
    weight.gradient += 1.0
    assert float(weight.add_penalty()) == 2.5
    backend.assert_allclose(weight.gradient, [1.5, -0.5])
    free = Parameter(backend.asarray(values))
    assert float(free.add_penalty()) == 0.0
    assert not backend.to_numpy(free.gradient).any()
    values[0] = 9.0
    assert backend.to_numpy(weight.value)[0] == 1.0


def test_backward_needs_a_training_pass():
    for layer, shape in ((Linear(2, 2, rng()), (1, 2)), (BiLSTM(2, 2, rng()), (1, 3, 2))):
        x = np.ones(shape, np.float32)
        out = layer.forward(x)
        with pytest.raises(RuntimeError, match=r"backward needs forward\(…, train=True\)"):
            layer.backward(out)
        layer.forward(x, train=True)
        layer.backward(out)
        with pytest.raises(RuntimeError, match="backward needs forward"):
            layer.backward(out)


@pytest.mark.parametrize("pool", [MeanPool(), LastPool()])
def test_a_text_without_tokens_is_refused(pool, backend):
    mask = np.array([[True, False], [False, False]])
    with pytest.raises(ValueError, match="mask row 1 has no token"):
        pool.forward(backend.asarray(np.ones((2, 2, 2))), backend.asarray(mask))


def test_whole_numbers_count_as_floats():
    x = np.arange(12).reshape(1, 4, 3)
    layer = BiLSTM(3, 2, rng())
    np.testing.assert_allclose(layer.forward(x), layer.forward(x.astype("float32")), atol=1e-6)
