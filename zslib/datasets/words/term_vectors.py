"""Vectors of terms of several words, and of synsets and terms by their place in a hierarchy."""

import json
from functools import partial
from itertools import chain

import numpy as np
from scipy import sparse

from zslib.arrays import unit_rows
from zslib.datasets.files import read_table
from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.datasets.locate import cached_array, find_folder, require_folder
from zslib.datasets.words.glosses import gloss_term_vectors, gloss_vectors, read_glosses, truncated
from zslib.datasets.words.vectors import WordVectors, as_word_vectors, europarl_vectors
from zslib.validation import check_choice, check_integer

SYNSET_SEMANTICS = ("gloss", "hypernym", "gloss+hypernym")
TERM_SOURCES = {
    "definitions": "term vectors from WordNet's definitions",
    "corpus": "word vectors of Europarl and fiction, averaged over a term's words",
    "hierarchy": "term vectors from the hierarchy itself",
}


def composed_term_vectors(terms_of, words):
    """Vectors of terms: the mean of their words' unit vectors, itself of unit length.

    A term is left out, and counted in ``report``, when one of its words has no vector: "dance
    hall" needs both. (Frome et al. train vectors of whole phrases; this is the usual substitute.)
    ``terms_of`` has the terms of each synset; terms and words are compared in lower case.
    ``words`` are vectors, in a file or in memory, as `load_vectors` takes them.

    Examples
    --------
    >>> words = WordVectors(np.array(["dance", "hall"]), np.eye(2, dtype=np.float32))
    >>> terms = composed_term_vectors({"n1": ["ballroom", "dance hall"]}, words)
    >>> terms.words.tolist(), terms.vectors.round(2).tolist()
    (['dance hall'], [[0.7099999785423279, 0.7099999785423279]])
    """
    words, row_of = as_word_vectors(words, "words"), {}
    for row, word in enumerate(words.words.tolist()):
        row_of.setdefault(word.lower(), row)
    terms = dict.fromkeys(t.lower() for names in terms_of.values() for t in names)
    parts = {term: [row_of.get(word) for word in term.split()] for term in terms}
    known = {term: rows for term, rows in parts.items() if rows and None not in rows}
    if not known:
        raise ValueError(
            f"none of {len(terms)} terms has vectors for all its words: give vectors of words "
            "that occur in them"
        )
    used, columns = np.unique(np.concatenate(list(known.values())), return_inverse=True)
    starts = np.cumsum([0, *map(len, known.values())])
    entries = np.ones(columns.size, dtype=np.float32), columns, starts
    member = sparse.csr_array(entries, shape=(len(known), used.size))
    unit = unit_rows(np.asarray(words.vectors[used], dtype=np.float32), name="word vectors")
    report = {"terms": len(terms), "terms with a word unknown": len(terms) - len(known)}
    return WordVectors(np.array(list(known)), unit_rows(member @ unit, name="terms"), report)


_DIMENSION = 300


def hypernym_vectors(nodes, links, *, dimension=_DIMENSION):
    """Vectors of synsets from their place in a hierarchy: which ancestors they have.

    The matrix of synsets by ancestors (a synset is its own), weighted by log(N / df) with df
    the descendants of an ancestor, is reduced by a truncated singular value decomposition.
    They know the hierarchy itself, so that no measure that is taken along it is fair to others
    beside them.
    """
    links = list(links)
    known = dict.fromkeys([*chain.from_iterable(links), *nodes])
    row_of = {node: row for row, node in enumerate(known)}
    check_integer(dimension, "dimension", low=1, high=len(nodes) - 1, high_means=" (nodes less 1)")
    child, parent = (np.array([row_of[pair[side]] for pair in links]) for side in (0, 1))
    size = len(row_of)
    up = sparse.csr_array((np.ones(len(links), np.float32), (child, parent)), shape=(size, size))
    itself = sparse.eye_array(size, dtype=np.float32, format="csr")
    above = itself[[row_of[node] for node in nodes]]
    reached = above
    while True:
        grown = reached @ up + above
        grown.data[:] = 1
        if grown.nnz == reached.nnz:
            break
        reached = grown
    df = reached.sum(axis=0)
    weight = np.log(len(nodes) / np.maximum(df, 1)).astype(np.float32)
    weighted = reached @ sparse.diags_array(weight)
    return unit_rows(truncated(weighted, dimension), name="hypernym vectors")


def hypernym_term_vectors(terms_of, links, *, dimension=_DIMENSION):
    """One vector for each term: the mean of `hypernym_vectors` over its synsets.

    ``terms_of`` has each synset's terms, compared in lower case; ``links`` are (child, parent).
    """
    lexicon = TermLexicon(terms_of)
    vectors = hypernym_vectors(lexicon.synsets, links, dimension=dimension)
    total = unit_rows(lexicon.senses @ vectors, name="term vectors")
    return WordVectors(np.array(lexicon.terms), total)


def load_term_vectors(source, terms_of, links):
    """Vectors of terms from one of three sources.

    Parameters
    ----------
    source : {"auto", "definitions", "corpus", "hierarchy"}
        `gloss_term_vectors`; `composed_term_vectors` of the English vectors of Europarl; or
        `hypernym_term_vectors`, which needs no other data. "auto" is "definitions" where its
        files are here, else "hierarchy".
    terms_of : mapping of str to sequence of str
        Terms of each synset, by wnid.
    links : iterable of (str, str)
        Child and parent, for "hierarchy".

    Returns
    -------
    (str, WordVectors)
        A phrase for captions, and the vectors.

    Raises
    ------
    FileNotFoundError
        The files of the source are not here.
    ValueError
        Too few synsets with links for "hierarchy".

    Examples
    --------
    >>> terms_of = {f"n{i}": [f"term {i}"] for i in range(301)}
    >>> links = [(f"n{i}", f"kind {i % 7}") for i in range(301)]
    >>> phrase, vectors = load_term_vectors("hierarchy", terms_of, links)
    >>> phrase, vectors.vectors.shape
    ('term vectors from the hierarchy itself', (301, 300))
    """
    check_choice(source, "source", ("auto", *TERM_SOURCES))
    if source == "auto":
        source = "definitions" if find_folder("visual/imagenet_synsets") else "hierarchy"
    try:
        if source == "hierarchy":
            links = list(links)
            nodes = set(chain.from_iterable(links))
            known = {synset: terms for synset, terms in terms_of.items() if synset in nodes}
            if len(known) <= _DIMENSION:
                raise ValueError(
                    f"links have {len(known)} of the synsets of terms_of, and term vectors from "
                    f"'hierarchy' have {_DIMENSION} numbers: give links of more synsets than that"
                )
            vectors = hypernym_term_vectors(known, links)
        elif source == "definitions":
            vectors = gloss_term_vectors(terms_of)
        else:
            vectors = composed_term_vectors(terms_of, europarl_vectors("en"))
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"no {TERM_SOURCES[source]}: {error}. Term vectors from 'hierarchy' need no files"
        ) from error
    return TERM_SOURCES[source], vectors


def synset_embeddings(wnids, *, semantics="hypernym", dimension=300):
    """Unit-length class embeddings of synsets, given by WordNet id."""
    check_choice(semantics, "semantics", SYNSET_SEMANTICS)
    wnids, parts = list(map(str, wnids)), []
    for kind in semantics.split("+"):
        if kind == "gloss":
            known, vectors = gloss_vectors(dimension=dimension)
            vectors = vectors.vectors
        else:
            known, vectors = _hypernym_vectors(dimension)
        row = {wnid: i for i, wnid in enumerate(known.tolist())}
        if missing := [wnid for wnid in wnids if wnid not in row]:
            raise ValueError(
                f"{len(missing)} synset(s) have no {kind} vector ({', '.join(missing[:5])}): "
                "leave these classes out"
            )
        parts.append(np.asarray(vectors[[row[wnid] for wnid in wnids]], dtype=np.float32))
    return unit_rows(np.concatenate(parts, axis=1), name="class embeddings")


def _hypernym_vectors(dimension):
    """`hypernym_vectors` of all 21,844 ImageNet synsets by ImageNet's is-a pairs, cached."""
    import sklearn

    wnids, _, _ = read_glosses()
    nodes = wnids.tolist()
    path = require_folder("visual/imagenet_synsets") / "is_a.txt.gz"
    links = [(child, parent) for parent, child in read_table(path, ("parent", "child"), None)]
    key = json.dumps([dimension, sklearn.__version__, nodes, links]).encode()
    make = partial(hypernym_vectors, nodes, links, dimension=dimension)
    return wnids, cached_array("hypernym", key, make)
