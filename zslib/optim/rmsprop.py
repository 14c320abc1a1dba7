"""RMSProp (Tieleman & Hinton 2012)."""

from zslib.optim.checks import check_share
from zslib.optim.elementwise import Elementwise

__all__ = ["RMSProp"]


class RMSProp(Elementwise):
    r"""RMSProp (Tieleman & Hinton 2012): steps in units of the gradient's recent size.

    With :math:`g_t` the gradient at step t, elementwise, from :math:`v_0 = 0`,

    .. math:: v_t = \rho v_{t-1} + (1 - \rho) g_t^2, \qquad
              w_t = w_{t-1} - \eta \frac{g_t}{\sqrt{v_t} + \epsilon}.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta`, above 0. The attribute may be changed between steps.
    decay : float, keyword only, default 0.99
        :math:`\rho`, at least 0 and below 1.
    epsilon : float, keyword only, default 1e-8
        :math:`\epsilon`, above 0, outside the root.

    Attributes
    ----------
    square : array or None
        :math:`v_t`, with the parameter's shape; None before the first step.

    Examples
    --------
    >>> import numpy as np
    >>> optimiser = RMSProp(0.5, decay=0.75)
    >>> optimiser.step(np.array([1.0, 1.0]), np.array([100.0, -0.01])).round(5)
    array([0., 2.])
    """

    def __init__(self, learning_rate, *, decay=0.99, epsilon=1e-8):
        super().__init__(learning_rate, epsilon)
        self.decay = check_share(decay, "decay")

    def _advance(self, gradient):
        squares = self._times(gradient, gradient)
        squares *= 1.0 - self.decay
        self.square *= self.decay
        self.square += squares
        return gradient, self.square, self.learning_rate, 1.0
