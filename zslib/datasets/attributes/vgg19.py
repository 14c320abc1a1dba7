"""The features of Bucher et al. (2016), VGG-19's fc7, for whoever has them."""

from __future__ import annotations

from dataclasses import replace

from zslib.datasets.attributes.own import load_zero_shot
from zslib.datasets.attributes.splits import PARTS, select_images
from zslib.datasets.locate import require_folder
from zslib.validation import check_choice

__all__ = ["VGG19_NAMES", "vgg19"]

VGG19_NAMES = ("APY", "AWA", "CUB", "SUN")


def vgg19(name, *, seed=0, max_per_class=None, feature_scaling="unit length", folder=None):
    """One of the paper's four data sets, from features that you extracted.

    The features were never published as files. Whoever has the images can extract layer fc7 (4,096
    dimensions) of VGG-verydeep-19 and save them, with labels, attributes and the split, as
    ``vgg19/<NAME>.npz`` in the data folder, in the form of `load_zero_shot`; any other feature
    matrix does as well. Attributes of single images go into ``image_attributes``, in the unit of
    ``class_embeddings``. Then the chapters on metric learning take it by name ("vgg19-CUB").

    Parameters
    ----------
    name : {"APY", "AWA", "CUB", "SUN"}
    seed : int
        Of ``max_per_class``.
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    feature_scaling : {"unit length", "none", "standard"}
        See `ZeroShotProblem.scaled`.
    folder : path, optional
        By default ``vgg19`` in the data folder.

    Returns
    -------
    ZeroShotProblem

    Raises
    ------
    FileNotFoundError, ValueError
        As `load_zero_shot`.
    """
    check_choice(name, "name", VGG19_NAMES)
    problem = load_zero_shot(require_folder("vgg19", folder) / f"{name}.npz")
    if max_per_class is not None:
        parts = {part: getattr(problem, part) for part in PARTS}
        rows, parts = select_images(problem.labels, parts, max_per_class=max_per_class, seed=seed)
        images = problem.image_attributes
        problem = replace(
            problem,
            features=problem.features[rows],
            labels=problem.labels[rows],
            image_attributes=None if images is None else images[rows],
            **parts,
        )
    return replace(problem, name=f"vgg19-{name.lower()}").scaled(feature_scaling)
