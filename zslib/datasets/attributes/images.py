"""One loader for sets of labelled images; a table says what each set has."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import PARTS, class_parts, select_images, without_tested
from zslib.datasets.files import read_arrays, read_lines, read_rows
from zslib.datasets.locate import require_folder
from zslib.datasets.words.term_vectors import synset_embeddings
from zslib.validation import check_choice

# The splits that Bucher et al. (2016) used: all images of seen classes are for training.
OLDER = {"split": "standard", "seen_fraction": 0.0}


@dataclass(frozen=True, kw_only=True)
class ImageSet:
    """What a set of images has, and how an option's choice is found in its ``.npz``.

    Parameters
    ----------
    name, description : str
        Of the problem. The description may have {features}, {semantics} and {split} in it.
    arrays : str
        The ``.npz``, below the data folder. It has ``label``; ``classes``, or a file classes.txt
        lies beside it; perhaps ``wnid``.
    splits : dict
        By choice, of which the first is the default, a function of (arrays, seed) that draws
        training, validation and unseen classes; or None, where the arrays have the proposed parts.
    semantics : dict
        By choice, words for it, and the array of class embeddings, which get unit length, or a
        function of (arrays, folder).
    features : dict
        By choice, likewise, words for it, and the file or a function of (arrays, seed).
    read : callable
        Reads the arrays.
    is_test : callable, optional
        Which images are kept for testing, from the arrays.
    synthetic : bool
        Whether the features are.
    image_attributes : dict
        By choice of semantics, the array of attributes of the single images.
    semantics_option : str
        What the loader calls the option that chooses class embeddings.
    """

    name: str
    description: str
    arrays: str
    splits: dict
    semantics: dict
    features: dict
    read: Callable = read_arrays
    is_test: Callable | None = None
    synthetic: bool = False
    image_attributes: dict = field(default_factory=dict)
    semantics_option: str = "semantics"

    def loader(self, declared):
        """Make a loader of a function with its docstring, and options before `_shared`."""
        own, shared = (inspect.signature(f).parameters.values() for f in (declared, _shared))
        signature = inspect.Signature([*own, *shared])

        @wraps(declared)
        def load(**options):
            given = signature.bind(**options)
            given.apply_defaults()
            return self._problem(**given.arguments)

        load.__signature__ = signature
        return load

    def _problem(
        self, *, seed, feature_scaling, max_per_class, folder, seen_fraction=0.2, **choices
    ):
        semantics = choices[self.semantics_option]
        features = choices.get("features", next(iter(self.features)))
        split = choices.get("split", next(iter(self.splits)))
        check_choice(features, "features", tuple(self.features))
        check_choice(semantics, self.semantics_option, tuple(self.semantics))
        check_choice(split, "split", tuple(self.splits))
        place, _, file = self.arrays.rpartition("/")
        folder = require_folder(place, folder)
        data = self.read(folder / file)
        labels = data["label"]
        if (draw := self.splits[split]) is None:
            parts = without_tested({part: data[f"{part}_loc"] for part in PARTS})
        else:
            is_test = self.is_test and self.is_test(data)
            chosen = {"is_test": is_test, "seen_fraction": seen_fraction, "seed": seed}
            parts = class_parts(labels, *draw(data, seed), **chosen)
        rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
        seen_as, images = self.features[features]
        meant_as, classes = self.semantics[semantics]
        attributes = self.image_attributes.get(semantics)
        names = data["classes"] if "classes" in data else read_lines(folder / "classes.txt")
        return ZeroShotProblem(
            name=self.name,
            synthetic=self.synthetic,
            description=self.description.format(features=seen_as, semantics=meant_as, split=split),
            features=images(data, seed)[rows]
            if callable(images)
            else read_rows(folder / images, rows, of=(len(labels), "image labels")),
            labels=labels[rows],
            class_embeddings=classes(data, folder)
            if callable(classes)
            else unit_rows(data[classes].astype(np.float32), name=classes),
            class_names=np.array([_plain(name) for name in names if name.strip()]),
            class_ids=data.get("wnid"),
            **parts,
            image_attributes=attributes and data[attributes][rows].astype(np.float32),
            coverage=data.get("coverage", {}),
        ).scaled(feature_scaling)


def _shared(*, seed=0, feature_scaling="unit length", max_per_class=None, folder=None):
    """The options that all loaders of image sets have, with their defaults."""


def _plain(name):
    """A class's name without number ("001.") and with spaces."""
    return name.strip().split(".", 1)[-1].replace("_", " ").replace("+", " ")


def by_synsets(semantics):
    """Class embeddings of the arrays' ``wnid``, as `synset_embeddings` makes them."""
    return lambda data, folder: synset_embeddings(data["wnid"], semantics=semantics)
