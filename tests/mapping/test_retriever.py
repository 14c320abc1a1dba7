"""From vectors to words: `Retriever`, against the search that it puts together by hand."""

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from zslib.arrays import unit_rows as unit
from zslib.datasets import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.words.vectors import WordVectors
from zslib.mapping import CentredMap, MultiStepMap, Retriever, RidgeMap, transform_targets
from zslib.search import top_k
from zslib.search.corrections import CSLS, InvertedSoftmax
from zslib.search.prepared import PreparedTargets

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((40, 6)), rng.standard_normal((40, 4))
TARGETS = np.vstack([Y, rng.standard_normal((30, 4))])
NAMES = [f"it{row}" for row in range(70)]
WORDS = [f"en{row}" for row in range(40)]
REVERSE = RidgeMap(direction="reverse")
MODELS = [
    (RidgeMap(), None),
    (REVERSE, lambda fitted: TARGETS @ fitted.target_coef_),
    (CentredMap(), lambda fitted: fitted.transform_targets(TARGETS)),
    (make_pipeline(Normalizer(), REVERSE), lambda fitted: TARGETS @ fitted[1].target_coef_),
    (
        make_pipeline(StandardScaler(), MultiStepMap(), Normalizer()),
        lambda fitted: unit(TARGETS @ fitted[1].target_coef_),
    ),
    (make_pipeline(StandardScaler(), Ridge()), None),
    (GridSearchCV(make_pipeline(StandardScaler(), RidgeMap()), {"ridgemap__alpha": [1, 9]}), None),
    (make_pipeline(GridSearchCV(StandardScaler(), {}, scoring=lambda *_: 0.0), RidgeMap()), None),
]


@pytest.mark.parametrize(("model", "moves"), MODELS)
def test_targets_move_with_what_is_inside(model, moves):
    fitted = clone(model).fit(X, Y)
    moved = transform_targets(fitted, TARGETS)
    np.testing.assert_allclose(moved, TARGETS if moves is None else moves(fitted))
    retriever = Retriever(model).fit(X, Y, targets=TARGETS, target_names=NAMES)
    mapped = fitted.transform(X) if hasattr(fitted, "transform") else fitted.predict(X)
    for found, expected in zip(retriever.kneighbors(X, 3), top_k(mapped, moved, 3), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    first = top_k(mapped, moved, 1)[1][:, 0]
    assert retriever.predict(X).tolist() == [NAMES[row] for row in first]


SEARCHES = [
    (metric, correction)
    for metric in ("cosine", "dot", "euclidean")
    for correction in (CSLS(k=3), "csls", None, InvertedSoftmax())
]


def test_is_the_search_put_together(backend):
    for metric, correction in backend.some(SEARCHES):
        check_search(backend, metric, correction)


def check_search(backend, metric, correction):
    x, y, targets = (backend.asarray(a.astype("f4")) for a in (X, Y, TARGETS))
    retriever = Retriever(REVERSE, metric=metric, correction=correction)
    retriever.fit(x, y, targets=targets, target_names=NAMES, sources=x, source_names=WORDS)
    fitted = clone(REVERSE).fit(x, y)
    mapped, moved = fitted.transform(x), fitted.transform_targets(targets)
    kept = CSLS() if correction == "csls" else correction and clone(correction)
    if kept is not None:
        kept.set_params(reference=mapped)
    expected = top_k(mapped, moved, 4, metric=metric, correction=kept)
    scores, indices = (backend.to_numpy(a) for a in expected)
    found = retriever.kneighbors(x, 4)
    backend.assert_equal(found[1], indices)
    backend.assert_allclose(found[0], scores, rtol=1e-4, atol=1e-5)
    again = pickle.loads(pickle.dumps(retriever)) if backend.name == "numpy" else retriever
    for row in (0, 7):
        one = again.kneighbors(x[row : row + 1, :], 4)
        backend.assert_equal(one[1], indices[row : row + 1])
        backend.assert_allclose(one[0], scores[row : row + 1], rtol=1e-4, atol=1e-5)
    pairs = again.translate("en7", k=4)
    assert names_of([pairs]) == [[NAMES[i] for i in indices[7]]]
    np.testing.assert_allclose([s for _, s in pairs], scores[7], rtol=1e-4, atol=1e-5)
    both = again.translate(np.array(["en7", "en0"]), k=1)
    assert names_of(both) == [[NAMES[i]] for i in indices[[7, 0], 0]]
    assert again.nearest(x, 4)[7][0][0] == pairs[0][0]
    assert not hasattr(clone(retriever), "targets_")


def names_of(answers):
    return [[name for name, _ in row] for row in answers]


def test_what_has_vectors_and_names(frame):
    vectors = TARGETS.astype("f4")
    expected = Retriever().fit(targets=vectors, target_names=NAMES).nearest(Y[:3].astype("f4"), 5)
    keyed = SimpleNamespace(index_to_key=NAMES, vectors=vectors)
    for given in (
        WordVectors(np.array(NAMES), vectors),
        keyed,  # as gensim's KeyedVectors
        SimpleNamespace(wv=keyed),
        dict(zip(NAMES, vectors, strict=True)),
        (NAMES, vectors),
        *(frame(vectors.astype(dtype), index=NAMES) for dtype in ("f4", "f8")),
    ):
        retriever = Retriever().fit(targets=given, sources=given)
        found = retriever.nearest(Y[:3].astype("f4").tolist(), 5)
        assert names_of(found) == names_of(expected)
        assert retriever.translate("it5", k=1)[0][0] == "it5"
    assert Retriever().fit(targets=vectors).predict(vectors[4:6]).tolist() == [4, 5]
    assert Retriever().fit(targets=keyed, target_names=WORDS + NAMES[:30]).predict(Y[:1]) == "en0"


def test_a_map_into_memory_stays(tmp_path):
    np.save(tmp_path / "targets.npy", TARGETS.astype("f4"))
    targets = np.load(tmp_path / "targets.npy", mmap_mode="r")
    retriever = Retriever(RidgeMap(), correction=CSLS(3))
    retriever.fit(X.astype("f4"), Y.astype("f4"), targets=targets)
    assert isinstance(retriever.targets_.targets, np.memmap)
    again = pickle.loads(pickle.dumps(retriever))
    np.testing.assert_array_equal(again.kneighbors(X[:3])[1], retriever.kneighbors(X[:3])[1])


def test_a_problem():
    problem = synthetic_crosslingual(n_train=60, n_test=20, n_targets=200, dimension=20)
    retriever = Retriever(RidgeMap(), correction=CSLS(5)).fit_problem(problem)
    mapped = RidgeMap().fit(problem.X_train, problem.Y_train).transform(problem.X_test)
    for word, answer in zip(problem.test_words, retriever.nearest(problem.X_test), strict=True):
        assert dict(retriever.translate(word)) == pytest.approx(dict(answer), rel=1e-4)
    plain = Retriever(RidgeMap()).fit_problem(problem)
    first = top_k(mapped, problem.targets, 1)[1][:, 0]
    np.testing.assert_array_equal(plain.predict(problem.X_test), problem.target_words[first])
    # Words of a file, whose vectors have lengths of their own, where the problem's have length 1.
    X_train, X_test = unit(problem.X_train), unit(problem.X_test)
    of_one = replace(problem, X_train=X_train, X_test=X_test)
    model = Retriever(RidgeMap(fit_intercept=True))
    expected = model.fit_problem(of_one).nearest(X_test)
    words = {"zero": 0 * X_test[0], **dict(zip(problem.test_words, 7 * X_test, strict=True))}
    found = model.fit_problem(of_one, sources=words).translate(problem.test_words)
    assert names_of(found) == names_of(expected)
    model = Retriever(RidgeMap(), metric="euclidean", correction=CSLS(5))
    of_one = replace(of_one, targets=unit(problem.targets))
    expected = model.fit_problem(of_one, reference=X_train).nearest(X_test)
    longer = {"reference": 3 * X_train, "targets": (problem.target_words, 5 * of_one.targets)}
    found = model.fit_problem(of_one, **longer).nearest(X_test)
    assert names_of(found) == names_of(expected)
    images = synthetic_crossmodal(n_targets=300, n_labels=40, test_images=40)
    assert Retriever(RidgeMap()).fit_problem(images).source_names_ is None


def fitted(**options):
    return Retriever(RidgeMap()).fit(X, Y, sources=dict(zip(WORDS, X, strict=True)), **options)


def named(word):
    return Retriever().fit(targets=Y, sources={word: Y[0]})


def with_source(vector, correction=None):
    sources = {**dict(zip(WORDS, X, strict=True)), "odd": vector}
    return Retriever(RidgeMap(), correction=correction).fit(X, Y, sources=sources)


NOT_REFITTED = GridSearchCV(RidgeMap(), {}, refit=False)
REFUSALS = [
    (lambda: fitted().translate("en401"), r"lack 1 of the words \('en401'\); near .*'en40?1?'"),
    (lambda: fitted().translate(["En3", "en3"]), "near 'En3': 'en3' .other case"),
    (lambda: named("e\u0301t\u0301").translate("ét\u0301"), "near .* composed accents"),
    (lambda: named("en").translate(" en "), "near ' en ': 'en' .other case, blanks"),
    (lambda: named("5").translate([5]), r"near '5': '5' \(pass words as str\)"),
    (lambda: named("en").translate([["en"]]), "it has a list within: pass", TypeError),
    (lambda: fitted().translate("zzz"), r"\('zzz'\): retriever.source_names_ has the 40"),
    (lambda: Retriever().fit(targets=Y).translate("en1"), "there are none with names"),
    (lambda: fitted().translate({"en1"}), "sequence of str, got set", TypeError),
    (lambda: fitted().translate(b"en1"), "sequence of str, got bytes", TypeError),
    (lambda: fitted().translate(None), "sequence of str, got NoneType", TypeError),
    (lambda: with_source(0 * X[0]).translate(["en1", "odd"]), "'odd' in sources is zero or not"),
    (lambda: Retriever(RidgeMap()).fit(X, Y, sources={"odd": X[0] * np.nan}), "'odd' in sources"),
    (lambda: with_source(X[0] * np.nan).translate("odd"), "'odd' in sources is zero or not"),
    (lambda: with_source(X[0] * np.nan, "csls"), "'odd' in sources is zero or not"),
    (lambda: Retriever().fit(targets="it.vec"), "targets is a str: read a file", TypeError),
    (lambda: Retriever().fit(), "targets is missing"),
    (lambda: Retriever(RidgeMap()).fit(X), "X and Y go together"),
    (lambda: Retriever().fit(X, Y), r"no map to learn: pass mapping=RidgeMap\(\)"),
    (lambda: Retriever().fit(targets=Y, target_names=NAMES), "40 vectors and 70 names"),
    (lambda: Retriever().fit(targets=Y, source_names=WORDS), "without vectors: give sources"),
    (lambda: Retriever().fit(targets=Y, target_names=[None, *WORDS[1:]]), "name of row 0 of targ"),
    (lambda: Retriever().fit(targets=Y, sources=Y, source_names=["a"] * 40), "'a' twice, in rows"),
    (lambda: Retriever().fit(targets=Y, sources=X, source_names=WORDS), "must lie in the same"),
    (lambda: Retriever().fit(targets=Y, reference=Y), "reference is given and there is no corr"),
    (
        lambda: Retriever(correction=CSLS(reference=Y)).fit(targets=Y, reference=Y),
        "reference is given and correction has its own: leave one of the two out",
    ),
    (lambda: Retriever(correction="csls").fit(targets=Y), r"CSLS rests on .*reference=\.\.\."),
    (lambda: Retriever(correction=CSLS().fit(Y, Y)).fit(targets=TARGETS), "fitted on other tar"),
    (lambda: Retriever(RidgeMap(), correction=CSLS(99)).fit(X, Y), "CSLS.k must be between 1 and"),
    (lambda: Retriever(correction=CSLS(99)).fit(targets=Y, sources=Y), "CSLS.k must be between"),
    (lambda: Retriever(RidgeMap(), correction=CSLS()).fit(X, Y, reference=Y * np.nan), "NaN"),
    (lambda: Retriever(metric="cos").fit(targets=Y), "metric must be one of"),
    (lambda: Retriever().fit(targets=Y * np.nan), "targets holds NaN"),
    (lambda: fitted().kneighbors(["en1"]), "must be vectors: for words see translate", TypeError),
    (lambda: fitted().kneighbors(X[:, :2]), "X has 2 features"),
    (lambda: fitted().kneighbors(X, 99), "k must be between 1 and 40"),
    (lambda: Retriever().kneighbors(X), "not fitted", NotFittedError),
    (lambda: Retriever(RidgeMap()).fit(targets=Y), "not fitted", NotFittedError),
    (lambda: transform_targets(make_pipeline(RidgeMap()), Y), "not fitted", NotFittedError),
    (lambda: transform_targets(NOT_REFITTED.fit(X, Y), Y), "pass refit=True"),
]


def test_refusals(refusal):
    refusal()


def test_columns_of_frames_are_compared(frame):
    names = list("abcd")
    targets, answers = frame(TARGETS, index=NAMES, columns=names), frame(Y, columns=names)
    turned, mapper = answers[names[::-1]], RidgeMap().fit(X, answers)
    with pytest.raises(ValueError, match="column 0 of queries is 'd'"):
        Retriever().fit(targets=targets).predict(turned)
    with pytest.raises(ValueError, match="column 0 of queries is 'd'"):
        Retriever().fit(targets=targets, sources=turned)
    with pytest.raises(ValueError, match="column 0 of Y is 'd'"):
        Retriever(mapper).fit(targets=targets[names[::-1]])
    retriever = Retriever(RidgeMap().fit(frame(X), Y)).fit(targets=TARGETS)
    with pytest.raises(ValueError, match="column 0 of X is '5', where fit has '0'"):
        retriever.predict(frame(X).iloc[:, ::-1])


def test_frames_on_both_sides(frame):
    pairs = frame(X, index=WORDS, columns=list("abcdef")), frame(Y, columns=list("wxyz"))
    targets = frame(TARGETS, index=NAMES, columns=list("wxyz"))
    found = Retriever(REVERSE, correction=CSLS(3)).fit(*pairs, targets=targets, sources=pairs[0])
    plain = Retriever(REVERSE, correction=CSLS(3)).fit(X, Y, targets=TARGETS, reference=X)
    scores, indices = plain.kneighbors(X[5:6], 3)
    expected = list(zip([NAMES[row] for row in indices[0]], scores[0].tolist(), strict=True))
    assert found.translate("en5", k=3) == expected
    assert found.nearest(pairs[0][5:6], 3) == [expected]


def test_a_fitted_correction_is_taken_as_it_is():
    targets = PreparedTargets(TARGETS)
    kept = CSLS(3).fit(Y, TARGETS)
    retriever = Retriever(correction=kept).fit(targets=TARGETS)
    assert retriever.correction_ is kept
    expected = top_k(Y[:1], targets, 3, correction=kept)
    for found, wanted in zip(retriever.kneighbors(Y[:1], 3), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
