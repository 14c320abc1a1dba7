"""SciPy's L-BFGS-B for small problems, with data on any device."""

import math

import numpy as np
import scipy.optimize

from zslib.arrays import like, namespace, to_host
from zslib.validation import check_integer, check_real

__all__ = ["minimize"]


def minimize(objective, start, *, max_iter, tol):
    """Minimise a function of one array by SciPy's L-BFGS-B, from ``start``.

    Only the point and the gradient cross between the host and the device of ``start``, once for
    each evaluation: the data that the objective looks at stay where they are. SciPy's vectors are
    float64; the objective is evaluated at the point rounded to the type of ``start``. A line
    search in float32 fails where rounding hides the descent, so it also stops once the value has
    fallen by no more than its rounding in three steps.

    Parameters
    ----------
    objective : callable
        ``objective(w)`` returns the value, a float, and the gradient, an array like ``w``.
    start : array
        Where to begin; left as it is.
    max_iter : int
        Steps at most.
    tol : float
        It stops when the largest entry of the gradient has fallen to this share of that at
        ``start``.

    Returns
    -------
    w : array
        The last point.
    values : list of float
        The objective at the start and after each step.

    Raises
    ------
    ValueError
        When a value, or the squared length of a gradient, is beyond the range of its type.

    Examples
    --------
    >>> import numpy as np
    >>> w, values = minimize(lambda w: (float(w @ w), 2 * w), np.ones(2), max_iter=9, tol=1e-9)
    >>> w.round(9) + 0.0, len(values)
    (array([0., 0.]), 3)
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
    found = scipy.optimize.minimize(
        evaluate,
        first,
        jac=True,
        method="L-BFGS-B",
        callback=after_step,
        options={
            "maxiter": max_iter,
            "maxfun": 40 * max_iter,
            "ftol": 0.0,
            "gtol": tol * float(np.abs(gradient).max()),
        },
    )
    return point(found.x), values
