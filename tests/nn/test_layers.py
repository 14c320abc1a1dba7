"""Embedding, pooling, ReLU, linear, dropout, rows of layers, and what all layers share."""

import numpy as np
import pytest

from zslib.nn import (
    BiLSTM,
    Descent,
    Dropout,
    Embedding,
    LastPool,
    Layer,
    LeakyReLU,
    Linear,
    MaxPool,
    MeanPool,
    Parameter,
    ReLU,
    ResidualBlock,
    Sequential,
    Sigmoid,
    n_parameters,
    sigmoid,
)
from zslib.optim import SGD, Adam


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
        return np.stack(
            [
                sum(x[i, t] for t in range(x.shape[1]) if mask is None or mask[i, t])
                / (x.shape[1] if mask is None else mask[i].sum())
                for i in range(len(x))
            ]
        )

    x, mask = texts()
    for given in (mask, None):
        check_layer(lambda like: _Cast(MeanPool(), like), loop, x, given)


@pytest.mark.parametrize("T", [1, 5, 6])
def test_max_pool(check_layer, texts, T):
    def loop(p, x, mask):
        n, T, d = x.shape
        out = np.zeros((n, (T + 1) // 2, d))
        for i, t, j in np.ndindex(out.shape):
            pair = [
                x[i, s, j] for s in (2 * t, 2 * t + 1) if s < T and (mask is None or mask[i, s])
            ]
            out[i, t, j] = max(pair, default=0.0)
        return out

    x, mask = texts(T=T)
    if T > 2:
        check_layer(lambda like: _Cast(MaxPool(), like), loop, x, mask)
    check_layer(lambda like: _Cast(MaxPool(), like), loop, rng().normal(size=x.shape))
    tokens = np.array([[True] * 5, [True] * 3 + [False] * 2, [True] + [False] * 4])
    np.testing.assert_array_equal(MaxPool().mask_after(tokens).sum(axis=1), [3, 2, 1])


def test_last_pool(check_layer, texts):
    def loop(p, x, mask):
        rows = []
        for i in range(len(x)):
            tokens = [t for t in range(x.shape[1]) if mask is None or mask[i, t]]
            rows.append(np.concatenate([x[i, max(tokens), :2], x[i, min(tokens), 2:]]))
        return np.stack(rows)

    x, mask = texts(d=4)
    for given in (mask, None):
        check_layer(lambda like: _Cast(LastPool(), like), loop, x, given)


class _Cast(Layer):
    """Nothing but its layer: `check_layer` asks for a layer built for one type."""

    def __init__(self, layer, like):
        self.forward, self.backward = layer.forward, layer.backward
        self.mask_after = layer.mask_after


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (ReLU(), lambda v: max(v, 0.0)),
        *((LeakyReLU(s), lambda v, s=s: v if v > 0 else s * v) for s in (0.0, 0.2, 1.0)),
        (Sigmoid(), lambda v: 1.0 / (1.0 + np.exp(-v))),
    ],
)
def test_activations(check_layer, layer, function):
    def loop(p, x, mask):
        return np.array([[function(v) for v in row] for row in x])

    check_layer(lambda like: _Cast(layer, like), loop, rng().normal(size=(4, 3)))


@pytest.mark.parametrize("slope", [0.0, 0.2, 1.0])
def test_the_slope_of_leaky_relu_at_zero(slope):
    layer = LeakyReLU(slope)
    layer.forward(np.zeros((1, 1)), train=True)
    assert layer.backward(np.ones((1, 1))) == slope


def test_sigmoid_does_not_overflow():
    np.testing.assert_array_equal(sigmoid(np.array([-1e300, 1e300])), [0.0, 1.0])


def test_linear(check_layer):
    def loop(p, x, mask):
        W, b = p["weight"], p["bias"]
        return np.array(
            [[sum(v * W[k, j] for k, v in enumerate(row)) + b[j] for j in range(2)] for row in x]
        )

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
    weight = Linear(40, 60, rng(), init="normal", scale=0.02).weight.value
    expected = 0.02 * rng().standard_normal((40, 60))
    np.testing.assert_allclose(weight, expected, rtol=1e-6)


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
    # Each has a state of its own.
    descent = Descent(parameters, lambda: Adam(0.1))
    for _ in range(2):
        for parameter in parameters.values():
            parameter.gradient += 1.0
        descent.step()


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
    masks = [
        Dropout(0.5, rng()).forward(np.ones((3, 4), dtype), train=True) for dtype in ("f4", "f8")
    ]
    np.testing.assert_array_equal(*masks)
    assert masks[0].dtype == np.float32


@pytest.mark.parametrize("normalise_shortcut", [False, True])
def test_residual_block(check_layer, loops, texts, normalise_shortcut):
    def make(like):
        return ResidualBlock(3, 2, rng(), normalise_shortcut=normalise_shortcut, like=like)

    def loop(p, x, mask):
        h = x
        for k in (1, 2, 3):
            h = loops.convolution({"weight": p[f"conv{k}.weight"]}, h, mask)
            norm = {name: p[f"norm{k}.{name}"] for name in ("gamma", "beta")}
            h = loops.normalisation(norm, h, mask)
            for place in np.ndindex(h.shape):
                h[place] = max(h[place], 0.0) if k < 3 else h[place]
        past = loops.convolution({"weight": p["shortcut.weight"]}, x, mask)
        if normalise_shortcut:
            norm = {name: p[f"shortcut_norm.{name}"] for name in ("gamma", "beta")}
            past = loops.normalisation(norm, past, mask)
        for place in np.ndindex(h.shape):
            h[place] = max(h[place] + past[place], 0.0)
        return h

    x, mask = texts(n=3, T=4)
    check_layer(make, loop, x, mask)
    check_layer(make, loop, x / 50)


def test_residual_block_names_and_penalties():
    block = ResidualBlock(3, 2, rng(), penalty=0.001)
    names = [f"{kind}{k}" for k in (1, 2, 3) for kind in ("conv", "norm")]
    expected = [
        f"{n}.{p}" for n in names for p in (["weight"] if "conv" in n else ["gamma", "beta"])
    ]
    assert list(block.parameters()) == [*expected, "shortcut.weight"]
    assert {p.penalty for p in block.parameters().values()} == {0.001}
    assert len(block.buffers()) == 6
    assert n_parameters(block) == 3 * (3 * 2) + 2 * (3 * 4) + 3 * 4 + 3 * 2
    constants = {"momentum": 0.95, "epsilon": 1e-6}
    block = ResidualBlock(3, 2, rng(), normalise_shortcut=True, **constants)
    norms = [*(block.branch.layers[f"norm{k}"] for k in (1, 2, 3))]
    norms.append(block.shortcut.layers["shortcut_norm"])
    assert {(norm.momentum, norm.epsilon) for norm in norms} == {(0.95, 1e-6)}
    assert list(block.parameters())[-2:] == ["shortcut_norm.gamma", "shortcut_norm.beta"]
    assert len(block.buffers()) == 8


def encoder(like, seed=0):
    source = np.random.default_rng(seed)
    return Sequential(
        embedding=Embedding(9, 3, source, like=like),
        block=ResidualBlock(3, 4, source, like=like),
        halve=MaxPool(),
        lstm=BiLSTM(4, 3, source, like=like),
        pool=LastPool(),
        dropout=Dropout(0.0, source),
        out=Linear(6, 2, source, like=like),
    )


def test_a_whole_encoder_has_the_gradients_of_its_output(backend):
    """Finite differences through all layers at once, with texts of different lengths."""
    tokens = rng().integers(1, 9, (4, 6))
    mask = np.arange(6) < np.array([6, 3, 1, 4])[:, None]
    pull = rng().normal(size=(4, 2))
    model = encoder(backend.asarray(np.zeros(1)))
    model.forward(backend.asarray(tokens), backend.asarray(mask), train=True)
    assert model.backward(backend.asarray(pull)) is None
    host = encoder(np.zeros(1))

    def loss():
        return float(np.sum(pull * host.forward(tokens, mask, train=True)))

    for (name, here), there in zip(
        host.parameters().items(), model.parameters().values(), strict=True
    ):
        values = here.value.reshape(-1)
        gradient = backend.to_numpy(there.gradient).reshape(-1)
        for place in range(0, values.size, max(1, values.size // 5)):
            kept = values[place]
            values[place] = kept + 1e-6
            above = loss()
            values[place] = kept - 1e-6
            slope = (above - loss()) / 2e-6
            values[place] = kept
            assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-6), name


def test_gradients_add_up():
    model = encoder(np.zeros(1))
    tokens = rng().integers(1, 9, (2, 3))
    totals = []
    for _ in range(2):
        out = model.forward(tokens, train=True)
        model.backward(np.ones_like(out))
        totals.append({name: p.gradient.copy() for name, p in model.parameters().items()})
    for name, once in totals[0].items():
        np.testing.assert_allclose(totals[1][name], 2 * once, rtol=1e-10, atol=1e-12)
    for parameter in model.parameters().values():
        parameter.zero_gradient()
        assert not parameter.gradient.any()


def test_the_same_seed_gives_the_same_start_on_every_library(backend):
    for dtype in ("float32", "float64"):
        one = encoder(np.zeros(1, dtype)).parameters()
        other = encoder(backend.asarray(np.zeros(1, dtype))).parameters()
        assert list(one) == list(other)
        for name in one:
            host = backend.to_numpy(other[name].value)
            assert host.dtype == dtype
            np.testing.assert_array_equal(host, one[name].value)


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
    for layer, x in (
        (Linear(2, 2, rng()), np.ones((1, 2), np.float32)),
        (BiLSTM(2, 2, rng()), np.ones((1, 3, 2), np.float32)),
        (ReLU(), np.ones((1, 2), np.float32)),
    ):
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
