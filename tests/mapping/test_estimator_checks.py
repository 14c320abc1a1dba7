"""scikit-learn's own checks of the maps."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from zslib import mapping
from zslib.validation import as_vectors


class Paired:
    """A map whose targets are vectors of the sources' width, where the checks have numbers.

    One that moves the targets too predicts none: the checks then look at `transform`. Nothing else
    is added: all that is checked is the map's own.
    """

    def predict(self, X):
        return np.asarray(self.transform(X)) if self._moves_targets else super().predict(X)

    def fit(self, X, y):
        source = as_vectors(X, "X")
        return super().fit(X, y if y is None else source + np.asarray(y).reshape(-1, 1))

    def score(self, X, y):
        return super().score(X, as_vectors(X, "X") + np.asarray(y).reshape(-1, 1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def paired(Map, **parameters):
    """The map under its own name, where pickle finds it."""
    globals()[Map.__name__] = type(Map.__name__, (Paired, Map), {"__module__": __name__})
    return globals()[Map.__name__](**parameters)


WIDTH = dict.fromkeys(
    ["check_regressors_train", "check_regressor_multioutput"],
    "expects predictions of another width than the sources",
)
DO_NOT_APPLY = {
    "RidgeMap": {},
    "ProcrustesMap": WIDTH,
    "MultiStepMap": WIDTH,
    "CentredMap": WIDTH | {"check_fit2d_1sample": "one pair less its mean has no direction"},
    "MaxMarginMap": WIDTH
    | {
        "check_fit2d_1sample": "one label has no negative",
        "check_estimators_dtypes": "features cut to whole numbers have a zero row: no direction",
    },
}
"""Checks that cannot pass, with the reason."""


def test_no_map_is_forgotten():
    exported = {name for name in mapping.__all__ if name.endswith("Map")} - {"LinearMap"}
    assert all(issubclass(getattr(mapping, name), mapping.LinearMap) for name in exported)
    assert exported == set(DO_NOT_APPLY)


@parametrize_with_checks(
    [
        mapping.RidgeMap(),
        *map(paired, (mapping.ProcrustesMap, mapping.CentredMap, mapping.MultiStepMap)),
        paired(mapping.MaxMarginMap, n_epochs=2),
    ],
    expected_failed_checks=lambda model: DO_NOT_APPLY[type(model).__name__],
)
def test_scikit_learn(estimator, check):
    check(estimator)
