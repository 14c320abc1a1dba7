"""One attribute-based zero-shot problem: features, class embeddings and splits, checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zslib.arrays import take_rows
from zslib.datasets.attributes.seen_unseen import SplitProblem
from zslib.datasets.problem import add_words
from zslib.validation import check_row_names, check_same_rows, column_names, row_names

_NAMED = "features", "class_embeddings"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ZeroShotProblem(SplitProblem):
    """Images with labels, one embedding for each class, and the split into seen and unseen.

    The setting of Guo et al. (AAAI 2019) and of Bucher, Herbin and Jurie (2016): a model is
    fitted on ``trainval``, images of the seen classes, and recognises unseen classes by their
    embeddings. The split follows the proposed splits of Xian et al. (2017): part of the seen
    classes' images is kept for testing, so that seen and unseen classes can compete.

    Each class is either seen (some training image has it) or unseen (some image of
    ``test_unseen`` has it, or it is one of ``candidates``). Samples may be in no part at all.

    Parameters
    ----------
    name : str
        Short name of the data, for instance ``"cub"``.
    synthetic : bool
        Whether the numbers were generated; by default they were not.
    description : str
        One phrase for captions. It has the word "synthetic" exactly when ``synthetic`` is true.
    features : array, shape (n, p), float32 (or float64)
        One row for each image.
    labels : int or str array, shape (n,)
        Row of ``class_embeddings`` of each image, or the name of its class.
    class_embeddings : array or data frame, shape (C, q), dtype of ``features``
        Attributes or word vectors of the classes.
    class_names : str array, shape (C,)
        No two alike. Default: the index of ``class_embeddings``.
    trainval, test_unseen, test_seen : int arrays, or bool arrays of shape (n,)
        Rows of ``features``: training images, test images of unseen classes, and, where there
        are some, test images of seen classes.
    train, val : likewise, optional
        A split of ``trainval`` by class, for tuning; both empty where there is none.
    candidates : int array, optional
        Rows of classes without images: they compete with the unseen classes, and are not tested.
    class_ids : str array, shape (C,), optional
        Identifiers such as WordNet ids.
    image_attributes : array, shape (n, q'), optional
        Attributes of the single images.
    coverage : dict, optional
        What the data listed, used and left out, for the book to print.
    columns : dict, optional
        Names of the columns of "features" and of "class_embeddings", which a model of `run.fit`
        holds later data frames against. Default: those of data frames.
    setting : str
        What the problem serves: "attributes", or one of the settings with synsets.

    Examples
    --------
    >>> import numpy as np
    >>> problem = ZeroShotProblem(
    ...     name="toy", synthetic=True, description="synthetic toy data",
    ...     features=np.eye(4, dtype=np.float32), labels=np.array([0, 0, 1, 2]),
    ...     class_embeddings=np.eye(3, dtype=np.float32),
    ...     class_names=np.array(["cat", "dog", "fox"]),
    ...     trainval=np.array([0, 2]), test_seen=np.array([1]), test_unseen=np.array([3]))
    >>> problem
    ZeroShotProblem('toy': 2 seen and 1 unseen classes, 2 + 1 seen and 1 unseen images,
    4 features, 3 attributes)
    >>> problem.unseen_classes
    array([2])
    """

    class_embeddings: object
    class_names: np.ndarray = None
    class_ids: np.ndarray | None = None
    image_attributes: object = None
    columns: Mapping = field(default_factory=dict)
    setting: str = "attributes"

    _ARRAYS = ("features", "class_embeddings", "image_attributes")

    def __post_init__(self):
        if self.class_names is None:
            self._set("class_names", row_names(self.class_embeddings, "class_embeddings"))
            if self.class_names is None:
                raise ValueError(
                    "class_names is missing: give it, or class_embeddings as a data frame whose "
                    "index names the classes"
                )
        check_row_names(self.class_embeddings, self.class_names, "class_embeddings", "class_names")
        named = {n: column_names(getattr(self, n)) or self.columns.get(n) for n in _NAMED}
        self._check_vectors()
        fitting = (
            n for n, names in named.items() if len(names or ()) == getattr(self, n).shape[1]
        )
        self._set("columns", {name: named[name] for name in fitting})
        if self.image_attributes is not None:
            check_same_rows(self.features, self.image_attributes, "features", "image_attributes")
        self._check(self.class_embeddings.shape[0], "class_embeddings")

    @cached_property
    def checksum(self):
        """SHA-256 (hex) over all arrays and names, to print next to results."""
        digest = self._digest(hashlib.sha256())
        for words in (self.class_names, () if self.class_ids is None else self.class_ids):
            add_words(digest, words)
        return digest.hexdigest()

    def summary(self):
        """Counts in the rows of Table 2 of Guo et al. (AAAI 2019), and the feature width."""
        return {
            **self._counts(),
            "class_attributes": int(self.class_embeddings.shape[1]),
            "features": int(self.features.shape[1]),
        }

    def _kept(self, samples, classes):
        attributes = self.image_attributes
        return {
            "class_embeddings": take_rows(self.class_embeddings, classes),
            "class_ids": None if self.class_ids is None else self.class_ids[classes],
            "image_attributes": None if attributes is None else take_rows(attributes, samples),
        }

    def __repr__(self):
        n, q = self.features.shape[1], self.class_embeddings.shape[1]
        return self._described(f"{n} features, {q} attributes")
