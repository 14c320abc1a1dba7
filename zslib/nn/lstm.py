"""Long short-term memory that reads a text from both ends."""

import math
from typing import NamedTuple

import numpy as np
from array_api_compat import device as array_device
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, slices, take_rows, tanh_in_place, to_host
from zslib.nn.layer import Layer, check_input, check_mask, zero_padded
from zslib.nn.parameter import Parameter
from zslib.search.threads import run_threads
from zslib.validation import check_generator, check_integer

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
        check_generator(rng)

        def weight(n):
            limit = math.sqrt(6.0 / (n + h))
            return Parameter.from_host(rng.uniform(-limit, limit, (2, n, 4 * h)), like=like)

        self.input_weight, self.recurrent_weight = weight(n_in), weight(h)
        bias = np.zeros((2, 4 * h))
        bias[:, h : 2 * h] = 1.0
        self.bias = Parameter.from_host(bias, like=like)

    def forward(self, x, mask=None, *, train=False):
        """States (n, T, 2h) of sequences ``x`` (n, T, n_in), forwards then backwards."""
        W, h = self.input_weight.value, self.n_hidden
        x = check_input(x, "(n, T, d)", W.shape[1])
        xp = namespace(x, W)
        mask = check_mask(x, mask)
        (n, T), steps = x.shape[:2], _Steps.of(mask, *x.shape[:2])
        flat = xp.reshape(x, (n * T, -1))
        x = xp.stack([take_rows(flat, order) for order in steps.order])
        gates = x @ W
        hidden = xp.empty((*x.shape[:2], h), dtype=gates.dtype, device=array_device(x))
        cells = xp.empty_like(hidden)
        _in_parts(self._read, steps, gates, hidden, cells)
        if train:
            self._saved = x, mask, steps, gates, hidden, cells
        out = xp.concat([take_rows(hidden[k, ...], steps.place[k]) for k in (0, 1)], axis=1)
        return zero_padded(xp.reshape(out, (n, T, 2 * h)), mask, in_place=True)

    def backward(self, gradient):
        """Add to the parameters' gradients; return the gradient by x, (n, T, n_in)."""
        x, mask, steps, gates, hidden, cells = self._use_saved()  # the gates become gradients
        W, h = self.input_weight.value, self.n_hidden
        xp = namespace(x, gradient)
        n, T = gradient.shape[:2]
        flat = xp.reshape(gradient, (n * T, 2 * h))
        halves = zip((flat[:, :h], flat[:, h:]), steps.order, strict=True)
        by_out = xp.stack([take_rows(half, order) for half, order in halves])
        _in_parts(self._unread, steps, gates, by_out, cells)
        before = xp.stack([take_rows(hidden[k, ...], steps.before) for k in (0, 1)])
        self.bias.add(xp.sum(gates, axis=1))
        self.input_weight.add(xp.permute_dims(x, (0, 2, 1)) @ gates)
        later = gates[:, steps.n_active[0] :, :]
        self.recurrent_weight.add(xp.permute_dims(before, (0, 2, 1)) @ later)
        by_x = gates @ xp.permute_dims(W, (0, 2, 1))
        by_x = sum(take_rows(by_x[k, ...], steps.place[k]) for k in (0, 1))
        return zero_padded(xp.reshape(by_x, (n, T, -1)), mask, in_place=True)

    def _read(self, ways, texts, steps, gates, hidden, cells):
        """All steps of some directions and texts: fills gates, hidden and cells."""
        R, h = self.recurrent_weight.value[ways, ...], self.n_hidden
        b = self.bias.value[ways, None, :]
        xp = namespace(R)
        for now, before in steps.rows(texts):
            gate = gates[ways, now, :]
            if before is not None:
                gate += hidden[ways, before, :] @ R
            gate += b
            sigmoids = gate[..., : 3 * h]
            sigmoids *= 0.5
            tanh_in_place(gate)
            sigmoids += 1.0
            sigmoids *= 0.5
            i, f, o, u = _gates(gate, h)
            cell = i * u
            if before is not None:
                cell += f * cells[ways, before, :]
            cells[ways, now, :] = cell
            hidden[ways, now, :] = o * xp.tanh(cell)

    def _unread(self, ways, texts, steps, gates, by_out, cells):
        """Back through the steps: the place of the gates holds their gradients afterwards."""
        R, h = self.recurrent_weight.value[ways, ...], self.n_hidden
        xp = namespace(R)
        R = xp.permute_dims(R, (0, 2, 1))
        # Backwards, texts join in: those that have not yet have gradients of zero.
        shape = (R.shape[0], texts.stop - texts.start, h)
        by_all_hidden = xp.zeros(shape, dtype=R.dtype, device=array_device(R))
        by_all_cells = xp.zeros_like(by_all_hidden)
        for now, before in reversed(steps.rows(texts)):
            k = now.stop - now.start
            by_hidden, by_cell = by_all_hidden[:, :k, :], by_all_cells[:, :k, :]
            by_hidden += by_out[ways, now, :]
            gate = gates[ways, now, :]
            i, f, o, u = _gates(gate, h)
            tanh = xp.tanh(cells[ways, now, :])
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
            by_f = xp.zeros_like(f)
            if before is not None:
                by_f = by_cell * cells[ways, before, :]
                by_f *= 1.0 - f
            for place, part in zip((i, f, o, u), (by_i, by_f, by_o, by_u), strict=True):
                place[...] = part
            if before is not None:
                by_hidden[...] = gate @ R


class _Steps(NamedTuple):
    """The tokens of all texts in rows, step after step, of each step the longest text first.

    Texts that have ended take part in no later step, so padding costs nothing; the texts of a
    step are the first of the step before.
    """

    n_active: np.ndarray
    """How many texts take part in each step; at least one step."""
    order: np.ndarray
    """(2, L): which of the n T positions is read in each row, forwards and backwards."""
    place: np.ndarray
    """(2, n T): the row that each position is read in; 0 where padded."""
    before: np.ndarray
    """The row one step earlier, of each row but those of the first step."""

    @classmethod
    def of(cls, mask, n, T):
        """The steps of a mask (n, T), None: all positions are tokens."""
        mask = np.ones((n, T), bool) if mask is None else to_host(mask)
        lengths = mask.sum(axis=1)
        n_active = np.count_nonzero(lengths[:, None] > np.arange(lengths.max(initial=1)), axis=0)
        step = np.repeat(np.arange(len(n_active)), n_active)
        starts = np.cumsum(n_active) - n_active
        rank = np.arange(len(step)) - starts[step]
        text = np.argsort(-lengths, kind="stable")[rank]
        first = (np.cumsum(lengths) - lengths)[text]
        tokens = np.flatnonzero(mask)
        order = np.stack([tokens[first + step], tokens[first + lengths[text] - 1 - step]])
        place = np.zeros((2, n * T), np.intp)
        np.put_along_axis(place, order, np.arange(len(step))[None, :], axis=1)
        return cls(n_active, order, place, (starts[step - 1] + rank)[n_active[0] :])

    def rows(self, texts):
        """For some texts, their rows now and before (None in the first step), step after step."""
        found, before = [], None
        starts = np.cumsum(self.n_active) - self.n_active + texts.start
        for now, active in zip(starts.tolist(), self.n_active.tolist(), strict=True):
            k = min(texts.stop, active) - texts.start
            if k <= 0:
                break
            found.append((slice(now, now + k), before and slice(before.start, before.start + k)))
            before = found[-1][0]
        return found


def _in_parts(work, steps, *arrays):
    """``work(ways, texts, steps, *arrays)``, in NumPy by threads that share the work out."""
    n = int(steps.n_active[0])
    if not is_numpy_array(arrays[0]):
        work(slice(0, 2), slice(0, n), steps, *arrays)
        return
    parts = [(slice(way, way + 1), texts) for texts in slices(n, TEXTS) for way in (0, 1)]

    def run(parts):
        for ways, texts in parts:
            work(ways, texts, steps, *arrays)

    run_threads(run, parts, small=arrays[0].size < 2**20)


def _gates(gate, h):
    """Views of the four parts of (…, 4h)."""
    return tuple(gate[..., k * h : (k + 1) * h] for k in range(4))
