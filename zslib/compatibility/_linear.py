"""Fitting the linear classifiers that several systems put under their class scores."""

from __future__ import annotations

from array_api_compat import device as array_device

from zslib.arrays import namespace
from zslib.compatibility._lbfgs import minimize
from zslib.compatibility.base import check_learned
from zslib.validation import check_integer, check_real

__all__ = ["fit_linear"]


def fit_linear(model, objective, X, n_outputs):
    """Fit ``model``'s linear classifiers with intercept, by L-BFGS from zero.

    Parameters
    ----------
    model : CompatibilityModel
        With parameters ``regularization``, ``max_iter`` and ``tol``. Gets ``coef_`` (p,
        n_outputs), ``intercept_`` (n_outputs,), ``objective_`` and ``n_iter_``.
    objective : callable
        ``objective(weights, regularization)`` returns the value and the gradient by weights
        (p + 1, n_outputs), the intercepts in the last row.
    X : array, shape (n, p)
    n_outputs : int

    Raises
    ------
    ValueError, TypeError
        For a parameter out of range, or when training leaves the range of numbers.
    """
    regularization = check_real(model.regularization, "regularization", low=0.0)
    check_integer(model.max_iter, "max_iter", low=1)
    check_real(model.tol, "tol", low=0.0)
    shape = (X.shape[1] + 1, n_outputs)
    weights, model.objective_ = minimize(
        lambda weights: objective(weights, regularization),
        namespace(X).zeros(shape, dtype=X.dtype, device=array_device(X)),
        max_iter=model.max_iter,
        tol=model.tol,
    )
    model.n_iter_ = len(model.objective_) - 1
    check_learned(weights, "scale the features, or raise regularization")
    model.coef_, model.intercept_ = weights[:-1, :], weights[-1, :]
