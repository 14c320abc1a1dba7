"""Any cross-space map between centred directions."""

from sklearn.base import clone

from zslib.arrays import namespace, range_power, unit_rows
from zslib.mapping.base import LinearMap
from zslib.mapping.ridge import RidgeMap


class CentredMap(LinearMap):
    r"""A map between vectors that are centred on the training pairs, then scaled to length one.

    A map that is linear in :math:`(x - \bar x) / \|x - \bar x\|`; its results are compared with
    the targets' :math:`(y - \bar y) / \|y - \bar y\|`, which `transform_targets` gives. The mean
    is what makes vectors near to everything (Radovanović et al. 2010; Suzuki et al. 2013).

    Parameters
    ----------
    estimator : LinearMap, default RidgeMap()
        The map; cloned before each fit.

    Attributes
    ----------
    coef_, intercept_, target_coef_
        Of the map.
    source_mean_, target_mean_ : array, shapes (d1,) and (d2,)
        :math:`\bar x` and :math:`\bar y`.
    n_features_in_ : int
        d1.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.mapping import CentredMap, RidgeMap
    >>> X = np.array([[1.0, 5.0], [-1.0, 5.0], [0.0, 6.0], [0.0, 4.0]])
    >>> model = CentredMap(RidgeMap(0.0)).fit(X, X[:, ::-1])
    >>> model.transform(X[:1]).round(6) + 0.0, model.transform_targets(X[:1, ::-1])
    (array([[0., 1.]]), array([[0., 1.]]))
    """

    _moves_targets = True

    def __init__(self, estimator=None):
        self.estimator = estimator

    def _fit(self, X, Y):
        if self.estimator is not None and not isinstance(self.estimator, LinearMap):
            raise TypeError(f"estimator must be a map of zslib.mapping, got {self.estimator!r}")
        self.source_mean_, self.target_mean_ = _mean(X), _mean(Y)
        fitted = RidgeMap() if self.estimator is None else clone(self.estimator)
        fitted.fit(_centred(X, self.source_mean_, "X"), _centred(Y, self.target_mean_, "Y"))
        self.coef_ = fitted.coef_
        self.intercept_ = getattr(fitted, "intercept_", None)
        self.target_coef_ = getattr(fitted, "target_coef_", None)

    def _source(self, X):
        return _centred(X, self.source_mean_, "X")

    def _target(self, Y):
        return _centred(Y, self.target_mean_, "Y")


def _mean(vectors):
    """The mean of the rows, whose sum may be beyond the range."""
    unit = range_power(vectors)
    return unit * namespace(vectors).mean(vectors / unit, axis=0)


def _centred(vectors, mean, name):
    """Directions from the mean; a vector that equals it has none."""
    mean = namespace(vectors).astype(mean, vectors.dtype, copy=False)
    return unit_rows(vectors - mean, name=f"{name}, less the mean of the training pairs,")
