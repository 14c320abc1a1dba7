"""Caltech-UCSD Birds: 200 species, 312 attributes, network features, official zero-shot split."""

from __future__ import annotations

import json

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
from zslib.datasets.words.glosses import reduced_tfidf
from zslib.validation import check_choice

__all__ = ["cub"]

_FILES = {"resnet": "features_resnet_pca256.npy", "vgg": "features_vgg_pca512.npy"}
_WORDS = {"resnet": "ResNet class scores", "vgg": "VGG fc7 features"}


def cub(
    *,
    features="resnet",
    semantics="attributes",
    split="proposed",
    seed=0,
    seen_fraction=0.2,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """CUB-200-2011, the CUB column of Guo et al. (AAAI 2019) and of Bucher et al. (2016).

    All 11,788 images. The principal components of the features were fitted on the proposed
    split's ``trainval`` images.

    Parameters
    ----------
    features : {"resnet", "vgg"}
        256 components of the 1,000 class scores of a ResNet, or 512 of VGG's 4,096-d fc7.
    semantics : {"attributes", "wikipedia"}
        312 attributes (rows divided by their length, which is the official ``att``), or TF-IDF
        of Wikipedia sentences reduced to 150 dimensions.
    split : {"proposed", "standard"}
        The proposed split of Xian et al. (2017), 150 seen and 50 unseen classes; its validation
        classes without the images that test seen classes. Or the older standard split: 50 of
        its 150 seen classes become validation classes and ``seen_fraction`` of each seen class's
        images ``test_seen``, both drawn by ``seed``.
    seed : int
        Of these draws and of ``max_per_class``.
    seen_fraction : float
        Used by the standard split only.
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/cub`` in the data folder.

    Returns
    -------
    ZeroShotProblem
    """
    check_choice(features, "features", tuple(_FILES))
    check_choice(semantics, "semantics", ("attributes", "wikipedia"))
    check_choice(split, "split", ("proposed", "standard"))
    folder = require_folder("visual/cub", folder)
    with np.load(folder / "cub.npz", allow_pickle=False) as stored:
        data = dict(stored)
    labels = data["label"]
    if split == "proposed":
        parts = without_tested({part: data[f"{part}_loc"] for part in PARTS})
    else:
        groups = split_seen(data["ss_trainval_classes"], 50, seed=seed)
        groups = (*groups, data["ss_test_classes"])
        parts = class_parts(labels, *groups, seen_fraction=seen_fraction, seed=seed)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    listed = (folder / "classes.txt").read_text(encoding="utf-8").split()
    if semantics == "attributes":
        embeddings = unit_rows(data["attributes"], name="attributes")
    else:
        embeddings = _sentence_vectors(folder / "class_wikipedia_sentences.jsonl")
    described = "312 attributes" if semantics == "attributes" else "Wikipedia sentences"
    return ZeroShotProblem(
        name="cub",
        synthetic=False,
        description=f"CUB-200-2011, {_WORDS[features]}, {described}, {split} split",
        features=load_rows(folder / _FILES[features], rows, len(labels)),
        labels=labels[rows],
        class_embeddings=embeddings,
        class_names=np.array([name.split(".", 1)[-1].replace("_", " ") for name in listed]),
        **parts,
    ).scaled(feature_scaling)


def _sentence_vectors(path, dimension=150):
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [" ".join(e["sentences"]) for e in sorted(entries, key=lambda e: e["class"])]
    vectors, _ = reduced_tfidf(texts, dimension)
    return unit_rows(vectors, name="sentence vectors")
