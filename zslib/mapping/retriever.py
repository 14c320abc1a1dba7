"""From vectors to words: a map, targets with names, and a correction, as one estimator."""

from collections.abc import Hashable, Mapping, Set
from contextlib import contextmanager
from difflib import get_close_matches

import numpy as np
from array_api_compat import is_numpy_array
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from zslib.arrays import namespace, row_norms, take_rows, to_host, unit_rows
from zslib.mapping.base import transform_sources, transform_targets
from zslib.search.corrections import resolve
from zslib.search.exact import top_k
from zslib.search.prepared import PreparedTargets
from zslib.validation import as_array, as_vectors, check_same_width, column_names, plain_name

REFERENCES = 10_000
NEAR = 20_000  # words that are looked through for one that was meant


class Retriever(BaseEstimator):
    """Finds the names of the targets nearest to vectors, or to words, of another space.

    Fitted once, it keeps the map, the lengths of the targets and what the correction knows of
    each, so that a single query costs little more than its product with the targets. It can be
    pickled.

    Parameters
    ----------
    mapping : estimator or None, default None
        From the queries' space to the targets': a map of `zslib.mapping`, a pipeline that ends in
        one, or a regressor of scikit-learn. None where both are one space.
    metric : {"cosine", "dot", "euclidean"}, default "cosine"
    correction : Correction, str or None, default None
        As in `zslib.search.top_k`. It is fitted on the reference that `fit` is given.

    Attributes
    ----------
    mapping_ : estimator or None
        The fitted map.
    targets_ : PreparedTargets
        Where mapped queries are compared with them.
    target_names_ : (n_targets,) array or None
        None: rows are their own names.
    correction_ : Correction or None
        Fitted on the reference; the one given where that has a ``reference`` of its own.
    sources_, source_names_
        Vectors and names that `translate` looks words up in, or None.

    Notes
    -----
    ``targets`` and ``sources`` are arrays, with their names beside them, or what has both: a data
    frame (names are its index), a dict of vectors, a pair of words and matrix,
    `zslib.datasets.WordVectors`, and gensim's ``KeyedVectors``. An array that is mapped into
    memory stays so, unless the map moves the targets; it must not change afterwards.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> from zslib.mapping import RidgeMap
    >>> from zslib.search.corrections import CSLS
    >>> problem = load_problem("cross-linguistic", "synthetic", quick=True)
    >>> retriever = Retriever(RidgeMap(), correction=CSLS()).fit_problem(problem)
    >>> [name for name, score in retriever.translate(problem.test_words[0], k=3)]
    ['bezo-2263', 'beku-2855', 'bere-1718']

    With vectors of one's own, mapped already:

    >>> import numpy as np
    >>> pets = {"cat": [1.0, 0.0], "dog": [0.8, 0.6], "fish": [0.0, 1.0]}
    >>> retriever = Retriever().fit(targets=pets, sources=pets)
    >>> retriever.predict(np.array([[0.1, 2.0]]))
    array(['fish'], dtype='<U4')
    >>> retriever.translate("cat", k=2)
    [('cat', 1.0), ('dog', 0.8)]
    """

    def __init__(self, mapping=None, *, metric="cosine", correction=None):
        self.mapping = mapping
        self.metric = metric
        self.correction = correction

    def fit(
        self, X=None, Y=None, *, targets=None, target_names=None, sources=None,
        source_names=None, reference=None,
    ):  # fmt: skip
        """Take in the targets; learn the map too, where pairs are given.

        Parameters
        ----------
        X, Y : (n, d1) and (n, d2) arrays, or None
            Pairs from which a copy of the map is learned. None: it is fitted already.
        targets : (n_targets, d2) vectors, see the notes on the class
            The search space; ``Y`` where left out.
        target_names, source_names : sequences of str, or None
            Of arrays; they go before the names that vectors have themselves.
        sources : (n_sources, d1) vectors, or None
            What `translate` looks words up in.
        reference : (n_reference, d1) vectors, or None
            Of the queries' space, unmapped, for the statistics of the correction. None: the first
            10,000 of ``sources``, else of ``X``. Refused where nothing would rest on them.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            Where vectors, names or types do not fit, or something is missing.
        sklearn.exceptions.NotFittedError
            When the map is not fitted and there are no pairs to learn it from.
        """
        if (X is None) != (Y is None):
            raise ValueError("X and Y go together: give both to learn the map, or neither")
        if targets is None and Y is None:
            raise ValueError("targets is missing: give the vectors to search, with their names")
        names, targets = _named(Y if targets is None else targets, target_names, "targets")
        words, sources = _named(sources, source_names, "sources")
        self._rows = None if words is None else _row_of_each(words)
        self.mapping_ = self.mapping
        if X is not None:
            if self.mapping is None:
                raise ValueError("X and Y are given and no map to learn: pass mapping=RidgeMap()")
            self.mapping_ = clone(self.mapping).fit(X, Y)
        if self.mapping_ is not None:
            check_is_fitted(self.mapping_)
            targets = transform_targets(self.mapping_, targets)
        self.targets_ = PreparedTargets(targets, self.metric)
        self.target_names_, self.source_names_, self.sources_ = names, words, sources
        if sources is not None:
            with self._naming_sources(np.arange(1)):
                first = self._mapped(_taken(sources, np.arange(1)))
            check_same_width(first, self.targets_, "sources", "targets")
        self.correction_ = self._fitted_correction(reference, X)
        return self

    def fit_problem(self, problem, **options):
        """Learn the map from a problem's training pairs, and search all its targets.

        Parameters
        ----------
        problem : MappingProblem
            For instance of `zslib.datasets.from_files` or `zslib.datasets.load_problem`. Across
            languages, `translate` knows its training and its test words.
        **options
            As in `fit`, in the place of what the problem has. ``sources``, for instance all the
            words of a file, ``reference`` and ``targets`` are made of length one where the
            problem's vectors of their space are; sources and references of length zero are then
            left out.

        Returns
        -------
        self
        """
        given = {"targets": problem.targets, "target_names": problem.target_words}
        if problem.setting == "cross-linguistic":
            words = np.concatenate([problem.train_words, problem.test_words])
            first = np.sort(np.unique(words, return_index=True)[1])
            vectors = namespace(problem.X_train).concat([problem.X_train, problem.X_test])
            given |= {"sources": take_rows(vectors, first), "source_names": words[first]}
        for what, names, known in (
            ("sources", "source_names", problem.X_train),
            ("targets", "target_names", problem.targets),
            ("reference", None, problem.X_train),
        ):
            if options.get(what) is None or not _of_length_one(known):
                continue
            words, vectors = _named(options[what], options.get(names), what)
            vectors = as_vectors(vectors, what)
            if what != "targets":  # whose rows may be their names
                kept = np.flatnonzero(to_host(row_norms(vectors)) > 0)
                vectors, words = take_rows(vectors, kept), None if words is None else words[kept]
            # What is mapped into memory stays so.
            options[what] = vectors if _of_length_one(vectors) else unit_rows(vectors, name=what)
            if names is not None:
                options[names] = words
        if "targets" in options:
            del given["target_names"]
        return self.fit(problem.X_train, problem.Y_train, **{**given, **options})

    def kneighbors(self, queries, k=5):
        """The k best targets of each query, best first.

        Parameters
        ----------
        queries : (n_queries, d1) float array
            Not yet mapped.
        k : int, default 5

        Returns
        -------
        scores : (n_queries, k) array
            In the order of scikit-learn's (distances, indices), but the higher the better.
        indices : (n_queries, k) int64 array
            Rows of the targets.
        """
        if not hasattr(self, "targets_"):
            check_is_fitted(self, "targets_")
        first = queries[0] if isinstance(queries, list | tuple) and queries else queries
        if isinstance(first, str):
            raise TypeError("queries must be vectors: for words see translate")
        queries = self._mapped(queries)
        return top_k(queries, self.targets_, k, metric=self.metric, correction=self.correction_)

    def nearest(self, queries, k=5):
        """Names and scores of the k best targets: for each query a list of (name, score)."""
        scores, indices = map(to_host, self.kneighbors(queries, k))
        names = self._names_of(indices).tolist()
        return [list(zip(*row, strict=True)) for row in zip(names, scores.tolist(), strict=True)]

    def predict(self, queries):
        """Name of the best target of each query, (n_queries,)."""
        return self._names_of(to_host(self.kneighbors(queries, 1)[1])[:, 0])

    def translate(self, words, k=5):
        """Names and scores of the k best targets of a word, or of each of several.

        Parameters
        ----------
        words : str or sequence of str
            Names of ``sources``.
        k : int, default 5

        Returns
        -------
        list of (str, float), best first; a list of such for a sequence

        Raises
        ------
        ValueError
            When there are no sources, or words that they lack.
        """
        check_is_fitted(self, "targets_")
        if self._rows is None:
            raise ValueError(
                "translate looks words up in the sources, and there are none with names: give "
                "fit(..., sources=..., source_names=...), or ask by nearest(vectors)"
            )
        if isinstance(words, bytes | Set) or not np.iterable(words):
            raise TypeError(
                f"words must be a str or a sequence of str, got {type(words).__name__}: answers "
                "come in their order"
            )
        single = isinstance(words, str)
        asked = [words] if single else list(words)
        odd = next((word for word in asked if not isinstance(word, Hashable)), None)
        if odd is not None:
            raise TypeError(
                f"words must be a str or a sequence of str, it has a {type(odd).__name__} within: "
                "pass the words one after the other"
            )
        missing = [word for word in asked if word not in self._rows]
        if missing:
            raise ValueError(self._unknown(missing))
        if not asked:
            return []
        rows = np.array([self._rows[word] for word in asked])
        with self._naming_sources(rows):
            found = self.nearest(_taken(self.sources_, rows), k)
        return found[0] if single else found

    def _names_of(self, indices):
        return indices if self.target_names_ is None else self.target_names_[indices]

    def _unknown(self, missing):
        """An error's text on words that the sources lack, with known ones near the first."""
        word, shown = str(missing[0]), ", ".join(map(repr, missing[:5]))
        known = [w for w in self._rows if isinstance(w, str)]
        plain = plain_name(word)
        alike = [w for w in known if plain_name(w) == plain]
        how = " (other case, blanks or composed accents)" if alike else ""
        if word in alike:
            how = " (pass words as str)"
        known = [w for w in known if w[:1].lower() == word[:1].lower()]
        alike = alike or get_close_matches(word, known[:NEAR])
        near = f"; near {word!r}: {', '.join(map(repr, alike))}{how}" if alike else ""
        return (
            f"the sources lack {len(missing)} of the words ({shown}){near}: "
            f"retriever.source_names_ has the {len(self._rows)} that are known"
        )

    def _mapped(self, queries):
        """Queries in the targets' space, and of their type."""
        if self.mapping_ is not None:
            queries = transform_sources(self.mapping_, queries)
        elif type(queries) is np.ndarray and queries.dtype == self.targets_.dtype:
            return queries  # at once: the search looks at them
        else:
            self.targets_.check_queries(queries, self.metric)
        queries = as_vectors(queries, "queries")
        return namespace(queries).astype(queries, self.targets_.dtype, copy=False)

    def _fitted_correction(self, reference, X):
        correction = resolve(self.correction)
        if correction is None or correction.reference is not None:
            if reference is not None:
                has = "there is no correction" if correction is None else "correction has its own"
                raise ValueError(f"reference is given and {has}: leave one of the two out")
            return correction
        known = X if self.sources_ is None else self.sources_
        if reference is None and known is None:
            if correction.fitted:
                correction.check_served(self.targets_, self.metric)
                return correction
            raise ValueError(
                f"{type(correction).__name__} rests on vectors of the queries' space, and "
                "there are none: give fit(..., reference=...) or sources"
            )
        _, vectors = _named(known if reference is None else reference, None, "reference")
        if reference is None:
            vectors = _taken(vectors, np.arange(min(REFERENCES, vectors.shape[0])))
        of_sources = reference is None and self.sources_ is not None
        rows = np.arange(vectors.shape[0] if of_sources else 0)
        with self._naming_sources(rows):
            return clone(correction).fit(self._mapped(vectors), self.targets_, metric=self.metric)

    @contextmanager
    def _naming_sources(self, rows):
        """Where a search fails for a vector of these rows of the sources, name its word."""
        try:
            yield
        except ValueError as error:
            if not len(rows):
                raise
            vectors = to_host(as_vectors(_taken(self.sources_, rows), "sources", finite=False))
            bad = ~np.isfinite(vectors).all(axis=1) | ~vectors.any(axis=1)
            if not bad.any():
                raise
            row = rows[bad.argmax()]
            word = str(row if self.source_names_ is None else self.source_names_[row])
            raise ValueError(
                f"the vector of {word!r} in sources is zero or not finite: mend or drop it"
            ) from error


def _of_length_one(vectors):
    """Whether all rows have length one, but for rounding."""
    return bool(np.abs(to_host(row_norms(vectors)) - 1).max(initial=0) < 1e-3)


def _taken(vectors, rows):
    """Some rows, of a data frame as one: its columns are compared with those of others."""
    return take_rows(vectors, rows) if column_names(vectors) is None else vectors.iloc[rows]


def _named(vectors, names, name):
    """Names, as an array or None, and vectors, from all that the notes on `Retriever` list."""
    if vectors is None:
        if names is not None:
            raise ValueError(f"names of the {name} are given without vectors: give {name} too")
        return None, None
    if isinstance(vectors, str):
        raise TypeError(f"{name} is a str: read a file by zslib.datasets.load_vectors")
    vectors = getattr(vectors, "wv", vectors)
    if hasattr(vectors, "index_to_key"):
        known, vectors = vectors.index_to_key, vectors.vectors
    elif hasattr(vectors, "words") and hasattr(vectors, "vectors"):
        known, vectors = vectors.words, vectors.vectors
    elif isinstance(vectors, Mapping):
        known, vectors = list(vectors), list(vectors.values())
    elif isinstance(vectors, tuple) and len(vectors) == 2 and isinstance(vectors[0][0], str):
        known, vectors = vectors
    else:
        known = vectors.index if column_names(vectors) is not None else None
    names = known if names is None else names
    if column_names(vectors) is None:
        vectors = as_array(vectors, name)
        if (is_numpy_array(vectors) and vectors.dtype.kind != "f") or "16" in str(vectors.dtype):
            vectors = as_vectors(vectors, name)
    if names is None:
        return None, vectors
    names = list(names)
    if len(names) != vectors.shape[0]:
        raise ValueError(
            f"{name} has {vectors.shape[0]} vectors and {len(names)} names: give one for each"
        )
    absent = [row for row, one in enumerate(names) if one is None or one != one]
    if absent:
        raise ValueError(f"the name of row {absent[0]} of {name} is missing: name it, or drop it")
    one_kind = len({isinstance(name, str) for name in names}) == 1
    return np.array(names, dtype=None if one_kind else object), vectors


def _row_of_each(names):
    rows = {word: row for row, word in enumerate(names.tolist())}
    if len(rows) < names.size:
        first, word = next((i, w) for i, w in enumerate(names.tolist()) if rows[w] != i)
        raise ValueError(f"sources has {word!r} twice, in rows {first} and {rows[word]}: keep one")
    return rows
