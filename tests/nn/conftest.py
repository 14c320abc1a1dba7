"""One check for all layers: outputs against a plain loop, gradients against its differences."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from zslib.arrays import like


def perturbed(layer, seed=7):
    """The layer with all its parameters moved away from a start that may be special."""
    rng = np.random.default_rng(seed)
    for parameter in layer.parameters().values():
        noise = rng.normal(0.0, 0.4, parameter.value.shape).astype("float32")
        dtype = str(parameter.value.dtype).rsplit(".")[-1]
        parameter.value += like(noise.astype(dtype), parameter.value)
    return layer


@pytest.fixture
def check_layer(backend, numerical_gradient):
    """``check_layer(make, oracle, x, mask)`` for float64 and float32 on one array library.

    ``make(like)`` builds the layer; ``oracle(p, x, mask)`` is its output in plain loops from the
    dictionary p of NumPy parameters. The loss is the sum of the output times random numbers, so
    that each output has a slope of its own. Padded positions hold nonsense on both ways.
    """

    def check(make, oracle, x, mask=None):
        for dtype, tolerance in (("float64", 1e-7), ("float32", 1e-3)):
            layer = perturbed(make(backend.asarray(np.zeros(1, dtype))))
            values = {
                name: np.array(backend.to_numpy(p.value), dtype="float64")
                for name, p in layer.parameters().items()
            }
            floats = x.dtype.kind == "f"
            given = x.astype(dtype) if floats else x
            there = None if mask is None else backend.asarray(mask)
            out = layer.forward(backend.asarray(given), there, train=True)
            host = np.array(backend.to_numpy(out))
            assert host.dtype == dtype
            exact = given.astype("float64") if floats else given
            expected = oracle(values, exact, mask)
            np.testing.assert_allclose(host, expected, rtol=tolerance, atol=tolerance)

            pull = np.random.default_rng(1).normal(size=host.shape)
            padded = None
            if mask is not None and host.ndim == 3:
                padded = ~layer.mask_after(mask)
                assert np.all(host[padded] == 0.0)
                pull[padded] = 1e3
            by_x = layer.backward(backend.asarray(pull.astype(dtype)))
            if padded is not None:
                pull[padded] = 0.0
            pull = pull.astype(dtype).astype("float64")

            def loss(values, x, pull=pull):
                return float(np.sum(oracle(values, x, mask) * pull))

            def loss_by(name, values=values, x=exact, loss=loss):
                return lambda w: loss(values | {name: w}, x)

            if floats:
                by_x = backend.to_numpy(by_x)
                assert by_x.dtype == dtype
                slopes = numerical_gradient(partial(loss, values), exact, step=1e-5)
                np.testing.assert_allclose(by_x, slopes, rtol=1e-3, atol=tolerance)
                if mask is not None:
                    assert np.all(by_x[~mask] == 0.0)
            else:
                assert by_x is None
            for name, parameter in layer.parameters().items():
                gradient = backend.to_numpy(parameter.gradient)
                assert gradient.dtype == dtype, name
                slopes = numerical_gradient(loss_by(name), values[name], step=1e-5)
                np.testing.assert_allclose(
                    gradient, slopes, rtol=1e-3, atol=tolerance, err_msg=name
                )

    return check


@pytest.fixture
def texts():
    """``texts(n, T, d)``: random sequences, and a mask with ends of any length and one hole."""

    def draw(n=4, T=5, d=3, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, T, d))
        mask = np.arange(T) < rng.integers(1, T + 1, n)[:, None]
        mask[0] = True
        mask[0, T // 2] = False
        mask[1] = np.arange(T) >= T - 1
        x[~mask] = 50.0
        return x, mask

    return draw


def convolution(p, x, mask):
    W = p["weight"]
    width, n_in, n_out = W.shape
    n, T, _ = x.shape
    out = np.zeros((n, T, n_out))
    for i, t in np.ndindex(n, T):
        if mask is not None and not mask[i, t]:
            continue
        for j in range(n_out):
            out[i, t, j] = p["bias"][j] if "bias" in p else 0.0
            for k in range(width):
                s = t + k - width // 2
                if 0 <= s < T and (mask is None or mask[i, s]):
                    out[i, t, j] += sum(x[i, s, c] * W[k, c, j] for c in range(n_in))
    return out


def normalisation(p, x, mask):
    out = np.zeros_like(x)
    tokens = [place for place in np.ndindex(x.shape[:-1]) if mask is None or mask[place]]
    for j in range(x.shape[-1]):
        column = [x[place][j] for place in tokens]
        mean = sum(column) / len(column)
        variance = sum((value - mean) ** 2 for value in column) / len(column)
        for place in tokens:
            normal = (x[place][j] - mean) / (variance + 1e-5) ** 0.5
            out[place][j] = p["gamma"][j] * normal + p["beta"][j]
    return out


@pytest.fixture
def loops():
    """Convolution and batch normalisation by plain loops, for several files."""
    return SimpleNamespace(convolution=convolution, normalisation=normalisation)
