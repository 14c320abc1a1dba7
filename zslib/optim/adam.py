"""Adam (Kingma & Ba 2015) and AMSGrad (Reddi et al. 2018)."""

import math

from zslib.arrays import namespace
from zslib.optim.checks import check_share
from zslib.optim.elementwise import Elementwise
from zslib.validation import check_choice

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
        super().__init__(learning_rate, epsilon)
        self.beta1, self.beta2 = check_share(beta1, "beta1"), check_share(beta2, "beta2")
        self.amsgrad = check_choice(amsgrad, "amsgrad", (False, True))
        self.mean = self.largest = None
        self.n_steps = 0

    def _start(self, parameter):
        super()._start(parameter)
        self.mean = namespace(parameter).zeros_like(parameter)
        self.largest = self.mean + 0.0 if self.amsgrad else None

    def _advance(self, gradient):
        self.n_steps += 1
        self.mean *= self.beta1
        self.mean += self._times(gradient, 1.0 - self.beta1)
        squares = self._times(gradient, gradient)
        squares *= 1.0 - self.beta2
        self.square *= self.beta2
        self.square += squares
        square = self.square
        if self.amsgrad:
            square = self.largest = namespace(square).maximum(self.largest, square)
        rate = self.learning_rate / (1.0 - self.beta1**self.n_steps)
        return self.mean, square, rate, math.sqrt(1.0 - self.beta2**self.n_steps)
