"""Caltech-101 as attribute-based zero-shot recognition, classes by their WordNet synsets."""

from dataclasses import replace

import numpy as np

from zslib.datasets.attributes.images import ImageSet, by_synsets
from zslib.datasets.attributes.own import fewer_images
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.entry import ATTRIBUTES, BEYOND, Dataset, below
from zslib.datasets.hierarchy.embedded import embedded_labels

_CALTECH = ImageSet(
    name="caltech101",
    description="Caltech-101, MobileNetV2 features, classes by {semantics}",
    arrays="visual/caltech101/caltech101.npz",
    features={"mobilenet": ("", "features_mobilenetv2_pca256.npy")},
    semantics={
        "hypernym": ("the is-a hierarchy", by_synsets("hypernym")),
        "gloss": ("definitions", by_synsets("gloss")),
        "both": ("definitions and the is-a hierarchy", by_synsets("gloss+hypernym")),
    },
    splits={
        "fixed": lambda data, seed: [data[f"{part}_classes"] for part in ("train", "val", "test")]
    },
)


@_CALTECH.loader
def caltech101(*, semantics="hypernym"):
    """The 86 Caltech-101 categories that are one synset each, with MobileNetV2 features.

    There is no official zero-shot split. In the one that comes with the data 51 classes are for
    training, 14 for validation and 21 unseen; a fifth of the images of each seen class, drawn by
    ``seed``, is held out as ``test_seen``. Classes have 31 to 800 images. Limits of the data:
    few seen classes, and the principal components were fitted on all images of the fixed
    split's seen classes, the held-out ones too.

    Parameters
    ----------
    semantics : {"hypernym", "gloss", "both"}
        Ancestors in WordNet's hierarchy, words of the definition, or both with equal weight.

    Returns
    -------
    ZeroShotProblem
        ``class_ids`` are WordNet ids.

    Examples
    --------
    >>> caltech101(max_per_class=2)
    ZeroShotProblem('caltech101': 65 seen and 21 unseen classes, 130 + 130 seen and 42 unseen
    images, 256 features, 300 attributes)
    """


def caltech101_beyond(*, seed=0, max_per_class=None):
    """Caltech-101 with the classes of the 1,000 as seen ones, and all others as unseen.

    So the unseen classes are new to the feature network too, but not to the principal components,
    and fall into the paper's own label sets: 16 are among its 2-hop, 32 among its 3-hop labels.
    The classes and images are the same for every ``seed``.
    """
    problem = caltech101(semantics="hypernym")
    seen = np.isin(problem.class_ids, embedded_labels()[0])
    parts = class_parts(problem.labels, np.flatnonzero(seen), [], np.flatnonzero(~seen))
    parts |= {"train": (), "val": ()}
    beyond = replace(problem, description="Caltech-101 images", setting=BEYOND, **parts)
    return fewer_images(beyond, max_per_class, seed=0)


ENTRY = Dataset(
    name="caltech101",
    loaders={ATTRIBUTES: caltech101, BEYOND: caltech101_beyond},
    summary="images of 86 categories, 54 of them not among the 1,000",
    licence="images: as their owners state",
    quick={ATTRIBUTES: {"max_per_class": 10}, BEYOND: {"max_per_class": 15}},
    auto={ATTRIBUTES: 4, BEYOND: 0},
    files=(
        *below("visual/caltech101", "caltech101.npz", "features_mobilenetv2_pca256.npy"),
        *below("visual/imagenet_synsets", "synsets.tsv.gz", "is_a.txt.gz"),
    ),
)
