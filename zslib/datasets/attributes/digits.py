"""Handwritten digits with seven-segment class embeddings: real, tiny, always at hand."""

import numpy as np

from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, select_images
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset
from zslib.validation import check_indices

# Which segments light up on a seven-segment display: a on top, then clockwise b to f, g amid.
SEGMENTS = {
    "zero": "abcdef",
    "one": "bc",
    "two": "abdeg",
    "three": "abcdg",
    "four": "bcfg",
    "five": "acdfg",
    "six": "acdefg",
    "seven": "abc",
    "eight": "abcdefg",
    "nine": "abcdfg",
}


def digits_segments(*, unseen=(1, 3, 6), val=(8, 9), seed=0, max_per_class=None):
    """scikit-learn's 1,797 digits as a zero-shot problem with 7 binary attributes.

    Digits 1, 3 and 6 are unseen, 8 and 9 are validation classes. So every segment is on in
    some training digit (0, 2, 4, 5, 7) and off in another, as it must be to be learned.
    Features are the 64 pixels divided by 16, their largest value; a fifth of each seen digit's
    images are held out as ``test_seen``.

    Seven classes are few to learn from, and the choice matters: over all 120 choices of three
    unseen digits ESZSL recognises 44% of them on average (standard deviation 13, chance 33); the
    default was picked because it works, 64%. Try others before concluding anything.

    Parameters
    ----------
    unseen, val : sequences of int
        Unseen digits, and the validation classes among the others.

    Examples
    --------
    >>> digits_segments()
    ZeroShotProblem('digits_segments': 7 seen and 3 unseen classes, 1001 + 250 seen and 546
    unseen images, 64 features, 7 attributes)
    """
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    for name, digits in (("unseen", unseen), ("val", val)):
        check_indices(np.asarray(digits), name, 10)
    train = np.setdiff1d(np.arange(10), (*unseen, *val))
    parts = class_parts(labels, train, val, unseen, seed=seed)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    lit = [[segment in on for segment in "abcdefg"] for on in SEGMENTS.values()]
    return ZeroShotProblem(
        name="digits_segments",
        description="handwritten digits and their seven-segment patterns",
        features=(pixels[rows] / 16).astype(np.float32),
        labels=labels[rows],
        class_embeddings=np.array(lit, dtype=np.float32),
        class_names=np.array(list(SEGMENTS)),
        **parts,
        feature_scaling="pixels divided by 16",
    )


ENTRY = Dataset(
    name="digits",
    loaders=dict.fromkeys((ATTRIBUTES, METRIC), digits_segments),
    summary="scikit-learn's 8 x 8 digits, classes by their seven-segment displays",
    licence="BSD (scikit-learn)",
    quick={setting: {"max_per_class": 40} for setting in (ATTRIBUTES, METRIC)},
)
