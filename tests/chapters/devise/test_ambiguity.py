"""Terms and synsets, counted by slow loops."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from chapters.devise import ambiguity
from chapters.devise.answers import NearestTerms
from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.datasets.words.term_vectors import TERM_SOURCES

LEMMAS = {"n1": ["crane"], "n2": ["Crane", "hoist"], "n3": ["hall", "foyer", "hoist"]}
LISTS = SimpleNamespace(lemmas=LEMMAS, wordnet=(("n1", "n3"), ("n2", "n3"), ("n3", "n1")))
LEXICON = TermLexicon(LEMMAS)


def values(rows):
    return {row["metric"]: row["value"] for row in rows}


def test_ambiguity_counts_both_ways():
    found = values(ambiguity.ambiguity({"1K": LEXICON}, LEMMAS))
    assert found["terms per synset"] == 2
    assert found["synsets of one term, at most"] == 2
    assert found["terms with several synsets, %"] == 50
    assert found["synsets that share a first term"] == 2
    examples = [("crane", "1K")]
    shared = values(ambiguity.shared_terms({"1K": LEXICON}, LEMMAS, examples))
    assert shared == {"synsets of 'crane'": 2, "synsets whose only term is 'crane'": 1}
    assert len(ambiguity.synsets_sharing({"1K": LEXICON}, LISTS, examples)) == 2


def test_sizes_above_ten_are_counted_there():
    many = TermLexicon(LEMMAS | {"n4": [f"term {i}" for i in range(12)]})
    rows = ambiguity.sizes_of_synsets({"1K": many, "21K": LEXICON})
    shares = {(row["method"], row["terms"]): row["value"] for row in rows}
    assert [shares["1K", n] for n in (1, 2, 3, 4, 10)] == [25, 25, 25, 0, 25]


def test_repeated_synsets_are_those_that_a_loop_meets_twice():
    rng = np.random.default_rng(0)
    terms = rng.random((50, 4)).argsort(axis=1)
    found = NearestTerms(LEXICON, terms, np.zeros(50, int), 0)
    source = TERM_SOURCES["corpus"]
    near, random, excess, *_ = ambiguity.repeated_synsets([found], source)
    twice = []
    for row in terms:
        met = [synset for term in row for synset in LEXICON.synsets_of(LEXICON.terms[term])]
        twice.append(len(set(met)) < len(met))
    # The mean over classes, and all images here are of one class.
    assert near["value"].mean == 100 * np.mean(twice)
    assert near["terms"] == "corpus"
    # Random lists of all four terms are these lists in another order.
    assert random["value"] == 100 * np.mean(twice)
    assert excess["value"].mean == 0


def test_one_sense_compares_with_all_of_them():
    terms = np.array([[0, 2, 1, 3]])  # crane names n1 and n2
    found = NearestTerms(LEXICON, terms, np.array([1]), 0)
    compared = ambiguity.one_sense([found], ("seen", "1K"))
    rows = {row["method"]: row["value"].mean for row in compared if row["k"] == 5}
    assert rows["expand"] == 100
    assert rows["random - expand"] == rows["random"] - 100


def test_expected_hits_are_the_mean_over_all_ways_to_draw():
    rng = np.random.default_rng(0)
    lemmas = {f"n{i}": [f"t{t}" for t in rng.choice(8, 3, replace=False)] for i in range(9)}
    lexicon = TermLexicon(lemmas)
    terms = rng.random((30, len(lexicon.terms))).argsort(axis=1)
    near = NearestTerms(lexicon, terms, rng.integers(9, size=30), 0)
    for k in (1, 2):
        found = ambiguity.expected_hits(near, k)
        for image, row in enumerate(terms[:, : 4 * k]):
            hits = []
            for drawn in product(*(lexicon.synsets_of(lexicon.terms[term]) for term in row)):
                answers = list(dict.fromkeys(drawn))[:k]
                hits.append(lexicon.synsets[near.gold[image]] in answers)
            assert found[image] == pytest.approx(100 * np.mean(hits))


def test_synsets_with_all_of_some_terms():
    (row,) = ambiguity.synsets_with(LEMMAS, ("crane", "hoist"))
    assert row["value"] == 1
