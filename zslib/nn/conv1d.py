"""Convolution along the positions of a text."""

import math

from array_api_compat import device as array_device

from zslib.arrays import namespace
from zslib.nn.layer import Layer, check_input, check_mask, zero_padded
from zslib.nn.parameter import Parameter
from zslib.validation import check_generator, check_integer


class Conv1d(Layer):
    r"""A linear map of each position and its neighbours, as many positions out as in.

    With odd width w and half width :math:`r = (w - 1) / 2`, position t becomes

    .. math:: y_t = \sum_{k=0}^{w-1} x_{t+k-r} W_k,

    where x is zero beyond both ends and at padded positions. (What signal processing calls a
    correlation.) There is no bias: a normalisation that follows would take it away again. The
    neighbours are laid side by side, so one matrix product does it.

    Parameters
    ----------
    n_in, n_out : int
        Numbers per position, before and after.
    width : int
        w, odd.
    rng : numpy.random.Generator
        Draws the start: normal, variance :math:`2 / (w\, n_{in})` (He et al. 2015).
    penalty : float, keyword only, default 0.0
        L2 weight.
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Attributes
    ----------
    weight : Parameter, shape (w, n_in, n_out)

    Examples
    --------
    >>> import numpy as np
    >>> layer = Conv1d(1, 1, 3, np.random.default_rng(0))
    >>> layer.weight.value[:, 0, 0] = [1, 10, 100]
    >>> layer.forward(np.array([[[1], [2], [3]]], np.float32))[0, :, 0]
    array([210., 321.,  32.], dtype=float32)
    """

    def __init__(self, n_in, n_out, width, rng, *, penalty=0.0, like=None):
        for value, name in ((width, "width"), (n_in, "n_in"), (n_out, "n_out")):
            check_integer(value, name, low=1)
        if width % 2 == 0:
            raise ValueError(f"width must be odd, so that it has a middle, got {width}")
        values = check_generator(rng).standard_normal((width, n_in, n_out))
        values *= math.sqrt(2.0 / (width * n_in))
        self.weight = Parameter.from_host(values, like=like, penalty=penalty)

    def forward(self, x, mask=None, *, train=False):
        """Sequences (n, T, n_out) of sequences ``x`` (n, T, n_in)."""
        W = self.weight.value
        x = check_input(x, "(n, T, d)", W.shape[1])
        xp = namespace(x, W)
        mask = check_mask(x, mask)
        x = zero_padded(x, mask)
        width, n_in, n_out = W.shape
        out = neighbours(x, width) @ xp.reshape(W, (width * n_in, n_out))
        if train:
            self._saved = x, mask
        return zero_padded(xp.reshape(out, (*x.shape[:2], n_out)), mask, in_place=True)

    def backward(self, gradient):
        """Add to the parameters' gradients; return the gradient by x, (n, T, n_in)."""
        x, mask = self._use_saved()
        xp = namespace(x, gradient)
        width, n_in, n_out = self.weight.value.shape
        gradient = zero_padded(gradient, mask)
        # x at s meets the gradient at s + r - k: a convolution with the taps in reverse.
        around = neighbours(gradient, width)
        reverse = xp.permute_dims(xp.flip(self.weight.value, axis=0), (0, 2, 1))
        by_x = around @ xp.reshape(reverse, (width * n_out, n_in))
        by_taps = xp.reshape(xp.reshape(x, (-1, n_in)).T @ around, (n_in, width, n_out))
        self.weight.add(xp.permute_dims(xp.flip(by_taps, axis=1), (1, 0, 2)))
        return zero_padded(xp.reshape(by_x, x.shape), mask, in_place=True)


def neighbours(x, width):
    """Each position of ``x`` (n, T, d) next to its neighbours, (n T, width d); zeros outside."""
    xp = namespace(x)
    n, T, d = x.shape
    out = xp.zeros((n, T, width, d), dtype=x.dtype, device=array_device(x))
    for k in range(width):
        shift = k - width // 2
        first, last = min(max(0, -shift), T), max(min(T, T - shift), 0)
        out[:, first:last, k, :] = x[:, first + shift : last + shift, :]
    return xp.reshape(out, (n * T, width * d))
