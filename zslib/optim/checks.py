"""What optimisers and layers ask of gradients and of their own numbers."""

from zslib.arrays import namespace
from zslib.validation import check_real

__all__ = ["check_gradient", "check_share"]


def check_gradient(parameter, gradient):
    """Raise unless the gradient fits the parameter; a wrong shape would broadcast silently."""
    xp = namespace(parameter, gradient)
    if parameter.dtype not in (xp.float32, xp.float64):
        raise TypeError(
            f"parameter must be float32 or float64, got {parameter.dtype}: steps or squares of "
            "gradients would be lost"
        )
    if parameter.shape != gradient.shape or parameter.dtype != gradient.dtype:
        raise ValueError(
            f"gradient has shape {tuple(gradient.shape)} and type {gradient.dtype}, the parameter "
            f"{tuple(parameter.shape)} and {parameter.dtype}: they must be the same"
        )


def check_share(value, name):
    """Return ``value`` as float when it is a number at least 0 and below 1."""
    value = check_real(value, name, low=0.0)
    if value >= 1.0:
        raise ValueError(f"{name} must be below 1, got {value}")
    return value
