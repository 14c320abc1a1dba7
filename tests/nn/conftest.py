"""One check for all layers: outputs against a plain loop, gradients against its differences."""

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
    that each output has a slope of its own. Padded positions hold nonsense on both ways. The
    loops and their differences judge NumPy in float64, which judges all others.
    """

    def check(make, oracle, x, mask=None):
        floats = x.dtype.kind == "f"

        def found(send, host, dtype):
            """The layer's parameters, its output and the slopes by x and by each parameter."""
            layer = perturbed(make(send(np.zeros(1, dtype))))
            values = {name: np.array(host(p.value)) for name, p in layer.parameters().items()}
            given = x.astype(dtype) if floats else x
            out = layer.forward(send(given), None if mask is None else send(mask), train=True)
            pull = np.random.default_rng(1).normal(size=out.shape)
            padded = np.zeros(out.shape[:2], bool)
            if mask is not None and out.ndim == 3:
                padded = ~layer.mask_after(mask)
            pull[padded] = 1e3
            host_out = np.array(host(out))
            assert np.all(host_out[padded] == 0.0)
            by_x = layer.backward(send(pull.astype(dtype)))
            pull[padded] = 0.0
            slopes = {name: host(p.gradient) for name, p in layer.parameters().items()}
            if floats:
                slopes["x"] = host(by_x)
                assert mask is None or np.all(slopes["x"][~mask] == 0.0)
            else:
                assert by_x is None
            assert {a.dtype for a in (host_out, *slopes.values())} == {np.dtype(dtype)}
            return values, host_out, slopes, pull

        values, out, slopes, pull = found(np.asarray, np.asarray, "float64")
        if backend.name == "numpy":
            np.testing.assert_allclose(out, oracle(values, x, mask), rtol=1e-7, atol=1e-7)
            values["x"] = x
            for name, slope in slopes.items():

                def loss(v, name=name):
                    p = values | {name: v}
                    return float(np.sum(oracle(p, p["x"], mask) * pull))

                by_step = numerical_gradient(loss, values[name], step=1e-5)
                np.testing.assert_allclose(slope, by_step, rtol=1e-3, atol=1e-7, err_msg=name)
        for dtype, tolerance in (("float64", 1e-7), ("float32", 1e-3)):
            _, same, others, _ = found(backend.asarray, backend.to_numpy, dtype)
            np.testing.assert_allclose(same, out, rtol=tolerance, atol=tolerance)
            for name, slope in others.items():
                options = {"rtol": tolerance, "atol": tolerance, "err_msg": name}
                np.testing.assert_allclose(slope, slopes[name], **options)

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
    W, (n, T, _) = p["weight"], x.shape
    width, _, n_out = W.shape
    out = np.zeros((n, T, n_out))
    for i, t in np.ndindex(n, T):
        if mask is not None and not mask[i, t]:
            continue
        for k in range(width):
            s = t + k - width // 2
            if 0 <= s < T and (mask is None or mask[i, s]):
                out[i, t] += x[i, s] @ W[k]
    return out


def normalisation(p, x, mask):
    out = np.zeros_like(x)
    tokens = [place for place in np.ndindex(x.shape[:-1]) if mask is None or mask[place]]
    mean = sum(x[place] for place in tokens) / len(tokens)
    variance = sum((x[place] - mean) ** 2 for place in tokens) / len(tokens)
    for place in tokens:
        out[place] = p["gamma"] * (x[place] - mean) / (variance + 1e-5) ** 0.5 + p["beta"]
    return out


@pytest.fixture
def loops():
    """Convolution and batch normalisation by plain loops, for several files."""
    return SimpleNamespace(convolution=convolution, normalisation=normalisation)
