"""One loader for sets of labelled images; a table says what each set has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import (
    PARTS,
    class_parts,
    select_images,
    without_tested,
)
from zslib.datasets.files import read_arrays, read_lines, read_rows
from zslib.datasets.locate import require_folder
from zslib.datasets.words.synset_vectors import synset_embeddings
from zslib.validation import check_choice

__all__ = ["OLDER", "ImageSet", "by_synsets"]

# The splits that Bucher et al. (2016) used: all images of seen classes are for training.
OLDER = {"split": "standard", "seen_fraction": 0.0}


@dataclass(frozen=True, kw_only=True)
class ImageSet:
    """What a set of images has, and how an option's choice is found in its ``.npz``.

    Parameters
    ----------
    name, description : str
        Of the problem. The description may have {features}, {semantics} and {split} in it.
    folder, arrays : str
        Folder below the data folder, and the ``.npz`` in it. It has ``label``; ``classes``, or
        a file classes.txt lies beside it; perhaps ``wnid``.
    splits : dict
        By choice, a function of (arrays, seed) that draws training, validation and unseen
        classes; or None, where the arrays have the parts of the proposed split.
    semantics : dict
        By choice, words for it, and the array of class embeddings, which get unit length, or a
        function of (arrays, folder).
    features : dict
        By choice, words for it and the file.
    read : callable
        Reads the arrays.
    is_test : callable, optional
        Which images are kept for testing, from the arrays.
    """

    name: str
    description: str
    folder: str
    arrays: str
    splits: dict
    semantics: dict
    features: dict
    read: Callable = read_arrays
    is_test: Callable | None = None
    synthetic: bool = False

    def load(
        self,
        *,
        features,
        semantics,
        split,
        seed,
        feature_scaling,
        max_per_class,
        folder,
        seen_fraction=0.2,
        image_attributes=None,
    ):
        """The problem; ``features`` may be a function that makes them from the arrays."""
        made = callable(features)
        if not made:
            check_choice(features, "features", tuple(self.features))
        check_choice(semantics, "semantics", tuple(self.semantics))
        check_choice(split, "split", tuple(self.splits))
        folder = require_folder(self.folder, folder)
        data = self.read(folder / self.arrays)
        labels = data["label"]
        if (draw := self.splits[split]) is None:
            parts = without_tested({part: data[f"{part}_loc"] for part in PARTS})
        else:
            is_test = self.is_test and self.is_test(data)
            chosen = {"is_test": is_test, "seen_fraction": seen_fraction, "seed": seed}
            parts = class_parts(labels, *draw(data, seed), **chosen)
        rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
        seen_as, file = ("", None) if made else self.features[features]
        meant_as, how = self.semantics[semantics]
        if "classes" in data:
            names = data["classes"].tolist()
        else:
            names = read_lines(folder / "classes.txt")
        return ZeroShotProblem(
            name=self.name,
            synthetic=self.synthetic,
            description=self.description.format(features=seen_as, semantics=meant_as, split=split),
            features=features(data)[rows]
            if made
            else read_rows(folder / file, rows, of=(len(labels), "image labels")),
            labels=labels[rows],
            class_embeddings=how(data, folder)
            if callable(how)
            else unit_rows(data[how].astype(np.float32), name=how),
            class_names=np.array([_plain(name) for name in names if name.strip()]),
            class_ids=data.get("wnid"),
            **parts,
            image_attributes=image_attributes and data[image_attributes][rows].astype(np.float32),
            coverage=data.get("coverage", {}),
        ).scaled(feature_scaling)


def _plain(name):
    """A class's name without number ("001.") and with spaces."""
    return name.strip().split(".", 1)[-1].replace("_", " ").replace("+", " ")


def by_synsets(semantics):
    """Class embeddings of the arrays' ``wnid``, as `synset_embeddings` makes them."""
    return lambda data, folder: synset_embeddings(data["wnid"], semantics=semantics)
