"""One problem of paired images and texts, with seen and unseen classes, checked once."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zslib.arrays import ragged_rows, take_rows
from zslib.datasets.attributes.seen_unseen import SplitProblem, refuse_rows
from zslib.datasets.attributes.splits import PARTS
from zslib.datasets.problem import add_array, add_words, integers
from zslib.datasets.words.tokens import check_texts
from zslib.validation import check_choice, column_names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ImageTextProblem(SplitProblem):
    """Images with labels and texts, and the split into seen and unseen classes.

    The setting of Oreshkin et al. (CLAREL, 2019), section 1: training images come with texts of
    their own, test images of unseen classes are recognised by the mean of the embedded texts of
    each class. A text belongs to images of one class.

    Parameters
    ----------
    name, synthetic, description, features, trainval, test_seen, test_unseen, train, val, \
    candidates, coverage
        As in `ZeroShotProblem`.
    labels : int or str array, shape (n,)
        Row of ``class_names`` of each image, or the name of its class.
    class_names : str array, shape (C,)
        No two alike.
    text_offsets : int array, shape (n + 1,)
        Image i has the texts ``text_index[text_offsets[i]:text_offsets[i + 1]]``. Images that
        are only tested may have none.
    text_index : int array
        Text numbers, image after image.
    texts : sequence of m str, optional
        The texts as words.
    text_vectors : array, shape (m, d), dtype of ``features``, optional
        The texts as ready vectors. Give exactly one of the two.
    text_ids : int array, shape (m,), optional
        Texts of one id say the same of an image, and are never each other's negatives. By
        default equal texts share an id; with ``level="class"`` all texts of a class do, since
        each of them belongs to each of its images (a sentence that two classes have stands
        there twice).
    level : {"image", "class"}
        Whether the texts are captions of single images or sentences about a class.
    columns : dict, optional
        Names of the columns of "features", which a model of `fit_image_text` holds later data
        frames against. Default: those of a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> problem = ImageTextProblem(
    ...     name="toy", synthetic=True, description="synthetic toy data",
    ...     features=np.eye(4, dtype=np.float32), labels=np.array([0, 0, 1, 2]),
    ...     class_names=np.array(["cat", "dog", "fox"]),
    ...     texts=("a black cat", "a cat", "a dog", "a red fox", "red fur"),
    ...     text_offsets=np.array([0, 1, 2, 3, 5]), text_index=np.arange(5),
    ...     trainval=np.array([0, 2]), test_seen=np.array([1]), test_unseen=np.array([3]))
    >>> problem.training_texts
    array([0, 2])
    >>> problem.prototype_rows()
    (array([0, 2, 3, 4]), array([0, 1, 2, 2]))
    """

    text_offsets: np.ndarray
    text_index: np.ndarray
    texts: tuple | None = None
    text_vectors: object = None
    text_ids: np.ndarray | None = None
    level: str = "image"
    columns: Mapping = field(default_factory=dict)
    setting: str = "pairs"

    _ARRAYS = ("features", "text_vectors")

    def __post_init__(self):
        check_choice(self.level, "level", ("image", "class"))
        if (self.texts is None) == (self.text_vectors is None):
            raise ValueError("give exactly one of texts (words) and text_vectors (numbers)")
        names = column_names(self.features) or self.columns.get("features")
        self._check_vectors()
        known = len(names or ()) == self.features.shape[1]
        self._set("columns", {"features": names} if known else {})
        if self.texts is not None:
            self._set("texts", check_texts(self.texts))
        self._check(len(self.class_names), "class_names")
        self._check_pairs()
        self._set("text_ids", self._checked_ids())

    def _check_pairs(self):
        n, m = len(self.labels), self.n_texts
        index = integers(self.text_index, "text_index", m)
        offsets = integers(self.text_offsets, "text_offsets", len(index) + 1)
        ends = offsets[[0, -1]].tolist() if len(offsets) == n + 1 else None
        if ends != [0, len(index)] or (np.diff(offsets) < 0).any():
            raise ValueError(
                f"text_offsets must be {n + 1} numbers that rise from 0 to {len(index)}, the "
                f"length of text_index; got {len(offsets)} of them"
            )
        self._set("text_index", index)
        self._set("text_offsets", offsets)
        pairs = np.sort(np.repeat(np.arange(n), np.diff(offsets)) * np.int64(m) + index)
        if (pairs[1:] == pairs[:-1]).any():  # np.unique takes seconds for millions
            raise ValueError("an image lists a text twice: list each text once")
        bare = self.trainval[np.diff(offsets)[self.trainval] == 0]
        remedy = "give each a text, or leave the image out"
        refuse_rows(bare, "training images have no text", remedy)
        apart = self.text_labels[index] != np.repeat(self.labels, np.diff(offsets))
        remedy = "repeat such a text once for each class"
        refuse_rows(np.unique(index[apart]), "texts belong to images of two classes", remedy)
        if self.level == "image" and len(np.unique(index)) < len(index):
            raise ValueError(
                "a text belongs to several images: repeat it once for each image with one id in "
                "text_ids, or pass level='class'"
            )
        described = self.labels[self._images_of_pairs(("trainval", "test_unseen"))[0]]
        silent = np.setdiff1d(self.unseen_classes, described)
        self._refuse(silent, "without a text", "give each class a text, or drop its images")

    def _checked_ids(self):
        if self.text_ids is None:
            if self.level == "class":
                return self.text_labels
            if self.texts is None:
                return np.arange(self.n_texts)
            return np.unique(self.texts, return_inverse=True)[1]
        ids = np.asarray(self.text_ids)
        if ids.shape != (self.n_texts,) or ids.dtype.kind not in "iu":
            raise ValueError(
                f"text_ids must be {self.n_texts} integers, one for each text, got {ids.dtype} of "
                f"shape {ids.shape}"
            )
        if self.texts is not None and self.level == "image":
            pairs = set(zip(self.texts, ids.tolist(), strict=True))
            text, times = Counter(text for text, _ in pairs).most_common(1)[0]
            if times > 1:
                raise ValueError(f"equal texts have two text_ids: {text!r}")
        return ids.astype(np.int64)

    @property
    def n_texts(self):
        """Number of texts, m."""
        return len(self.texts) if self.texts is not None else int(self.text_vectors.shape[0])

    @property
    def text_rows(self):
        """``(text_offsets, text_index)``, the texts of each image."""
        return self.text_offsets, self.text_index

    @cached_property
    def image_texts(self):
        """The texts of each image, a list of n int arrays."""
        return np.split(self.text_index, self.text_offsets[1:-1])

    @cached_property
    def text_labels(self):
        """Class of each text, int64 (m,); -1 for a text without an image."""
        labels = np.full(self.n_texts, -1)
        labels[self.text_index] = np.repeat(self.labels, np.diff(self.text_offsets))
        return labels

    def _images_of_pairs(self, parts):
        """Image and text of each pair whose image is in one of the parts."""
        rows = np.unique(np.concatenate([getattr(self, part) for part in parts]))
        offsets, index = ragged_rows(self.text_offsets, self.text_index, rows)
        return np.repeat(rows, np.diff(offsets)), index

    @cached_property
    def training_texts(self):
        """Texts of ``trainval`` images, sorted: all that a vocabulary may know."""
        return np.unique(self._images_of_pairs(("trainval",))[1])

    def prototype_rows(self, parts=("trainval", "test_unseen")):
        """The texts whose mean embedding is a class's prototype.

        Section 2.1 of the paper leaves open which "the texts of the class" are. Here, for seen
        classes, those of training images, and for unseen classes all: no text of an image that
        tests a seen class takes part.

        Parameters
        ----------
        parts : sequence of str
            From whose images the texts are taken.

        Returns
        -------
        (rows, classes) : int64 arrays of one length
            Text numbers, and the class of each; sorted by class.
        """
        for part in parts:
            check_choice(part, "parts", PARTS)
        texts = np.unique(self._images_of_pairs(parts)[1])
        classes = self.text_labels[texts]
        silent = np.setdiff1d(np.arange(len(self.class_names)), classes)
        remedy = "name other parts or leave these classes out"
        self._refuse(silent, f"without a text in {' or '.join(parts)}", remedy)
        order = np.argsort(classes, kind="stable")
        return texts[order], classes[order]

    @cached_property
    def checksum(self):
        """SHA-256 (hex) over all arrays, names and texts, to print next to results."""
        digest = self._digest(hashlib.sha256(self.level.encode()))
        for array in (self.text_offsets, self.text_index, self.text_ids):
            add_array(digest, array)
        for words in (self.class_names, () if self.texts is None else self.texts):
            add_words(digest, words, end="\0\0", between="\0")
        return digest.hexdigest()

    def summary(self):
        """Counts of classes, images and texts; distinct texts by id, texts per training image."""
        per_image = np.diff(self.text_offsets)[self.trainval]
        return {
            **self._counts(),
            "features": int(self.features.shape[1]),
            "texts": self.n_texts,
            "distinct_texts": len(np.unique(self.text_ids)),
            "texts_per_image": float(per_image.mean()),
        }

    def _variants(self):
        if self.level == "class":
            return None
        ids = (self.text_ids[texts] for texts in self.image_texts)
        return np.array([frozenset(several.tolist()) for several in ids], dtype=object)

    def _kept(self, samples, classes):
        offsets, index = ragged_rows(self.text_offsets, self.text_index, samples)
        texts, vectors = np.unique(index), self.text_vectors
        return {
            "text_offsets": offsets,
            "text_index": np.searchsorted(texts, index),
            "texts": None if self.texts is None else tuple(self.texts[i] for i in texts),
            "text_vectors": None if vectors is None else take_rows(vectors, texts),
            "text_ids": self.text_ids[texts],
        }

    def __repr__(self):
        kind = "of images" if self.level == "image" else "of classes"
        return self._described(f"{self.n_texts} texts {kind}, {self.features.shape[1]} features")


def with_texts(images, *, coverage, **fields):
    """The images of a `ZeroShotProblem` as an `ImageTextProblem`, whose other fields are given."""
    names = ("synthetic", "features", "labels", "class_names", "feature_scaling", "scaler", *PARTS)
    kept = {name: getattr(images, name) for name in names}
    kept |= {"columns": images.columns, "coverage": {**images.coverage, **coverage}}
    return ImageTextProblem(**kept, **fields)
