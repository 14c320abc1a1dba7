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

TEXTS = 320  # of one direction, read by one thread of NumPy
PIECE = 32  # of them, whose gates are computed at once: they stay in the processor's cache


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
        W, R, b = self.input_weight.value, self.recurrent_weight.value, self.bias.value
        d, h = W.shape[1], self.n_hidden
        x = check_input(x, "(n, T, d)", d)
        xp = namespace(x, W)
        mask = check_mask(x, mask)
        (n, T), steps = x.shape[:2], _Steps.of(mask, *x.shape[:2])
        flat = xp.reshape(x, (n * T, d))
        # A step is one product: a row is x_t, 1, h_{t-1}, and the weight W, b, R.
        weight = xp.concat([W, b[:, None, :], R], axis=1)
        weight[..., : 3 * h] *= 0.5  # of a / 2 in the sigmoids
        rows, gates, cells, hidden = (
            xp.empty((*steps.order.shape, k), dtype=W.dtype, device=array_device(W))
            for k in (d + 1 + h, 4 * h, h, h)
        )
        for k in (0, 1):
            rows[k, :, :d] = take_rows(flat, steps.order[k])
        rows[..., d] = 1.0
        rows[:, : int(steps.n_active[0]), d + 1 :] = 0.0
        _in_parts(self._read, steps, weight, rows, gates, cells, hidden)
        if train:
            self._saved = mask, steps, rows, gates, cells
        out = xp.concat([take_rows(hidden[k, ...], steps.place[k]) for k in (0, 1)], axis=1)
        return zero_padded(xp.reshape(out, (n, T, 2 * h)), mask, in_place=True)

    def backward(self, gradient):
        """Add to the parameters' gradients; return the gradient by x, (n, T, n_in)."""
        mask, steps, rows, gates, cells = self._use_saved()  # the gates become gradients
        W, h = self.input_weight.value, self.n_hidden
        xp, d = namespace(rows, gradient), W.shape[1]
        n, T = gradient.shape[:2]
        flat = xp.reshape(gradient, (n * T, 2 * h))
        halves = zip((flat[:, :h], flat[:, h:]), steps.order, strict=True)
        by_out = xp.stack([take_rows(half, order) for half, order in halves])
        _in_parts(self._unread, steps, self.recurrent_weight.value, by_out, gates, cells)
        by_weight = xp.permute_dims(rows, (0, 2, 1)) @ gates
        self.input_weight.add(by_weight[:, :d, :])
        self.bias.add(by_weight[:, d, :])
        self.recurrent_weight.add(by_weight[:, d + 1 :, :])
        by_x = gates @ xp.permute_dims(W, (0, 2, 1))
        by_x = sum(take_rows(by_x[k, ...], steps.place[k]) for k in (0, 1))
        return zero_padded(xp.reshape(by_x, (n, T, -1)), mask, in_place=True)

    def _read(self, texts, steps, weight, rows, gates, cells, hidden):
        """All steps of some texts: fills gates, cells and hidden."""
        h = self.n_hidden
        for now, before in steps.rows(texts):
            if before is not None:
                rows[:, now, -h:] = hidden[:, before, :]
            sums = rows[:, now, :] @ weight
            arrays = sums, gates[:, now, :], cells[:, now, :], hidden[:, now, :]
            earlier = _earlier(cells, now, before)
            for some in _pieces(sums):
                tanhs, gate, cell, state = (array[:, some, :] for array in arrays)
                sigmoids = tanh_in_place(tanhs)[..., : 3 * h]
                sigmoids += 1.0
                sigmoids *= 0.5
                gate[...] = tanhs
                i, f, o, u = _gates(gate, h)
                new = i * u
                new += f * earlier[:, some, :]
                cell[...] = new
                state[...] = o * tanh_in_place(new)

    def _unread(self, texts, steps, R, by_out, gates, cells):
        """Back through the steps: the place of the gates holds their gradients afterwards."""
        xp, h = namespace(R), self.n_hidden
        R = xp.permute_dims(R, (0, 2, 1))
        # Backwards, texts join in: those that have not yet have gradients of zero.
        shape = (R.shape[0], texts.stop - texts.start, h)
        by_hidden = xp.zeros(shape, dtype=R.dtype, device=array_device(R))
        by_cells = xp.zeros_like(by_hidden)
        for now, before in reversed(steps.rows(texts)):
            gate = gates[:, now, :]
            arrays = cells[:, now, :], by_out[:, now, :], by_hidden, by_cells
            earlier = _earlier(cells, now, before)
            for some in _pieces(gate):
                cell, by_this, by_state, by_cell = (array[:, some, :] for array in arrays)
                i, f, o, u = _gates(gate[:, some, :], h)
                tanh = xp.tanh(cell)
                by_state += by_this
                by_state *= o
                by_cell += by_state
                by_state *= tanh
                tanh *= by_state
                by_cell -= tanh
                # The slope of a sigmoid s is s - s s, that of u 1 - u u. Each gate's place takes
                # its gradient, when no other needs it any more.
                o[...] = by_state - by_state * o
                by_i = by_cell * i
                by_u = by_i * u
                i *= by_u
                u *= by_u
                i[...] = by_u - i
                u[...] = by_i - u
                by_cell *= f
                by_f = by_cell * earlier[:, some, :]
                f *= by_f
                f[...] = by_f - f
            if before is not None:
                by_hidden[:, : now.stop - now.start, :] = gate @ R


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


def _in_parts(work, steps, weight, *arrays):
    """``work(texts, steps, weight, *arrays)``, in NumPy by threads that share the work out."""
    n = int(steps.n_active[0])
    if not is_numpy_array(weight):
        work(slice(0, n), steps, weight, *arrays)
        return
    parts = [(slice(way, way + 1), texts) for texts in slices(n, TEXTS) for way in (0, 1)]

    def run(parts):
        for ways, texts in parts:
            work(texts, steps, *(array[ways, ...] for array in (weight, *arrays)))

    run_threads(run, parts, small=max(array.size for array in arrays) < 2**20)


def _pieces(array):
    """Slices of the texts of one step, of NumPy each of `PIECE`."""
    n = array.shape[1]
    return slices(n, PIECE) if is_numpy_array(array) else [slice(0, n)]


def _earlier(cells, now, before):
    """The cells of the step before, of the first step zeros."""
    return namespace(cells).zeros_like(cells[:, now, :]) if before is None else cells[:, before, :]


def _gates(gate, h):
    """Views of the four parts of (…, 4h)."""
    return tuple(gate[..., k * h : (k + 1) * h] for k in range(4))
