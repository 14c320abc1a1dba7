import gzip
from functools import partial

import numpy as np
import pytest

from zslib.datasets import WordVectors, gloss_term_vectors
from zslib.datasets.words import term_vectors
from zslib.datasets.words.term_vectors import hypernym_vectors, load_term_vectors

ABOVE = {"dog": "mammal", "cat": "mammal", "mammal": "animal", "bird": "animal", "crane": "bird"}
LINKS = list((ABOVE | {"oak": "plant", "animal": "thing", "plant": "thing"}).items())
LEAVES = ["dog", "cat", "crane", "oak", "plant"]


def ancestors(node):
    """All nodes above one, itself too."""
    return {node}.union(*(ancestors(parent) for child, parent in LINKS if child == node))


def test_composed_vectors_are_means_of_unit_words():
    rng = np.random.default_rng(0)
    raw = rng.standard_normal((4, 5)).astype(np.float32) * 7
    words = WordVectors(np.array(["Dance", "hall", "ball", "room"]), raw)
    terms_of = {"n1": ["ballroom", "Dance Hall"], "n2": ["hall"], "n3": ["dance hall"]}
    found = term_vectors.composed_term_vectors(terms_of, words)
    assert found.words.tolist() == ["dance hall", "hall"]
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    mean = (unit[0] + unit[1]) / 2
    np.testing.assert_allclose(found.vectors[0], mean / np.linalg.norm(mean), rtol=1e-5)
    np.testing.assert_allclose(found.vectors[1], unit[1], rtol=1e-5)
    assert found.report == {"terms": 3, "terms with a word unknown": 1}


def test_hypernym_vectors_keep_the_weighted_products():
    found = hypernym_vectors(LEAVES, LINKS, dimension=4)
    above = [ancestors(node) for node in LEAVES]
    columns = sorted(set().union(*above))
    incidence = np.array([[name in own for name in columns] for own in above], dtype=float)
    weighted = incidence * np.log(len(LEAVES) / incidence.sum(axis=0))
    left, size, _ = np.linalg.svd(weighted, full_matrices=False)
    kept = left[:, :4] * size[:4]
    kept /= np.linalg.norm(kept, axis=1, keepdims=True)
    np.testing.assert_allclose(found @ found.T, kept @ kept.T, atol=1e-5)
    assert found[0] @ found[1] > found[0] @ found[2] > found[0] @ found[3] - 1e-6


def test_hypernym_vectors_of_strangers():
    found = hypernym_vectors([*LEAVES, "chair"], LINKS, dimension=5)
    np.testing.assert_allclose(found[:-1] @ found[-1], 0, atol=1e-5)


def test_terms_share_the_vectors_of_their_synsets():
    terms_of = {"dog": ["dog"], "crane": ["Crane", "bird"], "oak": ["oak", "crane"], "cat": ["x"]}
    found = term_vectors.hypernym_term_vectors(terms_of, LINKS, dimension=3)
    own = hypernym_vectors(list(terms_of), LINKS, dimension=3)
    assert found.words.tolist() == ["dog", "crane", "bird", "oak", "x"]
    both = own[1] + own[2]
    np.testing.assert_allclose(found.vectors[1], both / np.linalg.norm(both), rtol=1e-4)
    np.testing.assert_allclose(found.vectors[3], own[2], rtol=1e-4)


def test_gloss_terms_read_all_senses(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    folder = tmp_path / "visual" / "imagenet_synsets"
    folder.mkdir(parents=True)
    text = (
        "n1\tname\tlarge wading bird of marshes\n"
        "n2\tname\tmachine that lifts heavy objects\n"
        "n3\tname\tsmall wading bird of marshes\n"
        "n4\tname\tmachine that lifts people\n"
        "n5\tname\tzzz\n"
    )
    (folder / "synsets.tsv.gz").write_bytes(gzip.compress(text.encode()))
    terms_of = {"n1": ["crane"], "n2": ["Crane"], "n3": ["heron"], "n4": ["lift"], "n5": ["q"]}
    found = gloss_term_vectors(terms_of, dimension=2)
    assert found.words.tolist() == ["crane", "heron", "lift"]
    assert found.report == {"terms": 4, "terms without a usable word": 1}
    crane, heron, lift = found.vectors
    # The crane is between the bird and the machine, which share no word.
    assert crane @ heron > heron @ lift
    assert crane @ lift > heron @ lift


TERMS_OF = {"dog": ["dog", "dog house"], "cat": ["cat"], "oak": ["oak"], "chair": ["chair"]}
WORDS = WordVectors(np.array(["dog", "house"]), np.eye(2, dtype=np.float32))


@pytest.fixture
def stand_ins(monkeypatch):
    monkeypatch.setattr(term_vectors, "gloss_term_vectors", lambda terms_of: (WORDS, terms_of))
    monkeypatch.setattr(term_vectors, "europarl_vectors", {"en": WORDS}.get)
    short = partial(term_vectors.hypernym_term_vectors, dimension=2)
    monkeypatch.setattr(term_vectors, "hypernym_term_vectors", short)
    monkeypatch.setattr(term_vectors, "_DIMENSION", 2)


def test_each_source_of_term_vectors(stand_ins):
    sources = term_vectors.TERM_SOURCES
    by_source = {source: load_term_vectors(source, TERMS_OF, iter(LINKS)) for source in sources}
    assert {source: phrase for source, (phrase, _) in by_source.items()} == sources
    assert by_source["definitions"][1] == (WORDS, TERMS_OF)
    assert by_source["corpus"][1].words.tolist() == ["dog", "dog house"]
    # A synset that the hierarchy does not have gets no vector from it.
    assert by_source["hierarchy"][1].words.tolist() == ["dog", "dog house", "cat", "oak"]


@pytest.mark.parametrize("here", [True, False])
def test_auto_is_definitions_where_they_are_here(stand_ins, here, tmp_path, monkeypatch):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    if here:
        (tmp_path / "visual" / "imagenet_synsets").mkdir(parents=True)
    phrase, _ = load_term_vectors("auto", TERMS_OF, LINKS)
    assert phrase == term_vectors.TERM_SOURCES["definitions" if here else "hierarchy"]


def test_bad_input(refused):
    for source in ("definitions", "corpus"):
        with pytest.raises(FileNotFoundError, match="'hierarchy' need no files"):
            load_term_vectors(source, TERMS_OF, LINKS)
    with pytest.raises(ValueError, match="source must be one of 'auto', 'definitions'"):
        load_term_vectors("glove", TERMS_OF, LINKS)
    with pytest.raises(ValueError, match=r"links have 3 of the synsets of terms_of, .* 300"):
        load_term_vectors("hierarchy", TERMS_OF, LINKS)
    with pytest.raises(ValueError, match="none of 1 terms has vectors"):
        term_vectors.composed_term_vectors({"n1": ["crane"]}, WORDS)
    refused("dimension must be between 1 and 4", hypernym_vectors, LEAVES, LINKS, dimension=5)
