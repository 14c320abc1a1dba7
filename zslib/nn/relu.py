"""The rectifier."""

from __future__ import annotations

from zslib.arrays import namespace
from zslib.nn.layer import Layer

__all__ = ["ReLU"]


class ReLU(Layer):
    r""":math:`\max(x, 0)`, elementwise; the slope at 0 is taken as 0.

    Examples
    --------
    >>> import numpy as np
    >>> ReLU().forward(np.array([[-1.0, 2.0]]))
    array([[0., 2.]])
    """

    def forward(self, x, mask=None, *, train=False):
        """``x`` with its negative numbers set to zero."""
        out = namespace(x).clip(x, min=0.0)
        if train:
            self._saved = (out,)
        return out

    def backward(self, gradient):
        """The gradient where the output is above zero, else zero."""
        (out,) = self._use_saved()
        return gradient * namespace(out).astype(out > 0, out.dtype)
