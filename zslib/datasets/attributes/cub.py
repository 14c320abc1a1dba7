"""Caltech-UCSD Birds: 200 species, 312 attributes, network features, official zero-shot split."""

import json
from functools import partial

from zslib.arrays import unit_rows
from zslib.datasets.attributes.images import OLDER, ImageSet
from zslib.datasets.attributes.splits import split_seen
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset, below
from zslib.datasets.files import read_lines
from zslib.datasets.words.glosses import reduced_tfidf


def class_sentences(folder):
    """Wikipedia's sentences about each species, in the order of the classes."""
    lines = read_lines(folder / "class_wikipedia_sentences.jsonl")
    entries = sorted(map(json.loads, lines), key=lambda entry: entry["class"])
    return [entry["sentences"] for entry in entries]


def _sentence_vectors(data, folder):
    vectors, _ = reduced_tfidf([" ".join(texts) for texts in class_sentences(folder)], 150)
    return unit_rows(vectors, name="sentence vectors")


def _standard(data, seed):
    return (*split_seen(data["ss_trainval_classes"], 50, seed=seed), data["ss_test_classes"])


_CUB = ImageSet(
    name="cub",
    description="CUB-200-2011, {features}, {semantics}, {split} split",
    arrays="visual/cub/cub.npz",
    features={
        "resnet": ("ResNet class scores", "features_resnet_pca256.npy"),
        "vgg": ("VGG fc7 features", "features_vgg_pca512.npy"),
    },
    semantics={
        "attributes": ("312 attributes", "attributes"),
        "wikipedia": ("Wikipedia sentences", _sentence_vectors),
    },
    splits={"proposed": None, "standard": _standard},
)


@_CUB.loader
def cub(*, features="resnet", semantics="attributes", split="proposed", seen_fraction=0.2):
    """CUB-200-2011, the CUB column of Guo et al. (AAAI 2019) and of Bucher et al. (2016).

    All 11,788 images. The principal components of the features were fitted on the proposed
    split's ``trainval`` images.

    Parameters
    ----------
    features : {"resnet", "vgg"}
        256 components of the 1,000 class scores of a ResNet; or 512 of VGG's 4,096-d fc7, of which
        the edition in the repository keeps 256.
    semantics : {"attributes", "wikipedia"}
        312 attributes (rows divided by their length, which is the official ``att``), or TF-IDF
        of Wikipedia sentences reduced to 150 dimensions.
    split : {"proposed", "standard"}
        The proposed split of Xian et al. (2017), 150 seen and 50 unseen classes; its validation
        classes without the images that test seen classes. Or the older standard split: 50 of
        its 150 seen classes become validation classes and ``seen_fraction`` of each seen class's
        images ``test_seen``, both drawn by ``seed``.

    Examples
    --------
    >>> cub(max_per_class=2)
    ZeroShotProblem('cub': 150 seen and 50 unseen classes, 300 + 300 seen and 100 unseen images,
    256 features, 312 attributes)
    """


ENTRY = Dataset(
    name="cub",
    loaders={ATTRIBUTES: cub, METRIC: partial(cub, features="vgg", **OLDER)},
    summary="CUB-200-2011: 11,788 images of 200 birds, 312 attributes",
    licence="images: non-commercial research",
    quick={setting: {"max_per_class": 6} for setting in (ATTRIBUTES, METRIC)},
    auto={ATTRIBUTES: 1, METRIC: 0},
    files=below("visual/cub", "cub.npz", "classes.txt", "features_resnet_pca256.npy"),
    optional_files=below("visual/cub", "features_vgg_pca512.npy"),
)
