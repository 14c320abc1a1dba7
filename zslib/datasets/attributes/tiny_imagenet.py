"""Tiny-ImageNet as attribute-based zero-shot recognition of its classes."""

from dataclasses import replace

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.images import ImageSet
from zslib.datasets.attributes.splits import crossed_classes
from zslib.datasets.entry import ATTRIBUTES, WITHIN, Dataset
from zslib.datasets.files import read_arrays

_GROUPS = ("train_classes", "val_classes", "test_classes")


def _named(path):
    """The arrays of the classes that have a name, which are numbered anew; no label is -1."""
    data = read_arrays(path)
    names = data["zjl_name"]
    classes = np.flatnonzero(names != "")
    number = np.full(len(names), -1)
    number[classes] = np.arange(len(classes))
    return {
        "part": data["part"],
        "label": number[data["label"]],
        "classes": names[classes],
        **{key: data[key][classes] for key in ("wnid", "glove300", "attributes30")},
        **{group: number[data[group]] for group in _GROUPS},
        "coverage": {"classes": len(names), "classes without a name": len(names) - len(classes)},
    }


def _side_by_side(*kinds):
    def embeddings(data, folder):
        vectors = [unit_rows(data[kind], name=kind) for kind in kinds]
        return unit_rows(np.concatenate(vectors, axis=1), name="class embeddings")

    return embeddings


_TINY = ImageSet(
    name="tiny_imagenet_classes",
    description="Tiny-ImageNet, MobileNetV2 features, classes by {semantics}",
    arrays="visual/tiny_imagenet/tiny_imagenet.npz",
    read=_named,
    features={"mobilenet": ("", "features_mobilenetv2_pca256.npy")},
    semantics={
        "glove": ("GloVe vectors", _side_by_side("glove300")),
        "both": ("GloVe vectors and attributes", _side_by_side("glove300", "attributes30")),
    },
    splits={
        "fixed": lambda data, seed: [data[group] for group in _GROUPS],
        "crossed": lambda data, seed: crossed_classes(np.arange(len(data["classes"])), seed=seed),
    },
    is_test=lambda data: data["part"] == 1,
)


@_TINY.loader
def tiny_imagenet_classes(*, semantics="both", split="fixed"):
    """The 190 named classes of Tiny-ImageNet, MobileNetV2 features, embeddings of several kinds.

    There is no official split into seen and unseen classes. Training images of seen classes
    (100 each) are ``trainval``, their validation images (50 each) ``test_seen``, and the
    validation images of unseen classes ``test_unseen``. Limits of the data: the network was
    itself trained on these classes; the principal components were fitted on the training
    images of the fixed split's seen classes, some of which another split makes unseen.

    Parameters
    ----------
    semantics : {"both", "glove"}
        GloVe vectors of the class name (300), alone or beside human attributes (30), which then
        have equal weight. Rows have unit length.
    split : {"fixed", "crossed"}
        The split that comes with the data (114 training, 28 validation, 48 unseen classes), or
        one drawn by ``seed``, so that of each four seeds in a row, from 0 on, every class is
        unseen in one.

    Returns
    -------
    ZeroShotProblem
        ``class_ids`` are WordNet ids.

    Examples
    --------
    >>> tiny_imagenet_classes(max_per_class=2)
    ZeroShotProblem('tiny_imagenet_classes': 142 seen and 48 unseen classes, 284 + 284 seen and
    96 unseen images, 256 features, 330 attributes)
    """


def tiny_imagenet_within(*, seed=0, max_per_class=None):
    """Tiny-ImageNet, all of whose classes are among the 1,000, the crossed split."""
    problem = tiny_imagenet_classes(
        semantics="glove", split="crossed", seed=seed, max_per_class=max_per_class
    )
    return replace(
        problem, name="tiny_imagenet", description="Tiny-ImageNet images", setting=WITHIN
    )


ENTRY = Dataset(
    name="tiny_imagenet",
    loaders={ATTRIBUTES: tiny_imagenet_classes, WITHIN: tiny_imagenet_within},
    quick={ATTRIBUTES: {"max_per_class": 10}, WITHIN: {"max_per_class": 15}},
    auto={ATTRIBUTES: 3, WITHIN: 0},
)
