from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets import from_files, load_vectors
from zslib.datasets.mapping.own import split_dictionary


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")), min_size=2),
    st.integers(0, 9),
)
def test_split_by_source_word(pairs, seed):
    if len({a for a, _ in pairs}) < 2:
        with pytest.raises(ValueError, match="a split needs at least two"):
            split_dictionary(pairs, seed=seed)
        return
    train, test = split_dictionary(pairs, seed=seed)
    assert sorted(train + test) == sorted(pairs)
    assert {a for a, _ in train}.isdisjoint(a for a, _ in test)
    assert train and test


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    paths = []
    for name in ("en.vec", "xx.vec"):
        # A first word of zeros, as some tools write for the end of a sentence.
        lines = ["21 4", "</s> 0 0 0 0"]
        for i in range(20):
            lines.append("{}{} {:.4f} {:.4f} {:.4f} {:.4f}".format(name[0], i, *rng.random(4)))
        paths.append(tmp_path / name)
        paths[-1].write_text("\n".join(lines) + "\n")
    dictionary = tmp_path / "dictionary.txt"
    dictionary.write_text("".join(f"e{i} x{i}\n" for i in range(22)))
    return *paths, dictionary


def test_one_dictionary_is_split(files):
    problem = from_files(*files, seed=1)
    assert problem.coverage["training pairs listed"] == 17
    assert problem.coverage["test words listed"] == 5
    assert len(problem.X_train) + len(problem.X_test) == 20
    assert problem.coverage["source words left out: zero vector"] == 1
    assert problem.coverage["target words"] == 21
    assert len(problem.targets) == 20
    assert problem.description == "vectors of en.vec and xx.vec"
    other = from_files(*files, seed=2)
    assert set(other.test_words) != set(problem.test_words)


def test_two_dictionaries(files, tmp_path):
    source, target, dictionary = files
    test = tmp_path / "test.txt"
    test.write_text("e3 x3\n")
    with pytest.raises(ValueError, match=r"1 word\(s\) are in the training and in the test set"):
        from_files(source, target, dictionary, test)
    problem = from_files(source, target, dictionary, test, overlap="drop-train", name="mine")
    assert (problem.name, problem.test_words.tolist()) == ("mine", ["e3"])
    assert len(problem.X_train) == 19
    small = from_files(source, target, dictionary, test, overlap="drop-train", limit=11)
    assert len(small.targets) == 10
    assert small.coverage["training pairs without either vector"] == 12


@pytest.mark.parametrize("place", range(4))
def test_what_is_no_path_is_named(files, place, refused):
    given = [*files, files[2]]
    what = ["source_vectors", "target_vectors", "train_dictionary", "test_dictionary"][place]
    given[place] = [("e1", "x1")]
    remedy = "pair of words and matrix" if place < 2 else "bilingual_problem"
    refused(f"{what} must be a path, got list.*{remedy}", from_files, *given, error=TypeError)
    given = ["a", "b", "train", "test"]
    for at, what in enumerate(("source_vectors", "target_vectors", "train_dictionary")):
        refused(f"{what} is an empty path", from_files, *given[:at], "", *given[at + 1 :])


def test_vectors_in_memory_are_those_of_the_file(files):
    """The same problem, from files and from each kind of object that has words and vectors."""
    source, target = (load_vectors(path) for path in files[:2])
    keyed = SimpleNamespace(index_to_key=source.words.tolist(), vectors=source.vectors)
    expected = from_files(*files, seed=1, limit=15)
    for pair in (
        (keyed, target),
        (SimpleNamespace(wv=keyed), dict(zip(target.words, target.vectors, strict=True))),
        (pd.DataFrame(source.vectors, index=source.words), (list(target.words), target.vectors)),
    ):
        problem = from_files(*pair, files[2], seed=1, limit=15)
        assert problem.checksum == expected.checksum
    assert problem.description == "vectors of DataFrame and tuple"


def test_an_encoding_is_that_of_all_files(tmp_path):
    paths = [tmp_path / name for name in ("a.vec", "b.vec", "pairs.txt")]
    texts = ["é 1 2\nè 3 4\n", "à 1 2\nì 3 4\n", "é à\nè ì\n"]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode("latin-1"))
    problem = from_files(*paths, encoding="latin-1")
    assert set(problem.target_words) == {"à", "ì"}
