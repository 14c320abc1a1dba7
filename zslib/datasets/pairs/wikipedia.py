"""Sections of Wikipedia's featured articles, paired with images (Rasiwasia et al., 2010)."""

import numpy as np

from zslib.datasets.attributes.splits import class_parts, select_images, split_classes
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays, read_lines
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.problem import ImageTextProblem


def wikipedia_xmodal(*, seed=0, feature_scaling="none", max_per_class=None, folder=None):
    """2,866 pairs of a photograph and a section of an article, in 10 categories.

    Words and photographs are not part of the data: an image is a histogram of 128 visual words
    and a text one of the published 10 topics. Of both the square roots are taken, which have unit
    length, and in which rare bins count for more. The published split has all categories in both
    parts; here three are unseen and two of the others validation classes, drawn by ``seed``, and
    the published test pairs of seen categories test these.

    Returns
    -------
    ImageTextProblem
        With ``text_vectors``.

    Examples
    --------
    >>> wikipedia_xmodal()
    ImageTextProblem('wikipedia-xmodal': 7 seen and 3 unseen classes, 1541 + 481 seen and
    844 unseen images, 2866 texts of images, 128 features)
    """
    folder = require_folder("visual/wikipedia_xmodal", folder)
    data = read_arrays(folder / "wikipedia.npz")

    def both(name):
        return np.concatenate([data[f"{name}_tr"], data[f"{name}_te"]])

    labels = both("label").astype(np.int64)
    names = read_lines(folder / "categories.txt")
    groups = split_classes(np.arange(len(names)), seed=seed)
    is_test = (np.arange(len(labels)) >= len(data["label_tr"])) | np.isin(labels, groups[2])
    parts = class_parts(labels, *groups, is_test=is_test)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    return ImageTextProblem(
        name="wikipedia-xmodal",
        description="Wikipedia's featured articles, visual words and 10 topics",
        features=np.sqrt(both("image_sift128")[rows]),
        labels=labels[rows],
        class_names=np.array(names),
        text_vectors=np.sqrt(both("text_lda10")[rows]),
        text_offsets=np.arange(len(rows) + 1),
        text_index=np.arange(len(rows)),
        **parts,
        feature_scaling="square root",
    ).scaled(feature_scaling)


ENTRY = Dataset(
    name="wikipedia_xmodal",
    loaders={PAIRS: wikipedia_xmodal},
    summary="2,866 sections of Wikipedia articles with photographs, ready vectors",
    licence="as its sources state",
    quick={PAIRS: {"max_per_class": 20}},
    files=below("visual/wikipedia_xmodal", "wikipedia.npz", "categories.txt"),
)
