import gzip
import lzma
from unicodedata import normalize

import numpy as np
import pytest

from zslib.datasets import WordVectors, bilingual_problem, read_dictionary

EN = ["one", "two", "three", "four", "five"]
IT = ["uno", "due", "tre", "quattro", "cinque", "sei"]
ONE, TWO = ("one", "uno"), ("two", "due")
OPTIONS = {"name": "toy", "description": "toy words"}


def words(listed, seed, **report):
    vectors = np.random.default_rng(seed).standard_normal((len(listed), 3)).astype(np.float16)
    return WordVectors(np.array(listed), vectors, report)


@pytest.fixture
def read(tmp_path):
    """The dictionary of a text, or of bytes."""

    def pairs(content, **options):
        path = tmp_path / "pairs.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_dictionary(path, **options)

    return pairs


def test_pairs_in_order_and_entries_of_several_words(read):
    found = read("perché why\r\n\nuno\tone\n  uno   a \n")
    assert found == [("perché", "why"), ("uno", "one"), ("uno", "a")]
    found = read("\ufeffper quale\t which \r\nNew\xa0York\tNuova York\n")
    assert found == [("per quale", "which"), ("New\xa0York", "Nuova York")]
    found = read("New\xa0York Nuova\xa0York\na b\t\nc\td\nlife, vita\n")
    assert found == [("New\xa0York", "Nuova\xa0York"), ("a", "b"), ("c", "d"), ("life,", "vita")]


CONTENTS = [
    (gzip.compress("perché why\n".encode(), mtime=0), {}),
    (lzma.compress("perché why\n".encode()), {}),
    ("perché why\n".encode("utf-16"), {}),
    ("perché why\n".encode("latin-1"), {"encoding": "latin-1"}),
]


@pytest.mark.parametrize("content, options", CONTENTS)
def test_a_dictionary_is_known_by_its_content(read, content, options):
    assert read(content, **options) == [("perché", "why")]


MALFORMED = [
    (b"a b\nalone\n", r"pairs.txt, line 2: expected a source and a target .* got 1 field"),
    (b"a b\nc d e\n", r"line 2: .* got 3 field"),
    (b"a b\nc \xff\n", r"line 2 is not UTF-8.*'latin-1'"),
    (b"\n \n", "has no word pair"),
    (b"", "has no word pair"),
    (b"a b\nc d 0.9\n", r"line 2: .* got 3 field"),
    (b"dog, cane\ncat, gatto\nlife vita\n", "most source words end with ','.*'dog,'"),
    (b"dog ;cane\ncat ;gatto\n", "most target words begin with ';'"),
    (b"dog,cane\ncat,gatto\n", r"line 1: .* got 1 field.*is ',' the separator"),
    # The second line has no target: its two words are one entry.
    (b"per quale\twhich\nNew York\t\n", r"line 1: .* in all lines by a tab, got 3 field"),
    (b"<!DOCTYPE html><html>", "is a web page, not a dictionary"),
    (b"\x80\x04\x95pickled", "is a pickle"),
]


@pytest.mark.parametrize("content, message", MALFORMED)
def test_malformed_dictionary(read, content, message, refused):
    refused(message, read, content)


def test_join_and_coverage():
    train = [("one", "uno"), ("one", "sei"), ("two", "due"), ("ten", "uno"), ("ten", "dieci")]
    test = [("three", "tre"), ("three", "terzo"), ("four", "quattro"), ("four", "due")]
    test += [("five", "V"), ("three", "tre"), ("six", "sei")]
    source, target = words(EN, 0), words(IT, 1)
    problem = bilingual_problem(source, target, train, test, **OPTIONS)
    assert problem.train_words.tolist() == ["one", "one", "two"]
    assert problem.train_gold.tolist() == [0, 5, 1]
    assert problem.test_words.tolist() == ["three", "four"]
    assert [g.tolist() for g in problem.test_gold] == [[2], [3, 1]]
    assert problem.coverage == {
        "source words": 5,
        "target words": 6,
        "training pairs listed": 5,
        "training pairs without a source vector only": 1,
        "training pairs without a target vector only": 0,
        "training pairs without either vector": 1,
        "test pairs listed": 7,
        "test pairs listed twice": 1,
        "test pairs without a source vector only": 1,
        "test pairs without a target vector only": 2,
        "test pairs without either vector": 0,
        "test words with an answer that is a training target": 1,
        "test words with no other answer": 0,
        "training pairs used": 3,
        "training words used": 2,
        "test words listed": 4,
        "test words used": 2,
        "test pairs used": 3,
    }
    raw = source.vectors[[0, 0, 1]].astype(np.float32)
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.X_train, unit, rtol=1e-6)
    assert problem.targets.dtype == np.float32


def test_shared_targets_can_be_dropped():
    test = [("three", "due"), ("four", "quattro"), ("four", "uno")]
    args = (words(EN, 0), words(IT, 1), [ONE, TWO], test)
    kept = bilingual_problem(*args, **OPTIONS)
    assert kept.test_words.tolist() == ["three", "four"]
    dropped = bilingual_problem(*args, shared_targets="drop", **OPTIONS)
    assert dropped.test_words.tolist() == ["four"]
    assert [g.tolist() for g in dropped.test_gold] == [[3]]
    for problem in (kept, dropped):
        assert problem.coverage["test words with an answer that is a training target"] == 2
        assert problem.coverage["test words with no other answer"] == 1


def test_overlap_can_be_dropped():
    args = (words(EN, 0), words(IT, 1), [ONE, TWO], [TWO, ("three", "tre")])
    problem = bilingual_problem(*args, overlap="drop-train", **OPTIONS)
    assert problem.train_words.tolist() == ["one"]
    assert problem.coverage["training pairs dropped: source word is a test word"] == 1


def test_limits_take_the_first_pairs_and_spread_queries():
    many = [f"w{i}" for i in range(30)]
    pairs, side = [(w, w) for w in many], words(many, 0)
    limits = {"max_train": 4, "max_test": 3}
    problem = bilingual_problem(side, side, pairs[:10], pairs[10:], **limits, **OPTIONS)
    assert problem.train_words.tolist() == many[:4]
    assert problem.test_words.tolist() == ["w10", "w20", "w29"]


def test_zero_vectors_and_duplicates_are_counted():
    vectors = np.ones((3, 2), np.float32)
    vectors[1] = 0
    source = WordVectors(np.array(["a", "b", "c"]), vectors, {"duplicate words left out": 4})
    target = WordVectors(np.array(["x", "y", "z"]), vectors + 1)
    train, test = [("a", "x"), ("b", "y")], [("c", "z")]
    problem = bilingual_problem(source, target, train, test, **OPTIONS)
    assert problem.coverage["source words left out: zero vector"] == 1
    assert problem.coverage["source duplicate words left out"] == 4
    assert problem.coverage["training pairs without a source vector only"] == 1
    assert problem.train_words.tolist() == ["a"]


def test_accents_composed_in_two_ways_are_named():
    train, test = [("perché", "uno"), ("one", "uno")], [("été", "due"), ("x", "due")]
    source = words([*(normalize("NFD", word) for word in ("perché", "été")), "one", "two"], 0)
    problem = bilingual_problem(source, words(IT, 1), train, [*test, ("two", "due")], **OPTIONS)
    assert [n for name, n in problem.coverage.items() if "composed" in name] == [1, 1]
    with pytest.raises(ValueError, match=r"no test pair .* 1 pair\(s\) would have.*NFC"):
        bilingual_problem(source, words(IT, 1), train, test, **OPTIONS)
    with pytest.raises(ValueError, match=r"no training pair .* 1 pair\(s\) would have.*NFC"):
        bilingual_problem(source, words(IT, 1), train[:1], test, **OPTIONS)


@pytest.mark.parametrize(
    "pair, cause, remedy",
    [
        (("Two", "DUE"), "case left out", "in one case"),
        (('"two"', "«due»"), "quotation marks left out", "take the marks away"),
        (("two", "due, duo"), "entries split at commas", "a line of its own"),
        (('"two"', '"duo; due"'), "entries split at commas", "a line of its own"),
    ],
)
def test_what_keeps_most_pairs_apart_is_named(pair, cause, remedy):
    sides, kept = (words(EN, 0), words(IT, 1)), ("three", "tre")
    problem = bilingual_problem(*sides, [ONE], [pair, kept], **OPTIONS)
    name = f"test pairs without a vector, but with {cause}"
    assert {k: n for k, n in problem.coverage.items() if "but with" in k} == {name: 1}
    few = bilingual_problem(*sides, [ONE], [pair, ("x", "y"), kept], **OPTIONS)
    assert name not in few.coverage
    with pytest.raises(ValueError, match=rf"1 pair\(s\) would have, with {cause}: .*{remedy}"):
        bilingual_problem(*sides, [ONE], [pair], **OPTIONS)


def test_pairs_may_be_a_dict_and_need_no_description():
    side = words(EN, 0)
    problem = bilingual_problem(side, side, {"one": "one"}, {"two": "three"}, synthetic=True)
    assert problem.train_words.tolist() == ["one"]
    assert "synthetic" in problem.description


@pytest.mark.parametrize("pairs", [["ab"], [("a",)], [("a", None)]])
def test_what_is_no_pair_is_named(pairs):
    with pytest.raises(TypeError, match=r"test_pairs must have pairs .* entry 0 is"):
        bilingual_problem(words(EN, 0), words(IT, 1), [ONE], pairs)


BAD_INPUT = [
    (EN, [("x", "uno")], [TWO], {}, "no training pair is left .* source word first"),
    (EN, [ONE], [("two", "x")], {}, "no test pair is left"),
    (EN, [ONE, TWO], [TWO], {}, r"1 word\(s\) are in the training and in the test set"),
    (EN, [ONE], [TWO], {"max_train": 0}, "max_train must be at least 1"),
    (["one", "one"], [ONE], [TWO], {}, "'one' is listed twice, in rows 0 and 1"),
]


@pytest.mark.parametrize("source, train, test, options, message", BAD_INPUT)
def test_bad_input(source, train, test, options, message):
    with pytest.raises(ValueError, match=message):
        bilingual_problem(words(source, 0), words(IT, 1), train, test, **OPTIONS, **options)
