"""What all linear cross-space maps share."""

from __future__ import annotations

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import namespace
from zslib.validation import check_vectors

__all__ = ["LinearMap"]


class LinearMap(TransformerMixin, BaseEstimator):
    """Base of the maps :math:`\\hat Y = X W (+ b)`: subclasses learn ``coef_`` in ``fit``.

    Row vectors throughout: ``X`` is (n, d1), ``coef_`` is (d1, d2). A subclass with an intercept
    sets ``intercept_`` of shape (d2,), one that moves the targets too ``target_coef_``.
    """

    def transform(self, X):
        """Map ``X`` (n, d1), of the array library that ``fit`` was given, to (n, d2)."""
        check_is_fitted(self, "coef_")
        xp = namespace(X, self.coef_)
        check_vectors(X, "X")
        self._check_width(X)
        mapped = X @ xp.astype(self.coef_, X.dtype, copy=False)
        intercept = getattr(self, "intercept_", None)
        return mapped if intercept is None else mapped + xp.astype(intercept, X.dtype)

    def _check_width(self, X):
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} columns, but this {type(self).__name__} was fitted on "
                f"{self.n_features_in_}: pass vectors of the same source space"
            )

    def transform_targets(self, Y):
        """The targets ``Y`` (m, d2) where mapped vectors are to be compared with them.

        They stay where they are, unless the map was learned from targets to sources.
        """
        check_is_fitted(self, "coef_")
        coef = getattr(self, "target_coef_", None)
        if coef is None:
            return Y
        xp = namespace(Y, coef)
        check_vectors(Y, "Y")
        if Y.shape[1] != coef.shape[0]:
            raise ValueError(
                f"Y has {Y.shape[1]} columns, but this {type(self).__name__} was fitted on "
                f"{coef.shape[0]}: pass vectors of the same target space"
            )
        return Y @ xp.astype(coef, Y.dtype, copy=False)
