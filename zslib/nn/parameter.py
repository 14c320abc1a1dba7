"""A learned array, the gradient that accumulates for it, and its L2 penalty."""

from functools import cached_property

import numpy as np

from zslib.arrays import namespace, typed_like
from zslib.validation import check_real


class Parameter:
    r"""One array that training changes.

    `Layer.backward` adds to ``gradient``; whoever trains sets it to zero again. With penalty
    :math:`\mu` the loss holds :math:`\mu \sum w^2`. Layers leave it out: `add_penalty` puts its
    gradient :math:`2 \mu w` on top, once per step.

    Parameters
    ----------
    value : float array
        Changed in place by training.
    penalty : float, default 0.0
        :math:`\mu`, not negative.

    Attributes
    ----------
    value, gradient : arrays of one shape and type
    penalty : float

    Examples
    --------
    >>> import numpy as np
    >>> weight = Parameter(np.array([1.0, -2.0]), penalty=0.5)
    >>> float(weight.add_penalty())
    2.5
    >>> weight.gradient
    array([ 1., -2.])
    """

    def __init__(self, value, penalty=0.0):
        if not namespace(value).isdtype(value.dtype, "real floating"):
            raise TypeError(f"value must hold floats, got {value.dtype}: steps would be cut off")
        self.value = value
        self.penalty = check_real(penalty, "penalty", low=0.0)

    @classmethod
    def from_host(cls, values, *, like=None, penalty=0.0):
        """Parameter with a copy of the host array ``values``.

        ``like`` is an array whose library, device and float type it takes; without one it is
        NumPy float32.
        """
        if like is None:
            like = np.zeros(1, dtype=np.float32)
        return cls(typed_like(np.array(values, dtype=np.float64), like), penalty)

    @cached_property
    def gradient(self):
        return namespace(self.value).zeros_like(self.value)

    def add(self, gradient):
        """Add to the gradient an array that the caller does not use again."""
        if gradient.shape != self.value.shape:
            raise ValueError(
                f"gradient has shape {tuple(gradient.shape)}, the parameter "
                f"{tuple(self.value.shape)}: they must be the same"
            )
        if "gradient" in vars(self):
            self.gradient += gradient
        else:
            self.gradient = gradient

    def add_penalty(self):
        """Add the penalty's gradient; return the penalty itself, shape () of the value's type."""
        xp = namespace(self.value)
        if self.penalty:
            self.gradient += (2.0 * self.penalty) * self.value
        return self.penalty * xp.sum(self.value * self.value)

    def zero_gradient(self):
        """Forget the gradient: it is zero then."""
        vars(self).pop("gradient", None)

    @cached_property
    def velocity(self):
        """What momentum keeps of earlier gradients, zero at first."""
        return namespace(self.value).zeros_like(self.value)

    def descend(self, rate, *, momentum=0.0, clip=None):
        r"""One step of gradient descent, the penalty included; the gradient is zero then.

        .. math:: g \leftarrow g \min(1, c / \|g\|), \qquad
                  v \leftarrow m v + g, \qquad w \leftarrow w - r v

        with rate r, ``momentum`` m, and the largest length ``clip`` c of a gradient, None for any.
        """
        check_real(rate, "rate", low=0.0)
        if clip is not None:
            check_real(clip, "clip", low=0.0, inclusive=False)
        if self.penalty:
            self.add_penalty()
        if "gradient" in vars(self) or momentum:
            self._move(self.gradient, rate, momentum, clip)
        self.zero_gradient()

    def _move(self, step, rate, momentum, clip):
        """`descend` by a gradient that is not used again."""
        if clip is not None:
            xp = namespace(step)
            length = xp.sqrt(xp.sum(step * step))
            step *= clip / xp.clip(length, min=clip)
        if momentum:
            velocity = self.velocity
            velocity *= momentum
            velocity += step
            step = velocity + 0.0
        step *= rate
        self.value -= step
