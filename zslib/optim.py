"""Gradient steps and minibatches: Adagrad, plain SGD; and SciPy's L-BFGS-B for small problems.

One optimiser object holds the state of one parameter array. ``step`` changes that array in place
and returns it.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.optimize
from array_api_compat import is_numpy_array

from zslib.arrays import like, namespace, to_host
from zslib.validation import check_integer, check_real

__all__ = ["SGD", "Adagrad", "minibatches", "minimize"]


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


def minimize(objective, start, *, max_iter, tol):
    """Minimise a function of one array by SciPy's L-BFGS-B, from ``start``.

    Only the point and the gradient cross between the host and the device of ``start``, once for
    each evaluation: the data that the objective looks at stay where they are. SciPy's vectors are
    float64; the objective is evaluated at the point rounded to the type of ``start``. A line
    search in float32 fails where rounding hides the descent, so it also stops once the value has
    fallen by no more than its rounding in three steps.

    Parameters
    ----------
    objective : callable
        ``objective(w)`` returns the value, a float, and the gradient, an array like ``w``.
    start : array
        Where to begin; left as it is.
    max_iter : int
        Steps at most.
    tol : float
        It stops when the largest entry of the gradient has fallen to this share of that at
        ``start``.

    Returns
    -------
    w : array
        The last point.
    values : list of float
        The objective at the start and after each step.

    Raises
    ------
    ValueError
        When a value, or the squared length of a gradient, is beyond the range of its type.

    Examples
    --------
    >>> import numpy as np
    >>> w, values = minimize(lambda w: (float(w @ w), 2 * w), np.ones(2), max_iter=9, tol=1e-9)
    >>> w.round(9) + 0.0, len(values)
    (array([0., 0.]), 3)
    """
    xp = namespace(start)
    largest = float(xp.finfo(start.dtype).max)
    rounding = float(xp.finfo(start.dtype).eps)

    def point(flat):
        return xp.astype(like(flat.reshape(start.shape), start), start.dtype)

    def evaluate(flat):
        value, gradient = objective(point(flat))
        gradient = to_host(gradient).astype(np.float64).ravel()
        if not (math.isfinite(value) and float(gradient @ gradient) <= largest):
            raise ValueError(f"training left the range of {start.dtype}: scale the features down")
        return value, gradient

    def after_step(intermediate_result):
        values.append(float(intermediate_result.fun))
        if len(values) > 3 and values[-4] - values[-1] <= rounding * abs(values[-1]):
            raise StopIteration

    first = to_host(start).astype(np.float64).ravel()
    value, gradient = evaluate(first)
    values = [value]
    found = scipy.optimize.minimize(
        evaluate,
        first,
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={
            "maxiter": max_iter,
            "maxfun": 40 * max_iter,
            "ftol": 0.0,
            "gtol": tol * float(np.abs(gradient).max()),
        },
    )
    return point(found.x), values
