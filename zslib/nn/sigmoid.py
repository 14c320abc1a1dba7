"""The logistic function."""

from zslib.arrays import tanh_in_place
from zslib.nn.layer import Layer

__all__ = ["Sigmoid", "sigmoid"]


def sigmoid(x):
    r"""The logistic function :math:`(1 + e^{-x})^{-1}`, in its tanh form, which does not overflow.

    Examples
    --------
    >>> import numpy as np
    >>> sigmoid(np.array([-1e9, 0.0, 1.0])).round(2)
    array([0.  , 0.5 , 0.73])
    """
    out = tanh_in_place(0.5 * x)
    out *= 0.5
    out += 0.5
    return out


class Sigmoid(Layer):
    """`sigmoid` as a layer. Before a cross-entropy, take `sigmoid_cross_entropy` of its input.

    Examples
    --------
    >>> import numpy as np
    >>> Sigmoid().forward(np.array([[0.0]]))
    array([[0.5]])
    """

    def forward(self, x, mask=None, *, train=False):
        """``x`` in the unit interval."""
        out = sigmoid(x)
        if train:
            self._saved = (out,)
        return out

    def backward(self, gradient):
        """The gradient times y (1 - y)."""
        (out,) = self._use_saved(gradient)
        return gradient * (out * (1.0 - out))
