"""Long short-term memory that reads a text from both ends."""

from __future__ import annotations

import math

import numpy as np
from array_api_compat import device as array_device
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, tanh_in_place
from zslib.nn.layer import Layer, check_mask
from zslib.nn.parameter import Parameter
from zslib.search.threads import run_threads
from zslib.validation import check_integer

__all__ = ["BiLSTM"]

TEXTS = 160  # of one direction, read at once in NumPy: their gates stay in the processor's cache


class BiLSTM(Layer):
    r"""Two LSTMs (Hochreiter and Schmidhuber 1997), one forwards, one backwards in the text.

    With h units each, gates of 4h numbers in the order i, f, o, u:

    .. math:: (i, f, o, u) = x_t W + h_{t-1} R + b, \qquad
              c_t = \sigma(f)\, c_{t-1} + \sigma(i) \tanh(u), \quad
              h_t = \sigma(o) \tanh(c_t).

    Both states start at zero; padded positions leave them as they are, so the backward direction
    starts at the last token. Here :math:`\sigma(a) = (1 + \tanh(a / 2)) / 2`: one tanh for all
    gates.

    Parameters
    ----------
    n_in : int
        Numbers per position.
    n_hidden : int
        h, units of each direction.
    rng : numpy.random.Generator
        Draws the start of W and R: uniform between :math:`\pm \sqrt{6 / (n_{in} + h)}` and
        :math:`\pm \sqrt{6 / 2h}`, as if each gate were a layer of its own (Glorot and Bengio
        2010); b is 1 for f, so that memory lasts at first (Jozefowicz et al. 2015), and 0 else.
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Attributes
    ----------
    input_weight : Parameter, shape (2, n_in, 4h)
        W of both directions.
    recurrent_weight : Parameter, shape (2, h, 4h)
    bias : Parameter, shape (2, 4h)

    Examples
    --------
    >>> import numpy as np
    >>> layer = BiLSTM(3, 4, np.random.default_rng(0))
    >>> layer.forward(np.ones((2, 5, 3), np.float32)).shape
    (2, 5, 8)
    """

    def __init__(self, n_in, n_hidden, rng, *, like=None):
        check_integer(n_in, "n_in", low=1)
        self.n_hidden = h = check_integer(n_hidden, "n_hidden", low=1)
        weights = []
        for n in (n_in, h):
            limit = math.sqrt(6.0 / (n + h))
            weights.append(
                Parameter.from_host(rng.uniform(-limit, limit, (2, n, 4 * h)), like=like)
            )
        self.input_weight, self.recurrent_weight = weights
        bias = np.zeros((2, 4 * h))
        bias[:, h : 2 * h] = 1.0
        self.bias = Parameter.from_host(bias, like=like)

    def forward(self, x, mask=None, *, train=False):
        """States (n, T, 2h) of sequences ``x`` (n, T, n_in), forwards then backwards."""
        W, h = self.input_weight.value, self.n_hidden
        xp = namespace(x, W)
        mask = check_mask(x, mask)
        n, T = x.shape[:2]
        x = _both_ways(xp, x, x)
        valid = None if mask is None else _both_ways(xp, mask[:, :, None], mask[:, :, None])
        gates = xp.reshape(xp.reshape(x, (2, T * n, -1)) @ W, (2, T, n, 4 * h))
        # Entry t + 1 is the state after step t.
        hidden, cells = (
            xp.empty((2, T + 1, n, h), dtype=x.dtype, device=array_device(x)) for _ in "hc"
        )
        _in_parts(self._read, gates, hidden, cells, valid)
        out = hidden[:, 1:, ...]
        if valid is not None:
            out = out * xp.astype(valid, x.dtype)
        if train:
            self._saved = x, valid, gates, hidden, cells
        return _in_order(xp, out)

    def backward(self, gradient):
        """Add to the parameters' gradients; return the gradient by x, (n, T, n_in)."""
        x, valid, gates, hidden, cells = self._use_saved()
        W, h = self.input_weight.value, self.n_hidden
        xp = namespace(x, gradient)
        T, n = x.shape[1:3]
        by_out = _both_ways(xp, gradient[..., :h], gradient[..., h:])
        if valid is not None:
            valid = xp.astype(valid, x.dtype)
            by_out *= valid
        _in_parts(self._unread, gates, by_out, cells, valid)
        by_gates = xp.reshape(gates, (2, T * n, 4 * h))
        before = xp.reshape(hidden[:, :T, ...], (2, T * n, h))
        rows = xp.reshape(x, (2, T * n, -1))
        self.bias.add(xp.sum(by_gates, axis=1))
        self.input_weight.add(xp.permute_dims(rows, (0, 2, 1)) @ by_gates)
        self.recurrent_weight.add(xp.permute_dims(before, (0, 2, 1)) @ by_gates)
        by_x = xp.reshape(by_gates @ xp.permute_dims(W, (0, 2, 1)), x.shape)
        by_x = by_x[0, ...] + xp.flip(by_x[1, ...], axis=0)
        return xp.permute_dims(by_x, (1, 0, 2))

    def _read(self, ways, texts, gates, hidden, cells, valid):
        """All steps of some directions and texts: fills gates, hidden and cells."""
        R, h = self.recurrent_weight.value[ways, ...], self.n_hidden
        b = self.bias.value[ways, None, :]
        xp = namespace(R)
        hidden[ways, 0, texts, :] = 0.0
        cells[ways, 0, texts, :] = 0.0
        for t in range(gates.shape[1]):
            gate, before = gates[ways, t, texts, :], cells[ways, t, texts, :]
            gate += hidden[ways, t, texts, :] @ R
            gate += b
            sigmoids = gate[..., : 3 * h]
            sigmoids *= 0.5
            tanh_in_place(gate)
            sigmoids += 1.0
            sigmoids *= 0.5
            i, f, o, u = _gates(gate, h)
            cell = f * before
            cell += i * u
            state = o * xp.tanh(cell)
            if valid is not None:
                now = valid[ways, t, texts, :]
                cell = xp.where(now, cell, before)
                state = xp.where(now, state, hidden[ways, t, texts, :])
            cells[ways, t + 1, texts, :] = cell
            hidden[ways, t + 1, texts, :] = state

    def _unread(self, ways, texts, gates, by_out, cells, valid):
        """Back through the steps: the place of the gates holds their gradients afterwards."""
        R, h = self.recurrent_weight.value[ways, ...], self.n_hidden
        xp = namespace(R)
        R = xp.permute_dims(R, (0, 2, 1))
        by_hidden, by_cell = (xp.zeros_like(by_out[ways, 0, texts, :]) for _ in "hc")
        for t in reversed(range(gates.shape[1])):
            by_hidden += by_out[ways, t, texts, :]
            if valid is not None:
                now = valid[ways, t, texts, :]
                skipped = (1.0 - now) * by_hidden, (1.0 - now) * by_cell
                by_hidden *= now
                by_cell *= now
            gate = gates[ways, t, texts, :]
            i, f, o, u = _gates(gate, h)
            tanh = xp.tanh(cells[ways, t + 1, texts, :])
            by_tanh = by_hidden * o
            by_cell += by_tanh
            tanh_squared = tanh * tanh
            tanh_squared *= by_tanh
            by_cell -= tanh_squared
            by_o = tanh * by_tanh * (1.0 - o)
            by_i = by_cell * i
            by_u = by_i * (1.0 - u * u)
            by_i *= u
            by_i *= 1.0 - i
            by_cell *= f
            by_f = by_cell * cells[ways, t, texts, :]
            by_f *= 1.0 - f
            for place, part in zip((i, f, o), (by_i, by_f, by_o), strict=True):
                place[...] = part
            gate[..., 3 * h :] = by_u
            by_hidden = gate @ R
            if valid is not None:
                by_hidden += skipped[0]
                by_cell += skipped[1]

    def parameters(self):
        return {
            "input_weight": self.input_weight,
            "recurrent_weight": self.recurrent_weight,
            "bias": self.bias,
        }


def _in_parts(work, *arrays):
    """``work(ways, texts, *arrays)``, in NumPy by threads that share out directions and texts."""
    n = arrays[0].shape[2]
    if not is_numpy_array(arrays[0]):
        work(slice(0, 2), slice(0, n), *arrays)
        return
    parts = [
        (slice(way, way + 1), slice(start, start + TEXTS))
        for start in range(0, n, TEXTS)
        for way in (0, 1)
    ]

    def run(parts):
        for ways, texts in parts:
            work(ways, texts, *arrays)

    run_threads(run, parts, small=arrays[0].size < 2**20)


def _gates(gate, h):
    """Views of the four parts of (…, 4h)."""
    return tuple(gate[..., k * h : (k + 1) * h] for k in range(4))


def _both_ways(xp, forwards, backwards):
    """(2, T, n, d): one (n, T, d) by steps, the other by steps from the end."""
    forwards, backwards = (xp.permute_dims(a, (1, 0, 2)) for a in (forwards, backwards))
    return xp.stack([forwards, xp.flip(backwards, axis=0)])


def _in_order(xp, states):
    """(n, T, 2d) of states (2, T, n, d) by steps."""
    both = xp.concat([states[0, ...], xp.flip(states[1, ...], axis=0)], axis=2)
    return xp.permute_dims(both, (1, 0, 2))
