"""The orthogonal map, a reference for the paper's two objectives."""

from zslib.arrays import largest_size, namespace
from zslib.mapping.base import LinearMap


class ProcrustesMap(LinearMap):
    r"""Orthogonal cross-space map (orthogonal Procrustes; Schönemann 1966).

    .. math:: \hat W = \arg\min_{W'W = I} \|X W - Y\|_F = U V', \qquad X'Y = U S V'.

    It keeps all lengths and angles, so it cannot shrink the mapped vectors as least squares does
    (Lazaridou et al. 2015, section 3, "Causes of hubness"); it is not in that paper. Both spaces
    must have the same width. Where :math:`X'Y` is singular the solution is not unique and one of
    them is returned. Computed in float64.

    Attributes
    ----------
    coef_ : array, shape (d, d)
        :math:`W`, orthogonal, with the library and type of ``X``.
    n_features_in_ : int
        d.

    Examples
    --------
    A rotation is found again:

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    >>> rotation = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> ProcrustesMap().fit(X, X @ rotation).coef_.round(6) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """

    def _fit(self, X, Y):
        if X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} columns and Y has {Y.shape[1]}: an orthogonal map needs "
                "spaces of the same width; use RidgeMap, or reduce one by PCA first"
            )
        xp = namespace(X, Y)
        # Lengths common to all entries do not change the solution, and keep X'Y in range.
        source, target = (xp.astype(A, xp.float64) / (largest_size(A) or 1.0) for A in (X, Y))
        left, _, right = xp.linalg.svd(source.T @ target, full_matrices=False)
        self.coef_ = xp.astype(left @ right, X.dtype)
