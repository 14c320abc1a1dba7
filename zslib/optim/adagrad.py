"""Adagrad (Duchi et al. 2011)."""

from zslib.optim.elementwise import Elementwise

__all__ = ["Adagrad"]


class Adagrad(Elementwise):
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
    square : array or None
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
        super().__init__(learning_rate, epsilon)

    def _advance(self, gradient):
        self.square += self._times(gradient, gradient)
        return gradient, self.square, self.learning_rate, 1.0
