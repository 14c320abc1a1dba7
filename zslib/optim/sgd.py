"""Plain gradient descent."""

from zslib.optim.checks import check_gradient
from zslib.validation import check_real

__all__ = ["SGD"]


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
        check_gradient(parameter, gradient)
        parameter -= self.learning_rate * gradient
        return parameter
