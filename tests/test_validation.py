"""Each check refuses what it should, and its message names the argument and the remedy."""

import math
import re

import numpy as np
import pandas
import pytest

from zslib import validation as v


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_row_that_is_not_finite_is_named(backend, bad):
    x = np.ones((4, 3))
    x[2, 1] = bad
    with pytest.raises(ValueError, match=r"targets holds NaN or infinity in 1 row\(s\), .* row 2"):
        v.check_vectors(backend.asarray(x), "targets")


def test_good_vectors_pass_unchanged_also_where_their_sum_overflows(backend):
    x = backend.asarray(np.full((2, 2), 3e38, dtype="float32"))
    assert v.check_vectors(x, "x") is x


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (np.ones(3), ValueError, r"2-d array .* shape \(3,\)\. Reshape your data"),
        (np.ones((2, 3), dtype="int64"), TypeError, "float32 or float64, got .*int64"),
        (np.ones((0, 3)), ValueError, "empty"),
        (np.ones((3, 0)), ValueError, r"0 feature\(s\)"),
        (np.array([[np.inf], [-np.inf]]), ValueError, "in 2 row"),  # whose sum is neither
    ],
)
def test_bad_vectors_are_refused(backend, array, error, message):
    with pytest.raises(error, match=message):
        v.check_vectors(backend.asarray(array), "x")


def test_vectors_are_converted(backend, frame):
    X = np.array([[0, 1], [2, 3]])
    for given, dtype in (("int8", "float64"), ("bool", "float64"), ("float32", "float32")):
        found = v.as_vectors(backend.asarray(X.astype(given)), "X")
        assert backend.to_numpy(found).dtype == dtype
        backend.assert_equal(found, X.astype(given))
    like = backend.asarray(np.ones(1, "float32"))
    assert backend.to_numpy(v.as_vectors(backend.asarray(X), "X", like=like)).dtype == "float32"
    assert v.as_vectors(X.astype("float16"), "X").dtype == np.float32
    for given in (X.tolist(), frame(X), X.astype(object)):
        found = v.as_vectors(given, "X")
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, X)
    unchanged = X.astype(float)
    assert v.as_vectors(unchanged, "X") is unchanged
    found = v.as_vectors(X.astype(">f4"), "X")
    assert (found.dtype, found.dtype.isnative) == (np.float32, True)


def test_numbers_of_other_types_are_converted():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    X = np.array([[0.5, 1.0]])
    assert v.as_vectors(X.astype(ml_dtypes.bfloat16), "X").tolist() == X.tolist()


NAMES, PLACES = ["a", "é"], [3, 1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (NAMES, NAMES),
        (np.array(NAMES, np.dtypes.StringDType()), NAMES),
        (np.array([b"a", "é".encode()]), NAMES),
        (np.array([b"a", "é"], object), NAMES),
        (pandas.Series(NAMES, dtype="string"), NAMES),
        (pandas.Categorical(NAMES, ["é", "b", "a"]), NAMES),
        (pandas.Series(PLACES, dtype="Int64"), PLACES),
        (np.array(PLACES, object), PLACES),
        (np.array(PLACES, "u1"), PLACES),
        ([], []),
    ],
)
def test_labels_of_every_type(given, expected):
    assert v.as_labels(given, "labels").tolist() == expected


def test_labels_of_arrays_stay_in_their_library(backend):
    given = backend.asarray(np.array([2, 0]))
    assert v.as_labels(given, "labels") is given


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        *[
            (["a", missing, "b"], ValueError, "labels has no label at 1 .* in row 1: leave")
            for missing in (None, np.nan, "", " ", pandas.NA, pandas.NaT, b"")
        ],
        (pandas.Series([1, 2, None], dtype="Int64"), ValueError, "the first in row 2"),
        (pandas.Series([1, 2, None]), ValueError, "the first in row 2"),
        (np.array(["a", np.nan]), ValueError, "the first in row 1"),
        (pandas.Categorical(["a", None]), ValueError, "the first in row 1"),
        (
            np.array(["a", None], np.dtypes.StringDType(na_object=None)),
            ValueError,
            "first in row 1",
        ),
        (["a", "b", 3], TypeError, r"or names alone, got object \(3 at 2\)"),
        ([1.0, 2.0], TypeError, r"got float64 \(1.0 at 0\): convert whole numbers by"),
        ([True, False], TypeError, r"got bool \(True at 0\)"),
        (np.array([b"\xe9"]), ValueError, "which is not UTF-8"),
    ],
)
def test_labels_that_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        v.as_labels(given, "labels")


@pytest.mark.parametrize("far", [1e300, -1e39, 1e-60])
def test_what_float32_does_not_hold(far):
    X = np.ones((3, 2))
    assert v.as_float32(X, "X").dtype == np.float32
    assert np.isnan(v.as_float32(X * np.nan, "X")).all()
    X[1] = 0, far
    with pytest.raises(ValueError, match=re.escape(f"X has {far:g} at row 1, beyond the range")):
        v.as_float32(X, "X")


def test_what_the_other_type_does_not_hold(backend):
    like = backend.asarray(np.ones((1, 1), "f4"))
    with pytest.raises(ValueError, match=r"X has numbers beyond the range of .*float32: divide"):
        v.as_vectors(backend.asarray(np.full((1, 1), 1e300)), "X", like=like)
    with pytest.raises(ValueError, match="X holds NaN"):
        v.as_vectors(backend.asarray(np.full((1, 1), np.inf)), "X", like=like)


def test_what_pandas_calls_missing_is_nan(frame):
    given = frame([[1.0, 2.0], [3.0, None], [None, None]]).astype("Float64")
    for some in (given, given.astype("Int64"), given.astype(object)):
        with pytest.raises(ValueError, match=r"X holds NaN .* in 2 row\(s\), the first at row 1"):
            v.as_vectors(some, "X")
    np.testing.assert_array_equal(v.as_vectors(given[:1], "X"), [[1.0, 2.0]])
    np.testing.assert_array_equal(np.isnan(v.as_vectors(given, "X", finite=False)), given.isna())


def test_an_underscore_makes_no_number():
    for given in (np.array([["1_0"]]), np.array([["1_0"]], object)):
        with pytest.raises(ValueError, match=r"X must hold numbers .no number has an underscore"):
            v.as_vectors(given, "X")


def test_names_of_rows(frame):
    for unnamed in (frame(np.eye(2)), np.eye(2), [[1.0]]):
        assert v.row_names(unnamed, "S") is None
    assert v.row_names(frame(np.eye(2), index=["a", "b"]), "S").tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"y has 'c', which S lacks \(2 such\): .*'a', 'b', or"):
        v.rows_of_names(np.array(["a", "c", "d"]), ["a", "b"], "y", "S")
    for known in ("Ému", " ému", "e\u0301mu"):
        with pytest.raises(ValueError, match=r"which S lacks .* differs in case, blanks or how"):
            v.rows_of_names(np.array(["ému"]), ["a", known], "y", "S")
    assert v.row_names(frame(np.eye(2), index=[3, 1]), "S", numbers=True).tolist() == [3, 1]
    for index, error in (([1.0, 2.0], TypeError), (["a", None], ValueError)):
        assert v.row_names(frame(np.eye(2), index=index), "S") is None
        with pytest.raises(error, match="the index of S "):  # y = 1 would be the second row
            v.row_names(frame(np.eye(2), index=index), "S", numbers=True)
    with pytest.raises(ValueError, match="two rows of one name"):
        v.row_names(frame(np.eye(2), index=[3, 3]), "S", numbers=True)


def test_columns_of_frames(frame):
    assert v.column_names(np.eye(2)) is None
    known = v.column_names(frame(np.eye(2), columns=["a", "b"]))
    assert known == ["a", "b"]
    for other in (frame(np.eye(2)), np.eye(3), frame(np.eye(3), columns=list("bac"))):
        v.check_columns(other, known, "S")
    for other in ("ba", "ac"):
        with pytest.raises(ValueError, match=r"of S is .*, where fit has .* by S\[names\]"):
            v.check_columns(frame(np.eye(2), columns=list(other)), known, "S")
    with pytest.raises(ValueError, match="column 0 of S is '1', where fit has '0'"):
        v.check_columns(frame(np.eye(2), columns=[1, 0]), [0, 1], "S")
    v.check_columns(frame(np.eye(2), columns=["a", "c"]), known, "S", others=True)
    with pytest.raises(ValueError, match="column 0 of S is 'b', where T has 'a'"):
        v.check_columns(frame(np.eye(2), columns=["b", "a"]), known, "S", "T", others=True)


def test_indices(backend):
    for given, error, words in (
        ([0, 3], ValueError, r"gold must lie in \[0, 3\), found 0 to 3"),
        ([0.0], TypeError, "gold must hold integers"),
        ([True, False], TypeError, "bool: of a mask give numpy.flatnonzero, of labels"),
        # What pandas gives for a column of Int64 where one is missing.
        ([0.0, 1.0, np.nan], ValueError, r"gold has no label at 1 .* first in row 2: leave"),
    ):
        with pytest.raises(error, match=words):
            v.check_indices(backend.asarray(np.array(given)), "gold", 3)
    assert v.check_indices(backend.asarray(np.array([0, 2])), "gold", 3) is not None


WIDE, NARROW = np.ones((2, 3)), np.ones((2, 3), "f4")
REFUSALS = [
    (lambda: v.check_pairs(WIDE, np.ones((3, 3))), "X has 2 rows and Y has 3"),
    (lambda: v.check_pairs(NARROW, WIDE), "X is float32 and Y is float64", TypeError),
    (lambda: v.check_same_width(WIDE, np.ones((2, 4)), "queries", "targets"), "same space"),
    *((lambda k=k: v.check_integer(k, "k", low=1, high=8), "k must be") for k in (0, 9)),
    (lambda: v.check_integer(1.0, "k", low=1, high=8), "k must be", TypeError),
    (lambda: v.check_integer(np.ones(9), "k", low=1), "k must be .*, got ndarray$", TypeError),
    (lambda: v.check_real(np.ones(9), "k", low=1), "k must be .*, got ndarray$", TypeError),
    *(
        (lambda x=x: v.check_real(x, "m", low=0, high=1, inclusive=False), "m must be")
        for x in (np.nan, np.inf, -1, 2, 0)
    ),
    (lambda: v.check_real("1", "margin"), "margin must be a number", TypeError),
    (lambda: v.check_choice("c", "metric", ("a", "b")), "must be one of 'a', 'b', got 'c'"),
    (lambda: v.check_disjoint(["a", "b"], ["b", "c"]), r"1 word\(s\) .*\(b\).* not zero-shot"),
    (lambda: v.check_learned(math.nan, "less"), "training left the range of numbers: less"),
    (lambda: v.check_learned(NARROW / 0, "less"), "training left the range of float32: less"),
    (lambda: v.check_ks(np.array(5.0)), r"k must be an integer, got .*5\.0", TypeError),
    (lambda: v.check_generator(0), r"must be .*got 0: .*default_rng\(seed\)", TypeError),
]


def test_refused(refusal):
    with np.errstate(divide="ignore"):
        refusal()


def test_what_is_good_passes():
    v.check_disjoint(["a"], ["b"])
    for learned in (np.ones(2), 0.5):
        v.check_learned(learned, "")
    assert v.check_ks(np.array(5)) == v.check_ks(np.int64(5)) == v.check_ks([5]) == (5,)
    for rng in (np.random.default_rng(0), np.random.RandomState(0)):
        assert v.check_generator(rng) is rng


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([[1.0, "dog"]], ValueError),
        ([[1.0, 2.0], [3.0]], ValueError),
        ([[{}]], TypeError),
        ({"a": [1.0]}, TypeError),
        (np.array([["2020-01-01"]], "M8[D]"), TypeError),
    ],
)
def test_what_is_no_vector_is_named(given, error):
    with pytest.raises(error, match=r"S (must hold numbers|is no array) \(|S is a dict: give an"):
        v.as_vectors(given, "S")


def test_rows_with_the_same_names_must_have_one_order(frame):
    X = frame(np.eye(3), index=list("abc"))
    named = (X.set_axis(names) for names in (list("cbd"), [0, 1, 1], [3, 2, 1]))
    for fitting in (X, X[0], X.to_numpy(), [1, 2, 3], X[:2], X.reset_index(), *named):
        v.check_paired(X, fitting, "X", "Y")
    remedy = r".* by \.loc.* or pass an array as Y if its rows do belong"
    numbered = X.reset_index(drop=True)
    for one, words in ((X, f"'c', where X has 'a': {remedy}"), (numbered, "'2', where X has '0'")):
        for turned in (one[::-1], one[0][::-1]):
            with pytest.raises(ValueError, match=f"row 0 of Y is {words}"):
                v.check_paired(one, turned, "X", "Y")
    others = frame(np.eye(3), index=list("bcd"))
    with pytest.raises(ValueError, match=f"row 0 of Y is 'b', where X has 'a': {remedy}"):
        v.check_paired(X, others, "X", "Y")
    v.check_paired(numbered[:2], numbered[1:], "X", "Y")
    v.check_paired(numbered.set_axis([0, 1, 1]), numbered.set_axis([1, 0, 1]), "X", "Y")
