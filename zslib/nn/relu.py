"""The rectifier, and the leaky one."""

from zslib.arrays import namespace
from zslib.nn.layer import Layer
from zslib.validation import check_real


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
        (out,) = self._use_saved(gradient)
        return gradient * namespace(out).astype(out > 0, out.dtype)


class LeakyReLU(Layer):
    r""":math:`\max(x, a x)`, elementwise; the slope at 0 is taken as a.

    Parameters
    ----------
    slope : float, default 0.2
        a, at least 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> LeakyReLU(0.5).forward(np.array([[-1.0, 2.0]]))
    array([[-0.5,  2. ]])
    """

    def __init__(self, slope=0.2):
        self.slope = check_real(slope, "slope", low=0.0, high=1.0)

    def forward(self, x, mask=None, *, train=False):
        """``x`` with its negative numbers times the slope."""
        if train:
            self._saved = (x > 0,)
        return namespace(x).maximum(x, self.slope * x)

    def backward(self, gradient):
        """The gradient where x is above zero, elsewhere times the slope."""
        (above,) = self._use_saved(gradient)
        return namespace(gradient).where(above, gradient, self.slope * gradient)
