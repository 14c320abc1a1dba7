"""Adagrad (Duchi et al. 2011)."""

from zslib.optim.elementwise import Elementwise


class Adagrad(Elementwise):
    r"""Adagrad (Duchi et al. 2011): a learning rate of its own for every single parameter.

    With :math:`g_t` the gradient at step t, elementwise,

    .. math:: G_t = G_{t-1} + g_t^2, \qquad
              w_t = w_{t-1} - \eta \frac{g_t}{\sqrt{G_t} + \epsilon}.

    The step does not change when all gradients are multiplied by one constant, so the learning
    rate :math:`\eta`, above 0, is in units of the parameter; it may be changed between steps.
    :math:`\epsilon`, above 0, keeps a parameter without any gradient so far where it is.
    ``square`` is :math:`G_t`, None before the first step.

    Examples
    --------
    >>> import numpy as np
    >>> w, rule = np.array([1.0, -2.0]), Adagrad(0.5)
    >>> for _ in range(3):
    ...     w = rule.step(w, 2 * w)  # the gradient of w @ w
    >>> w.round(3)
    array([ 0.156, -0.984])
    """

    def __init__(self, learning_rate, *, epsilon=1e-10):
        super().__init__(learning_rate, epsilon)

    def _advance(self, gradient):
        self.square += self._times(gradient, gradient)
        return gradient, self.square, self.learning_rate, 1.0
