"""Tiny-ImageNet as attribute-based zero-shot recognition of its classes."""

from __future__ import annotations

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, load_rows, select_images, split_classes
from zslib.datasets.locate import require_folder
from zslib.datasets.words.synset_vectors import SYNSET_SEMANTICS, synset_embeddings
from zslib.validation import check_choice

__all__ = ["tiny_imagenet_classes"]

_SEMANTICS = ("glove", "attributes", "both", *SYNSET_SEMANTICS)
_WORDS = {
    "glove": "GloVe vectors",
    "attributes": "30 attributes",
    "both": "GloVe vectors and attributes",
    "gloss": "definitions",
    "hypernym": "the is-a hierarchy",
    "gloss+hypernym": "definitions and the is-a hierarchy",
}


def tiny_imagenet_classes(
    *,
    semantics="both",
    split="fixed",
    seed=0,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """The 190 named classes of Tiny-ImageNet, MobileNetV2 features, embeddings of several kinds.

    There is no official split into seen and unseen classes. Training images of seen classes
    (100 each) are ``trainval``, their validation images (50 each) ``test_seen``, and the
    validation images of unseen classes ``test_unseen``. Limits of the data: the network was
    itself trained on these classes; the principal components were fitted on the training
    images of the fixed split's seen classes, some of which a random split makes unseen.

    Parameters
    ----------
    semantics : {"both", "glove", "attributes", "gloss", "hypernym", "gloss+hypernym"}
        GloVe vectors of the class name (300), human attributes (30), both side by side with
        equal weight; or those of `synset_embeddings` (300 each). Rows have unit length.
    split : {"fixed", "random"}
        The split that comes with the data (114 training, 28 validation, 48 unseen classes), or
        one of the same proportions drawn by ``seed``.
    seed : int
        Of the random split and of ``max_per_class``.
    feature_scaling : {"unit length", "none"}
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.
    folder : path, optional
        By default ``visual/tiny_imagenet`` in the data folder.

    Returns
    -------
    ZeroShotProblem
        ``class_ids`` are WordNet ids.
    """
    check_choice(semantics, "semantics", _SEMANTICS)
    check_choice(split, "split", ("fixed", "random"))
    folder = require_folder("visual/tiny_imagenet", folder)
    with np.load(folder / "tiny_imagenet.npz", allow_pickle=False) as stored:
        data = dict(stored)
    classes = np.flatnonzero(data["zjl_name"] != "")
    if split == "fixed":
        groups = [data[f"{name}_classes"] for name in ("train", "val", "test")]
    else:
        groups = split_classes(classes, seed=seed)
    parts = class_parts(data["label"], *groups, is_test=data["part"] == 1)
    rows, parts = select_images(data["label"], parts, max_per_class=max_per_class, seed=seed)
    if semantics in SYNSET_SEMANTICS:
        embeddings = synset_embeddings(data["wnid"][classes], semantics=semantics)
    else:
        kinds = {"glove": ["glove300"], "attributes": ["attributes30"]}
        kinds = kinds.get(semantics, ["glove300", "attributes30"])
        vectors = [unit_rows(data[kind][classes], name=kind) for kind in kinds]
        embeddings = unit_rows(np.concatenate(vectors, axis=1), name="class embeddings")
    return ZeroShotProblem(
        name="tiny_imagenet_classes",
        synthetic=False,
        description=f"Tiny-ImageNet, MobileNetV2 features, classes by {_WORDS[semantics]}",
        features=load_rows(folder / "features_mobilenetv2_pca256.npy", rows, len(data["label"])),
        labels=np.searchsorted(classes, data["label"][rows]),
        class_embeddings=embeddings,
        class_names=data["zjl_name"][classes],
        class_ids=data["wnid"][classes],
        **parts,
        coverage={
            "classes": len(data["wnid"]),
            "classes without a name": len(data["wnid"]) - len(classes),
        },
    ).scaled(feature_scaling)
