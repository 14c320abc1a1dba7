"""The logistic function."""

from zslib.arrays import tanh_in_place


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
