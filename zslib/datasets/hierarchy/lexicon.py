"""From synsets to terms and back: what a model of words can say about classes of synonyms."""

from itertools import chain

import numpy as np
from scipy import sparse

from zslib.arrays import like, namespace, ragged_rows, random_generator, take_rows, to_host
from zslib.validation import check_choice, check_indices, check_integer, check_vectors


class TermLexicon:
    """Which terms name which synsets (Frome et al. 2013, section A.2).

    A synset is a set of synonymous terms. A term may belong to several synsets, and has one
    vector whatever its senses. Terms are compared in lower case.

    Parameters
    ----------
    terms_of : mapping of str to sequence of str
        The terms of each synset, the first term first. The order of the synsets gives their
        rows, and the order of two synsets that share a term.
    vocabulary : collection of str, optional
        Terms that have a vector. Others are left out, and with them the synsets that keep no
        term (`dropped`).

    Attributes
    ----------
    synsets : tuple of str
        A row of it is what `expand` answers with.
    terms : tuple of str
        In the order of their first appearance; term vectors are to have one row for each.
    dropped : tuple of str
        Synsets without any term in ``vocabulary``.
    senses : (n_terms, n_synsets) sparse bool array
        Which synsets each term names.

    Examples
    --------
    >>> lexicon = TermLexicon({"n1": ["crane"], "n2": ["crane", "hoist"], "n3": ["hall"]})
    >>> lexicon.terms
    ('crane', 'hoist', 'hall')
    >>> lexicon.synsets_of("crane"), lexicon.terms_of("n2")
    (('n1', 'n2'), ('crane', 'hoist'))
    """

    def __init__(self, terms_of, *, vocabulary=None):
        if not terms_of:
            raise ValueError("terms_of is empty: give the terms of at least one synset")
        allowed = None if vocabulary is None else {term.lower() for term in vocabulary}
        kept = {}
        for synset, terms in terms_of.items():
            if isinstance(terms, str) or not terms:
                raise ValueError(
                    f"the terms of synset {synset!r} must be a non-empty sequence of strings, "
                    f"got {terms!r}"
                )
            folded = dict.fromkeys(term.lower() for term in terms)
            if usable := tuple(t for t in folded if allowed is None or t in allowed):
                kept[synset] = usable
        if not kept:
            raise ValueError(
                f"none of the terms of {len(terms_of)} synsets is in vocabulary: give vectors of "
                "terms that name these synsets"
            )
        self.synsets, self._terms_of = tuple(kept), kept
        self.dropped = tuple(synset for synset in terms_of if synset not in kept)
        self.row_of = {synset: row for row, synset in enumerate(self.synsets)}
        every = list(chain.from_iterable(kept.values()))
        self.terms = tuple(dict.fromkeys(every))
        self.term_row = {term: row for row, term in enumerate(self.terms)}
        self._synset_start = np.cumsum([0, *map(len, kept.values())])
        self._synset_terms = np.array([self.term_row[term] for term in every])
        # A row of it has the synsets of a term in the order in which they were given.
        entries = np.ones(len(every), dtype=bool), self._synset_terms, self._synset_start
        self.senses = sparse.csr_array(entries, shape=(len(kept), len(self.terms))).T.tocsr()

    @property
    def terms_per_synset(self):
        """Number of terms of each synset, (n_synsets,) int array."""
        return np.diff(self._synset_start)

    @property
    def synsets_per_term(self):
        """Number of synsets of each term, (n_terms,) int array."""
        return np.diff(self.senses.indptr)

    def terms_of(self, synset):
        """Terms of a synset, the first term first."""
        return self._known(synset, self._terms_of, "synset")

    def synsets_of(self, term):
        """Synsets that a term names, in the order in which they were given."""
        row = self._known(term.lower(), self.term_row, "term")
        start, end = self.senses.indptr[row : row + 2]
        return tuple(self.synsets[i] for i in self.senses.indices[start:end])

    def rows(self, synsets):
        """Rows of synsets, by name, as an int64 array."""
        return np.array([self._known(s, self.row_of, "synset") for s in synsets], dtype=np.int64)

    def training_targets(self, term_vectors, rows, *, rule="first", random_state=None):
        """The vector that represents each synset while a model is trained.

        Parameters
        ----------
        term_vectors : (n_terms, d) array
            Vector of each of `terms`.
        rows : (n,) int array
            Rows of the synsets, with repetitions where several images share one.
        rule : {"first", "random", "mean"}
            The first term's vector, which the paper uses; a term drawn for each of ``rows``; or
            the mean over the synset's terms. The paper names the last two as possible.
        random_state : None, int or Generator
            For ``rule="random"``.

        Returns
        -------
        (n, d) array

        Examples
        --------
        >>> import numpy as np
        >>> lexicon = TermLexicon({"n1": ["crane", "hoist"], "n2": ["hall"]})
        >>> vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> lexicon.training_targets(vectors, np.array([0, 1]), rule="mean")
        array([[0.5, 0.5],
               [1. , 1. ]])
        """
        check_choice(rule, "rule", ("first", "random", "mean"))
        self.check_term_vectors(term_vectors)
        rows = np.asarray(to_host(rows))
        if rows.ndim != 1 or rows.size == 0:
            raise ValueError(f"rows must be a non-empty 1-d array, got shape {rows.shape}")
        check_indices(rows, "rows", len(self.synsets))
        start, size = self._synset_start[rows], self.terms_per_synset[rows]
        if rule == "mean":
            place = np.arange(size.max())
            weight = (place < size[:, None]) / size[:, None]
        else:
            rng = random_generator(random_state)
            place = rng.integers(size)[:, None] if rule == "random" else np.zeros((1, 1), int)
            weight = np.ones((rows.size, 1))
        # One position of all synsets at a time; those that have run out repeat with weight 0.
        chosen = self._synset_terms[start[:, None] + np.minimum(place, size[:, None] - 1)]
        weight = like(weight.astype(str(term_vectors.dtype).rpartition(".")[2]), term_vectors)
        return sum(
            weight[:, j][:, None] * take_rows(term_vectors, chosen[:, j])
            for j in range(chosen.shape[1])
        )

    def expand(self, terms, k):
        """Synsets that lists of nearest terms mean (section A.2).

        Each term is replaced by all its synsets, only the first place of a synset is kept, and
        the list is cut to k.

        Parameters
        ----------
        terms : (n, n_terms) int array
            Rows of `terms`, nearest first.
        k : int
            Synsets wanted.

        Returns
        -------
        (n, k) int64 array
            Rows of `synsets`, on the device of ``terms``; -1 where the terms name fewer than k.

        Examples
        --------
        >>> import numpy as np
        >>> lexicon = TermLexicon({"n1": ["crane"], "n2": ["crane", "hoist"], "n3": ["hall"]})
        >>> lexicon.expand(np.array([[1, 0, 2]]), 3)  # hoist, crane, hall
        array([[1, 0, 2]])
        """
        check_integer(k, "k", low=1)
        namespace(terms)
        if terms.ndim != 2 or 0 in terms.shape:
            raise ValueError(
                "terms must be a 2-d array, a list of terms for each query, got shape "
                f"{tuple(terms.shape)}"
            )
        check_indices(terms, "terms", len(self.terms))
        host = np.asarray(to_host(terms))
        n, width = host.shape
        ends, synset = ragged_rows(self.senses.indptr, self.senses.indices, host.ravel())
        query = np.repeat(np.repeat(np.arange(n), width), np.diff(ends))
        _, earliest = np.unique(query * len(self.synsets) + synset, return_index=True)
        earliest.sort()
        query, synset = query[earliest], synset[earliest]
        place = np.arange(query.size) - np.searchsorted(query, np.arange(n))[query]
        kept = place < k
        answers = np.full((n, k), -1, dtype=np.int64)
        answers[query[kept], place[kept]] = synset[kept]
        return like(answers, terms)

    def check_term_vectors(self, term_vectors):
        """Raise unless ``term_vectors`` has one finite row for each of `terms`."""
        check_vectors(term_vectors, "term_vectors")
        if term_vectors.shape[0] != len(self.terms):
            raise ValueError(
                f"term_vectors has {term_vectors.shape[0]} rows and the lexicon "
                f"{len(self.terms)} terms: give one row for each of lexicon.terms, in that order"
            )

    @staticmethod
    def _known(name, rows, what):
        if name not in rows:
            raise KeyError(f"unknown {what} {name!r}: the lexicon has {len(rows)} {what}s")
        return rows[name]
