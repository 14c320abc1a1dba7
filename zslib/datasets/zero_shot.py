"""One attribute-based zero-shot problem: features, class embeddings and splits, checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from zslib.arrays import namespace, take_rows, to_host, to_requested_device, unit_rows
from zslib.datasets.class_splits import PARTS, hold_out
from zslib.validation import check_choice, check_indices, check_vectors

__all__ = ["ZeroShotProblem"]

_ARRAYS = ("features", "class_embeddings", "image_attributes")


@dataclass(frozen=True, eq=False, repr=False)
class ZeroShotProblem:
    """Images with labels, one embedding for each class, and the split into seen and unseen.

    The setting of Guo et al. (AAAI 2019) and of Bucher, Herbin and Jurie (2016): a model is
    fitted on ``trainval``, images of the seen classes, and recognises unseen classes by their
    embeddings. The split follows the proposed splits of Xian et al. (2017): part of the seen
    classes' images is kept for testing, so that seen and unseen classes can compete.

    Each class is either seen (some training image has it) or unseen (some image of
    ``test_unseen`` has it). Samples may be in no part at all.

    Parameters
    ----------
    name : str
        Short name of the data, for instance ``"cub"``.
    synthetic : bool
        Whether the numbers were generated.
    description : str
        One phrase for captions. It has the word "synthetic" exactly when ``synthetic`` is true.
    features : array, shape (n, p), float32 (or float64)
        One row for each image.
    labels : int array, shape (n,)
        Row of ``class_embeddings`` of each image.
    class_embeddings : array, shape (C, q), dtype of ``features``
        Attributes or word vectors of the classes.
    class_names : str array, shape (C,)
        No two alike.
    trainval, test_seen, test_unseen : int arrays
        Row numbers of ``features``: training images, test images of seen classes (may be
        empty), test images of unseen classes.
    train, val : int arrays, optional
        A split of ``trainval`` by class, for tuning; both empty where there is none.
    class_ids : str array, shape (C,), optional
        Identifiers such as WordNet ids.
    image_attributes : array, shape (n, q'), optional
        Attributes of the single images.
    feature_scaling : str
        What was done to the features: "none", "unit length", ...
    coverage : dict, optional
        What the data listed, used and left out, for the book to print.
    setting : str
        What the problem serves: "attributes", or one of the settings with synsets.

    Raises
    ------
    ValueError
        When shapes disagree, a vector is not finite, all features are alike, a label or row
        number is out of range, a class is seen and unseen or neither, there are fewer than two
        seen classes, a training image is a test image, or train and val leave ``trainval`` or
        share a class.

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

    name: str
    synthetic: bool
    description: str
    features: object
    labels: np.ndarray
    class_embeddings: object
    class_names: np.ndarray
    trainval: np.ndarray
    test_seen: np.ndarray
    test_unseen: np.ndarray
    train: np.ndarray = ()
    val: np.ndarray = ()
    class_ids: np.ndarray | None = None
    image_attributes: object = None
    feature_scaling: str = "none"
    coverage: Mapping = field(default_factory=dict)
    setting: str = "attributes"

    def __post_init__(self):
        if ("synthetic" in self.description.lower()) != bool(self.synthetic):
            raise ValueError(
                f"description {self.description!r} must have the word 'synthetic' exactly when "
                f"the data are synthetic (synthetic={self.synthetic})"
            )
        self._set("coverage", dict(self.coverage))
        self._check_vectors()
        n, n_classes = self.features.shape[0], self.class_embeddings.shape[0]
        self._set("labels", _integers(self.labels, "labels", n_classes))
        if len(self.labels) != n:
            raise ValueError(f"labels has {len(self.labels)} entries for {n} rows of features")
        for name in ("class_names", "class_ids"):
            self._set(name, _class_strings(getattr(self, name), name, n_classes))
        for name in PARTS:
            rows = _integers(getattr(self, name), name, n)
            if len(np.unique(rows)) < len(rows):
                raise ValueError(f"{name} lists an image twice: list each row once")
            self._set(name, rows)
        self._check_split()
        self._check_validation()

    def _set(self, name, value):
        object.__setattr__(self, name, value)

    def _check_vectors(self):
        xp = namespace(self.features, self.class_embeddings, self.image_attributes)
        present = [name for name in _ARRAYS if getattr(self, name) is not None]
        for name in present:
            check_vectors(getattr(self, name), name)
        kinds = {str(getattr(self, name).dtype) for name in present}
        if len(kinds) > 1:
            raise TypeError(
                f"{', '.join(present)} mix {' and '.join(sorted(kinds))}: convert them to one type"
            )
        if bool(xp.all(self.features == self.features[:1, :])):
            raise ValueError("features are constant, all rows alike: nothing can be learnt")
        if self.image_attributes is not None:
            rows = self.image_attributes.shape[0]
            if rows != self.features.shape[0]:
                raise ValueError(
                    f"image_attributes has {rows} rows for {self.features.shape[0]} rows of "
                    "features: give one for each image"
                )

    def _check_split(self):
        seen, unseen = self.seen_classes, self.unseen_classes
        if len(seen) < 2:
            raise ValueError(
                f"{len(seen)} seen class(es) in trainval: two are needed to learn anything"
            )
        if not len(unseen):
            raise ValueError("test_unseen is empty: give test images of at least one class")
        self._refuse(np.intersect1d(seen, unseen), "both seen and unseen", "zero-shot needs none")
        untrained = np.setdiff1d(self.labels[self.test_seen], seen)
        self._refuse(
            untrained, "in test_seen without a training image", "move them to test_unseen or drop"
        )
        every = np.arange(len(self.class_names))
        idle = np.setdiff1d(every, np.concatenate([seen, unseen]))
        self._refuse(
            idle,
            "without images in trainval or test_unseen",
            "drop their rows of class_embeddings",
        )
        common = np.intersect1d(self.trainval, self.test_seen)
        if len(common):
            raise ValueError(
                f"{len(common)} images are in trainval and in test_seen, the first is row "
                f"{common[0]}: a training image must not be tested"
            )

    def _check_validation(self):
        for name in ("train", "val"):
            outside = np.setdiff1d(getattr(self, name), self.trainval)
            if len(outside):
                raise ValueError(
                    f"{len(outside)} images of {name} are not in trainval, the first is row "
                    f"{outside[0]}: train and val must be parts of trainval"
                )
        if bool(len(self.train)) != bool(len(self.val)):
            raise ValueError("give both train and val, or neither")
        common = np.intersect1d(self.train_classes, self.val_classes)
        self._refuse(common, "in both train and val", "validation classes must be unseen there")

    def _refuse(self, classes, what, remedy):
        if len(classes):
            shown = ", ".join(repr(str(self.class_names[c])) for c in classes[:5])
            more = ", ..." if len(classes) > 5 else ""
            raise ValueError(f"{len(classes)} class(es) {what} ({shown}{more}): {remedy}")

    @cached_property
    def seen_classes(self):
        """Classes with a training image, sorted int64."""
        return np.unique(self.labels[self.trainval])

    @cached_property
    def unseen_classes(self):
        """Classes of ``test_unseen``, sorted int64."""
        return np.unique(self.labels[self.test_unseen])

    @cached_property
    def is_seen(self):
        """Bool array (C,): which classes are seen."""
        return np.isin(np.arange(len(self.class_names)), self.seen_classes)

    @cached_property
    def train_classes(self):
        """Classes of ``train``, sorted int64."""
        return np.unique(self.labels[self.train])

    @cached_property
    def val_classes(self):
        """Classes of ``val``, sorted int64."""
        return np.unique(self.labels[self.val])

    @cached_property
    def checksum(self):
        """SHA-256 (hex) over all arrays and names, to print beside results."""
        digest = hashlib.sha256(self.feature_scaling.encode())
        arrays = [to_host(getattr(self, n)) for n in _ARRAYS if getattr(self, n) is not None]
        for array in (*arrays, self.labels, *(getattr(self, name) for name in PARTS)):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        for words in (self.class_names, () if self.class_ids is None else self.class_ids):
            digest.update("\n".join(map(str, words)).encode() + b"\0")
        return digest.hexdigest()

    def summary(self):
        """Counts in the rows of Table 2 of Guo et al. (AAAI 2019), and the feature width.

        Returns
        -------
        dict
            Keys seen_classes, train_seen_samples, test_seen_samples, unseen_classes,
            unseen_samples, class_attributes, features.
        """
        return {
            "seen_classes": len(self.seen_classes),
            "train_seen_samples": len(self.trainval),
            "test_seen_samples": len(self.test_seen),
            "unseen_classes": len(self.unseen_classes),
            "unseen_samples": len(self.test_unseen),
            "class_attributes": int(self.class_embeddings.shape[1]),
            "features": int(self.features.shape[1]),
        }

    def scaled(self, how):
        """The same problem with other feature scaling.

        Parameters
        ----------
        how : {"none", "unit length", "standard"}
            Leave the features as they are; divide rows by their length; or give each column
            mean 0 and variance 1 over ``trainval`` (a column that is constant there is only
            centred).
        """
        check_choice(how, "how", ("none", "unit length", "standard"))
        if how == "none":
            return self
        if how == "unit length":
            features = unit_rows(self.features, name="features")
        else:
            xp = namespace(self.features)
            known = take_rows(self.features, self.trainval)
            deviation = xp.std(known, axis=0)
            deviation = xp.where(deviation > 0, deviation, xp.ones_like(deviation))
            features = (self.features - xp.mean(known, axis=0)) / deviation
        before = "" if self.feature_scaling == "none" else f"{self.feature_scaling}, then "
        return replace(self, features=features, feature_scaling=before + how)

    def validation_problem(self, *, seen_fraction=0.2, seed=0):
        """The problem to tune on: ``val`` plays the unseen classes, no test image is in it.

        Only the images and classes of ``train`` and ``val`` are kept, renumbered. Part of each
        training class's images becomes ``test_seen``, so that the calibration of seen against
        unseen classes can be tuned too; ``trainval`` is the rest.

        Parameters
        ----------
        seen_fraction : float
            Share of each training class's images that becomes ``test_seen``; 0 for none.
        seed : int
            Of that draw.

        Returns
        -------
        ZeroShotProblem
            Its own ``train`` and ``val`` are empty.

        Raises
        ------
        ValueError
            When this problem has no validation classes.
        """
        if not len(self.val):
            raise ValueError(
                f"{self.name} has no validation classes: give train and val, a split of trainval "
                "by class"
            )
        samples = np.sort(np.concatenate([self.train, self.val]))
        classes = np.union1d(self.train_classes, self.val_classes)
        kept, held = hold_out(self.labels, self.train, fraction=seen_fraction, seed=seed)

        def rows(array, which):
            return None if array is None else take_rows(array, which)

        return replace(
            self,
            name=f"{self.name} (validation)",
            features=rows(self.features, samples),
            labels=np.searchsorted(classes, self.labels[samples]),
            class_embeddings=rows(self.class_embeddings, classes),
            class_names=self.class_names[classes],
            class_ids=None if self.class_ids is None else self.class_ids[classes],
            image_attributes=rows(self.image_attributes, samples),
            trainval=np.searchsorted(samples, kept),
            test_seen=np.searchsorted(samples, held),
            test_unseen=np.searchsorted(samples, np.sort(self.val)),
            train=(),
            val=(),
        )

    def to(self, device):
        """The same problem with its vector arrays on ``"cpu"``, ``"gpu"`` or ``"auto"``.

        Labels, row numbers and names stay NumPy arrays on the host.
        """
        moved = {
            name: to_requested_device(to_host(getattr(self, name)), device)
            for name in _ARRAYS
            if getattr(self, name) is not None
        }
        return replace(self, **moved)

    def __repr__(self):
        s = self.summary()
        return (
            f"ZeroShotProblem({self.name!r}: {s['seen_classes']} seen and {s['unseen_classes']} "
            f"unseen classes, {s['train_seen_samples']} + {s['test_seen_samples']} seen and "
            f"{s['unseen_samples']} unseen images, {s['features']} features, "
            f"{s['class_attributes']} attributes)"
        )


def _integers(values, name, size):
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"{name} must be a 1-d array, got shape {values.shape}")
    if not values.size:
        return np.empty(0, dtype=np.int64)
    return check_indices(values, name, size).astype(np.int64)


def _class_strings(values, name, n_classes):
    if values is None:
        return None
    values = np.asarray(values)
    if values.dtype.kind != "U" or values.shape != (n_classes,):
        raise ValueError(
            f"{name} must be {n_classes} strings, one for each row of class_embeddings, got "
            f"{values.dtype} of shape {values.shape}"
        )
    known, counts = np.unique(values, return_counts=True)
    if len(known) < n_classes:
        raise ValueError(f"{name} has {str(known[counts > 1][0])!r} twice: names must differ")
    return values
