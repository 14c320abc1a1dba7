"""Optimisers that divide each entry of a step by the root of a running size of its gradients."""

from array_api_compat import is_numpy_array

from zslib.arrays import namespace
from zslib.optim.checks import check_gradient

__all__ = ["Elementwise", "add_squares"]


class Elementwise:
    r"""Base of Adagrad, RMSProp and Adam.

    .. math:: w \leftarrow w - \eta\, \frac{d}{\sqrt{v} / r + \epsilon}

    A subclass has ``epsilon``, ``_state(parameter)``, which makes its arrays before the first step
    and returns one of them, and ``_advance(gradient, scratch)``, which updates them and returns
    d, v, the rate and r. ``scratch`` is an array for what would be a temporary, None but on NumPy.
    """

    _scratch = None

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
        check_gradient(self._state(parameter), gradient)
        if not is_numpy_array(parameter):
            toward, square, rate, root = self._advance(gradient, None)
            parameter -= rate * (toward / (xp.sqrt(square) / root + self.epsilon))
            return parameter
        # The same operations in the same order, without temporaries: twice as fast.
        if self._scratch is None:
            self._scratch = xp.empty_like(parameter)
        scratch = self._scratch
        toward, square, rate, root = self._advance(gradient, scratch)
        xp.sqrt(square, out=scratch)
        if root != 1.0:
            scratch /= root
        scratch += self.epsilon
        xp.divide(toward, scratch, out=scratch)
        scratch *= rate
        parameter -= scratch
        return parameter

    def __getstate__(self):
        return {**self.__dict__, "_scratch": None}


def add_squares(total, gradient, share, scratch):
    """Add ``share`` of the squares of ``gradient`` to ``total``, in place."""
    if scratch is None:
        total += share * (gradient * gradient)
        return
    namespace(gradient).multiply(gradient, gradient, out=scratch)
    if share != 1.0:
        scratch *= share
    total += scratch
