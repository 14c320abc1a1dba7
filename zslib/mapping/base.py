"""What all linear cross-space maps share."""

import math

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import largest_size, like, namespace, range_power, take_rows, to_host
from zslib.mapping.negatives import distinct_labels
from zslib.search import gold_ranks
from zslib.validation import (
    as_array,
    as_vectors,
    check_columns,
    check_kept_columns,
    check_learned,
    check_paired,
    check_same_rows,
    check_weights,
    column_names,
    host_array,
    in_range,
    keep_columns,
    sizes,
)


class LinearMap(RegressorMixin, TransformerMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Base of the maps :math:`\\hat Y = X W (+ b)`: subclasses learn ``coef_`` in ``_fit``.

    Row vectors throughout: ``X`` is (n, d1), ``coef_`` is (d1, d2). A subclass with an intercept
    sets ``intercept_`` of shape (d2,), one that moves the targets too ``target_coef_``.

    Notes
    -----
    A map goes into scikit-learn's pipelines and searches. Its score is P@1, which means the same
    for every map and every parameter, whether it predicts Y or moves the targets too:

    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from zslib.mapping import RidgeMap
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 8))
    >>> Y = X @ rng.standard_normal((8, 8)) + rng.standard_normal((60, 8))
    >>> pipeline = make_pipeline(StandardScaler(), RidgeMap())
    >>> search = GridSearchCV(pipeline, {"ridgemap__direction": ["forward", "reverse"]})
    >>> search.fit(X, Y).best_params_
    {'ridgemap__direction': 'reverse'}
    """

    def fit(self, X, Y):
        """Learn the map from pairs: row i of ``X`` (n, d1) belongs to row i of ``Y`` (n, d2).

        A one-dimensional ``Y`` is one column, and ``predict`` then gives it so.
        """
        check_paired(X, Y, "X", "Y")
        given, X = X, as_vectors(X, "X")
        keep_columns(self, given, Y)
        names, Y = column_names(Y), as_array(Y, "Y")
        flat, Y = Y.ndim == 1, as_vectors(_as_matrix(Y), "Y", like=X)
        check_same_rows(X, Y)
        with in_range(X=X, Y=Y):
            self._fit(X, Y)
            self._check_coef(X, Y)
        self._flat, self._target_names = flat, names
        return self

    def _check_coef(self, X, Y):
        """Refuse a map that is not finite, or whose products with ``X`` all underflow to zero."""
        xp = namespace(X)
        largest = [largest_size(array) for array in (self._source(X), self.coef_)]
        least = float(xp.finfo(X.dtype).smallest_normal) * float(xp.finfo(X.dtype).eps)
        if not all(map(math.isfinite, largest)) or (
            min(largest) > 0 and math.prod(largest) < least
        ):
            vars(self).pop("coef_")
            raise ValueError(
                f"training left the range of {X.dtype}, with {sizes(X=X, Y=Y)}: scale them, or "
                "give less regularization"
            )

    def transform(self, X):
        """Map ``X`` (n, d1), of the array library that ``fit`` was given, to (n, d2)."""
        check_is_fitted(self, "coef_")
        given, X = X, as_vectors(X, "X")
        xp = namespace(X, self.coef_)
        check_kept_columns(self, given)
        with np.errstate(over="ignore", invalid="ignore"):
            mapped = self._source(X) @ xp.astype(self.coef_, X.dtype, copy=False)
            if getattr(self, "intercept_", None) is not None:
                mapped = mapped + xp.astype(self.intercept_, X.dtype)
            return _in_range(mapped, "X")

    def predict(self, X):
        """What `transform` gives: the targets that are predicted for ``X``.

        Raises
        ------
        ValueError
            From a map that moves the targets too, and so predicts none.
        """
        mapped = type(self).transform.__wrapped__(self, X)
        if self._moves_targets:
            raise ValueError(
                f"this {type(self).__name__} moves the targets too, and predicts none: compare "
                "transform(X) with transform_targets(Y), as score(X, Y) does, for instance by "
                f"zslib.search.gold_ranks; {self._STILL}"
            )
        return mapped[:, 0] if self._flat else mapped

    def score(self, X, y, sample_weight=None):
        """P@1: the share of rows of ``X`` whose own row of ``y`` is the nearest of all of ``y``.

        In [0, 1], by chance one over the number of distinct rows. Mapped vectors are compared by
        cosine with the distinct rows of ``y``, (n, d2) as Y in ``fit``, where `transform_targets`
        puts these. A row that is mapped to zero, which has no direction, finds none, and a zero
        target is not found. With ``sample_weight`` (n,) it is the weighted mean. One column has no
        directions but its signs: with that the score is R2 of `predict`, as
        `sklearn.base.RegressorMixin.score`.

        Raises
        ------
        ValueError
            With one column, from a map that moves the targets too, and so predicts none; for
            weights that are negative, not finite, or all 0.
        """
        check_is_fitted(self, "coef_")
        check_columns(y, self._target_names, "Y")
        check_paired(X, y, "X", "y")
        check_paired(X, sample_weight, "X", "sample_weight")
        if self._n_targets == 1:
            both = [host_array(A, "y").astype(np.float64) for A in (y, self.predict(X))]
            unit = max(map(range_power, both))  # R2 does not depend on it
            weight = _weights(sample_weight, len(both[0]))
            return r2_score(*(A / unit for A in both), sample_weight=weight)
        y = as_array(y, "y")
        mapped, targets = type(self).transform.__wrapped__(self, X), self.transform_targets(y)
        check_same_rows(mapped, y, "X", "y")
        first_rows, labels = distinct_labels(as_vectors(y, "y"))
        targets = take_rows(namespace(mapped).astype(targets, mapped.dtype), first_rows)
        some, placed = (to_host(array != 0).any(axis=1) for array in (targets, mapped))
        placed, hits = np.flatnonzero(placed & some[labels]), np.zeros(len(labels))
        if placed.size:
            gold = like((np.cumsum(some) - 1)[labels[placed]], mapped)
            targets = take_rows(targets, np.flatnonzero(some))
            hits[placed] = to_host(gold_ranks(take_rows(mapped, placed), targets, gold)) == 0
        return float(np.average(hits, weights=_weights(sample_weight, len(hits))))

    def transform_targets(self, Y):
        """The targets ``Y`` (m, d2) where mapped vectors are to be compared with them.

        They stay where they are, unless the map was learned from targets to sources.
        """
        check_is_fitted(self, "coef_")
        given, Y = Y, as_array(Y, "Y")
        Y = as_vectors(_as_matrix(Y) if self._flat else Y, "Y")
        namespace(Y, self.coef_)
        if Y.shape[1] != self._n_targets:
            raise ValueError(
                f"Y has {Y.shape[1]} columns, but this {type(self).__name__} was fitted on "
                f"{self._n_targets}: pass vectors of the same target space"
            )
        check_columns(given, self._target_names, "Y")
        Y = self._target(Y)
        coef = getattr(self, "target_coef_", None)
        if coef is None:
            return Y
        with np.errstate(over="ignore", invalid="ignore"):
            return _in_range(Y @ namespace(Y).astype(coef, Y.dtype, copy=False), "Y")

    def _source(self, X):
        return X

    def _target(self, Y):
        return Y

    # Of an error: what to do to have predictions.
    _STILL = "RidgeMap() leaves them where they are"
    # Whether ``fit`` was given one column as a one-dimensional array, and names of its columns.
    _flat, _target_names = False, None

    @property
    def _moves_targets(self):
        return getattr(self, "target_coef_", None) is not None

    @property
    def _n_targets(self):
        coef = getattr(self, "target_coef_", None)
        return self.coef_.shape[1] if coef is None else coef.shape[0]

    @property
    def _n_features_out(self):
        return self.coef_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _weights(sample_weight, n):
    """The weights of n samples, checked, or None."""
    return None if sample_weight is None else check_weights(sample_weight, "sample_weight", n)


def transform_targets(model, Y):
    """Targets as they are compared with the sources that a fitted ``model`` has mapped.

    Parameters
    ----------
    model : LinearMap, Pipeline, GridSearchCV or the like, or another estimator
        Of a pipeline the last map counts, and the steps behind it, which both sides go through;
        of a search the best estimator. Targets of estimators that move none, such as those of
        scikit-learn, stay where they are.
    Y : (m, d2) array

    Returns
    -------
    (m, p) array

    Raises
    ------
    sklearn.exceptions.NotFittedError
        When the model is not fitted.
    ValueError
        As the map's own ``transform_targets``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer
    >>> from zslib.mapping import RidgeMap, transform_targets
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> Y = X @ rng.standard_normal((5, 8)) + rng.standard_normal((60, 8))
    >>> pipeline = make_pipeline(Normalizer(), RidgeMap(direction="reverse")).fit(X, Y)
    >>> Y.shape, transform_targets(pipeline, Y).shape
    ((60, 8), (60, 5))
    """
    steps = _steps(model)
    maps = [place for place, step in enumerate(steps) if hasattr(step, "transform_targets")]
    if not maps:
        return as_vectors(Y, "Y")
    Y = steps[maps[-1]].transform_targets(Y)
    for step in steps[maps[-1] + 1 :]:
        Y = step.transform(Y)
    return Y


def transform_sources(model, X):
    """Sources as a fitted ``model`` maps them: by its ``transform``, else by its ``predict``."""
    return model.transform(X) if hasattr(model, "transform") else model.predict(X)


def _steps(model):
    """The fitted estimators that a model consists of, in their order."""
    if not hasattr(model, "transform_targets"):
        check_is_fitted(model)
        if hasattr(model, "cv_results_"):
            if not hasattr(model, "best_estimator_"):
                raise ValueError("this search has no best estimator: pass refit=True to it")
            return _steps(model.best_estimator_)
        if hasattr(model, "steps"):
            real = [step for _, step in model.steps if step not in (None, "passthrough")]
            return [one for step in real for one in _steps(step)]
    return [model]


def _in_range(mapped, name):
    """What a product gives, if it did not overflow."""
    check_learned(mapped, f"{name} is too large beside the vectors in fit", what="the map")
    return mapped


def _as_matrix(Y):
    """``Y``, where it is one-dimensional as one column."""
    return namespace(Y).reshape(Y, (-1, 1)) if Y.ndim == 1 else Y
