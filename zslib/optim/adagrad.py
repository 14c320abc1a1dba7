"""Adagrad (Duchi et al. 2011)."""

from __future__ import annotations

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.optim.checks import check_gradient
from zslib.validation import check_real

__all__ = ["Adagrad"]


class Adagrad:
    r"""Adagrad (Duchi et al. 2011): a learning rate of its own for every single parameter.

    With :math:`g_t` the gradient at step t, elementwise,

    .. math:: G_t = G_{t-1} + g_t^2, \qquad
              w_t = w_{t-1} - \eta \frac{g_t}{\sqrt{G_t} + \epsilon}.

    The step does not change when all gradients are multiplied by one constant, so the learning
    rate is in units of the parameter.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta`, above 0. The attribute may be changed between steps.
    epsilon : float, default 1e-10
        :math:`\epsilon`, above 0: keeps a parameter without any gradient so far where it is.

    Attributes
    ----------
    accumulator : array or None
        :math:`G_t`, with the parameter's shape; None before the first step.

    Examples
    --------
    The first step has the length of the learning rate, whatever the gradient:

    >>> import numpy as np
    >>> optimiser = Adagrad(0.5)
    >>> optimiser.step(np.array([1.0, 1.0]), np.array([100.0, -0.01]))
    array([0.5, 1.5])
    """

    def __init__(self, learning_rate, *, epsilon=1e-10):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)
        self.epsilon = check_real(epsilon, "epsilon", low=0.0, inclusive=False)
        self.accumulator = None
        self._scratch = None

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
        if self.accumulator is None:
            self.accumulator = xp.zeros_like(parameter)
        check_gradient(self.accumulator, gradient)
        if not is_numpy_array(parameter):
            self.accumulator += gradient * gradient
            step = gradient / (xp.sqrt(self.accumulator) + self.epsilon)
            parameter -= self.learning_rate * step
            return parameter
        # The same operations in the same order, without temporaries: twice as fast.
        if self._scratch is None:
            self._scratch = xp.empty_like(parameter)
        scratch = self._scratch
        xp.multiply(gradient, gradient, out=scratch)
        self.accumulator += scratch
        xp.sqrt(self.accumulator, out=scratch)
        scratch += self.epsilon
        xp.divide(gradient, scratch, out=scratch)
        scratch *= self.learning_rate
        parameter -= scratch
        return parameter

    def __getstate__(self):
        return {**self.__dict__, "_scratch": None}
