"""Minimisation of smooth functions of one array, on the array's own device."""

from __future__ import annotations

import math

from zslib.arrays import namespace

__all__ = ["minimize"]


def minimize(objective, start, *, max_iter, tol, memory=10):
    r"""Limited-memory BFGS (Nocedal & Wright 2006, algorithm 7.5), weak Wolfe line search.

    The line search bisects; where values drown in rounding it goes by slopes, as the approximate
    Wolfe conditions of Hager & Zhang (2005) do. Nothing is drawn at random. It stops when the
    largest entry of the gradient has fallen to ``tol`` times that at ``start``, after
    ``max_iter`` steps, or when the value falls by no more than its rounding in ``memory`` steps.

    Parameters
    ----------
    objective : callable
        ``objective(w)`` returns the value, a float, and the gradient, an array like ``w``.
    start : array
        Where to begin; left as it is.
    max_iter : int
        Steps at most.
    tol : float
        Relative size of the gradient at which to stop.
    memory : int, default 10
        Steps whose curvature is kept.

    Returns
    -------
    w : array
        The last point.
    values : list of float
        The objective at the start and after each step; it rises by its rounding at most.

    Raises
    ------
    ValueError
        When the squared length of the gradient is beyond the range of its type.

    Examples
    --------
    >>> import numpy as np
    >>> w, values = minimize(lambda w: (float(w @ w), 2 * w), np.ones(2), max_iter=9, tol=1e-9)
    >>> w.round(9) + 0.0, len(values)
    (array([0., 0.]), 3)
    """
    xp = namespace(start)
    point, (value, gradient) = start, objective(start)
    values, history = [value], []
    small = tol * float(xp.max(xp.abs(gradient)))
    for _ in range(max_iter):
        if not float(xp.max(xp.abs(gradient))) > small:
            break
        if len(values) > memory and values[-memory - 1] - value <= _noise(point, value):
            break
        found = _step(objective, point, value, gradient, history)
        if found is None and history:
            # Curvature spoilt by rounding or a kink: begin again along the gradient.
            history = []
            found = _step(objective, point, value, gradient, history)
        if found is None:
            break
        moved, value, lower = found
        step, change = moved - point, lower - gradient
        curvature = _dot(step, change)
        if curvature > 0:
            history = [*history[-(memory - 1) :], (step, change, curvature)]
        point, gradient = moved, lower
        values.append(value)
    return point, values


def _dot(a, b):
    xp = namespace(a)
    return float(xp.sum(a * b))


def _noise(point, value):
    """Rounding of a value that was computed in the type of ``point``."""
    return 4.0 * abs(value) * float(namespace(point).finfo(point.dtype).eps)


def _direction(gradient, history):
    """Minus the inverse Hessian, as far as the history knows it, times the gradient."""
    direction, weights = -gradient, []
    for step, change, curvature in reversed(history):
        weights.append(_dot(step, direction) / curvature)
        direction = direction - weights[-1] * change
    if history:
        _, change, curvature = history[-1]
        direction = direction * (curvature / _dot(change, change))
    for (step, change, curvature), weight in zip(history, reversed(weights), strict=True):
        direction = direction + (weight - _dot(change, direction) / curvature) * step
    return direction


def _step(objective, point, value, gradient, history):
    """Bisection for the weak Wolfe conditions; None when no step lowers the objective."""
    direction = _direction(gradient, history)
    slope = _dot(gradient, direction)
    if not math.isfinite(slope):
        raise ValueError(
            f"training left the range of {point.dtype} at its first steps: scale the features down"
        )
    if slope >= 0:
        return None
    # Without curvature, a step of length one at most.
    length = 1.0 if history else min(1.0, 1.0 / math.sqrt(-slope))
    low, high, best = 0.0, math.inf, None
    for _ in range(40):
        moved = point + length * direction
        new, gradient = objective(moved)
        new_slope = _dot(gradient, direction)
        # Near the minimum values differ by less than their rounding; slopes still tell.
        level = new <= value + _noise(point, value) and new_slope <= -(1.0 - 2e-4) * slope
        if not (level or new <= value + 1e-4 * length * slope):
            high = length
        else:
            best = moved, new, gradient
            if new_slope >= 0.9 * slope:
                break
            low = length
        length = 2.0 * low if high == math.inf else 0.5 * (low + high)
    return best
