"""Adam (Kingma & Ba 2015) and AMSGrad (Reddi et al. 2018)."""

import math

from zslib.arrays import namespace
from zslib.optim.elementwise import Elementwise
from zslib.validation import check_choice, check_share


class Adam(Elementwise):
    r"""Adam (Kingma & Ba 2015): running means of the gradient and of its square.

    With :math:`g_t` the gradient at step t, elementwise, from :math:`m_0 = v_0 = 0`,

    .. math:: m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \qquad
              v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2, \qquad
              w_t = w_{t-1} - \frac{\eta}{1 - \beta_1^t}
                    \frac{m_t}{\sqrt{v_t} / \sqrt{1 - \beta_2^t} + \epsilon}.

    AMSGrad (Reddi et al. 2018) has :math:`\max_{s \le t} v_s` in place of :math:`v_t`, corrected
    after the maximum is taken, as in PyTorch.

    :math:`\eta` and :math:`\epsilon` are above 0, :math:`\beta_1` and :math:`\beta_2` at least 0
    and below 1. The learning rate may be changed between steps. ``mean``, ``square`` and
    ``largest``, of AMSGrad, are :math:`m_t`, :math:`v_t` and the largest :math:`v_s`, None before
    the first step; ``n_steps`` is t.

    Examples
    --------
    >>> import numpy as np
    >>> w, rule = np.array([1.0, -2.0]), Adam(0.5)
    >>> for _ in range(3):
    ...     w = rule.step(w, 2 * w)  # the gradient of w @ w
    >>> w.round(3)
    array([-0.336, -0.537])
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
