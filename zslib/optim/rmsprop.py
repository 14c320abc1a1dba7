"""RMSProp (Tieleman & Hinton 2012)."""

from zslib.optim.elementwise import Elementwise
from zslib.validation import check_share


class RMSProp(Elementwise):
    r"""RMSProp (Tieleman & Hinton 2012): steps in units of the gradient's recent size.

    With :math:`g_t` the gradient at step t, elementwise, from :math:`v_0 = 0`,

    .. math:: v_t = \rho v_{t-1} + (1 - \rho) g_t^2, \qquad
              w_t = w_{t-1} - \eta \frac{g_t}{\sqrt{v_t} + \epsilon}.

    :math:`\eta` and :math:`\epsilon` are above 0, and ``decay``, :math:`\rho`, at least 0 and
    below 1. The learning rate may be changed between steps. ``square`` is :math:`v_t`, None before
    the first step.

    Examples
    --------
    >>> import numpy as np
    >>> w, rule = np.array([1.0, -2.0]), RMSProp(0.05)
    >>> for _ in range(3):
    ...     w = rule.step(w, 2 * w)  # the gradient of w @ w
    >>> w.round(3)
    array([ 0.155, -0.981])
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
