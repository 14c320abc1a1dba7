"""Input checks, scores and accuracy of all scorers."""

import array_api_strict
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from zslib.compatibility import (
    CMT,
    ESZSL,
    SAE,
    BiDiLEL,
    BilinearModel,
    ConSE,
    FeatureGenerator,
    MetricLearner,
    zero_shot_scorer,
)
from zslib.compatibility.base import check_fit_input, cosines


class Fixed(BilinearModel):
    """Learns the matrix that it is given."""

    def __init__(self, coef):
        self.coef = coef

    def _fit(self, X, codes, embeddings):
        self.coef_ = self.coef


def training_data(dtype="float64"):
    rng = np.random.default_rng(0)
    X, S = rng.standard_normal((9, 3)), rng.standard_normal((5, 2))
    return X.astype(dtype), np.array([4, 1, 4, 1, 1, 2, 2, 4, 4]), S.astype(dtype)


def test_training_sees_the_classes_that_occur(backend):
    X, y, S = training_data()
    inputs = backend.asarray(X), backend.asarray(y.astype("int32")), backend.asarray(S)
    classes, codes, embeddings = (backend.to_numpy(a) for a in check_fit_input(*inputs))
    np.testing.assert_array_equal(classes, [1, 2, 4])
    assert classes.dtype == codes.dtype == np.int64
    np.testing.assert_array_equal(classes[codes], y)
    np.testing.assert_array_equal(embeddings, S[[1, 2, 4]])


def bad_training_data():
    X, y, S = training_data()
    nan, no_embedding = X.copy(), S.copy()
    nan[2, 1], no_embedding[2, 0] = np.nan, np.inf
    same = np.tile(S[:1], (5, 1))
    strict = array_api_strict.asarray(S)
    return {
        "one class": (X, np.full(9, 3), S, ValueError, r"one class only \(3\).* at least two"),
        "label above": (X, y + 1, S, ValueError, r"every label needs an embedding.* \[0, 5\)"),
        "label below": (X, y - 2, S, ValueError, "every label needs an embedding.* -1 to 2"),
        "float labels": (X, y.astype(float), S, TypeError, "y .* must hold integers"),
        "too few labels": (X, y[:-1], S, ValueError, r"one label for each of the 9 rows.*\(8,\)"),
        "columns of labels": (X, y[:, None], S, ValueError, r"one label for each .*\(9, 1\)"),
        "NaN feature": (nan, y, S, ValueError, "X holds NaN .* row 2"),
        "no embedding": (X, y, no_embedding, ValueError, "class_embeddings holds NaN .* row 2"),
        "constant": (0 * X + 3.0, y, S, ValueError, "all rows of X are the same"),
        "same embeddings": (X, y, same, ValueError, "same row for all classes in y"),
        "one sample": (X[0], y, S, ValueError, "X must be a 2-d array"),
        "no sample": (X[:0], y[:0], S, ValueError, "X is empty"),
        "no class": (X, y, S[:0], ValueError, "class_embeddings is empty"),
        "two libraries": (X, y, strict, TypeError, "arrays of one library"),
        "sparse": (sparse.csr_array(X), y, S, TypeError, r"X is sparse.*toarray\(\)"),
        "masked": (np.ma.masked_less(X, 0), y, S, ValueError, "X has masked entries"),
        "names without an index": (X, list("babaabbcc"), S, TypeError, "y holds names of classes"),
    }


@pytest.mark.parametrize("case", bad_training_data())
def test_bad_training_data(case):
    X, y, S, error, message = bad_training_data()[case]
    with pytest.raises(error, match=message):
        ESZSL().fit(X, y, S)


def test_one_constant_feature_is_no_harm():
    X, y, S = training_data()
    X[:, 1] = 7.0
    assert np.all(np.isfinite(ESZSL().fit(X, y, S).coef_))


@pytest.mark.parametrize(("n", "c"), [(9, 2), (1, 40), (40, 3)])
def test_bilinear_scores(backend, n, c):
    X, y, S = training_data()
    rng = np.random.default_rng(1)
    coef = rng.standard_normal((3, 2))
    model = Fixed(backend.asarray(coef))
    model.fit(backend.asarray(X), backend.asarray(y), backend.asarray(S))
    queries, candidates = rng.standard_normal((n, 3)), rng.standard_normal((c, 2))
    scores = model.decision_function(backend.asarray(queries), backend.asarray(candidates))
    expected = [[x @ coef @ s for s in candidates] for x in queries]
    backend.assert_allclose(scores, expected, rtol=1e-12, atol=1e-13)
    predicted = model.predict(backend.asarray(queries), backend.asarray(candidates))
    backend.assert_equal(predicted, np.argmax(expected, axis=1))
    assert backend.to_numpy(predicted).dtype == np.int64


def test_of_equal_scores_the_first_class_wins():
    X, y, S = training_data()
    model = Fixed(np.ones((3, 2))).fit(X, y, S)
    np.testing.assert_array_equal(model.predict(X, np.ones((4, 2))), 0)


def test_score_is_the_mean_over_classes(backend):
    X, y, S = training_data()
    model = ESZSL().fit(backend.asarray(X), backend.asarray(y), backend.asarray(S))
    predicted = backend.to_numpy(model.predict(backend.asarray(X), backend.asarray(S)))
    expected = np.mean([np.mean(predicted[y == c] == c) for c in (1, 2, 4)])
    inputs = backend.asarray(X), backend.asarray(y)
    assert model.score(*inputs, backend.asarray(S)) == pytest.approx(expected)
    assert model.score(*inputs) == pytest.approx(expected)
    # Only the classes 1 and 2 compete.
    some = np.flatnonzero(y != 4)
    scores = backend.to_numpy(model.decision_function(backend.asarray(X), backend.asarray(S)))
    best = 1 + scores[some][:, 1:3].argmax(axis=1)
    expected = np.mean([np.mean(best[y[some] == c] == c) for c in (1, 2)])
    got = zero_shot_scorer(model, backend.asarray(X[some]), backend.asarray(y[some]))
    assert got == pytest.approx(expected)


def test_a_failed_fit_leaves_no_model():
    X, y, S = training_data()
    model = ESZSL().fit(X, y, S)
    model.set_params(feature_penalty=-1.0)
    with pytest.raises(ValueError, match="feature_penalty"):
        model.fit(X, y, S)
    with pytest.raises(NotFittedError):
        model.predict(X, S)


def test_bad_queries():
    X, y, S = training_data()
    model = ESZSL().fit(X, y, S)
    for array, candidates, error, message in (
        (X[:, :2], S, ValueError, "X has 2 features, but ESZSL is expecting 3"),
        (X, S[:, :1], ValueError, "class_embeddings has 1 columns, but this ESZSL"),
        (np.full((1, 3), np.nan), S, ValueError, "X holds NaN"),
        (X, np.full((1, 2), np.inf), ValueError, "class_embeddings holds NaN or infinity"),
        (array_api_strict.asarray(X), S, TypeError, "arrays of one library"),
        (array_api_strict.asarray(X), None, TypeError, "arrays of one library"),
    ):
        with pytest.raises(error, match=message):
            model.predict(array, candidates)
    with pytest.raises(ValueError, match="every label needs an embedding"):
        model.score(X, y, S[:3])
    with pytest.raises(ValueError, match="one label for each"):
        zero_shot_scorer(model, X, y[:3])


def test_rows_in_another_order_are_refused(frame):
    X, y, S = training_data()
    images, labels = frame(X, index=list("abcdefghi")), frame(y, index=list("abcdefghi"))[0]
    model = ESZSL().fit(images, labels, S)
    np.testing.assert_array_equal(model.coef_, ESZSL().fit(X, y, S).coef_)
    for call in (
        lambda: model.fit(images, labels[::-1], S),
        lambda: model.score(images, labels[::-1]),
        lambda: zero_shot_scorer(model, images, labels[::-1]),
    ):
        with pytest.raises(ValueError, match="row 0 of y is 'i', where X has 'a'"):
            call()
    with pytest.raises(ValueError, match="row 0 of image_attributes is 'i', where X has 'a'"):
        MetricLearner().fit(images, y, S, frame(S[y], index=images.index)[::-1])


@pytest.mark.parametrize("model", [ESZSL(), ConSE(), CMT(n_epochs=1, random_state=0)])
def test_embed_converts_and_checks_as_scores_do(model):
    X, y, S = training_data()
    model = clone(model).fit(X, y, S)
    whole = np.round(4 * X)
    np.testing.assert_array_equal(model.embed(whole.astype(int)), model.embed(whole))
    with pytest.raises(ValueError, match="X holds NaN"):
        model.embed(X * np.nan)
    with pytest.raises(ValueError, match="X has 2 features, but"):
        model.embed(X[:, :2])


def test_cosines(backend):
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((4, 3)), rng.standard_normal((5, 3))
    A[1] = B[2] = 0.0
    got = backend.to_numpy(cosines(backend.asarray(A), backend.asarray(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            lengths = np.linalg.norm(a) * np.linalg.norm(b)
            assert got[i, j] == pytest.approx(a @ b / lengths if lengths else 0.0)


def test_what_scikit_learn_converts_is_converted(frame):
    X, y, S = training_data()
    X, S = (10 * X).round(), (10 * S).round()
    expected = ESZSL().fit(X, y, S).decision_function(X)
    for A, labels, B in [
        (X.astype(int), y.astype("int8"), S.astype(int)),
        (X.tolist(), y.tolist(), S.tolist()),
        (frame(X), y, frame(S)),
        (X, y, S.astype("float32")),
    ]:
        model = ESZSL().fit(A, labels, B)
        np.testing.assert_allclose(model.decision_function(A, B), expected, rtol=1e-9)
        assert model.score(A, labels, B) == model.score(X, y)
        assert zero_shot_scorer(model, A, labels) == zero_shot_scorer(model, X, y)
        np.testing.assert_array_equal(model.predict(A), expected.argmax(axis=1))
    half = ESZSL().fit(X.astype("float16"), y, S)
    assert half.decision_function(X.astype("float16")).dtype == np.float32


@pytest.mark.parametrize("names", [["owl", "ant", "cat", "dog", "bat"], [7, 0, 30, 1, 4]])
def test_classes_may_be_named(frame, names):
    X, y, S = training_data()
    names = np.array(names, dtype=object if isinstance(names[0], str) else int)
    named = frame(S, index=names)
    model, plain = ESZSL().fit(X, names[y], named), ESZSL().fit(X, y, S)
    np.testing.assert_array_equal(model.classes_, plain.classes_)
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    some = [3, 0, 1]
    found = model.predict(X, frame(S[some], index=names[some]))
    np.testing.assert_array_equal(found, names[some][plain.predict(X, S[some])])
    assert model.predict(X, S[some]).dtype == np.int64
    assert model.score(X, names[y]) == model.score(X, list(names[y]), named) == plain.score(X, y)
    assert zero_shot_scorer(model, X, names[y]) == zero_shot_scorer(plain, X, y)
    wrong = np.where(names[y] == names[1], "yak" if names.dtype == object else 2, names[y])
    with pytest.raises(ValueError, match=r"y has '(yak|2)', which the index .* lacks"):
        ESZSL().fit(X, wrong, named)
    with pytest.raises(ValueError, match="two rows of one name"):
        ESZSL().fit(X, names[y], frame(S, index=names[[0] * 5]))


def test_a_dict_names_classes_and_candidates(backend, frame):
    X, y, S = training_data()
    names = np.array(["owl", "ant", "cat", "dog", "bat"])
    vectors = {name: backend.asarray(s) for name, s in zip(names, S, strict=True)}
    images, plain = backend.asarray(X), ESZSL().fit(X, y, S)
    model = ESZSL().fit(images, names[y], vectors)
    np.testing.assert_array_equal(model.predict(images), names[plain.predict(X)])
    assert set(model.class_names_[backend.to_numpy(model.classes_)]) == {"ant", "cat", "bat"}
    assert model.score(images, names[y], vectors) == model.score(images, names[y])
    some = [3, 0]
    expected = names[some][plain.predict(X, S[some])]
    others = {name: vectors[name] for name in names[some]}
    np.testing.assert_array_equal(model.predict(images, others), expected)
    # Candidates with names have them in the answer, whatever the labels were.
    np.testing.assert_array_equal(
        plain.predict(X, {n: S[names == n][0] for n in others}), expected
    )
    np.testing.assert_array_equal(plain.predict(X, frame(S[some], index=names[some])), expected)
    best, scores = model.top_classes(images, 2, vectors)
    order = plain.decision_function(X).argsort(axis=1)[:, :-3:-1]
    np.testing.assert_array_equal(best, names[order])
    backend.assert_allclose(scores, np.sort(plain.decision_function(X))[:, :-3:-1], rtol=1e-9)
    # Without names: places in what was asked about.
    found = plain.predict(X, S[some])
    np.testing.assert_array_equal(names[some][found], expected)
    # Names as bytes are those that they spell.
    spelt = {name.encode(): vector for name, vector in vectors.items()}
    for labels, classes in ((names[y].astype(bytes), vectors), (names[y], spelt)):
        model = ESZSL().fit(images, labels, classes)
        np.testing.assert_array_equal(model.predict(images), names[plain.predict(X)])
    numbers = {10 + c: s for c, s in enumerate(S)}
    np.testing.assert_array_equal(
        ESZSL().fit(X, 10 + y, numbers).predict(X), 10 + plain.predict(X)
    )


def test_other_vectors_of_fit_go_with_a_dict():
    X, y, S = training_data()
    vectors = dict(enumerate(S))
    learner = MetricLearner(n_epochs=1, random_state=0)
    plain = clone(learner).fit(X, y, S, S[y]).coef_
    np.testing.assert_array_equal(learner.fit(X, y, vectors, S[y]).coef_, plain)
    FeatureGenerator(n_steps=1, n_hidden=2).fit(X, y, vectors, S[:1])


def test_a_bad_dict_of_classes_is_refused():
    X, y, S = training_data()
    names = np.array(["owl", "ant", "cat", "dog", "bat"])
    vectors = dict(zip(names, S, strict=True))
    for classes, words in (
        ({}, "class_embeddings is empty"),
        (vectors | {"cat": S[0, :1]}, r"class_embeddings\['cat'\] has shape \(1,\): give each"),
        (vectors | {"owl": S[:1]}, r"class_embeddings\['owl'\] has shape \(1, 2\)"),
        ({n: s for n, s in vectors.items() if n != "ant"}, "y has 'ant', which"),
        (vectors | {"cat": np.full(2, np.nan)}, "class_embeddings holds NaN .* row 2"),
    ):
        with pytest.raises(ValueError, match=words):
            ESZSL().fit(X, names[y], classes)


def test_what_linear_algebra_cannot_do_names_the_argument():
    X, y, S = training_data("float32")
    lengths = np.float32(1e9) ** np.arange(5)[:, None] / np.float32(1e18)
    message = (
        r"Singular matrix\): largest entries of the rows of X from .*, of class_embeddings from"
    )
    with pytest.raises(ValueError, match=message):
        ESZSL(1e-12, 1e-12).fit(X, y, S * lengths)
    for model in (BiDiLEL(), ESZSL(), SAE()):
        with pytest.raises(ValueError, match="give smaller features"):
            model.fit(X.astype(float) * 1e200, y, S.astype(float))


def test_scores_out_of_range_are_refused(problem32):
    model = ESZSL().fit(problem32.X, problem32.y, problem32.S)
    with pytest.raises(ValueError, match="scores left the range of float32: bring rows"):
        model.predict(problem32.X * np.float32(1e37), 1e10 * problem32.S)


def test_numbers_of_an_index(frame):
    X, y, S = training_data()
    plain, some = ESZSL().fit(X, y, S), [3, 0, 1]
    # Beside names of an index, labels may be rows; part of the default one keeps its numbers.
    assert ESZSL().fit(X, y, frame(S, index=list("abcde"))).predict(X).dtype == np.int64
    found = ESZSL().fit(X, y, frame(S)).predict(X, frame(S).iloc[some])
    np.testing.assert_array_equal(found, np.array(some)[plain.predict(X, S[some])])
    with pytest.raises(TypeError, match="must hold integers"):
        ESZSL().fit(X, y.astype(float), frame(S, index=[7, 0, 30, 1, 4]))


def test_columns_of_class_embeddings_are_in_the_order_of_fit(frame):
    X, y, S = training_data()
    for columns, unnamed in ((["sweet", "round"], None), ([0, 1], [0, 1])):
        named = frame(S, columns=columns)
        model = ESZSL().fit(X, y, named)
        expected = model.predict(X)
        for same in (named, S, frame(S)):
            np.testing.assert_array_equal(model.predict(X, same), expected)
        message = f"column 0 of class_embeddings is '{columns[1]}', where fit has '{columns[0]}'"
        turned = named[columns[::-1]]
        for use, *inputs in ((model.predict, X), (model.score, X, y)):
            with pytest.raises(ValueError, match=message):
                use(*inputs, turned)
        if unnamed is None:
            with pytest.raises(ValueError, match="column 1 of class_embeddings is 'red'"):
                model.predict(X, frame(S, columns=["sweet", "red"]))


def test_other_vectors_of_fit_have_the_same_columns(frame):
    X, y, S = training_data()
    named = frame(S, columns=["sweet", "round"])
    turned = named[["round", "sweet"]]
    for model, more in (
        (MetricLearner(), {"image_attributes": turned.iloc[y]}),
        (FeatureGenerator(), {"unseen_embeddings": turned}),
    ):
        message = f"column 0 of {next(iter(more))} is 'round', where class_embeddings has"
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, named, **more)


def test_the_scorer_of_searches_looks_at_columns(frame):
    X, y, S = training_data()
    images = frame(X, columns=list("abc"))
    model = ESZSL().fit(images, y, S)
    assert zero_shot_scorer(model, images, y) == zero_shot_scorer(ESZSL().fit(X, y, S), X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        zero_shot_scorer(model, images[list("cba")], y)


def test_weights_of_samples(frame):
    X, y, S = training_data()
    model = ESZSL().fit(X, y, S)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    right = model.predict(X) == y
    expected = np.mean([np.average(right[y == c], weights=weight[y == c]) for c in (1, 2, 4)])
    assert model.score(X, y, sample_weight=weight) == pytest.approx(expected)
    assert model.score(X, y, S, sample_weight=np.ones(len(y))) == pytest.approx(model.score(X, y))
    # A class without weight does not count.
    alone = model.score(X[y != 1], y[y != 1])
    assert model.score(X, y, sample_weight=(y != 1).tolist()) == pytest.approx(alone)
    for wrong in (weight[1:], -weight, 0 * weight, np.inf * weight):
        with pytest.raises(ValueError, match="sample_weight must have a finite weight"):
            model.score(X, y, sample_weight=wrong)
    names = [f"image {i}" for i in range(len(y))]
    turned = frame(weight, index=names)[0][::-1]
    with pytest.raises(ValueError, match="row 0 of sample_weight is 'image"):
        model.score(frame(X, index=names), y, sample_weight=turned)


def many():
    rng = np.random.default_rng(0)
    S = rng.standard_normal((6, 4))
    y = np.repeat(np.arange(6), 10)
    return S[y] @ rng.standard_normal((4, 8)) + 0.5 * rng.standard_normal((60, 8)), y, S


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_in_a_search(routing):
    X, y, S = many()
    pipeline = make_pipeline(StandardScaler(), ESZSL())
    grid = {"eszsl__feature_penalty": [0.1, 10.0]}
    passed = {"class_embeddings" if routing else "eszsl__class_embeddings": S}
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y, **passed)
        first = search.best_estimator_
        Z = first[0].transform(X)
        assert search.score(X, y) == first.score(X, y) == first[-1].score(Z, y)
        some = first.predict(X, class_embeddings=S[[4, 0]])
    np.testing.assert_array_equal(some, first[-1].predict(Z, S[[4, 0]]))


def test_the_zero_shot_scorer_takes_a_pipeline_or_a_search():
    X, y, S = many()
    pipeline = make_pipeline(StandardScaler(), make_pipeline(ESZSL()))
    grid = {"pipeline__eszsl__feature_penalty": [0.1, 10.0]}
    folds = GroupShuffleSplit(2, test_size=3, random_state=0)
    search = GridSearchCV(pipeline, grid, cv=folds, scoring=zero_shot_scorer, error_score="raise")
    search.fit(X, y, groups=y, pipeline__eszsl__class_embeddings=S)
    train, test = next(folds.split(X, groups=y))
    scaler = StandardScaler().fit(X[train])
    model = ESZSL(0.1).fit(scaler.transform(X[train]), y[train], S)
    expected = zero_shot_scorer(model, scaler.transform(X[test]), y[test])
    assert search.cv_results_["split0_test_score"][0] == expected
    fitted = search.best_estimator_
    expected = zero_shot_scorer(fitted[-1][-1], fitted[0].transform(X), y)
    assert zero_shot_scorer(search, X, y) == zero_shot_scorer(fitted, X, y) == expected
    with pytest.raises(NotFittedError):
        zero_shot_scorer(make_pipeline(ESZSL()), X, y)
    with pytest.raises(TypeError, match=r"takes a scorer of .*, or a pipeline"):
        zero_shot_scorer(LogisticRegression(), X, y)
