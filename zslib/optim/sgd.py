"""Plain gradient descent."""

from zslib.validation import check_gradient, check_real


class SGD:
    """Plain gradient descent; its learning rate, above 0, may be changed between steps.

    Examples
    --------
    >>> import numpy as np
    >>> w = np.array([1.0, -2.0])
    >>> SGD(0.25).step(w, 2 * w)  # the gradient of w @ w
    array([ 0.5, -1. ])
    """

    def __init__(self, learning_rate):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)

    def step(self, parameter, gradient):
        """One step of ``parameter``, in place, against a ``gradient`` of its shape and type."""
        check_gradient(parameter, gradient)
        parameter -= self.learning_rate * gradient
        return parameter
