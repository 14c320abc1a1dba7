"""Optimisers that divide each entry of a step by the root of a running size of its gradients."""

from zslib.arrays import namespace
from zslib.validation import check_gradient, check_real


class Elementwise:
    r"""Base of Adagrad, RMSProp and Adam.

    .. math:: w \leftarrow w - \eta\, \frac{d}{\sqrt{v} / r + \epsilon}

    A subclass has ``_advance(gradient)``, which updates ``square`` and what else it keeps, and
    returns d, v, the rate and r.
    """

    def __init__(self, learning_rate, epsilon):
        self.learning_rate = check_real(learning_rate, "learning_rate", low=0.0, inclusive=False)
        self.epsilon = check_real(epsilon, "epsilon", low=0.0, inclusive=False)
        self.square = self._scratch = None

    def _start(self, parameter):
        """Make the arrays of the first step."""
        xp = namespace(parameter)
        self.square, self._scratch = xp.zeros_like(parameter), xp.empty_like(parameter)

    def step(self, parameter, gradient):
        """One step of ``parameter``, in place, against a ``gradient`` of its shape and type."""
        check_gradient(parameter, gradient)
        if self.square is None:
            self._start(parameter)
        check_gradient(self.square, gradient)
        toward, square, rate, root = self._advance(gradient)
        # In place: temporaries of large parameters take longer than the arithmetic.
        scratch = self._scratch
        scratch[...] = namespace(square).sqrt(square)
        scratch /= root
        scratch += self.epsilon
        scratch[...] = toward / scratch
        scratch *= rate
        parameter -= scratch
        return parameter

    def _times(self, gradient, factor):
        """Their product, until the next one."""
        self._scratch[...] = gradient
        self._scratch *= factor
        return self._scratch
