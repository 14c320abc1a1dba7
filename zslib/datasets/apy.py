"""aPascal-aYahoo: real attributes of single images, with features generated from them."""

from __future__ import annotations

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.class_splits import select_images
from zslib.datasets.locate import require_folder
from zslib.datasets.synthetic_attributes import attribute_features
from zslib.datasets.zero_shot import ZeroShotProblem

__all__ = ["apy_attributes"]


def apy_attributes(
    *,
    seed=0,
    n_features=256,
    noise=0.3,
    class_shift=0.2,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """The 15,339 objects of aPY: real attributes and official split, synthetic features.

    64 binary attributes were annotated for every object, so that images of one class differ
    (``image_attributes``), which the sampling of Bucher et al. (2016) needs. The images and
    their features are not part of the data; features are generated from the real attributes
    by `attribute_features`, so results say nothing about the benchmark's images.

    Parameters
    ----------
    seed : int
        Of the generated features and of ``max_per_class``.
    n_features : int
    noise, class_shift : float
        See `attribute_features`. With both zero ESZSL recognises about 35% of the images of
        unseen classes, with the default 25%: these attributes alone are a hard problem.
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/apy`` in the data folder.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are the official means of the attributes over each class's
        images, divided by row length.
    """
    folder = require_folder("visual/apy", folder)
    with np.load(folder / "apy_instances.npz", allow_pickle=False) as stored:
        data = dict(stored)
    names = ("trainval", "test_seen", "test_unseen", "train", "val")
    parts = {name: data[f"{name}_loc"] for name in names}
    rows, parts = select_images(data["label"], parts, max_per_class=max_per_class, seed=seed)
    attributes = data["attributes"].astype(np.float32)
    features = attribute_features(
        attributes,
        data["label"],
        n_features=n_features,
        noise=noise,
        class_shift=class_shift,
        seed=seed,
    )
    listed = (folder / "classes.txt").read_text(encoding="utf-8").splitlines()
    return ZeroShotProblem(
        name="apy_attributes",
        synthetic=True,
        description="aPY's real attributes and split with synthetic features",
        features=features[rows],
        labels=data["label"][rows],
        class_embeddings=unit_rows(data["class_attributes"], name="class_attributes"),
        class_names=np.array([name.strip() for name in listed if name.strip()]),
        **parts,
        image_attributes=attributes[rows],
    ).scaled(feature_scaling)
