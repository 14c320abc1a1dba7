"""Vectors of synsets and of terms made from WordNet's definitions."""

import numpy as np
from threadpoolctl import threadpool_limits

from zslib.arrays import unit_rows
from zslib.datasets.files import read_table
from zslib.datasets.locate import cached_array, require_folder
from zslib.datasets.words.vectors import WordVectors
from zslib.validation import check_integer

GLOSSES = "visual/imagenet_synsets/synsets.tsv.gz"


def read_glosses():
    """Lemmas and definitions of 21,844 ImageNet synsets."""
    path = require_folder("visual/imagenet_synsets") / "synsets.tsv.gz"
    rows = read_table(path, ("wnid", "lemmas", "definition"))
    return tuple(map(np.array, zip(*rows, strict=True)))


def gloss_vectors(*, dimension=300):
    """Vectors of 21,844 ImageNet synsets from the words of their lemmas and definitions.

    TF-IDF (English stop words out, words in at least two synsets, sublinear counts) reduced by
    a truncated singular value decomposition, rows of unit length, as in the data set's
    baseline. Computed in seconds and cached.

    Returns
    -------
    (wnids, WordVectors)
        The name of a synset is its first lemma, with the wnid where several share that lemma:
        "crane (n02012849)". A synset without any usable word is left out and counted in
        ``report``.
    """
    wnids, lemmas, definitions = read_glosses()
    texts = [f"{a} {b}" for a, b in zip(lemmas, definitions, strict=True)]
    first = np.array([names.split(",")[0].strip() for names in lemmas])
    _, inverse, counts = np.unique(first, return_inverse=True, return_counts=True)
    shared = counts[inverse] > 1
    words = [f"{w} ({n})" if s else w for w, n, s in zip(first, wnids, shared, strict=True)]
    usable, vectors = _text_vectors("synsets", words, texts, dimension)
    return wnids[usable], vectors


def gloss_term_vectors(terms_of, *, dimension=300):
    """One vector for each *term*, from its own words and the definitions of all its synsets.

    As in a model of words, the senses of a term share one vector, and synonyms lie close
    together. Unlike there, the text is a dictionary: a term's vector knows what each of its
    senses is. Weights and reduction as in `gloss_vectors`. ``terms_of`` has the terms of each
    wnid, compared in lower case; ``report`` counts those without a usable word.
    """
    wnids, _, definitions = read_glosses()
    gloss_of = dict(zip(wnids.tolist(), definitions.tolist(), strict=True))
    texts = {}
    for wnid, terms in terms_of.items():
        for term in dict.fromkeys(term.lower() for term in terms):
            texts.setdefault(term, [term]).append(gloss_of.get(wnid, ""))
    return _text_vectors("terms", list(texts), list(map(" ".join, texts.values())), dimension)[1]


def _text_vectors(what, names, texts, dimension):
    """Which of some texts have a usable word, and their reduced TF-IDF by name, cached."""
    import sklearn

    check_integer(dimension, "dimension", low=1)

    def embed():
        vectors, usable = reduced_tfidf(texts, dimension)
        vectors[~usable] = 0
        vectors[usable] = unit_rows(vectors[usable], name="gloss vectors")
        return vectors

    key = "\0".join([str(dimension), sklearn.__version__, *texts]).encode()
    vectors = cached_array("gloss", key, embed)
    usable = vectors.any(axis=1)
    report = {what: len(texts), f"{what} without a usable word": int((~usable).sum())}
    return usable, WordVectors(np.array(names)[usable], vectors[usable], report)


def reduced_tfidf(texts, dimension):
    """TF-IDF of texts, reduced by a truncated singular value decomposition.

    English stop words are left out, words in one text alone too; counts are sublinear.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts = TfidfVectorizer(stop_words="english", min_df=2, sublinear_tf=True)
    weights = counts.fit_transform(texts)
    return truncated(weights, dimension), np.diff(weights.indptr) > 0


def truncated(matrix, dimension):
    """Rows reduced by a truncated singular value decomposition, (n, dimension) float32."""
    from sklearn.decomposition import TruncatedSVD

    # The last bits of a product depend on how many threads share it.
    with threadpool_limits(1):
        return TruncatedSVD(dimension, random_state=0).fit_transform(matrix).astype(np.float32)
