"""Plain gradient descent."""

from zslib.validation import check_gradient, check_real


class SGD:
    """Plain gradient descent; its learning rate, above 0, may be changed between steps."""

    def __init__(self, learning_rate):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)

    def step(self, parameter, gradient):
        """One step of ``parameter``, in place, against a ``gradient`` of its shape and type."""
        check_gradient(parameter, gradient)
        parameter -= self.learning_rate * gradient
        return parameter
