"""Input checks, scores and accuracy of all scorers."""

import pickle
from functools import partial

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
    CNZSL,
    ESZSL,
    SAE,
    BiDiLEL,
    BilinearModel,
    ConSE,
    FeatureGenerator,
    MetricLearner,
    Scaled,
    zero_shot_scorer,
)
from zslib.compatibility.base import check_fit_input, cosines

rng = np.random.default_rng(0)
X, S = rng.standard_normal((9, 3)), rng.standard_normal((5, 2))
y = np.array([4, 1, 4, 1, 1, 2, 2, 4, 4])
X.flags.writeable = S.flags.writeable = y.flags.writeable = False
STRICT_X, STRICT_S = map(array_api_strict.asarray, (X, S))
NAMES = np.array(["owl", "ant", "cat", "dog", "bat"])
VECTORS = dict(zip(NAMES, S, strict=True))
FITTED = ESZSL().fit(X, y, S)
ROW_2 = np.arange(9)[:, None] == 2


class Fixed(BilinearModel):
    """Learns the matrix that it is given."""

    def __init__(self, coef):
        self.coef = coef

    def _fit(self, X, codes, embeddings):
        self.coef_ = self.coef


def vectors_with(**changes):
    return {name: vector for name, vector in (VECTORS | changes).items() if vector is not None}


REFUSALS = {
    ESZSL().fit: [
        ((X, np.full(9, 3), S), r"one class only \(3\).* at least two"),
        ((X, y + 1, S), r"every label needs an embedding.* \[0, 5\)"),
        ((X, y - 2, S), "every label needs an embedding.* -1 to 2"),
        ((X, y.astype(float), S), "y .* must hold integers", TypeError),
        ((X, y[:-1], S), r"y has shape \(8,\): give one for each of the 9 rows of X"),
        ((X, y[:, None], S), r"y has shape \(9, 1\): give one for each"),
        ((np.where(ROW_2, np.nan, X), y, S), "X holds NaN .* row 2"),
        ((X, y, np.where(ROW_2[:5], np.inf, S)), "class_embeddings holds NaN .* row 2"),
        ((0 * X + 3.0, y, S), "all rows of X are the same"),
        ((X, y, np.tile(S[:1], (5, 1))), "same row for all classes in y"),
        ((X[0], y, S), "X must be a 2-d array"),
        ((X[:0], y[:0], S), "X is empty"),
        ((X, y, S[:0]), "class_embeddings is empty"),
        ((X, y, STRICT_S), "arrays of one library", TypeError),
        ((sparse.csr_array(X), y, S), r"X is sparse.*toarray\(\)", TypeError),
        ((np.ma.masked_less(X, 0), y, S), "X has masked entries"),
        ((X, list("babaabbcc"), S), "y holds names of classes", TypeError),
        ((X, NAMES[y], {}), "class_embeddings is empty"),
        ((X, NAMES[y], vectors_with(cat=S[0, :1])), r"\['cat'\] has shape \(1,\): give each"),
        ((X, NAMES[y], vectors_with(owl=S[:1])), r"class_embeddings\['owl'\] has shape \(1, 2\)"),
        ((X, NAMES[y], vectors_with(ant=None)), "y has 'ant', which"),
        ((X, NAMES[y], vectors_with(cat=S[0] * np.nan)), "class_embeddings holds NaN .* row 2"),
    ],
    FITTED.predict: [
        ((X[:, :2], S), "X has 2 features, but ESZSL is expecting 3"),
        ((X, S[:, :1]), "class_embeddings has 1 columns and what fit"),
        ((np.full((1, 3), np.nan), S), "X holds NaN"),
        ((X, np.full((1, 2), np.inf)), "class_embeddings holds NaN or infinity"),
        ((STRICT_X, S), "arrays of one library", TypeError),
        ((STRICT_X, None), "arrays of one library", TypeError),
    ],
    FITTED.score: [((X, y, S[:3]), "every label needs an embedding")],
    partial(zero_shot_scorer, FITTED): [
        ((X, y[:3]), "y .*: give one for each of the"),
        ((X[y == 1], y[y == 1]), "y has one class alone, which has no rival"),
    ],
}


def test_bad_input(refusal):
    refusal()


def test_training_sees_the_classes_that_occur(backend):
    inputs = map(backend.asarray, (X, y.astype("int32"), S))
    classes, codes, embeddings = map(backend.to_numpy, check_fit_input(*inputs))
    np.testing.assert_array_equal(classes, [1, 2, 4])
    assert classes.dtype == codes.dtype == np.int64
    np.testing.assert_array_equal(classes[codes], y)
    np.testing.assert_array_equal(embeddings, S[[1, 2, 4]])


def test_one_constant_feature_is_no_harm():
    assert np.all(np.isfinite(ESZSL().fit(X * [1, 0, 1] + 7.0, y, S).coef_))


@pytest.mark.parametrize(("n", "c"), [(9, 2), (1, 40), (40, 3)])
def test_bilinear_scores(backend, n, c):
    rng = np.random.default_rng(1)
    coef = rng.standard_normal((3, 2))
    model = Fixed(backend.asarray(coef)).fit(*map(backend.asarray, (X, y, S)))
    queries, candidates = rng.standard_normal((n, 3)), rng.standard_normal((c, 2))
    given = backend.asarray(queries), backend.asarray(candidates)
    expected = [[x @ coef @ s for s in candidates] for x in queries]
    backend.assert_allclose(model.decision_function(*given), expected, rtol=1e-12, atol=1e-13)
    predicted = model.predict(*given)
    backend.assert_equal(predicted, np.argmax(expected, axis=1))
    assert backend.to_numpy(predicted).dtype == np.int64


def test_of_equal_scores_the_first_class_wins():
    model = Fixed(np.ones((3, 2))).fit(X, y, S)
    np.testing.assert_array_equal(model.predict(X, np.ones((4, 2))), 0)


def test_score_is_the_mean_over_classes(backend):
    images, labels, classes = map(backend.asarray, (X, y, S))
    model = ESZSL().fit(images, labels, classes)
    scores = backend.to_numpy(model.decision_function(images, classes))
    expected = np.mean([np.mean(scores[y == c].argmax(axis=1) == c) for c in (1, 2, 4)])
    assert model.score(images, labels, classes) == pytest.approx(expected)
    assert model.score(images, labels) == pytest.approx(expected)
    # Only the classes 1 and 2 compete.
    some = np.flatnonzero(y != 4)
    best = 1 + scores[some][:, 1:3].argmax(axis=1)
    expected = np.mean([np.mean(best[y[some] == c] == c) for c in (1, 2)])
    got = zero_shot_scorer(model, backend.asarray(X[some]), backend.asarray(y[some]))
    assert got == pytest.approx(expected)


def test_a_failed_fit_leaves_no_model():
    model = ESZSL().fit(X, y, S).set_params(feature_penalty=-1.0)
    with pytest.raises(ValueError, match="feature_penalty"):
        model.fit(X, y, S)
    with pytest.raises(NotFittedError):
        model.predict(X, S)


def test_rows_in_another_order_are_refused(frame):
    images, labels = frame(X, index=list("abcdefghi")), frame(y, index=list("abcdefghi"))[0]
    model = ESZSL().fit(images, labels, S)
    np.testing.assert_array_equal(model.coef_, FITTED.coef_)
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
    whole, classes = (10 * X).round(), (10 * S).round()
    plain = ESZSL().fit(whole, y, classes)
    expected = plain.decision_function(whole)
    for A, labels, B in [
        (whole.astype(int), y.astype("int8"), classes.astype(int)),
        (whole.tolist(), y.tolist(), classes.tolist()),
        (frame(whole), y, frame(classes)),
        (whole, y, classes.astype("float32")),
    ]:
        model = ESZSL().fit(A, labels, B)
        np.testing.assert_allclose(model.decision_function(A, B), expected, rtol=1e-9)
        assert model.score(A, labels, B) == plain.score(whole, y)
        assert zero_shot_scorer(model, A, labels) == zero_shot_scorer(plain, whole, y)
        np.testing.assert_array_equal(model.predict(A), expected.argmax(axis=1))
    half = whole.astype("float16")
    assert ESZSL().fit(half, y, classes).decision_function(half).dtype == np.float32


@pytest.mark.parametrize("names", [NAMES.astype(object), np.array([7, 0, 30, 1, 4])])
def test_classes_may_be_named(frame, names):
    named, some = frame(S, index=names), [3, 0, 1]
    model = ESZSL().fit(X, names[y], named)
    np.testing.assert_array_equal(model.classes_, FITTED.classes_)
    np.testing.assert_array_equal(model.predict(X), names[FITTED.predict(X)])
    found = model.predict(X, frame(S[some], index=names[some]))
    np.testing.assert_array_equal(found, names[some][FITTED.predict(X, S[some])])
    assert model.predict(X, S[some]).dtype == np.int64
    right = FITTED.score(X, y)
    assert model.score(X, names[y]) == model.score(X, list(names[y]), named) == right
    assert zero_shot_scorer(model, X, names[y]) == zero_shot_scorer(FITTED, X, y)
    wrong = np.where(names[y] == names[1], "yak" if names.dtype == object else 2, names[y])
    with pytest.raises(ValueError, match=r"y has '(yak|2)', which the index .* lacks"):
        ESZSL().fit(X, wrong, named)
    with pytest.raises(ValueError, match="two rows of one name"):
        ESZSL().fit(X, names[y], frame(S, index=names[[0] * 5]))


def test_a_dict_names_classes_and_candidates(backend, frame):
    vectors = {name: backend.asarray(s) for name, s in VECTORS.items()}
    images, expected = backend.asarray(X), NAMES[FITTED.predict(X)]
    model = ESZSL().fit(images, NAMES[y], vectors)
    np.testing.assert_array_equal(model.predict(images), expected)
    assert set(model.class_names_[backend.to_numpy(model.classes_)]) == {"ant", "cat", "bat"}
    assert model.score(images, NAMES[y], vectors) == model.score(images, NAMES[y])
    # Names as bytes are those that they spell.
    spelt = {name.encode(): vector for name, vector in vectors.items()}
    for labels, classes in ((NAMES[y].astype(bytes), vectors), (NAMES[y], spelt)):
        found = ESZSL().fit(images, labels, classes).predict(images)
        np.testing.assert_array_equal(found, expected)
    numbers = {10 + c: s for c, s in enumerate(S)}
    found = ESZSL().fit(X, 10 + y, numbers).predict(X)
    np.testing.assert_array_equal(found, 10 + FITTED.predict(X))
    # Candidates with names have them in the answer, whatever the labels were.
    some = [3, 0]
    expected = NAMES[some][FITTED.predict(X, S[some])]
    others = {name: VECTORS[name] for name in NAMES[some]}
    for found in (
        model.predict(images, {name: vectors[name] for name in others}),
        FITTED.predict(X, others),
        FITTED.predict(X, frame(S[some], index=NAMES[some])),
    ):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("k", [None, 2])
def test_the_best_classes_are_those_of_sorted_scores(backend, k):
    vectors = {name: backend.asarray(s) for name, s in VECTORS.items()}
    images, scores = backend.asarray(X), FITTED.decision_function(X)
    model = ESZSL().fit(images, NAMES[y], vectors)
    order = np.argsort(-scores, axis=1)[:, :k]
    for given in ((), (vectors,)):
        best, values = model.top_classes(images, k, *given)
        np.testing.assert_array_equal(best, NAMES[order])
        expected = np.take_along_axis(scores, order, axis=1)
        backend.assert_allclose(values, expected, rtol=1e-9)


def test_other_vectors_of_fit_go_with_a_dict():
    vectors = dict(enumerate(S))
    learner = MetricLearner(n_epochs=1, random_state=0)
    plain = clone(learner).fit(X, y, S, S[y]).coef_
    np.testing.assert_array_equal(learner.fit(X, y, vectors, S[y]).coef_, plain)
    FeatureGenerator(n_steps=1, n_hidden=2).fit(X, y, vectors, S[:1])


def test_what_linear_algebra_cannot_do_names_the_argument():
    lengths = np.float32(1e9) ** np.arange(5)[:, None] / np.float32(1e18)
    message = "Singular matrix.: largest entries of the rows of X from .*, of class_embeddings fr"
    with pytest.raises(ValueError, match=message):
        ESZSL(1e-12, 1e-12).fit(X.astype("float32"), y, S.astype("float32") * lengths)
    for model in (BiDiLEL(), ESZSL(), SAE()):
        with pytest.raises(ValueError, match="give smaller features"):
            model.fit(X * 1e200, y, S)


def test_scores_out_of_range_are_refused(problem32):
    model = ESZSL().fit(problem32.X, problem32.y, problem32.S)
    with pytest.raises(ValueError, match="scores left the range of float32: bring rows"):
        model.predict(problem32.X * np.float32(1e37), 1e10 * problem32.S)


def test_numbers_of_an_index(frame):
    some = [3, 0, 1]
    # Beside names of an index, labels may be rows; part of the default one keeps its numbers.
    assert ESZSL().fit(X, y, frame(S, index=list("abcde"))).predict(X).dtype == np.int64
    found = ESZSL().fit(X, y, frame(S)).predict(X, frame(S).iloc[some])
    np.testing.assert_array_equal(found, np.array(some)[FITTED.predict(X, S[some])])
    with pytest.raises(TypeError, match="must hold integers"):
        ESZSL().fit(X, y.astype(float), frame(S, index=[7, 0, 30, 1, 4]))


@pytest.mark.parametrize("columns", [["sweet", "round"], [0, 1]])
def test_columns_of_class_embeddings_are_in_the_order_of_fit(frame, columns):
    named = frame(S, columns=columns)
    model = ESZSL().fit(X, y, named)
    for same in (named, S, frame(S)):
        np.testing.assert_array_equal(model.predict(X, same), FITTED.predict(X))
    message = f"column 0 of class_embeddings is '{columns[1]}', where fit has '{columns[0]}'"
    for use, *inputs in ((model.predict, X), (model.score, X, y)):
        with pytest.raises(ValueError, match=message):
            use(*inputs, named[columns[::-1]])
    if columns[0] == "sweet":
        with pytest.raises(ValueError, match="column 1 of class_embeddings is 'red'"):
            model.predict(X, frame(S, columns=["sweet", "red"]))


def test_series_of_class_embeddings_are_in_one_order(frame):
    rows = dict(
        zip(NAMES, (row for _, row in frame(S, columns=["a", "b"]).iterrows()), strict=True)
    )
    np.testing.assert_array_equal(
        ESZSL().fit(X, NAMES[y], rows).predict(X), NAMES[FITTED.predict(X)]
    )
    turned = {name: row[::-1] for name, row in rows.items()}
    for fitted, asked in ((rows, turned), (rows, frame(S, columns=["b", "a"], index=NAMES))):
        with pytest.raises(ValueError, match="column 0 of class_embeddings is 'b'"):
            ESZSL().fit(X, NAMES[y], fitted).predict(X, asked)
    rows[NAMES[3]] = rows[NAMES[3]][::-1]
    with pytest.raises(ValueError, match=r"class_embeddings\['.*'\] names its entries otherwise"):
        ESZSL().fit(X, NAMES[y], rows)


def test_other_vectors_of_fit_have_the_same_columns(frame):
    named = frame(S, columns=["sweet", "round"])
    turned = named[["round", "sweet"]]
    for model, name, vectors in (
        (MetricLearner(), "image_attributes", turned.iloc[y]),
        (FeatureGenerator(), "unseen_embeddings", turned),
        (Scaled(MetricLearner()), "image_attributes", turned.iloc[y]),
        (Scaled(FeatureGenerator()), "unseen_embeddings", turned),
    ):
        message = f"column 0 of {name} is 'round', where class_embeddings has"
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, named, **{name: vectors})


def test_what_a_scaled_scorer_does_not_take_is_not_looked_at():
    model = Scaled(ESZSL()).fit(X, y, S, np.ones((3, 7)), np.ones((2, 9)))
    np.testing.assert_array_equal(model.predict(X), FITTED.predict(X))


@pytest.mark.parametrize("model", [MetricLearner(), Scaled(MetricLearner())], ids=repr)
def test_attributes_of_images_are_in_the_order_of_images(frame, model):
    names = [f"image {i}" for i in range(len(y))]
    own = frame(S[y], index=names)
    with pytest.raises(ValueError, match=f"row 0 of image_attributes is 'image {len(y) - 1}'"):
        model.fit(frame(X, index=names), y, S, image_attributes=own[::-1])


@pytest.mark.parametrize(
    "model, use",
    [
        (BiDiLEL(2), "place"),
        (CNZSL(4, random_state=0), "prototypes"),
        (FeatureGenerator(n_hidden=4, n_steps=2, random_state=0), "generate"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_made_of_class_embeddings_is_checked_as_in_predict(frame, model, use):
    whole = np.array([[1, 0], [0, 1], [1, 1], [2, 1], [1, 3]])
    named = frame(whole, columns=["sweet", "round"])
    options = {"random_state": 0} if use == "generate" else {}
    with pytest.raises(NotFittedError):
        getattr(clone(model), use)(whole)
    make = partial(getattr(model.fit(X, y, named), use), **options)
    expected = make(whole.astype(float))
    assert np.all(np.isfinite(expected))
    for same in (whole, whole.tolist(), named, dict(zip(NAMES, whole, strict=True))):
        np.testing.assert_array_equal(make(same), expected)
    for wrong, words in (
        (named[["round", "sweet"]], "column 0 of class_embeddings is 'round'"),
        (np.nan * whole, "class_embeddings holds NaN"),
        (whole[:, :1], "class_embeddings has 1 columns and what fit was given"),
    ):
        with pytest.raises(ValueError, match=words):
            make(wrong)


def test_the_scorer_of_searches_looks_at_columns(frame):
    images = frame(X, columns=list("abc"))
    model = ESZSL().fit(images, y, S)
    assert zero_shot_scorer(model, images, y) == zero_shot_scorer(FITTED, X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        zero_shot_scorer(model, images[list("cba")], y)


@pytest.mark.parametrize("columns", [[0, 1, 2], [7, 5, 9]])
def test_columns_of_images_that_are_numbers_are_in_the_order_of_fit(frame, columns):
    images = frame(X, columns=columns)
    model = pickle.loads(pickle.dumps(ESZSL().fit(images, y, S)))
    for same in (images, X, frame(X)):
        np.testing.assert_array_equal(model.predict(same), FITTED.predict(X))
    for use, *more in ((model.predict,), (model.score, y)):
        with pytest.raises(ValueError, match=f"column 0 of X is '{columns[2]}', where fit has"):
            use(images[columns[::-1]], *more)
    with pytest.raises(ValueError, match="X has 2 features, but ESZSL is expecting 3"):
        model.predict(images[columns[:2]])
    assert model.fit(X, y, S).predict(images[columns[::-1]]).shape == (9,)  # names of no fit


def test_weights_of_samples(frame):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    right = FITTED.predict(X) == y
    expected = np.mean([np.average(right[y == c], weights=weight[y == c]) for c in (1, 2, 4)])
    assert FITTED.score(X, y, sample_weight=weight) == pytest.approx(expected)
    # A class without weight does not count.
    alone = FITTED.score(X[y != 1], y[y != 1])
    assert FITTED.score(X, y, sample_weight=(y != 1).tolist()) == pytest.approx(alone)
    for wrong in (weight[1:], -weight, 0 * weight, np.inf * weight):
        with pytest.raises(ValueError, match="sample_weight must have a finite weight"):
            FITTED.score(X, y, sample_weight=wrong)
    names = [f"image {i}" for i in range(len(y))]
    turned = frame(weight, index=names)[0][::-1]
    with pytest.raises(ValueError, match="row 0 of sample_weight is 'image"):
        FITTED.score(frame(X, index=names), y, sample_weight=turned)


@pytest.fixture
def many():
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(6), 10)
    S = rng.standard_normal((6, 4))
    X = S[labels] @ rng.standard_normal((4, 8)) + 0.5 * rng.standard_normal((60, 8))
    return X, labels, S


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_in_a_search(routing, many):
    X, y, S = many
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


def test_the_zero_shot_scorer_takes_a_pipeline_or_a_search(many):
    X, y, S = many
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
