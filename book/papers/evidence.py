"""What the recomputations share."""

import math
from typing import NamedTuple

import numpy as np


class Evidence(NamedTuple):
    """Result of a recomputation: whether it confirms the erratum, and the numbers, as text."""

    confirmed: bool
    text: str


def rounds_to(value, printed, decimals):
    """Whether ``printed`` is ``value`` at that many decimals, halves rounded either way.

    Examples
    --------
    >>> rounds_to(61.125, 61.13, 2), rounds_to(61.125, 61.12, 2), rounds_to(61.125, 61.14, 2)
    (True, True, False)
    """
    return abs(value - printed) <= 0.5 * 10.0**-decimals + 1e-9


def harmonic_mean_range(u, s):
    """Smallest and largest 2us/(u+s) of accuracies that print, with a decimal, as ``u``, ``s``.

    Examples
    --------
    >>> low, high = harmonic_mean_range(50.3, 58.3)
    >>> print(f"{low:.2f} to {high:.2f}")
    53.96 to 54.06
    """
    ends = ((u + d, s + d) for d in (-0.05, 0.05))
    return tuple(2.0 * a * b / (a + b) if a + b else math.nan for a, b in ends)


def join(values, form=""):
    """Values in a row, as a sentence has them; those of a dictionary with their names.

    Examples
    --------
    >>> join(["AwA2"]), join([1.25, 2, 3], ".1f"), join({"aPY": 1, "SUN": -2}, "+")
    ('AwA2', '1.2, 2.0 and 3.0', '+1 (aPY) and -2 (SUN)')
    """
    if isinstance(values, dict):
        words = [f"{value:{form}} ({name})" for name, value in values.items()]
    else:
        words = [f"{value:{form}}" for value in values]
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def minus(a, b):
    """Differences of two dictionaries with the same keys.

    Examples
    --------
    >>> minus({"aPY": 3, "SUN": 1}, {"SUN": 3, "aPY": 2})
    {'aPY': 1, 'SUN': -2}
    """
    return {name: value - b[name] for name, value in a.items()}


def central_differences(function, x, *, step=1e-6):
    """Derivative of a number by each entry of the array ``x``, by finite differences.

    Examples
    --------
    >>> central_differences(lambda x: float((x**2).sum()), np.array([1.0, -2.0])).round(6)
    array([ 2., -4.])
    """
    shifts = step * np.eye(x.size).reshape(-1, *x.shape)
    slopes = [(function(x + d) - function(x - d)) / (2.0 * step) for d in shifts]
    return np.reshape(slopes, x.shape)
