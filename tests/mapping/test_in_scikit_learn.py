"""What the maps take, and scikit-learn's pipelines and searches over them."""

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zslib.arrays import unit_rows as unit
from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap

MAPS = [
    RidgeMap(),
    ProcrustesMap(),
    MultiStepMap(),
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
    pairs = [(X.astype(int), Y.astype(int)), (X.tolist(), Y.tolist())]
    pairs += [(frame(X, columns=list("abcd")), frame(Y)), (np.ma.array(X), Y.astype("float32"))]
    for A, B in pairs:
        fitted = clone(mapper).fit(A, B)
        np.testing.assert_allclose(fitted.transform(A), expected, rtol=1e-9)
        if not fitted._moves_targets:
            np.testing.assert_allclose(fitted.predict(A), expected, rtol=1e-9)
    half = clone(mapper).fit(X.astype("float16"), Y.astype("float16"))
    assert half.transform(X.astype("float16")).dtype == np.float32


def test_rows_of_frames_must_have_one_order(pairs):
    X, Y = (pandas.DataFrame(A, index=[f"w{i}" for i in range(40)]) for A in pairs)
    fitted = RidgeMap().fit(X, Y)
    for call in (fitted.fit, fitted.score):
        with pytest.raises(ValueError, match=r"row 0 of [yY] is 'w39', where X has 'w0'"):
            call(X, Y[::-1])


def test_data_frames_come_out_where_they_are_asked_for(pairs):
    X, Y = pairs
    frame = pandas.DataFrame(X, index=np.arange(40) + 7)
    for mapper in MAPS:
        fitted = clone(mapper).set_output(transform="pandas").fit(frame, Y)
        mapped = fitted.transform(frame)
        assert mapped.index.equals(frame.index)
        np.testing.assert_allclose(mapped, clone(mapper).fit(X, Y).transform(X), rtol=1e-9)
        if not fitted._moves_targets:
            assert type(fitted.predict(frame)) is np.ndarray


def test_sources_come_with_their_columns_in_the_order_of_fit(pairs, frame):
    X, Y = pairs
    for given in (frame(X), frame(X, columns=[7, 5, 9, 6])):
        fitted = RidgeMap().fit(given, Y)
        np.testing.assert_array_equal(fitted.predict(given), RidgeMap().fit(X, Y).predict(X))
        turned = given.iloc[:, ::-1]
        for use in (fitted.predict, fitted.transform, lambda X, on=fitted: on.score(X, Y)):
            with pytest.raises(ValueError, match=r"column 0 of X is '[36]', where fit has"):
                use(turned)


def test_targets_come_with_their_columns_in_the_order_of_fit(pairs, frame):
    X, Y = pairs
    named = frame(Y, columns=list("abcd"))
    fitted = MultiStepMap().fit(X, named)
    expected = fitted.transform_targets(Y)
    np.testing.assert_array_equal(fitted.transform_targets(named), expected)
    np.testing.assert_array_equal(fitted.transform_targets(frame(Y)), expected)
    with pytest.raises(ValueError, match=r"column 0 of Y is 'd', where fit has 'a'"):
        fitted.transform_targets(named[list("dcba")])
    fitted = RidgeMap().fit(X, named)
    assert fitted.score(X, named) == fitted.score(X, Y)
    with pytest.raises(ValueError, match="column 0 of Y is 'd'"):
        fitted.score(X, named[list("dcba")])


@pytest.mark.parametrize("mapper", [*MAPS, RidgeMap(direction="reverse")], ids=str)
def test_the_score_is_precision_at_1_among_distinct_targets(mapper, pairs, backend):
    X, Y = pairs
    Y[7] = Y[3]
    noisy = X + 3.0 * np.random.default_rng(1).standard_normal(X.shape)
    x, y = backend.asarray(noisy), backend.asarray(Y)
    fitted = clone(mapper).fit(backend.asarray(X), y)
    mapped, targets = map(backend.to_numpy, (fitted.transform(x), fitted.transform_targets(y)))
    nearest = np.argmax(mapped @ unit(targets).T, axis=1)
    hits = (Y[nearest] == Y).all(axis=1)
    assert 0 < hits.mean() < 1
    assert fitted.score(x, y) == pytest.approx(hits.mean())
    weights = np.arange(40.0)
    assert fitted.score(x, y, weights) == pytest.approx(np.average(hits, weights=weights))
    for wrong in (weights[1:], -weights, 0 * weights, np.nan * weights):
        with pytest.raises(ValueError, match="sample_weight must have a finite weight"):
            fitted.score(x, y, wrong)


def test_a_vector_mapped_to_zero_finds_nothing(pairs):
    X, Y = pairs
    fitted = RidgeMap(0.0).fit(X, Y)
    assert fitted.score(np.concatenate([X[:3], 0 * X[:1]]), Y[:4]) == 0.75
    assert fitted.score(X[:4], np.concatenate([0 * Y[:1], Y[1:4]])) == 0.75
    assert fitted.score(X[:2], 0 * Y[:2]) == 0


def test_grid_search_over_a_pipeline(pairs):
    X, Y = pairs
    grid = {"ridgemap__direction": ["forward", "reverse"]}
    pipeline = make_pipeline(StandardScaler(), RidgeMap())
    search = GridSearchCV(pipeline, grid, cv=KFold(2), error_score="raise").fit(X, Y)
    for column, direction in enumerate(("forward", "reverse")):
        fitted = pipeline.set_params(ridgemap__direction=direction).fit(X[20:], Y[20:])
        scores = search.cv_results_["split0_test_score"]
        assert scores[column] == fitted.score(X[:20], Y[:20])
    search = GridSearchCV(RidgeMap(), {"alpha": [1e-3, 1e6]}, scoring="r2", error_score="raise")
    assert search.fit(X, Y).best_params_ == {"alpha": 1e-3}


@pytest.mark.parametrize(
    ("mapper", "still", "remedy"),
    [
        (RidgeMap(direction="reverse"), RidgeMap(direction="forward"), '"forward"'),
        (MultiStepMap(), MultiStepMap(target_power=0), "target_power=0"),
        (CentredMap(), RidgeMap(), r"RidgeMap\(\) leaves"),
    ],
    ids=str,
)
def test_a_map_that_moves_the_targets_says_what_predicts(mapper, still, remedy, pairs):
    X, Y = pairs
    fitted = mapper.fit(X, Y)
    with pytest.raises(ValueError, match=rf"transform_targets\(Y\), as score.*{remedy}"):
        fitted.predict(X)
    with pytest.raises(ValueError, match="X has 3 features, but"):
        fitted.predict(X[:, :3])
    assert still.fit(X, Y).predict(X).shape == Y.shape


def test_one_column_may_be_one_dimensional(pairs, backend):
    X, Y = (backend.asarray(A) for A in pairs)
    flat, column = RidgeMap().fit(X, Y[:, 0]), RidgeMap().fit(X, Y[:, :1])
    expected = backend.to_numpy(column.predict(X))
    assert expected.shape == (40, 1)
    backend.assert_equal(flat.predict(X), expected[:, 0])
    backend.assert_equal(flat.transform(X), expected)
    backend.assert_equal(flat.transform_targets(Y[:, 0]), pairs[1][:, :1])
    assert flat.fit(X, Y).predict(X).shape == (40, 4)
    series = RidgeMap().fit(pairs[0], pandas.Series(pairs[1][:, 0])).predict(pairs[0])
    assert series.shape == (40,)


@pytest.mark.parametrize("exponent", [-90, 0, 90])
def test_one_column_is_scored_by_r2_in_any_unit(pairs, exponent):
    X, y = pairs[0].astype("f4"), pairs[1][:, 0].astype("f4")
    expected = r2_score(y, RidgeMap().fit(X, y).predict(X))
    y = y * np.float32(2.0**exponent)
    assert RidgeMap().fit(X, y).score(X, y) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(ValueError, match="moves the targets too, and predicts none"):
        RidgeMap(direction="reverse").fit(X, y).score(X, y)
