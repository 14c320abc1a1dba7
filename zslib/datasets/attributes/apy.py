"""aPascal-aYahoo: real attributes of single images, with features generated from them."""

from functools import partial

import numpy as np

from zslib.datasets.attributes.images import OLDER, ImageSet
from zslib.datasets.attributes.splits import split_seen
from zslib.datasets.attributes.synthetic import attribute_features
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset, below


def _standard(data, seed):
    """aPascal's classes are seen, aYahoo's unseen."""
    is_yahoo = data["part"] == 2
    seen = split_seen(data["label"][~is_yahoo], 5, seed=seed)
    return (*seen, np.unique(data["label"][is_yahoo]))


def _features(data, seed):
    return attribute_features(
        data["attributes"], data["label"], noise=0.3, class_shift=0.2, seed=seed
    )


APY = ImageSet(
    name="apy_attributes",
    synthetic=True,
    description="aPY's real attributes and {split} split with synthetic features",
    arrays="visual/apy/apy_instances.npz",
    features={"synthetic": ("", _features)},
    semantics={
        "unit length": ("", "class_attributes"),
        "original": ("", lambda data, folder: data["class_attributes"]),
    },
    splits={"proposed": None, "standard": _standard},
    image_attributes={"original": "attributes"},
    semantics_option="att",
)


@APY.loader
def apy_attributes(*, split="proposed", seen_fraction=0.2, att="unit length"):
    """The 15,339 objects of aPY: real attributes and splits, synthetic features.

    64 binary attributes were annotated for every object, so that images of one class differ
    (``image_attributes`` with ``att="original"``), which the sampling of Bucher et al. (2016)
    needs. The images and their features are not part of the data; features are generated from
    the real attributes by `attribute_features`, so results say nothing about the benchmark's
    images. Without noise and shift ESZSL recognises about 35% of the images of unseen classes,
    with those chosen here 25%: these attributes alone are a hard problem.

    Parameters
    ----------
    split : {"proposed", "standard"}
        The proposed split of Xian et al. (2017). Or the one that came with the data (Farhadi et
        al. 2009), which Bucher et al. used: aPascal's 20 classes are seen, aYahoo's 12 unseen;
        5 of the seen ones become validation classes and ``seen_fraction`` of each seen class's
        images ``test_seen``, both drawn by ``seed``.
    att : {"unit length", "original"}
        Whether the classes' attributes are divided by row length. Those of images would not
        share that unit, so that ``image_attributes`` are left out; originally they do.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are the official means of the attributes over each class's images.

    Examples
    --------
    >>> apy_attributes(max_per_class=2)
    ZeroShotProblem('apy_attributes': 20 seen and 12 unseen classes, 40 + 40 seen and 24 unseen
    images, 256 features, 64 attributes)
    """


ENTRY = Dataset(
    name="apy",
    loaders={ATTRIBUTES: apy_attributes, METRIC: partial(apy_attributes, att="original", **OLDER)},
    summary="aPascal-aYahoo: attributes of 15,339 objects, with synthetic features",
    licence="attributes: as their authors state",
    quick={setting: {"max_per_class": 20} for setting in (ATTRIBUTES, METRIC)},
    files=below("visual/apy", "apy_instances.npz", "classes.txt"),
)
