"""What the maps take, and scikit-learn's pipelines and searches over them."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap

MAPS = [
    RidgeMap(),
    ProcrustesMap(),
    MultiStepMap(target_power=0.0),
    CentredMap(),
    MaxMarginMap(n_epochs=2, random_state=0),
]


@pytest.fixture
def pairs():
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (40, 4)) + 0.5
    return X, X @ rng.standard_normal((4, 4)) + 0.1 * rng.standard_normal((40, 4))


@pytest.mark.parametrize("mapper", MAPS, ids=str)
def test_what_scikit_learn_converts_is_converted(mapper, pairs, frame):
    X, Y = (2 * A.round() for A in pairs)
    expected = clone(mapper).fit(X, Y).transform(X)
    names = ["a", "b", "c", "d"]
    for A, B in [
        (X.astype(int), Y.astype(int)),
        (X.tolist(), Y.tolist()),
        (frame(X, columns=names), frame(Y)),
        (np.ma.array(X), Y.astype("float32")),
    ]:
        fitted = clone(mapper).fit(A, B)
        np.testing.assert_allclose(fitted.transform(A), expected, rtol=1e-9)
        np.testing.assert_allclose(fitted.predict(A), expected, rtol=1e-9)
    half = clone(mapper).fit(X.astype("float16"), Y.astype("float16"))
    assert half.transform(X.astype("float16")).dtype == np.float32


def test_data_frames_come_out_where_they_are_asked_for(pairs):
    X, Y = pairs
    frame = pandas.DataFrame(X, index=np.arange(40) + 7, columns=list("abcd"))
    for mapper in MAPS:
        fitted = clone(mapper).set_output(transform="pandas").fit(frame, Y)
        mapped = fitted.transform(frame)
        assert list(mapped.columns) == list(fitted.get_feature_names_out())
        assert list(mapped.index) == list(frame.index)
        np.testing.assert_allclose(mapped, clone(mapper).fit(X, Y).transform(X), rtol=1e-9)
        assert type(fitted.predict(frame)) is np.ndarray
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.transform(frame[list("dcba")])


def test_grid_search_over_a_pipeline(pairs):
    X, Y = pairs
    search = GridSearchCV(RidgeMap(), {"alpha": [1e-3, 1e6]}, scoring="r2", error_score="raise")
    search.fit(X, Y)
    assert search.best_params_ == {"alpha": 1e-3}
    assert search.best_score_ > 0.9
    pipeline = make_pipeline(StandardScaler(), CentredMap(RidgeMap()))
    grid = {"centredmap__estimator__alpha": [1e-3, 1e6]}
    search = GridSearchCV(pipeline, grid, error_score="raise").fit(X, Y)
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.transform(X))


def test_a_map_from_targets_to_sources_predicts_nothing(pairs):
    fitted = RidgeMap(1.0, direction="reverse").fit(*pairs)
    with pytest.raises(ValueError, match="predicts none: compare"):
        fitted.predict(pairs[0])


def test_random_state_objects_are_taken(pairs):
    def coef(state):
        return MaxMarginMap(n_epochs=1, random_state=state).fit(*pairs).coef_

    np.testing.assert_array_equal(coef(np.random.RandomState(3)), coef(np.random.RandomState(3)))
    state = np.random.RandomState(3)
    assert not np.array_equal(coef(state), coef(state))
