"""Terms and synsets against slow loops, and the paper's own examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.search import top_k

CRANES = {
    "bird": ["crane"],
    "machine": ["Crane"],
    "room": ["ballroom", "dance hall", "dance palace"],
    "hall": ["hall"],
}


@pytest.fixture
def cranes():
    return TermLexicon(CRANES)


def expand_slowly(lexicon, ranked_terms, k):
    """Section A.2 word by word, for one query."""
    listed = []
    for term in ranked_terms:
        for synset in lexicon.synsets_of(lexicon.terms[term]):
            if synset not in listed:
                listed.append(synset)
    rows = [lexicon.row_of[synset] for synset in listed[:k]]
    return rows + [-1] * (k - len(rows))


@st.composite
def lexicons(draw):
    words = st.sampled_from([f"t{i}" for i in range(8)])
    sizes = draw(st.integers(1, 9))
    terms = [draw(st.lists(words, min_size=1, max_size=4)) for _ in range(sizes)]
    return TermLexicon({f"n{i}": t for i, t in enumerate(terms)})


def test_crane_is_both_birds_and_machines(cranes, backend):
    terms = backend.asarray(np.array([[cranes.term_row["crane"], cranes.term_row["hall"]]]))
    found = cranes.expand(terms, 3)
    assert backend.to_numpy(found).tolist() == [[0, 1, 3]]


@given(lexicons(), st.integers(1, 10), st.integers(0, 2**31))
def test_expand_equals_the_loop(lexicon, k, seed):
    rng = np.random.default_rng(seed)
    width = rng.integers(1, len(lexicon.terms) + 1)
    ranked = np.array([rng.permutation(len(lexicon.terms))[:width] for _ in range(4)])
    expected = [expand_slowly(lexicon, row, k) for row in ranked]
    assert lexicon.expand(ranked, k).tolist() == expected


@settings(max_examples=40)
@given(lexicons())
def test_rows_and_counts_agree_with_the_terms(lexicon):
    for synset, count in zip(lexicon.synsets, lexicon.terms_per_synset, strict=True):
        terms = lexicon.terms_of(synset)
        assert len(terms) == count == len(set(terms))
        assert all(synset in lexicon.synsets_of(term) for term in terms)
    for term, count in zip(lexicon.terms, lexicon.synsets_per_term, strict=True):
        assert len(lexicon.synsets_of(term)) == count
    assert lexicon.terms_per_synset.sum() == lexicon.synsets_per_term.sum()


def test_training_targets_by_each_rule(cranes, backend):
    vectors = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    rows = np.array([2, 0, 2, 3])
    sent = backend.asarray(vectors)
    first = cranes.training_targets(sent, rows)
    own = {name: [cranes.term_row[t] for t in cranes.terms_of(name)] for name in cranes.synsets}
    names = [cranes.synsets[row] for row in rows]
    assert np.array_equal(backend.to_numpy(first), vectors[[own[n][0] for n in names]])
    mean = backend.to_numpy(cranes.training_targets(sent, rows, rule="mean"))
    assert mean.dtype == np.float32
    np.testing.assert_allclose(mean, [vectors[own[n]].mean(axis=0) for n in names], rtol=1e-6)
    drawn = cranes.training_targets(sent, rows, rule="random", random_state=3)
    for name, vector in zip(names, backend.to_numpy(drawn), strict=True):
        assert any(np.array_equal(vector, vectors[t]) for t in own[name])


def test_random_training_targets_use_every_term(cranes):
    vectors = np.eye(5)
    drawn = cranes.training_targets(vectors, np.full(300, 2), rule="random", random_state=0)
    used = drawn.sum(axis=0)
    assert (used > 0).sum() == 3 and used.max() < 150


def test_prediction_equals_sorting_all_terms(backend):
    rng = np.random.default_rng(1)
    drawn = [rng.choice(30, rng.integers(1, 4), replace=False) for _ in range(25)]
    lexicon = TermLexicon({f"n{i}": [f"t{t}" for t in terms] for i, terms in enumerate(drawn)})
    vectors = rng.standard_normal((len(lexicon.terms), 6))
    queries = rng.standard_normal((7, 6))
    sent = backend.asarray(queries), backend.asarray(vectors)
    found = lexicon.expand(top_k(*sent, 12, metric="cosine")[1], 3)
    cosine = queries @ vectors.T / np.linalg.norm(vectors, axis=1)
    expected = [expand_slowly(lexicon, row, 3) for row in np.argsort(-cosine, axis=1)[:, :12]]
    assert backend.to_numpy(found).tolist() == expected


def test_vocabulary_drops_terms_and_synsets():
    lexicon = TermLexicon(CRANES, vocabulary=["CRANE", "dance hall"])
    assert lexicon.synsets == ("bird", "machine", "room")
    assert lexicon.dropped == ("hall",)
    assert lexicon.terms_of("room") == ("dance hall",)


EYE, EMPTY = np.eye(5), np.array([], dtype=int)


REFUSALS = [
    (lambda _: TermLexicon({}), "terms_of is empty"),
    (lambda _: TermLexicon({"n1": []}), "terms of synset 'n1'"),
    (lambda _: TermLexicon({"n1": "crane"}), "non-empty sequence"),
    (lambda _: TermLexicon(CRANES, vocabulary=["lift"]), "none of the terms of 4 synsets"),
    (lambda lex: lex.training_targets(EYE[:4], [0]), "4 rows and the lexicon 5 terms"),
    (lambda lex: lex.expand(np.array([[0]]), 0), "k must be at least 1"),
    (lambda lex: lex.expand(np.array([[5]]), 1), "terms must lie in"),
    (lambda lex: lex.expand(np.array([0]), 1), "2-d array"),
    (lambda lex: lex.training_targets(EYE, np.array([0]), rule="last"), "rule must be one"),
    (lambda lex: lex.training_targets(EYE, EMPTY), "non-empty 1-d array"),
    (lambda lex: lex.training_targets(EYE, np.array([4])), "rows must lie in"),
    (lambda lex: lex.terms_of("n9"), "unknown synset 'n9'", KeyError),
    (lambda lex: lex.synsets_of("lift"), "unknown term 'lift'", KeyError),
    (lambda lex: lex.rows(["bird", "n9"]), "unknown synset 'n9'", KeyError),
]


def test_bad_input(cranes, refusal):
    refusal(cranes)
