"""Animals with Attributes 1: 50 animals, 85 attributes, the hand-crafted features of 2009."""

from functools import partial

from zslib.datasets.attributes.images import OLDER, ImageSet
from zslib.datasets.attributes.splits import split_seen
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset, below


def _standard(data, seed):
    groups = split_seen(data["standard_train_classes"], 10, seed=seed)
    return (*groups, data["standard_test_classes"])


_AWA1 = ImageSet(
    name="awa1",
    description="AWA1, hand-crafted features, {semantics}, {split} split",
    arrays="visual/awa1/awa1.npz",
    features={"histograms": ("", "features_bow5_pca256.npy")},
    semantics={
        "attributes": ("85 attributes", "attributes_xlsa17"),
        "binary": ("85 binary attributes", "attributes_binary"),
        "word_vectors": ("1,000-d word vectors", "word_vectors_1000"),
    },
    splits={"proposed": None, "standard": _standard},
)


@_AWA1.loader
def awa1(*, semantics="attributes", split="proposed", seen_fraction=0.2):
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

    Examples
    --------
    >>> awa1(max_per_class=2)
    ZeroShotProblem('awa1': 40 seen and 10 unseen classes, 80 + 80 seen and 20 unseen images,
    256 features, 85 attributes)
    """


ENTRY = Dataset(
    name="awa1",
    loaders={ATTRIBUTES: awa1, METRIC: partial(awa1, **OLDER)},
    summary="Animals with Attributes: 30,475 images of 50 animals, hand-crafted features",
    licence="as its authors state",
    quick={setting: {"max_per_class": 20} for setting in (ATTRIBUTES, METRIC)},
    auto={ATTRIBUTES: 2, METRIC: 1},
    files=below("visual/awa1", "awa1.npz", "classes.txt", "features_bow5_pca256.npy"),
)
