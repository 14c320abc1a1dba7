"""Gradient steps and minibatches: Adagrad, plain SGD.

One optimiser object holds the state of one parameter array. ``step`` changes that array in place
and returns it.
"""

from __future__ import annotations

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.validation import check_integer, check_real

__all__ = ["SGD", "Adagrad", "minibatches"]


def _check_gradient(parameter, gradient):
    """Raise unless the gradient fits the parameter; a wrong shape would broadcast silently."""
    if parameter.shape != gradient.shape or parameter.dtype != gradient.dtype:
        raise ValueError(
            f"gradient has shape {tuple(gradient.shape)} and type {gradient.dtype}, the parameter "
            f"{tuple(parameter.shape)} and {parameter.dtype}: they must be the same"
        )


class SGD:
    """Plain gradient descent, ``parameter -= learning_rate * gradient``.

    Parameters
    ----------
    learning_rate : float
        Step size, above 0. The attribute may be changed between steps.

    Examples
    --------
    >>> import numpy as np
    >>> SGD(0.5).step(np.array([1.0, 2.0]), np.array([2.0, 0.0]))
    array([0., 2.])
    """

    def __init__(self, learning_rate):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)

    def step(self, parameter, gradient):
        """Change ``parameter`` in place by one step against ``gradient``; return it.

        Raises
        ------
        ValueError
            When shape or type of the gradient differ from the parameter's.
        """
        _check_gradient(parameter, gradient)
        parameter -= self.learning_rate * gradient
        return parameter


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
        _check_gradient(parameter, gradient)
        xp = namespace(parameter, gradient)
        if self.accumulator is None:
            self.accumulator = xp.zeros_like(parameter)
        _check_gradient(self.accumulator, gradient)
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


def minibatches(n, batch_size, rng):
    """Split 0 … n-1, in a fresh random order, into consecutive minibatches.

    Parameters
    ----------
    n : int
        Number of items.
    batch_size : int
        Items per minibatch; the last one may have fewer.
    rng : numpy.random.Generator
        Source of the order.

    Returns
    -------
    list of ndarray of int64
        Item numbers of each minibatch, on the host. Every item occurs once.

    Examples
    --------
    >>> import numpy as np
    >>> [len(batch) for batch in minibatches(5, 2, np.random.default_rng(0))]
    [2, 2, 1]
    """
    check_integer(n, "n", low=1)
    check_integer(batch_size, "batch_size", low=1)
    order = rng.permutation(n)
    return [order[start : start + batch_size] for start in range(0, n, batch_size)]
