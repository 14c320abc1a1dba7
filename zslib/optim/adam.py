"""Adam (Kingma & Ba 2015) and AMSGrad (Reddi et al. 2018)."""

from __future__ import annotations

import math

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.optim.checks import check_gradient, check_share
from zslib.validation import check_choice, check_real

__all__ = ["Adam"]


class Adam:
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
        self.mean = self.square = self.largest = self._scratch = None
        self.n_steps = 0

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
        if self.mean is None:
            self.mean, self.square = xp.zeros_like(parameter), xp.zeros_like(parameter)
            self.largest = xp.zeros_like(parameter) if self.amsgrad else None
        check_gradient(self.mean, gradient)
        self.n_steps += 1
        rate = self.learning_rate / (1.0 - self.beta1**self.n_steps)
        root = math.sqrt(1.0 - self.beta2**self.n_steps)
        self.mean *= self.beta1
        self.square *= self.beta2
        if not is_numpy_array(parameter):
            self.mean += (1.0 - self.beta1) * gradient
            self.square += (1.0 - self.beta2) * (gradient * gradient)
            square = self.square
            if self.amsgrad:
                square = self.largest = xp.maximum(self.largest, square)
            parameter -= rate * (self.mean / (xp.sqrt(square) / root + self.epsilon))
            return parameter
        # The same operations in the same order, without temporaries.
        if self._scratch is None:
            self._scratch = xp.empty_like(parameter)
        scratch = self._scratch
        xp.multiply(gradient, 1.0 - self.beta1, out=scratch)
        self.mean += scratch
        xp.multiply(gradient, gradient, out=scratch)
        scratch *= 1.0 - self.beta2
        self.square += scratch
        if self.amsgrad:
            xp.maximum(self.largest, self.square, out=self.largest)
        xp.sqrt(self.largest if self.amsgrad else self.square, out=scratch)
        scratch /= root
        scratch += self.epsilon
        xp.divide(self.mean, scratch, out=scratch)
        scratch *= rate
        parameter -= scratch
        return parameter

    def __getstate__(self):
        return {**self.__dict__, "_scratch": None}
