"""From the positions of a text to fewer, or to one vector: largest, mean, or last state."""

from array_api_compat import device as array_device

from zslib.arrays import namespace, one_hot
from zslib.nn.layer import Layer, check_input, check_mask, zero_padded


class MaxPool(Layer):
    r"""The larger of each two neighbours, number by number: T positions become T / 2, rounded up.

    .. math:: y_t = \max(x_{2t}, x_{2t + 1})

    Where only one of the two is a token, it is kept.

    Examples
    --------
    >>> import numpy as np
    >>> MaxPool().forward(np.array([[[1.0], [3.0], [-9.0]]]))[0, :, 0]
    array([ 3., -9.])
    """

    def forward(self, x, mask=None, *, train=False):
        """Sequences (n, T / 2, d) of sequences ``x`` (n, T, d)."""
        x = check_input(x, "(n, T, d)")
        mask = check_mask(x, mask)
        first, second = _halves(x)
        larger = first >= second
        if mask is not None:
            one, other = (tokens[:, :, None] for tokens in _halves(mask))
            larger = ~other | (one & larger)
        mask = self.mask_after(mask)
        if train:
            self._saved = larger, mask, x.shape[1]
        return zero_padded(namespace(x).where(larger, first, second), mask, in_place=True)

    def mask_after(self, mask):
        """A position is a token where one of its two is."""
        if mask is None:
            return None
        one, other = _halves(mask)
        return one | other

    def backward(self, gradient):
        """The gradient by x, (n, T, d): all of it to the larger neighbour, the first of equals."""
        larger, mask, T = self._use_saved()
        xp, gradient = namespace(gradient), zero_padded(gradient, mask)
        n, half, d = gradient.shape
        to_first = xp.astype(larger, gradient.dtype) * gradient
        both = xp.stack([to_first, gradient - to_first], axis=2)
        return xp.reshape(both, (n, 2 * half, d))[:, :T, :]


def _halves(x):
    """Even and odd positions; the last even one stands for an odd one that is missing."""
    first, second = x[:, ::2, ...], x[:, 1::2, ...]
    if x.shape[1] % 2:
        second = namespace(x).concat([second, first[:, -1:, ...]], axis=1)
    return first, second


class MeanPool(Layer):
    """Mean over the tokens of each text.

    Raises
    ------
    ValueError
        When a text has no token.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0], [3.0], [9.0]]])
    >>> MeanPool().forward(x, np.array([[True, True, False]]))
    array([[2.]])
    """

    def forward(self, x, mask=None, *, train=False):
        """Vectors (n, d) of sequences ``x`` (n, T, d)."""
        x = check_input(x, "(n, T, d)")
        xp = namespace(x)
        valid = xp.astype(_mask_of(x, mask), x.dtype)
        weights = valid / xp.sum(valid, axis=1, keepdims=True)
        if train:
            self._saved = (weights,)
        return (weights[:, None, :] @ x)[:, 0, :]

    def backward(self, gradient):
        """The gradient by x, (n, T, d)."""
        (weights,) = self._use_saved()
        return gradient[:, None, :] * weights[:, :, None]


class LastPool(Layer):
    """The states that have read the whole text, of a layer with two directions such as `BiLSTM`.

    The first half of the d numbers is taken from the last token, the second half, which reads
    backwards, from the first.

    Raises
    ------
    ValueError
        When a text has no token, or d is odd.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]])
    >>> LastPool().forward(x, np.array([[True, True, False]]))
    array([[3., 2.]])
    """

    def forward(self, x, mask=None, *, train=False):
        """Vectors (n, d) of sequences ``x`` (n, T, d)."""
        x = check_input(x, "(n, T, d)")
        xp = namespace(x)
        n, T, d = x.shape
        if d % 2:
            raise ValueError(f"x has {d} numbers per position: two directions need an even number")
        tokens = xp.astype(_mask_of(x, mask), xp.int64)
        places = T - 1 - xp.argmax(xp.flip(tokens, axis=1), axis=1), xp.argmax(tokens, axis=1)
        if train:
            self._saved = (x.shape[1], places)
        starts = T * xp.arange(n, dtype=xp.int64, device=array_device(x))
        flat = xp.reshape(x, (n * T, d))
        last, first = (xp.take(flat, starts + place, axis=0) for place in places)
        return xp.concat([last[:, : d // 2], first[:, d // 2 :]], axis=1)

    def backward(self, gradient):
        """The gradient by x, (n, T, d): zero but at the two tokens of each text."""
        T, places = self._use_saved()
        xp = namespace(gradient)
        n, d = gradient.shape
        by_x = xp.empty((n, T, d), dtype=gradient.dtype, device=array_device(gradient))
        for place, half in zip(places, (slice(0, d // 2), slice(d // 2, d)), strict=True):
            here = one_hot(place, T, gradient.dtype)
            by_x[:, :, half] = gradient[:, None, half] * here[:, :, None]
        return by_x


def _mask_of(x, mask):
    """The mask, checked; all True where there is none."""
    mask = check_mask(x, mask, tokens=True)
    if mask is None:
        return namespace(x).ones(x.shape[:2], dtype=namespace(x).bool, device=array_device(x))
    return mask
