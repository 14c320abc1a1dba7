"""SciPy's L-BFGS-B for small problems, with data on any device."""

import math

import numpy as np
import scipy.optimize

from zslib.arrays import like, namespace, to_host
from zslib.validation import check_integer, check_real


def minimize(objective, start, *, max_iter, tol):
    """Minimise a function of one array by SciPy's L-BFGS-B, from ``start``.

    ``objective(w)`` returns the value, a float, and the gradient, an array like ``w``. Only these
    and the point cross between the host and the device of ``start``, once for each evaluation.
    SciPy's vectors are float64; the objective is evaluated at the point rounded to the type of
    ``start``. It stops after ``max_iter`` steps, or when the largest entry of the gradient has
    fallen to the share ``tol`` of that at ``start``, or, as a line search in float32 fails where
    rounding hides the descent, once the value has fallen by no more than its rounding in three
    steps. Returns the last point, and the values at the start and after each step. A value, or
    a squared length of a gradient, beyond the range of its type is a ValueError.

    Examples
    --------
    >>> def objective(w):
    ...     return float(((w - 3) ** 2).sum()), 2 * (w - 3)
    >>> w, values = minimize(objective, np.zeros(2), max_iter=20, tol=1e-6)
    >>> w.round(6), values[0]
    (array([3., 3.]), 18.0)
    """
    xp = namespace(start)
    if not xp.isdtype(start.dtype, "real floating"):
        raise TypeError(f"start must hold floats, got {start.dtype}: convert it")
    max_iter, tol = check_integer(max_iter, "max_iter", low=1), check_real(tol, "tol", low=0.0)
    largest = float(xp.finfo(start.dtype).max)
    rounding = float(xp.finfo(start.dtype).eps)

    def point(flat):
        return xp.astype(like(flat.reshape(start.shape), start), start.dtype)

    def evaluate(flat):
        value, gradient = objective(point(flat))
        if tuple(gradient.shape) != tuple(start.shape):
            raise ValueError(
                f"objective returns a gradient of shape {tuple(gradient.shape)} for w of shape "
                f"{tuple(start.shape)}: they must be the same"
            )
        gradient = to_host(gradient).astype(np.float64).ravel()
        if not (math.isfinite(value) and float(gradient @ gradient) <= largest):
            raise ValueError(f"training left the range of {start.dtype}: scale the features")
        return value, gradient

    def after_step(intermediate_result):
        values.append(float(intermediate_result.fun))
        if len(values) > 3 and values[-4] - values[-1] <= rounding * abs(values[-1]):
            raise StopIteration

    first = to_host(start).astype(np.float64).ravel()
    value, gradient = evaluate(first)
    values = [value]
    gtol = tol * float(np.abs(gradient).max())
    options = {"maxiter": max_iter, "maxfun": 40 * max_iter, "ftol": 0.0, "gtol": gtol}
    found = scipy.optimize.minimize(
        evaluate, first, jac=True, method="L-BFGS-B", callback=after_step, options=options
    )
    return point(found.x), values
