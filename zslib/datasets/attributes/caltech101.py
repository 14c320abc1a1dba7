"""Caltech-101 as attribute-based zero-shot recognition, classes by their WordNet synsets."""

from __future__ import annotations

import numpy as np

from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, load_rows, select_images, split_classes
from zslib.datasets.locate import require_folder
from zslib.datasets.words.synset_vectors import synset_embeddings
from zslib.validation import check_choice

__all__ = ["caltech101"]

_SEMANTICS = {"hypernym": "hypernym", "gloss": "gloss", "both": "gloss+hypernym"}
_WORDS = {
    "hypernym": "the is-a hierarchy",
    "gloss": "definitions",
    "both": "definitions and the is-a hierarchy",
}


def caltech101(
    *,
    semantics="hypernym",
    split="fixed",
    seed=0,
    seen_fraction=0.2,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """The 86 Caltech-101 categories that are one synset each, with MobileNetV2 features.

    There is no official zero-shot split: ``seen_fraction`` of the images of each seen class
    are held out at random as ``test_seen``. Classes have 31 to 800 images. Limits of the data:
    few seen classes, and the principal components were fitted on all images of the fixed
    split's seen classes, the held-out ones too.

    Parameters
    ----------
    semantics : {"hypernym", "gloss", "both"}
        See `synset_embeddings`; "both" is "gloss+hypernym" there.
    split : {"fixed", "random"}
        The split that comes with the data (51 training, 14 validation, 21 unseen classes), or
        one of the same proportions drawn by ``seed``.
    seed : int
        Of the random split, the held-out images and ``max_per_class``.
    seen_fraction : float
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/caltech101`` in the data folder.

    Returns
    -------
    ZeroShotProblem
        ``class_ids`` are WordNet ids.
    """
    check_choice(semantics, "semantics", tuple(_SEMANTICS))
    check_choice(split, "split", ("fixed", "random"))
    folder = require_folder("visual/caltech101", folder)
    with np.load(folder / "caltech101.npz", allow_pickle=False) as stored:
        data = dict(stored)
    labels, wnids = data["label"], data["wnid"]
    groups = [data[f"{name}_classes"] for name in ("train", "val", "test")]
    if split == "random":
        groups = split_classes(np.arange(len(wnids)), test_fraction=0.24, seed=seed)
    parts = class_parts(labels, *groups, seen_fraction=seen_fraction, seed=seed)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    return ZeroShotProblem(
        name="caltech101",
        synthetic=False,
        description=f"Caltech-101, MobileNetV2 features, classes by {_WORDS[semantics]}",
        features=load_rows(folder / "features_mobilenetv2_pca256.npy", rows, len(labels)),
        labels=labels[rows],
        class_embeddings=synset_embeddings(wnids, semantics=_SEMANTICS[semantics]),
        class_names=np.array([name.replace("_", " ") for name in data["classes"].tolist()]),
        class_ids=wnids,
        **parts,
    ).scaled(feature_scaling)
