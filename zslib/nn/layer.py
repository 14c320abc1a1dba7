"""What every layer offers, and what all of them agree on about masks.

Sequences are arrays (n, T, d): n texts, T positions, d numbers each. A mask is a bool array
(n, T), True where there is a token. Padded positions count as zeros on the way in, are zeros on
the way out, and no gradient passes through them. Without a mask every position is a token.
"""

import math

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.nn.parameter import Parameter
from zslib.validation import as_array


class Layer:
    """Base of all layers: ``forward``, ``backward``, ``parameters``, ``buffers``.

    A forward pass in training keeps what the backward pass needs, and one backward pass uses it
    up. Layers work in the library, on the device and in the float type of their parameters.
    """

    _saved = None

    def forward(self, x, mask=None, *, train=False):
        """Output for ``x``; with ``train=True`` ready for `backward`.

        Parameters
        ----------
        x : array, (n, T, d) or (n, d)
        mask : bool array, shape (n, T), default None
            True at tokens; None: all are. For sequences only.
        train : bool, keyword only, default False
        """
        raise NotImplementedError

    def backward(self, gradient):
        """Add to the gradients of the parameters; return the gradient of the loss by ``x``.

        Parameters
        ----------
        gradient : array
            Gradient of the loss by the output of the last ``forward(…, train=True)``. Layers may
            overwrite it.

        Raises
        ------
        RuntimeError
            When there was no such pass, or its memory has been used up.
        """
        raise NotImplementedError

    def mask_after(self, mask):
        """The mask of the output, for that of ``x``: its own unless the layer shortens texts."""
        return mask

    def parts(self):
        """The layers that this one consists of, by name: its attributes."""
        return {name: part for name, part in vars(self).items() if isinstance(part, Layer)}

    def parameters(self):
        """Dictionary of `Parameter`, by names like ``"conv1.weight"``, in a fixed order."""
        own = {name: part for name, part in vars(self).items() if isinstance(part, Parameter)}
        return own | self._of_parts("parameters")

    def buffers(self):
        """Dictionary of arrays that are not learned by gradient but belong to a checkpoint."""
        return self._of_parts("buffers")

    def _of_parts(self, kind):
        return {
            f"{name}.{inner}": value
            for name, part in self.parts().items()
            for inner, value in getattr(part, kind)().items()
        }

    def _use_saved(self, gradient=None):
        """What the forward pass kept, forgotten now; a ``gradient`` must have its shape."""
        if self._saved is None:
            raise RuntimeError(
                f"{type(self).__name__}.backward needs forward(…, train=True) right before it"
            )
        saved, self._saved = self._saved, None
        if gradient is not None and tuple(gradient.shape) != tuple(saved[0].shape):
            raise ValueError(
                f"gradient has shape {tuple(gradient.shape)}, the output "
                f"{tuple(saved[0].shape)}: they must be the same"
            )
        return saved


def n_parameters(layer):
    """How many numbers a layer learns.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.nn import Linear
    >>> n_parameters(Linear(3, 2, np.random.default_rng(0)))
    8
    """
    return sum(math.prod(p.value.shape) for p in layer.parameters().values())


def check_input(x, shape, width=None):
    """``x`` as an array, when it has a ``shape`` such as "(n, T, d)" or "(n, d)", d ``width``."""
    x = as_array(x, "x")
    fits = x.ndim in [one.count(",") + 1 for one in shape.split(" or ")]
    if not fits or width not in (None, x.shape[-1]):
        wanted = "" if width is None else f", d = {width}"
        raise ValueError(f"x must have shape {shape}{wanted}, got {tuple(x.shape)}")
    return x


def check_mask(x, mask, *, tokens=False):
    """Raise unless ``mask`` fits the sequences ``x``; with ``tokens``, each must hold one.

    Returns the mask, or None where every position is a token as far as is known: to ask a GPU
    would mean to wait for it.
    """
    if mask is None:
        return None
    xp = namespace(x, mask)
    if mask.dtype != xp.bool:
        raise TypeError(f"mask must be bool, True at tokens, got {mask.dtype}")
    if tuple(mask.shape) != tuple(x.shape[:2]) or x.ndim < 2:
        raise ValueError(
            f"mask has shape {tuple(mask.shape)} and x {tuple(x.shape)}: both must begin with the "
            "number of texts and of positions"
        )
    if tokens and not bool(xp.all(xp.any(mask, axis=1))):
        empty = xp.argmin(xp.astype(xp.any(mask, axis=1), xp.int64))
        raise ValueError(f"mask row {int(empty)} has no token: drop texts without tokens")
    return None if is_numpy_array(mask) and mask.all() else mask


def zero_padded(x, mask, *, in_place=False):
    """``x`` with zeros at padded positions: itself without a mask, else a copy if not in place."""
    if mask is None:
        return x
    valid = namespace(x, mask).astype(mask, x.dtype)[:, :, None]
    if in_place:
        x *= valid
        return x
    return x * valid
