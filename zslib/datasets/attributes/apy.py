"""aPascal-aYahoo: real attributes of single images, with features generated from them."""

from __future__ import annotations

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import PARTS, class_parts, select_images, split_seen
from zslib.datasets.attributes.synthetic import attribute_features
from zslib.datasets.locate import require_folder
from zslib.validation import check_choice

__all__ = ["apy_attributes"]


def apy_attributes(
    *,
    split="proposed",
    seed=0,
    seen_fraction=0.2,
    n_features=256,
    noise=0.3,
    class_shift=0.2,
    att="unit length",
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """The 15,339 objects of aPY: real attributes and splits, synthetic features.

    64 binary attributes were annotated for every object, so that images of one class differ
    (``image_attributes`` with ``att="original"``), which the sampling of Bucher et al. (2016)
    needs. The images and
    their features are not part of the data; features are generated from the real attributes
    by `attribute_features`, so results say nothing about the benchmark's images.

    Parameters
    ----------
    split : {"proposed", "standard"}
        The proposed split of Xian et al. (2017). Or the one that came with the data (Farhadi et
        al. 2009), which Bucher et al. used: aPascal's 20 classes are seen, aYahoo's 12 unseen;
        5 of the seen ones become validation classes and ``seen_fraction`` of each seen class's
        images ``test_seen``, both drawn by ``seed``.
    seed : int
        Of the generated features, of these draws and of ``max_per_class``.
    seen_fraction : float
        Used by the standard split only.
    n_features : int
    noise, class_shift : float
        See `attribute_features`. With both zero ESZSL recognises about 35% of the images of
        unseen classes, with the default 25%: these attributes alone are a hard problem.
    att : {"unit length", "original"}
        Whether the classes' attributes are divided by row length. Those of images would not
        share that unit, so that ``image_attributes`` are left out; originally they do.
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/apy`` in the data folder.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are the official means of the attributes over each class's
        images.
    """
    check_choice(split, "split", ("proposed", "standard"))
    check_choice(att, "att", ("unit length", "original"))
    folder = require_folder("visual/apy", folder)
    with np.load(folder / "apy_instances.npz", allow_pickle=False) as stored:
        data = dict(stored)
    labels = data["label"]
    if split == "proposed":
        parts = {part: data[f"{part}_loc"] for part in PARTS}
    else:
        is_yahoo = data["part"] == 2
        groups = (*split_seen(labels[~is_yahoo], 5, seed=seed), np.unique(labels[is_yahoo]))
        parts = class_parts(labels, *groups, seen_fraction=seen_fraction, seed=seed)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    attributes = data["attributes"].astype(np.float32)
    features = attribute_features(
        attributes,
        labels,
        n_features=n_features,
        noise=noise,
        class_shift=class_shift,
        seed=seed,
    )
    classes = data["class_attributes"]
    listed = (folder / "classes.txt").read_text(encoding="utf-8").splitlines()
    return ZeroShotProblem(
        name="apy_attributes",
        synthetic=True,
        description=f"aPY's real attributes and {split} split with synthetic features",
        features=features[rows],
        labels=labels[rows],
        class_embeddings=unit_rows(classes, name="class_attributes")
        if att == "unit length"
        else classes,
        class_names=np.array([name.strip() for name in listed if name.strip()]),
        **parts,
        image_attributes=attributes[rows] if att == "original" else None,
    ).scaled(feature_scaling)
