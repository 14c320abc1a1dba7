"""Whitening, rotation, re-weighting, de-whitening: the multi-step map of Artetxe et al. (2018)."""

from array_api_compat import device as array_device

from zslib.arrays import largest_size, namespace, range_power
from zslib.mapping.base import LinearMap
from zslib.validation import check_choice, check_integer, check_narrowed, check_real


class MultiStepMap(LinearMap):
    r"""An orthogonal map with optional steps before and after it (Artetxe et al. 2018).

    Artetxe, Labaka and Agirre, "Generalizing and improving bilingual word embedding mappings with
    a multi-step framework of linear transformations". With :math:`C_X = (X'X)^{1/2}`,
    :math:`C_Y = (Y'Y)^{1/2}` and the singular value decomposition

    .. math:: C_X^{-1} X'Y\, C_Y^{-1} = U S V',

    sources x and targets y meet at

    .. math:: x \mapsto x\, C_X^{-1} U S^a U' C_X U\, P V', \qquad
              y \mapsto y\, C_Y^{-1} V S^b V' C_Y V\, P V'.

    Whitening is :math:`C^{-1}`, after which S are canonical correlations; U and V rotate;
    re-weighting is by powers of S; de-whitening gives each side the spread of its own space back
    (:math:`U' C_X U` and :math:`V' C_Y V`); P keeps the first directions. The paper stops before
    the last :math:`V'`; this rotation of both sides changes no distance, and takes them to the
    target space, where targets stay as they are unless :math:`b > 0`, directions are dropped, or
    whitening is not undone (``whiten`` without ``dewhiten``). Without whitening, re-weighting and
    reduction it is `ProcrustesMap`.

    Parameters
    ----------
    whiten : bool, default True
        Without, all :math:`C` are 1 and S is that of :math:`X'Y` up to one factor, which no cosine
        sees.
    source_power, target_power : float, keyword only, default 0.5
        a and b, at least 0; 0 leaves re-weighting out. The paper's best has one of them 1, the
        other 0; both are 0.5 in the supervised setting of the authors' later code.
    dewhiten : bool, keyword only, default True
        Has no effect without ``whiten``.
    n_components : int or None, keyword only, default None
        Directions that P keeps, those of the largest S; None: all, min(d1, d2).

    Attributes
    ----------
    coef_ : array, shape (d1, d2)
        What ``transform`` multiplies by, with the library and type of ``X``.
    target_coef_ : array, shape (d2, d2), or None
        What ``transform_targets`` multiplies by; None where targets stay as they are.
    singular_values_ : array, shape (min(d1, d2),)
        S, descending.
    n_features_in_ : int
        d1.

    Notes
    -----
    Computed in float64. Directions in which the training vectors do not reach beyond rounding are
    left out of :math:`C^{-1}`.

    Examples
    --------
    A space that was turned and stretched:

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [2.0, -1.0]])
    >>> Y = X @ np.array([[0.0, 3.0], [-1.0, 0.0]])
    >>> mapper = MultiStepMap().fit(X, Y)
    >>> mapper.singular_values_.round(6)
    array([1., 1.])
    >>> from zslib.search import gold_ranks
    >>> gold_ranks(mapper.transform(X), mapper.transform_targets(Y), np.arange(4))
    array([0, 0, 0, 0])
    """

    _STILL = (
        "target_power=0 with all of d2 <= d1 directions, dewhitened if whitened, leaves them "
        "where they are"
    )

    def __init__(
        self, whiten=True, *, source_power=0.5, target_power=0.5, dewhiten=True, n_components=None
    ):
        self.whiten = whiten
        self.source_power = source_power
        self.target_power = target_power
        self.dewhiten = dewhiten
        self.n_components = n_components

    def _fit(self, X, Y):
        xp = namespace(X)
        check_choice(self.whiten, "whiten", (False, True))
        check_choice(self.dewhiten, "dewhiten", (False, True))
        a = check_real(self.source_power, "source_power", low=0.0)
        b = check_real(self.target_power, "target_power", low=0.0)
        kept = rank = min(X.shape[1], Y.shape[1])
        if self.n_components is not None:
            kept = check_integer(self.n_components, "n_components", low=1, high=rank)

        units = [range_power(A) for A in (X, Y)]
        sides = [xp.astype(A, xp.float64) / unit for A, unit in zip((X, Y), units, strict=True)]
        steps = [(whitening if self.whiten else _scaling)(A) for A in sides]
        white = [A @ C_inverse for A, (C_inverse, _) in zip(sides, steps, strict=True)]
        U, S, Vt = xp.linalg.svd(white[0].T @ white[1], full_matrices=False)
        restored = self.dewhiten or not self.whiten

        def chain(turn, power, C_inverse, C, unit):
            M = side(turn, S, power, C_inverse, C if restored else None)
            M = M[:, :kept] @ Vt[:kept, :] / (1.0 if restored else unit)
            return check_narrowed(M, X.dtype, "bring X and Y to a length near one")

        self.coef_ = chain(U, a, *steps[0], units[0])
        stay = b == 0 and restored and kept == Y.shape[1]
        self.target_coef_ = None if stay else chain(Vt.T, b, *steps[1], units[1])
        self.singular_values_ = xp.astype(S, X.dtype)


def side(turn, S, power, whiten, dewhiten=None):
    """The steps of one side as a matrix: to whiten, turn, re-weight and perhaps de-whiten."""
    M = (whiten @ turn) * S**power
    if dewhiten is not None:
        M = M @ (turn.T @ dewhiten @ turn)
    return M


def whitening(X):
    r"""The whitening of the rows of ``X`` (n, d) and its inverse, float64 (d, d).

    :math:`(X'X)^{-1/2}` and :math:`(X'X)^{1/2}`, both symmetric: ``X`` times the first has
    orthonormal columns. Where ``X`` has not full rank both are 0 in the directions that it lacks.
    """
    xp = namespace(X)
    _, s, Vt = xp.linalg.svd(xp.astype(X, xp.float64), full_matrices=False)
    # Directions lost to rounding.
    kept = s > xp.finfo(xp.float64).eps * max(X.shape) * s[0]
    one = xp.ones_like(s)
    inverse = xp.where(kept, one / xp.where(kept, s, one), 0 * s)
    return (Vt.T * inverse) @ Vt, (Vt.T * xp.where(kept, s, 0 * s)) @ Vt


def _scaling(X):
    """In place of `whitening`: one number, which keeps products in range, and its inverse."""
    xp = namespace(X)
    unit = xp.eye(X.shape[1], dtype=X.dtype, device=array_device(X))
    scale = largest_size(X) or 1.0
    return unit / scale, unit * scale
