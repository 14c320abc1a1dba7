"""What the maps refuse, and the words in which they say so."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap, chimeras

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((2, 6, 4)) + 0.5


def changed(array, row, value):
    array = array.copy()
    array[row] = value
    return array


def small(X, one, Y, other):
    """X and Y times a number each, as float32."""
    return X.astype("f4") * np.float32(one), Y.astype("f4") * np.float32(other)


EYE, TINY = np.eye(2, dtype="f4"), np.array([[1.0], [1e-44]], dtype="f4")
BESIDE = "range of float32: Y is too large or too small beside X; scale one of them"
EACH = [RidgeMap(), ProcrustesMap(), MultiStepMap(), CentredMap(), MaxMarginMap(n_epochs=1)]
PAIRS = [
    (changed(X, (2, 1), np.nan), Y, "X holds NaN .* row 2"),
    (X, changed(Y, (3, 0), np.inf), "Y holds NaN .* row 3"),
    (X, Y[:5], "X has 6 rows and Y has 5"),
    ([["a"]], Y, "could not convert"),
    (X + 1j, Y, "Complex data"),
    (sparse.csr_array(X), Y, r"X is sparse.*toarray\(\)", TypeError),
    (np.ma.masked_less(X, 0), Y, "X has masked entries"),
    (X, None, "requires y"),
    (X[:0], Y[:0], "X is empty"),
    (X[0], Y[0], "2-d"),
]
"""Pairs that every map refuses, words and, if it is no ValueError, the error."""

OF_ONE = [
    (RidgeMap(), X * 1e200, Y, "X .* beyond the range of float64"),
    (RidgeMap(), X * 1e-200, Y, "X .* beyond the range of float64"),
    (RidgeMap(fit_intercept=True), X[:1], Y[:1], "at least two rows"),
    (RidgeMap(direction="reverse", fit_intercept=True), X, Y, "centre X and Y before"),
    (ProcrustesMap(), X, Y[:, :2], "same width; use RidgeMap"),
    # Coefficients, or all that is mapped, beyond float32.
    (RidgeMap(0.0), *small(X, 1e-42, Y, 1), BESIDE),
    (RidgeMap(1.0), *small(X, 1e-30, Y, 1), "range of float32, with .*: scale them, or give less"),
    *(
        (mapper, *small(X, one, Y, 1 / one), BESIDE)
        for mapper in (RidgeMap(), RidgeMap(direction="reverse"))
        for one in (1e30, 1e-30)
    ),
    (MaxMarginMap(), changed(X, 3, 0.0), Y, "X has 1 zero row.* row 3"),
    (MaxMarginMap(), X, changed(Y, 4, 0.0), "Y has 1 zero row.* row 4"),
    (MaxMarginMap(), X[:1], Y[:1], "fewer than two distinct rows"),
    (MaxMarginMap(), X, np.ones_like(Y), "fewer than two distinct rows"),
]

PARAMETERS = {
    CentredMap: [({"estimator": Ridge()}, "estimator must be a map", TypeError)],
    RidgeMap: [
        ({"alpha": -1.0}, "alpha must be .* at least 0"),
        ({"alpha": np.nan}, "alpha"),
        ({"alpha": "GCV"}, 'alpha must be a number or "gcv"'),
        ({"alpha": None}, "alpha must be a number", TypeError),
        ({"fit_intercept": "no"}, "fit_intercept must be one of"),
        ({"direction": "back"}, "direction"),
    ],
    MultiStepMap: [
        ({"source_power": -1.0}, "source_power must be"),
        ({"n_components": 6}, "n_components must be between 1 and 4"),
        ({"whiten": "yes"}, "whiten must be one of"),
    ],
    MaxMarginMap: [
        ({"margin": -0.1}, "margin must be .* at least 0"),
        ({"margin": np.nan}, "margin"),
        ({"n_negatives": 0}, "n_negatives must be at least 1"),
        ({"n_negatives": 2.5}, "n_negatives must be an integer", TypeError),
        ({"n_negatives": 6, "negatives": "intruder"}, "between 1 and 5 .*distinct rows of Y"),
        ({"negatives": "hard"}, "negatives must be one of 'random'"),
        ({"distance": "euclidean"}, "distance must be one of"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"n_epochs": 0}, "n_epochs must be at least 1"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"warm_start": "yes"}, "warm_start must be one of"),
        ({"callback": "print"}, "callback must be None or callable", TypeError),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "seed"}, "random_state", TypeError),
    ],
}

FITS = [
    *((mapper, *case) for mapper in EACH for case in PAIRS),
    *OF_ONE,
    *((Map(**p), X, Y, *rest) for Map, cases in PARAMETERS.items() for p, *rest in cases),
]


def fit(mapper, X, Y):
    clone(mapper).fit(X, Y)


@pytest.mark.parametrize("mapper", EACH)
def test_queries(mapper):
    name = type(mapper).__name__
    for call in (clone(mapper).transform, clone(mapper).transform_targets):
        with pytest.raises(NotFittedError, match=name):
            call(X)
    fitted = clone(mapper).fit(X, Y)
    with pytest.raises(ValueError, match=f"X has 3 features, but {name} is expecting 4"):
        fitted.transform(X[:, :3])
    with pytest.raises(ValueError, match="X holds NaN"):
        fitted.transform(X * np.nan)


REVERSE = RidgeMap(direction="reverse").fit(X, Y[:, :2])
made = partial(chimeras, X_train=X, Y_train=Y, Y_new=Y, k=2)

REFUSALS = {
    fit: [(case[:3], *case[3:]) for case in FITS],
    made: [
        ({"k": 0}, r"k must be between 1 and 6 .*distinct rows of Y_train"),
        (
            {"Y_train": Y[[0, *range(5)]], "k": 6},
            r"k must be between 1 and 5 .*distinct rows of Y",
        ),
        ({"k": 2.0}, "k must be an integer", TypeError),
        ({"X_train": X[:-1]}, "X_train has 5 rows and Y_train has 6"),
        ({"Y_new": Y[:, :3]}, "Y_new has 3 columns and Y_train has 4"),
        ({"Y_new": changed(Y, 2, 0.0)}, "Y_new has 1 zero row.* row 2"),
        ({"Y_train": changed(Y, 5, 0.0)}, "Y_train has 1 zero row.* row 5"),
        ({"Y_new": Y * np.nan}, "Y_new holds NaN"),
        ({"Y_new": 0 * Y}, "zero"),
        ({"Y_new": Y[:0]}, "Y_new is empty"),
        ({"metric": "cosinus"}, "metric"),
    ],
    REVERSE.transform_targets: [((Y,), "Y has 4 columns")],
    MultiStepMap().fit(X, Y).transform_targets: [((Y[:, :2],), "same target space")],
    CentredMap().fit(X, Y).transform: [
        ((X.mean(axis=0)[None],), "less the mean .*, has 1 zero row")
    ],
}


def test_refused(refusal):
    refusal()
