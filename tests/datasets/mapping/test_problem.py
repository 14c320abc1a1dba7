import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets import MappingProblem


def make(**changes):
    rng = np.random.default_rng(0)
    values = {
        "name": "toy",
        "setting": "cross-modal",
        "synthetic": True,
        "description": "synthetic toy",
        "X_train": rng.standard_normal((3, 4), dtype=np.float32),
        "train_gold": np.array([5, 1, 5]),
        "X_test": rng.standard_normal((2, 4), dtype=np.float32),
        "test_gold": [[2, 0], 2],
        "targets": rng.standard_normal((6, 3), dtype=np.float32),
        "target_words": np.array(list("abcdef")),
        "train_words": np.array(["p", "q", "p"]),
        "test_words": np.array(["r", "s"]),
    }
    return MappingProblem(**(values | changes))


def test_derived_rows():
    problem = make()
    np.testing.assert_array_equal(problem.Y_train, problem.targets[[5, 1, 5]])
    assert problem.is_training_target.tolist() == [False, True, False, False, False, True]
    assert problem.space("full").tolist() == list(range(6))
    assert problem.space("labels").tolist() == [0, 1, 2, 5]
    assert problem.space("test").tolist() == [0, 2]
    assert all(problem.space(w).dtype == np.int64 for w in ("full", "labels", "test"))


def test_queries_have_the_columns_of_the_training_vectors(frame):
    X = frame(np.eye(3, dtype="float32"), columns=list("abc"))
    assert make(X_train=X, X_test=X[:2]).X_test.tolist() == np.eye(3)[:2].tolist()
    with pytest.raises(ValueError, match="column 0 of X_test is 'c', where X_train has 'a'"):
        make(X_train=X, X_test=X.loc[:1, list("cba")])


def test_labels_can_be_wider_than_what_is_used():
    problem = make(labels=[5, 4, 2, 1, 0, 4])
    assert problem.labels.tolist() == [0, 1, 2, 4, 5]
    assert problem.space("test").tolist() == [0, 2, 4]


@given(st.lists(st.integers(0, 5), unique=True, min_size=1))
def test_gold_in_points_back_at_gold(rows):
    problem = make()
    rows = np.array(rows)
    for inside, gold in zip(problem.gold_in(rows), problem.test_gold, strict=True):
        assert rows[inside].tolist() == [g for g in gold if g in rows]


def test_checksum_follows_every_part():
    base = make()
    assert base.checksum == make().checksum
    assert len(base.checksum) == 64
    others = [
        make(X_train=base.X_train + 1),
        make(X_test=base.X_test + 1),
        make(targets=base.targets + 1),
        make(train_gold=np.array([5, 1, 1])),
        make(test_gold=[[2, 3], 2]),
        make(test_gold=[2, [2, 0]]),
        make(labels=[0, 1, 2, 3, 5]),
        make(test_words=np.array(["r", "t"])),
    ]
    assert len({p.checksum for p in [base, *others]}) == 1 + len(others)


def test_vectors_of_any_library(backend):
    base = make()
    moved = {n: backend.asarray(getattr(base, n)) for n in ("X_train", "X_test", "targets")}
    problem = make(**moved)
    backend.assert_equal(problem.Y_train, base.Y_train)
    assert problem.checksum == base.checksum


def test_shared_translation_is_allowed_across_languages():
    problem = make(setting="cross-linguistic", test_gold=[[5], [2]])
    assert problem.space("test").tolist() == [2]
    assert [g.tolist() for g in problem.gold_in(problem.space("test"))] == [[], [0]]


BAD = np.array([[1.0, np.nan, 0.0, 0.0]] * 2, dtype=np.float32)


REFUSALS = {
    make: [
        ({"labels": [0, 1, 2]}, "labels must include"),
        ({"setting": "cross"}, "setting must be one of"),
        ({"synthetic": False}, "must have the word 'synthetic' exactly when"),
        ({"description": "toy"}, "must have the word 'synthetic' exactly when"),
        ({"X_test": BAD}, "X_test holds NaN or infinity"),
        ({"X_train": np.ones((0, 4), np.float32)}, "X_train is empty"),
        ({"X_test": np.ones((2, 5), np.float32)}, "X_train has 4 columns and X_test has 5"),
        ({"X_train": np.ones((2, 4), np.float32)}, "train_words has 3 entries and X_train has 2"),
        ({"test_gold": [[1]]}, "test_gold has 1 entries"),
        ({"test_gold": [[2], []]}, r"test_gold\[1\] is empty"),
        ({"test_gold": [[0, 0, 1, 0], [2]]}, r"test_gold\[0\] lists a row of targets twice"),
        ({"train_gold": np.array([[5], [1], [5]])}, r"train_gold .* got shape \(3, 1\)"),
        ({"test_gold": [[2], [6]]}, r"test_gold\[1\] must lie in \[0, 6\)"),
        ({"train_gold": np.array([0, -1, 2])}, "train_gold must lie in"),
        ({"target_words": np.array(list("abcdea"))}, r"1 duplicate word\(s\) \(a\)"),
        ({"test_words": np.array(["p", "s"])}, r"1 word\(s\) are in the training and in the test"),
        ({"test_gold": [[2], [5]]}, "1 queries have a label that was used in training"),
        ({"X_test": np.ones((2, 4))}, "mix float32 and float64", TypeError),
        ({"train_gold": np.ones(3)}, "train_gold must hold integers", TypeError),
    ],
    make().space: [(("half",), "which must be one of")],
    make().gold_in: [
        ((np.array([6]),), "rows must lie in"),
        ((np.array([0, 1, 0, 1, 1, 0]),), "rows lists a row of targets twice.*flatnonzero"),
    ],
    make().to: [(("tpu",), "device")],
    make().__setattr__: [(("name", "other"), "cannot assign to field", AttributeError)],
}


def test_bad_values_and_calls(refusal):
    refusal()
