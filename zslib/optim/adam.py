"""Adam (Kingma & Ba 2015) and AMSGrad (Reddi et al. 2018)."""

import math

from zslib.arrays import namespace
from zslib.optim.checks import check_share
from zslib.optim.elementwise import Elementwise, add_squares
from zslib.validation import check_choice, check_real

__all__ = ["Adam"]


class Adam(Elementwise):
    r"""Adam (Kingma & Ba 2015): running means of the gradient and of its square.

    With :math:`g_t` the gradient at step t, elementwise, from :math:`m_0 = v_0 = 0`,

    .. math:: m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad
              v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2, \qquad
              w_t = w_{t-1} - \frac{\eta}{1 - \beta_1^t}
                    \frac{m_t}{\sqrt{v_t} / \sqrt{1 - \beta_2^t} + \epsilon}.

    AMSGrad (Reddi et al. 2018) has :math:`\max_{s \le t} v_s` in place of :math:`v_t`, corrected
    after the maximum is taken, as in PyTorch.

    Parameters
    ----------
    learning_rate : float
        :math:`\eta`, above 0. The attribute may be changed between steps.
    beta1, beta2 : float, keyword only, default 0.9 and 0.999
        :math:`\beta_1, \beta_2`, at least 0 and below 1.
    epsilon : float, keyword only, default 1e-8
        :math:`\epsilon`, above 0.
    amsgrad : bool, keyword only, default False

    Attributes
    ----------
    mean, square : array or None
        :math:`m_t` and :math:`v_t`, with the parameter's shape; None before the first step.
    largest : array or None
        The largest :math:`v_s`; None without AMSGrad.
    n_steps : int
        t.

    Examples
    --------
    The first step has the length of the learning rate, whatever the gradient:

    >>> import numpy as np
    >>> optimiser = Adam(0.5)
    >>> optimiser.step(np.array([1.0, 1.0]), np.array([100.0, -0.01])).round(5)
    array([0.5, 1.5])
    """

    def __init__(self, learning_rate, *, beta1=0.9, beta2=0.999, epsilon=1e-8, amsgrad=False):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)
        self.beta1, self.beta2 = check_share(beta1, "beta1"), check_share(beta2, "beta2")
        self.epsilon = check_real(epsilon, "epsilon", low=0.0, inclusive=False)
        self.amsgrad = check_choice(amsgrad, "amsgrad", (False, True))
        self.mean = self.square = self.largest = None
        self.n_steps = 0

    def _state(self, parameter):
        if self.mean is None:
            xp = namespace(parameter)
            self.mean, self.square = xp.zeros_like(parameter), xp.zeros_like(parameter)
            self.largest = xp.zeros_like(parameter) if self.amsgrad else None
        return self.mean

    def _advance(self, gradient, scratch):
        xp = namespace(gradient)
        self.n_steps += 1
        self.mean *= self.beta1
        self.square *= self.beta2
        if scratch is None:
            self.mean += (1.0 - self.beta1) * gradient
        else:
            xp.multiply(gradient, 1.0 - self.beta1, out=scratch)
            self.mean += scratch
        add_squares(self.square, gradient, 1.0 - self.beta2, scratch)
        square = self.square
        if self.amsgrad and scratch is None:
            square = self.largest = xp.maximum(self.largest, square)
        elif self.amsgrad:
            square = xp.maximum(self.largest, square, out=self.largest)
        rate = self.learning_rate / (1.0 - self.beta1**self.n_steps)
        return self.mean, square, rate, math.sqrt(1.0 - self.beta2**self.n_steps)
