"""One cross-space mapping problem: everything a zero-shot experiment needs, checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zslib.arrays import take_rows
from zslib.datasets.entry import SETTINGS
from zslib.datasets.problem import Problem, add_array, add_words, integers
from zslib.metrics.correlations import hub_cosines
from zslib.validation import (
    check_choice,
    check_columns,
    check_disjoint,
    check_indices,
    check_once,
    check_row_names,
    check_same_width,
    column_names,
)

_WORDS = {"train_words": "X_train", "test_words": "X_test", "target_words": "targets"}


@dataclass(frozen=True, eq=False, repr=False)
class MappingProblem(Problem):
    """Training pairs, queries and the search space of one zero-shot mapping experiment.

    Follows section 2 of Lazaridou, Dinu and Baroni (ACL 2015): a map is learned from
    ``X_train`` to ``Y_train`` (``targets[train_gold]``), applied to ``X_test``, and the right
    answers ``test_gold`` are looked for among ``targets`` or a part of them (`space`). No word
    may be in training and test; nor, in the cross-modal setting, a query's label. In the
    cross-linguistic one two source words may share a translation: there the *source* words are
    what zero-shot keeps apart.

    Parameters
    ----------
    name : str
        Short name of the data, for instance ``"europarl"``.
    setting : {"cross-linguistic", "cross-modal"}
        Which half of the paper the problem belongs to.
    synthetic : bool
        Whether the numbers were generated.
    description : str
        One phrase for captions. It has the word "synthetic" exactly when ``synthetic`` is true.
    X_train : array, shape (n, d1), float32 or float64
        Source vectors of the training pairs.
    train_gold : int array, shape (n,)
        Row in ``targets`` of each training pair's target. Rows may repeat.
    X_test : array, shape (m, d1), dtype of ``X_train``
        Source vectors of the queries.
    test_gold : sequence of m int arrays
        The acceptable rows of ``targets`` for each query, at least one.
    targets : array, shape (N, d2), dtype of ``X_train``
        The full search space.
    target_words : str array, shape (N,)
        The word of each row of ``targets``, no two alike.
    train_words, test_words : str arrays, shapes (n,) and (m,)
        Source words; in the cross-modal setting the word of the image's label.
    labels : int array, optional
        Rows of ``targets`` that are a label or translation of some item. By default those in
        ``train_gold`` and ``test_gold``; give it when a label happens to have no sampled query.
    coverage : dict, optional
        What the data listed, used and left out, for the book to print.

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(3, dtype=np.float32)
    >>> problem = MappingProblem(
    ...     name="toy", setting="cross-linguistic", synthetic=True,
    ...     description="synthetic toy data", X_train=eye[:2], train_gold=np.array([0, 1]),
    ...     X_test=eye[2:], test_gold=[[2]], targets=eye,
    ...     target_words=np.array(["uno", "due", "tre"]),
    ...     train_words=np.array(["one", "two"]), test_words=np.array(["three"]))
    >>> problem
    MappingProblem('toy', cross-linguistic: 2 training pairs, 1 query, 3 targets)
    >>> problem.space("test")
    array([2])
    """

    name: str
    setting: str
    synthetic: bool
    description: str
    X_train: object
    train_gold: np.ndarray
    X_test: object
    test_gold: tuple
    targets: object
    target_words: np.ndarray
    train_words: np.ndarray
    test_words: np.ndarray
    labels: np.ndarray | None = None
    coverage: Mapping = field(default_factory=dict)

    _ARRAYS = ("X_train", "X_test", "targets")

    def __post_init__(self):
        check_choice(self.setting, "setting", SETTINGS)
        self._check_description()
        for words, vectors in _WORDS.items():
            check_row_names(getattr(self, vectors), getattr(self, words), vectors, words)
            self._set(words, np.asarray(getattr(self, words)))
        check_columns(self.X_test, column_names(self.X_train), "X_test", "X_train")
        self._check_vectors()
        check_same_width(self.X_train, self.X_test, "X_train", "X_test")
        n_targets = self.targets.shape[0]
        self._set("train_gold", integers(self.train_gold, "train_gold", n_targets))
        self._set("test_gold", _gold_rows(self.test_gold, n_targets))
        for name, vectors in (_WORDS | {"train_gold": "X_train", "test_gold": "X_test"}).items():
            entries, rows = len(getattr(self, name)), getattr(self, vectors).shape[0]
            if entries != rows:
                raise ValueError(
                    f"{name} has {entries} entries and {vectors} has {rows} rows: they must agree"
                )
        words, counts = np.unique(self.target_words, return_counts=True)
        if twice := [str(word) for word in words[counts > 1]]:
            raise ValueError(
                f"target_words has {len(twice)} duplicate word(s) ({', '.join(twice[:5])}): keep "
                "one row for each word"
            )
        check_disjoint(self.train_words, self.test_words)
        self._set("labels", self._checked_labels())
        self._check_zero_shot()

    def _checked_labels(self):
        used = np.union1d(self.train_gold, np.concatenate(self.test_gold))
        if self.labels is None:
            return used
        labels = np.unique(integers(self.labels, "labels", self.targets.shape[0]))
        if not np.isin(used, labels).all():
            raise ValueError("labels must include every row of train_gold and test_gold")
        return labels

    def _check_zero_shot(self):
        seen = self.is_training_target
        bad = [i for i, rows in enumerate(self.test_gold) if seen[rows].any()]
        if bad and self.setting == "cross-modal":
            word = self.target_words[self.test_gold[bad[0]][0]]
            raise ValueError(
                f"{len(bad)} queries have a label that was used in training, the first query "
                f"{bad[0]} ({str(word)!r}): remove it from one of the two, it is not zero-shot"
            )

    @cached_property
    def Y_train(self):
        """Target vectors of the training pairs, shape (n, d2): ``targets[train_gold]``."""
        return take_rows(self.targets, self.train_gold)

    @cached_property
    def is_training_target(self):
        """Bool array (N,): which targets some training pair maps to (pollution's Y^Tr)."""
        return np.isin(np.arange(self.targets.shape[0]), self.train_gold)

    @cached_property
    def hub_cosines(self):
        """Cosines of the targets to their mean and to the nearest training target, on the host."""
        return hub_cosines(self.targets, np.flatnonzero(self.is_training_target))

    @cached_property
    def checksum(self):
        """SHA-256 (hex) over all arrays and words, to print next to results."""
        digest = hashlib.sha256()
        for array in self._present().values():
            add_array(digest, array)
        lengths = np.array([len(rows) for rows in self.test_gold])
        for rows in (self.train_gold, lengths, np.concatenate(self.test_gold), self.labels):
            add_array(digest, rows.astype("<i8"))
        for words in (self.target_words, self.train_words, self.test_words):
            add_words(digest, words)
        return digest.hexdigest()

    def space(self, which):
        """Rows of ``targets`` that make up a search space, sorted, int64.

        Parameters
        ----------
        which : {"full", "labels", "test"}
            All targets; those that label some item (the paper's 5.1K labels); or the labels
            that no training pair uses (Table 8's disjoint search space).
        """
        check_choice(which, "which", ("full", "labels", "test"))
        if which == "full":
            return np.arange(self.targets.shape[0], dtype=np.int64)
        if which == "labels":
            return self.labels
        return self.labels[~self.is_training_target[self.labels]]

    def gold_in(self, rows):
        """The queries' gold as positions within ``rows``, for a search over ``targets[rows]``.

        An array is empty where none of the query's answers is in ``rows``.
        """
        rows = np.asarray(rows)
        position = np.full(self.targets.shape[0], -1, dtype=np.int64)
        check_indices(rows, "rows", len(position))
        check_once(rows, "rows")
        position[rows] = np.arange(len(rows))
        inside = (position[gold] for gold in self.test_gold)
        return tuple(gold[gold >= 0] for gold in inside)

    def __repr__(self):
        m = self.X_test.shape[0]
        return (
            f"MappingProblem({self.name!r}, {self.setting}: {self.X_train.shape[0]} training "
            f"pairs, {m} {'query' if m == 1 else 'queries'}, {self.targets.shape[0]} targets)"
        )


def _gold_rows(test_gold, n_targets):
    rows = tuple(np.atleast_1d(np.asarray(gold)) for gold in test_gold)
    for i, gold in enumerate(rows):
        if gold.size == 0:
            raise ValueError(f"test_gold[{i}] is empty: each query needs an acceptable answer")
        check_indices(gold, f"test_gold[{i}]", n_targets)
        check_once(gold, f"test_gold[{i}]")
    return tuple(gold.astype(np.int64) for gold in rows)
