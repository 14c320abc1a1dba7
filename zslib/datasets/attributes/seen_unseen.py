"""What problems with seen and unseen classes share: the split, its checks, feature scaling."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from zslib.arrays import namespace, take_rows
from zslib.datasets.attributes.scaling import Scaling
from zslib.datasets.attributes.splits import PARTS, hold_out
from zslib.datasets.problem import Problem, add_array, integers
from zslib.validation import (
    as_labels,
    check_choice,
    check_paired,
    host_array,
    is_text,
    rows_of_names,
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SplitProblem(Problem):
    """Base; a subclass says in ``_kept`` what a validation problem has of its own fields."""

    name: str
    synthetic: bool = False
    description: str
    features: object
    labels: np.ndarray
    class_names: np.ndarray
    trainval: np.ndarray
    test_seen: np.ndarray = ()
    test_unseen: np.ndarray
    train: np.ndarray = ()
    val: np.ndarray = ()
    candidates: np.ndarray = ()
    feature_scaling: str = "none"
    scaler: Scaling | None = None
    coverage: Mapping = field(default_factory=dict)

    _ARRAYS = ("features",)

    def _check(self, n_classes, class_rows):
        """Check and convert what all subclasses have; ``class_rows`` has a row for each class."""
        self._check_description()
        n = self.features.shape[0]
        for name in ("class_names", "class_ids"):
            if (strings := getattr(self, name, None)) is not None:
                self._set(name, _class_strings(strings, name, n_classes, class_rows))
        labels = as_labels(self.labels, "labels")
        if is_text(labels):
            labels = rows_of_names(labels, self.class_names, "labels", "class_names")
        self._set("labels", integers(labels, "labels", n_classes))
        if len(self.labels) != n:
            raise ValueError(f"labels has {len(self.labels)} entries for {n} rows of features")
        for name in PARTS:
            self._set(name, _rows(getattr(self, name), name, n))
        self._set("candidates", integers(self.candidates, "candidates", n_classes))
        self._check_split(class_rows)
        self._check_validation()

    def _check_vectors(self):
        for name in ("labels", "image_attributes", *PARTS):
            check_paired(self.features, getattr(self, name, None), "features", name)
        super()._check_vectors()
        xp = namespace(self.features)
        if bool(xp.all(self.features == self.features[:1, :])):
            raise ValueError("features are constant, all rows alike: nothing can be learnt")

    def _check_split(self, class_rows):
        seen, unseen = self.seen_classes, np.unique(self.labels[self.test_unseen])
        if len(seen) < 2:
            raise ValueError(
                f"{len(seen)} seen class(es) in trainval: two are needed to learn anything"
            )
        if not len(unseen):
            raise ValueError("test_unseen is empty: give test images of at least one class")
        self._refuse(np.intersect1d(seen, unseen), "both seen and unseen", "zero-shot needs none")
        untrained = np.setdiff1d(self.labels[self.test_seen], seen)
        self._refuse(untrained, "in test_seen without a training image", "move or drop them")
        shown = np.union1d(seen, unseen)
        both = np.intersect1d(self.candidates, shown)
        self._refuse(both, "in candidates have images", "these are classes without any")
        idle = np.setdiff1d(np.arange(len(self.class_names)), np.union1d(shown, self.candidates))
        remedy = f"drop their rows of {class_rows}, or name them as candidates"
        self._refuse(idle, "without images in trainval or test_unseen", remedy)
        tested = np.intersect1d(self.trainval, self.test_seen)
        remedy = "a training image must not be tested"
        refuse_rows(tested, "images are in trainval and in test_seen", remedy)

    def _check_validation(self):
        for name in ("train", "val"):
            outside = np.setdiff1d(getattr(self, name), self.trainval)
            remedy = "train and val must be parts of trainval"
            refuse_rows(outside, f"images of {name} are not in trainval", remedy)
        if bool(len(self.train)) != bool(len(self.val)):
            raise ValueError("give both train and val, or neither")
        common = np.intersect1d(self.train_classes, self.val_classes)
        self._refuse(common, "in both train and val", "validation classes must be unseen there")

    def _refuse(self, classes, what, remedy):
        if len(classes):
            shown = ", ".join(repr(str(self.class_names[c])) for c in classes[:5])
            raise ValueError(f"{len(classes)} class(es) {what} ({shown}): {remedy}")

    @property
    def parts(self):
        """The five sets of images, by name."""
        return {name: getattr(self, name) for name in PARTS}

    @cached_property
    def seen_classes(self):
        """Classes with a training image, sorted int64."""
        return np.unique(self.labels[self.trainval])

    @cached_property
    def unseen_classes(self):
        """Classes of ``test_unseen``, and candidates without images, sorted int64."""
        return np.union1d(self.labels[self.test_unseen], self.candidates)

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

    def _digest(self, digest):
        """Add arrays, labels, parts and class names to a SHA-256."""
        digest.update(self.feature_scaling.encode())
        more = [self.candidates] if len(self.candidates) else []
        for array in (*self._present().values(), self.labels, *self.parts.values(), *more):
            add_array(digest, array)
        return digest

    def _counts(self):
        return {
            "seen_classes": len(self.seen_classes),
            "train_seen_samples": len(self.trainval),
            "test_seen_samples": len(self.test_seen),
            "unseen_classes": len(self.unseen_classes),
            "unseen_samples": len(self.test_unseen),
        }

    def _described(self, rest):
        """What stands for the problem where it is shown."""
        seen, trained, tested, unseen, images = self._counts().values()
        return (
            f"{type(self).__name__}({self.name!r}: {seen} seen and {unseen} unseen classes, "
            f"{trained} + {tested} seen and {images} unseen images, {rest})"
        )

    def scaled(self, scaling):
        """The same problem with other feature scaling: "none", "unit length" or "standard".

        What is done stands in ``scaler``, a `Scaling`, which does the same to new images.
        """
        check_choice(scaling, "scaling", ("none", "unit length", "standard"))
        if scaling == "none":
            return self
        before = "" if self.feature_scaling == "none" else f"{self.feature_scaling}, then "
        known, name = take_rows(self.features, self.trainval), before + scaling
        scaler = (self.scaler or Scaling()).then(scaling, known, name)
        features = scaler.features(self.features, steps=scaler.steps[-1:], name="features")
        return replace(self, features=features, feature_scaling=name, scaler=scaler)

    def _variants(self):
        """For each image what images share which must not be parted, or None."""
        return None

    def validation_problem(self, *, seen_fraction=0.2, seed=0):
        """The problem to tune on: ``val`` plays the unseen classes, no test image is in it.

        Only the images and classes of ``train`` and ``val`` are kept, renumbered, and only texts
        of these images. Of each training class ``seen_fraction`` of the images, drawn by ``seed``,
        become ``test_seen``, so that the calibration of seen against unseen classes can be tuned
        too; ``trainval`` is the rest. Images of a class with all texts alike (variants of a
        product) are held out together, so that no held-out image has exactly the texts of a
        training one, but where texts are of classes. So the paper of CLAREL builds it in its
        Appendix C.
        """
        if not len(self.val):
            raise ValueError(
                f"{self.name} has no validation classes: name some in val_classes=, or give train "
                "and val, a split of trainval by class"
            )
        samples = np.sort(np.concatenate([self.train, self.val]))
        classes = np.union1d(self.train_classes, self.val_classes)
        kept, held = hold_out(
            self.labels, self.train, fraction=seen_fraction, seed=seed, groups=self._variants()
        )
        return replace(
            self,
            name=f"{self.name} (validation)",
            features=take_rows(self.features, samples),
            labels=np.searchsorted(classes, self.labels[samples]),
            class_names=self.class_names[classes],
            trainval=np.searchsorted(samples, kept),
            test_seen=np.searchsorted(samples, held),
            test_unseen=np.searchsorted(samples, np.sort(self.val)),
            train=(),
            val=(),
            candidates=(),
            **self._kept(samples, classes),
        )


def _rows(values, name, n):
    """Row numbers, from these or from a mask of ``n`` truths."""
    values = host_array(values, name)
    if values.dtype == bool:
        return mask_rows(values, name, n, "rows of features")
    rows = integers(values, name, n)
    if len(np.unique(rows)) < len(rows):
        raise ValueError(
            f"{name} lists an image twice: list each row once, and pass a mask of zeros and ones "
            f"as {name}.astype(bool)"
        )
    return np.sort(rows)  # as a mask lists them: what is drawn from them follows their order


def mask_rows(mask, name, n, what):
    """Row numbers from a mask of ``n`` truths, one for each of ``what``."""
    if mask.shape != (n,):
        raise ValueError(
            f"{name} is a mask of shape {mask.shape} for {n} {what}: give one truth for each"
        )
    return np.flatnonzero(mask)


def _class_strings(values, name, n_classes, class_rows):
    values = np.asarray(as_labels(values, name))
    if values.dtype.kind != "U" or values.shape != (n_classes,):
        raise ValueError(
            f"{name} must be {n_classes} strings, one for each row of {class_rows}, got "
            f"{values.dtype} of shape {values.shape}"
        )
    check_distinct(values, name)
    return values


def check_distinct(names, name):
    """Raise ValueError where two classes have one name."""
    # Accents may be composed in two ways, which look the same.
    names = [unicodedata.normalize("NFC", str(one)).strip() for one in names]
    known, counts = np.unique(names, return_counts=True)
    if len(known) < len(names):
        raise ValueError(f"{name} has {str(known[counts > 1][0])!r} twice: name each class once")


def refuse_rows(rows, what, remedy):
    """Raise ValueError where there are ``rows``, which ``what`` is wrong with."""
    if len(rows):
        raise ValueError(f"{len(rows)} {what}, the first is row {rows[0]}: {remedy}")
