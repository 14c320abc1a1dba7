"""Oxford's 102 flowers, with the words of each photograph's own captions as its attributes."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from zslib.datasets.attributes.apy import APY
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset
from zslib.datasets.files import read_arrays
from zslib.datasets.pairs.caption_lists import caption_lists

_COMMON = 0.05


def _read(path):
    """The arrays, with the words of images and of classes."""
    data = read_arrays(path)
    labels = data["label"] = data["label"].astype(np.int64)
    captions = caption_lists(path.with_name("captions.tsv"), len(labels))
    data["attributes"] = shares = word_shares(captions, data["trainval_loc"])
    known = np.concatenate([data["trainval_loc"], data["test_unseen_loc"]])
    sums = np.zeros((labels.max() + 1, shares.shape[1]))
    np.add.at(sums, labels[known], shares[known])
    means = sums / np.bincount(labels[known])[:, None]
    data["class_attributes"] = means.astype(np.float32)
    return data


def word_shares(captions, known):
    """The share of each image's captions that have each common word, float32 (n, words).

    Common are words, English stop words left out, that the captions of a twentieth of the
    ``known`` images have.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    words = CountVectorizer(binary=True, stop_words="english")
    owners = np.repeat(np.arange(len(captions)), [len(several) for several in captions])
    counts = words.fit_transform([text for several in captions for text in several])
    own = sparse.csr_array((np.ones_like(owners), (owners, np.arange(len(owners)))))
    shares = (own @ counts).toarray()
    shares = shares[:, (shares[known] > 0).mean(axis=0) >= _COMMON]
    return (shares / np.bincount(owners)[:, None]).astype(np.float32)


_FLOWERS = replace(
    APY,
    name="flowers_words",
    synthetic=False,
    description="Oxford's 102 flowers, MobileNetV2 features, words of captions, {split} split",
    arrays="visual/flowers/flowers.npz",
    features={"mobilenetv2": ("MobileNetV2", "features_mobilenetv2_pca256.npy")},
    read=_read,
    splits={"proposed": None},
)


@_FLOWERS.loader
def flowers_words(*, att="unit length"):
    """The 8,189 photographs of flowers with words of their captions in place of attributes.

    Ten people wrote a caption for each photograph; a common word is an attribute, and its value
    the share of them who used it (``image_attributes`` with ``att="original"``). So images of
    one class differ, which the sampling of Bucher et al. (2016) needs: a stand-in for its
    attributes, on real features. Which words are common is decided on the images of ``trainval``.

    Parameters
    ----------
    att : {"unit length", "original"}
        As in `apy_attributes`.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are means over the images of a class, without those that test seen
        classes.

    Examples
    --------
    >>> flowers_words(att="original", max_per_class=2).image_attributes.shape
    (368, 120)
    """


ENTRY = Dataset(
    name="flowers",
    loaders={ATTRIBUTES: flowers_words, METRIC: partial(flowers_words, att="original")},
    quick={setting: {"max_per_class": 6} for setting in (ATTRIBUTES, METRIC)},
)
