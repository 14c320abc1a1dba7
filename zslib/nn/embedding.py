"""Embedding: one learned vector per token."""

import math

from zslib.arrays import add_rows, namespace
from zslib.nn.layer import Layer, check_mask, zero_padded
from zslib.nn.parameter import Parameter
from zslib.validation import check_generator, check_indices, check_integer


class Embedding(Layer):
    r"""Rows of a table: token number k becomes :math:`w_k`.

    Parameters
    ----------
    n_tokens : int
        Rows of the table; tokens are 0 … n_tokens - 1.
    dimension : int
        Numbers per token, d.
    rng : numpy.random.Generator
        Draws the start: normal, standard deviation :math:`1/\sqrt d`, so rows have about length 1.
    frozen : bool, keyword only, default False
        Whether the table is no parameter and stays as it is.
    like : float array, keyword only, default None
        Its library, device and type; None: NumPy float32.

    Attributes
    ----------
    weight : Parameter, shape (n_tokens, d)

    Examples
    --------
    >>> import numpy as np
    >>> layer = Embedding(5, 3, np.random.default_rng(0))
    >>> layer.forward(np.array([[4, 1, 0]]), np.array([[True, True, False]])).shape
    (1, 3, 3)
    """

    def __init__(self, n_tokens, dimension, rng, *, frozen=False, like=None):
        self.frozen = frozen
        check_integer(n_tokens, "n_tokens", low=1)
        check_integer(dimension, "dimension", low=1)
        values = check_generator(rng).standard_normal((n_tokens, dimension))
        self.weight = Parameter.from_host(values / math.sqrt(dimension), like=like)

    def forward(self, x, mask=None, *, train=False):
        """Vectors (n, T, d) of token numbers ``x`` (n, T); zeros where padded."""
        xp = namespace(x, self.weight.value)
        check_indices(x, "tokens", self.weight.value.shape[0])
        mask = check_mask(x, mask)
        flat = xp.reshape(x, (-1,))
        rows = xp.take(self.weight.value, flat, axis=0)
        if train:
            self._saved = flat, mask
        return zero_padded(xp.reshape(rows, (*x.shape, rows.shape[1])), mask, in_place=True)

    def backward(self, gradient):
        """Add to the table's gradient; None, as tokens have none."""
        flat, mask = self._use_saved()
        if not self.frozen:
            gradient = zero_padded(gradient, mask)
            by_row = namespace(gradient).reshape(gradient, (-1, gradient.shape[-1]))
            add_rows(self.weight.gradient, flat, by_row)

    def parameters(self):
        return {} if self.frozen else super().parameters()
