"""RMSProp (Tieleman & Hinton 2012)."""

from __future__ import annotations

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.optim.checks import check_gradient, check_share
from zslib.validation import check_real

__all__ = ["RMSProp"]


class RMSProp:
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
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)
        self.decay = check_share(decay, "decay")
        self.epsilon = check_real(epsilon, "epsilon", low=0.0, inclusive=False)
        self.square = self._scratch = None

    def step(self, parameter, gradient):
        """Change ``parameter`` in place by one step against ``gradient``; return it.

        Raises
        ------
        ValueError
            When shape or type of the gradient differ from the parameter's, or from those of the
            earlier steps.
        """
        check_gradient(parameter, gradient)
        xp = namespace(parameter, gradient)
        if self.square is None:
            self.square = xp.zeros_like(parameter)
        check_gradient(self.square, gradient)
        self.square *= self.decay
        if not is_numpy_array(parameter):
            self.square += (1.0 - self.decay) * (gradient * gradient)
            parameter -= self.learning_rate * (gradient / (xp.sqrt(self.square) + self.epsilon))
            return parameter
        # The same operations in the same order, without temporaries.
        if self._scratch is None:
            self._scratch = xp.empty_like(parameter)
        scratch = self._scratch
        xp.multiply(gradient, gradient, out=scratch)
        scratch *= 1.0 - self.decay
        self.square += scratch
        xp.sqrt(self.square, out=scratch)
        scratch += self.epsilon
        xp.divide(gradient, scratch, out=scratch)
        scratch *= self.learning_rate
        parameter -= scratch
        return parameter

    def __getstate__(self):
        return {**self.__dict__, "_scratch": None}
