"""Oxford's 102 flowers: photographs with ten captions each, the paper's second data set."""

import numpy as np

from zslib.datasets.attributes.splits import PARTS, select_images, without_tested
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays, read_lines, read_rows
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.caption_lists import caption_lists, own_texts
from zslib.datasets.pairs.problem import ImageTextProblem

_FILES = ("flowers.npz", "features_mobilenetv2_pca256.npy", "captions.tsv", "classes.txt")


def flowers(*, seed=0, feature_scaling="unit length", max_per_class=None, folder=None):
    """8,189 photographs of flowers, each with the ten captions that people wrote for it.

    FLOWERS of Oreshkin et al. (CLAREL, 2019): the photographs of Nilsback and Zisserman (2008),
    the captions of Reed et al. (2016), and the proposed split of Xian et al. (2018), 62 training,
    20 validation and 20 unseen classes. Captions and features belong together image by image.
    The paper has 2,048 features of a ResNet-101; here are 256 components of MobileNetV2's 1,280,
    fitted on the images of seen classes.

    Returns
    -------
    ImageTextProblem
        Its validation classes are the official ones, without the images that test seen classes.
        ``coverage`` counts captions and the lines left out, which have no word.

    Examples
    --------
    >>> problem = flowers(max_per_class=2)
    >>> problem
    ImageTextProblem('flowers': 82 seen and 20 unseen classes, 164 + 164 seen and 40 unseen
    images, 3677 texts of images, 256 features)
    >>> problem.texts[0]
    'this flower has petals in the shape of a circle and are purple and stringy'
    """
    folder = require_folder("visual/flowers", folder)
    arrays, features, captions, classes = (folder / name for name in _FILES)
    data = read_arrays(arrays)
    labels = data["label"].astype(np.int64)
    parts = without_tested({part: data[f"{part}_loc"] for part in PARTS})
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    captions = caption_lists(captions, len(labels))
    return ImageTextProblem(
        name="flowers",
        description="Oxford's 102 flowers, proposed split, MobileNetV2 features, own captions",
        features=read_rows(features, rows, of=(len(labels), "image labels")),
        labels=labels[rows],
        class_names=np.array(read_lines(classes)),
        **parts,
        **own_texts([captions[row] for row in rows]),
    ).scaled(feature_scaling)


ENTRY = Dataset(
    name="flowers",
    loaders={PAIRS: flowers},
    summary="Oxford's 102 flowers: 8,189 photographs with ten captions each",
    licence="captions, names and split: MIT, by the repositories; images: not stated",
    quick={PAIRS: {"max_per_class": 6}},
    auto={PAIRS: 1},
    files=below("visual/flowers", *_FILES),
)
