"""CUB with its captions as texts of classes: which image a caption was written for is lost."""

from itertools import zip_longest

from zslib.datasets.attributes.cub import cub
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.caption_lists import caption_lists
from zslib.datasets.pairs.problem import with_texts
from zslib.datasets.pairs.sentences import sentence_pairs


def cub_captions(*, seed=0, max_texts=None, feature_scaling="unit length", max_per_class=None):
    """CUB-200-2011 with the captions that people wrote for its images, as texts of classes.

    The captions are those of Reed et al. (2016). Within a class the rows of the features stand
    in an unknown order, so that no caption is known to belong to an image: each is a text of all
    images of its class, and no use can pair one with its own. Nor is it known which were written
    for the images that test seen classes: they are among the texts of those classes. Texts of
    single images are in `zslib.datasets.flowers`.

    Parameters
    ----------
    seed, feature_scaling, max_per_class
        See `zslib.datasets.cub`, which is taken in the proposed split.
    max_texts : int, optional
        At most so many different ones of each class: the first of each image, then the second.

    Returns
    -------
    ImageTextProblem
        ``level`` is "class"; ``coverage`` counts the captions, and those used, which differ
        within a class and have three words.

    Examples
    --------
    >>> problem = cub_captions(max_per_class=2, max_texts=5)
    >>> problem
    ImageTextProblem('cub-class-captions': 150 seen and 50 unseen classes, 300 + 300 seen and
    100 unseen images, 1000 texts of classes, 256 features)
    >>> problem.texts[0]
    'light tan colored bird with a white head and an orange beak.'
    """
    folder = require_folder("visual/cub")
    images = cub(seed=seed, feature_scaling=feature_scaling, max_per_class=max_per_class)
    labels = read_arrays(folder / "cub.npz")["label"]
    captions = [[] for _ in images.class_names]
    for several in zip_longest(*caption_lists(folder / "captions.tsv", len(labels)), fillvalue=""):
        for label, text in zip(labels, several, strict=True):
            captions[label].append(text.replace("\ufffd\ufffd", " "))  # a space that was lost
    return with_texts(
        images,
        name="cub-class-captions",
        description=images.description.replace("312 attributes", "captions of classes"),
        **sentence_pairs(images.labels, captions, max_texts=max_texts),
    )


ENTRIES = (
    Dataset(
        name="cub_captions",
        loaders={PAIRS: cub_captions},
        summary="CUB-200-2011: 117,880 captions as texts of the 200 classes",
        licence="captions: not stated; images: non-commercial research",
        quick={PAIRS: {"max_per_class": 6, "max_texts": 8}},
        auto={PAIRS: 2},
        files=below(
            "visual/cub", "captions.tsv", "cub.npz", "classes.txt", "features_resnet_pca256.npy"
        ),
    ),
)
