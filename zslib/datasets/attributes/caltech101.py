"""Caltech-101 as attribute-based zero-shot recognition, classes by their WordNet synsets."""

import numpy as np

from zslib.datasets.attributes.images import ImageSet, by_synsets
from zslib.datasets.attributes.splits import split_classes
from zslib.datasets.entry import ATTRIBUTES, Dataset, below

_CALTECH = ImageSet(
    name="caltech101",
    description="Caltech-101, MobileNetV2 features, classes by {semantics}",
    folder="visual/caltech101",
    arrays="caltech101.npz",
    features={"mobilenet": ("", "features_mobilenetv2_pca256.npy")},
    semantics={
        "hypernym": ("the is-a hierarchy", by_synsets("hypernym")),
        "gloss": ("definitions", by_synsets("gloss")),
        "both": ("definitions and the is-a hierarchy", by_synsets("gloss+hypernym")),
    },
    splits={
        "fixed": lambda data, seed: [data[f"{part}_classes"] for part in ("train", "val", "test")],
        "random": lambda data, seed: split_classes(
            np.arange(len(data["wnid"])), test_fraction=0.24, seed=seed
        ),
    },
)


@_CALTECH.loader
def caltech101(*, semantics="hypernym", split="fixed", seen_fraction=0.2):
    """The 86 Caltech-101 categories that are one synset each, with MobileNetV2 features.

    There is no official zero-shot split: ``seen_fraction`` of the images of each seen class
    are held out at random as ``test_seen``. Classes have 31 to 800 images. Limits of the data:
    few seen classes, and the principal components were fitted on all images of the fixed
    split's seen classes, the held-out ones too.

    Parameters
    ----------
    semantics : {"hypernym", "gloss", "both"}
        Ancestors in WordNet's hierarchy, words of the definition, or both with equal weight.
    split : {"fixed", "random"}
        The split that comes with the data (51 training, 14 validation, 21 unseen classes), or
        one of the same proportions drawn by ``seed``.

    Returns
    -------
    ZeroShotProblem
        ``class_ids`` are WordNet ids.
    """


ENTRIES = (
    Dataset(
        name="caltech101",
        loaders={ATTRIBUTES: caltech101},
        summary="images of 86 categories, 54 of them not among the 1,000",
        licence="images: as their owners state",
        quick={ATTRIBUTES: {"max_per_class": 10}},
        auto={ATTRIBUTES: 4},
        files=(
            *below("visual/caltech101", "caltech101.npz", "features_mobilenetv2_pca256.npy"),
            *below("visual/imagenet_synsets", "synsets.tsv.gz", "is_a.txt.gz"),
        ),
    ),
)
