"""Animals with Attributes 1: 50 animals, 85 attributes, the hand-crafted features of 2009."""

from __future__ import annotations

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import (
    PARTS,
    class_parts,
    load_rows,
    select_images,
    split_seen,
    without_tested,
)
from zslib.datasets.locate import require_folder
from zslib.validation import check_choice

__all__ = ["awa1"]

_EMBEDDINGS = {
    "attributes": ("attributes_xlsa17", "85 attributes"),
    "binary": ("attributes_binary", "85 binary attributes"),
    "word_vectors": ("word_vectors_1000", "1,000-d word vectors"),
}


def awa1(
    *,
    semantics="attributes",
    split="proposed",
    seed=0,
    seen_fraction=0.2,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """Animals with Attributes 1 with 256 components of five bag-of-words histograms.

    All 30,475 images; the classes and the split are those of AWA1 in Xian et al. (2017), the
    features are much weaker than a network's. The principal components were fitted on the
    proposed split's ``trainval`` images.

    Parameters
    ----------
    semantics : {"attributes", "binary", "word_vectors"}
        The official continuous attributes, their binary version, or word vectors of the class
        name (1,000 dimensions). Rows have unit length.
    split : {"proposed", "standard"}
        The proposed split (27 training, 13 validation, 10 unseen classes), its training and
        validation images without those that test seen classes. Or the older standard split: 10
        of its 40 seen classes become validation classes and ``seen_fraction`` of each seen
        class's images ``test_seen``, both drawn by ``seed``.
    seed : int
        Of these draws and of ``max_per_class``.
    seen_fraction : float
        Used by the standard split only.
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/awa1`` in the data folder.

    Returns
    -------
    ZeroShotProblem
    """
    check_choice(semantics, "semantics", tuple(_EMBEDDINGS))
    check_choice(split, "split", ("proposed", "standard"))
    folder = require_folder("visual/awa1", folder)
    with np.load(folder / "awa1.npz", allow_pickle=False) as stored:
        data = dict(stored)
    labels = data["label"]
    if split == "proposed":
        parts = without_tested({part: data[f"{part}_loc"] for part in PARTS})
    else:
        groups = split_seen(data["standard_train_classes"], 10, seed=seed)
        groups = (*groups, data["standard_test_classes"])
        parts = class_parts(labels, *groups, seen_fraction=seen_fraction, seed=seed)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    key, described = _EMBEDDINGS[semantics]
    names = (folder / "classes.txt").read_text(encoding="utf-8").splitlines()
    return ZeroShotProblem(
        name="awa1",
        synthetic=False,
        description=f"AWA1, hand-crafted features, {described}, {split} split",
        features=load_rows(folder / "features_bow5_pca256.npy", rows, len(labels)),
        labels=labels[rows],
        class_embeddings=unit_rows(data[key].astype(np.float32), name=key),
        class_names=np.array([name.strip().replace("+", " ") for name in names]),
        **parts,
    ).scaled(feature_scaling)
