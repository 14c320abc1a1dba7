"""Ridge regression across spaces: the standard map of Lazaridou et al. (2015), section 2."""

import numpy as np

from zslib.arrays import largest_size, like, namespace, range_power, to_host
from zslib.mapping.base import LinearMap
from zslib.validation import check_choice, check_learned, check_narrowed, check_real

_BESIDE = "Y is too large or too small beside X; scale one of them"


class RidgeMap(LinearMap):
    r"""L2-penalised least squares, in closed form (Lazaridou et al. 2015, section 2, "ridge").

    .. math:: \hat W = \arg\min_W \|X W - Y\|_F^2 + \lambda \|W\|_F^2
                     = (X'X + \lambda I)^{-1} X'Y.

    The paper prints the norms without squares; this closed form belongs to the squared ones.
    Everything is computed in float64 from one singular value decomposition :math:`X = U S V'`,
    so that :math:`W = V\,\mathrm{diag}(s_r / (s_r^2 + \lambda))\,U'Y`.

    Generalised cross-validation (Golub, Heath & Wahba 1979), summed over the d2 outputs, costs
    next to nothing more for a whole path of penalties. With the hat matrix
    :math:`A_\lambda = X (X'X + \lambda I)^{-1} X'`,

    .. math:: \mathrm{GCV}(\lambda)
              = \frac{\frac{1}{n d_2} \|(I - A_\lambda) Y\|_F^2}
                     {\left(1 - \frac{1}{n} \mathrm{tr} A_\lambda\right)^2},

    .. math:: \|(I - A_\lambda) Y\|_F^2 = \|Y - U U'Y\|_F^2
              + \sum_r \left(\frac{\lambda}{s_r^2 + \lambda}\right)^2 \|u_r'Y\|^2,

    .. math:: n - \mathrm{tr} A_\lambda = n - \mathrm{rows}(S)
              + \sum_r \frac{\lambda}{s_r^2 + \lambda}.

    With an intercept X and Y are centred first, and 1 is added to the trace.

    **The other direction** (Shigeto et al. 2015, section 3.2). Ridge pulls what it maps towards
    the origin, hence towards hubs. Regress from targets to sources instead, and the *targets*
    shrink; a query x is where it was, and finds the target y with the largest
    :math:`\cos(x, y W)`, with W the solution for X and Y exchanged. By the decomposition
    :math:`W = P \Sigma Q'` this is the cosine of :math:`x Q` and :math:`y P \Sigma`, up to a
    factor of each query: both sides then have at most :math:`\min(d_1, d_2)` columns.

    Parameters
    ----------
    alpha : float or "gcv", default "gcv"
        :math:`\lambda`, not printed in the paper. 0 is plain least squares, with the solution of
        smallest norm when :math:`X'X` is singular. "gcv" takes the one with the lowest GCV score
        (the first of equals) of 37 values, :math:`10^{-6}` to :math:`10^3` times the mean of
        :math:`s_r^2`, so that the path follows the scale of ``X``; in reverse that of ``Y``, whose
        singular values :math:`s_r` then are.
    fit_intercept : bool, default False, keyword only
        Whether to learn :math:`b` in :math:`\hat Y = X W + b`, unpenalised. The paper has none;
        its argument that residuals sum to zero (section 3) needs one, or centred data.
    direction : {"forward", "reverse"}, default "forward", keyword only
        Whether sources are regressed on to targets, or targets on to sources. After "reverse"
        compare ``transform(X)`` with ``transform_targets(Y)``; of a pipeline, with
        ``zslib.mapping.transform_targets(pipeline, Y)``.

    Attributes
    ----------
    coef_ : array, shape (d1, d2)
        :math:`W`, with the library and type of ``X``. In reverse :math:`Q`, (d1, rank of W).
    target_coef_ : array, shape (d2, rank of W), or None
        :math:`P \Sigma`, in reverse.
    intercept_ : array, shape (d2,), or None
        :math:`b`.
    alpha_ : float
        The penalty used.
    alphas_, gcv_scores_ : NumPy array, shape (n_alphas,), or None
        The path and its GCV scores, when ``alpha="gcv"``.
    n_features_in_ : int
        d1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> Y = np.array([[1.0], [2.0], [3.0]])
    >>> RidgeMap(0.0).fit(X, Y).coef_.round(6)
    array([[1.],
           [2.]])
    >>> RidgeMap(1.0).fit(X, Y).transform(np.array([[1.0, 1.0]]))
    array([[2.25]])
    """

    _STILL = 'direction="forward" leaves them where they are'

    def __init__(self, alpha="gcv", *, fit_intercept=False, direction="forward"):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.direction = direction

    def _fit(self, X, Y):
        xp = namespace(X)
        by_gcv = isinstance(self.alpha, str)
        if by_gcv and self.alpha != "gcv":
            raise ValueError(f'alpha must be a number or "gcv", got {self.alpha!r}')
        check_choice(self.fit_intercept, "fit_intercept", (False, True))
        check_choice(self.direction, "direction", ("forward", "reverse"))
        reverse = self.direction == "reverse"
        if reverse and self.fit_intercept:
            raise ValueError(
                'direction="reverse" compares directions, which an intercept would move: pass '
                "fit_intercept=False, and centre X and Y before"
            )
        n = X.shape[0]
        if by_gcv and self.fit_intercept and n == 1:
            raise ValueError('alpha="gcv" with fit_intercept=True needs at least two rows in X')

        source, target = xp.astype(X, xp.float64), xp.astype(Y, xp.float64)
        if reverse:
            source, target = target, source
        largest = largest_size(source) or 1.0
        if not 1e-140 < largest < 1e140:
            raise ValueError(
                f"{'Y' if reverse else 'X'} (largest entry {largest:.3g}) has squares beyond the "
                "range of float64: scale it"
            )
        unit = range_power(target)
        target = target / unit
        if self.fit_intercept:
            source_mean, target_mean = xp.mean(source, axis=0), xp.mean(target, axis=0)
            source, target = source - source_mean, target - target_mean
        left, singular, right = xp.linalg.svd(source, full_matrices=False)
        rotated = left.T @ target

        self.alphas_ = self.gcv_scores_ = None
        if by_gcv:
            eigenvalues = to_host(singular) ** 2
            scale = np.mean(eigenvalues)
            self.alphas_ = np.logspace(-6, 3, 37) * (scale if scale > 0 else 1.0)
            explained = to_host(xp.sum(rotated * rotated, axis=1))
            beyond = target - left @ rotated
            terms = self.alphas_, eigenvalues, explained, float(xp.sum(beyond * beyond))
            self.gcv_scores_ = gcv_scores(*terms, shape=target.shape, intercept=self.fit_intercept)
            self.alpha_ = float(self.alphas_[np.argmin(self.gcv_scores_)])
        else:
            self.alpha_ = check_real(self.alpha, "alpha", low=0.0)

        coef = ridge_solution(singular, right, rotated, self.alpha_, n) * unit
        check_learned(coef, _BESIDE)
        self.target_coef_ = self.intercept_ = None
        if reverse:
            left, singular, right = xp.linalg.svd(coef, full_matrices=False)
            lost = np.finfo(np.float64).eps * max(coef.shape) * float(singular[0])
            rank = max(1, int(np.sum(to_host(singular) > lost)))
            self.target_coef_ = check_narrowed(left[:, :rank] * singular[:rank], X.dtype, _BESIDE)
            coef = right[:rank, :].T
        self.coef_ = check_narrowed(coef, X.dtype, _BESIDE)
        if self.fit_intercept:
            intercept = target_mean * unit - source_mean @ coef
            self.intercept_ = check_narrowed(intercept, X.dtype, _BESIDE)


def gcv_scores(alphas, eigenvalues, explained, beyond, *, shape, intercept):
    """GCV score of each penalty; see the class for the formula.

    ``eigenvalues`` are the squared singular values, ``explained`` the squared length of each row
    of U'Y, ``beyond`` the squared length of the part of Y outside the column space of X.
    """
    n, d2 = shape
    if intercept and len(eigenvalues) == n:
        # Centred rows have rank n - 1 at most: the last direction is the mean's, or equally null.
        beyond = beyond + explained[-1]
        eigenvalues, explained = eigenvalues[:-1], explained[:-1]
    left_over = alphas[:, None] / (eigenvalues + alphas[:, None])
    residual = beyond + left_over**2 @ explained
    freedom = n - len(eigenvalues) - intercept + left_over.sum(axis=1)
    return (residual / (n * d2)) / (freedom / n) ** 2


def ridge_solution(singular, right, rotated, alpha, n):
    """W = V diag(s / (s² + alpha)) U'Y, from X = U diag(s) V' with n rows and U'Y."""
    s = to_host(singular)
    if alpha > 0:
        shrinkage = s / (s**2 + alpha)
    else:
        # Least squares, without directions lost to rounding.
        kept = s > np.finfo(np.float64).eps * max(n, right.shape[1]) * s[0]
        shrinkage = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    return right.T @ (like(shrinkage, singular)[:, None] * rotated)
