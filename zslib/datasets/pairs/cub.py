"""CUB with texts of its classes: Wikipedia's sentences, or captions that lost their images."""

from collections import Counter
from itertools import chain, zip_longest

import numpy as np

from zslib.arrays import ragged_rows
from zslib.datasets.attributes.cub import class_sentences, cub
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.caption_lists import caption_lists
from zslib.datasets.pairs.problem import with_texts
from zslib.datasets.words.tokens import tokenize
from zslib.validation import check_integer

_FEWEST_WORDS = 3


def cub_sentences(*, seed=0, max_texts=None, feature_scaling="unit length", max_per_class=None):
    """CUB-200-2011, the proposed split of `cub`, with Wikipedia's sentences about each species.

    A pair is an image and sentences of its class. Texts of single images are in
    `zslib.datasets.flowers`, captions of these birds in `zslib.datasets.cub_captions`.

    Parameters
    ----------
    max_texts : int, optional
        At most so many of each class, the article's first.

    Returns
    -------
    ImageTextProblem
        ``level`` is "class"; ``coverage`` counts the sentences and those left out.

    Examples
    --------
    >>> cub_sentences(max_per_class=2)
    ImageTextProblem('cub-sentences': 150 seen and 50 unseen classes, 300 + 300 seen and
    100 unseen images, 7783 texts of classes, 256 features)
    """
    images = cub(seed=seed, feature_scaling=feature_scaling, max_per_class=max_per_class)
    sentences = class_sentences(require_folder("visual/cub"))
    return _with_sentences(images, "sentences", "Wikipedia sentences", sentences, max_texts)


def cub_captions(*, seed=0, max_texts=None, feature_scaling="unit length", max_per_class=None):
    """CUB-200-2011, the proposed split of `cub`, with captions of its images as texts of classes.

    The captions are those of Reed et al. (2016). Within a class the rows of the features stand
    in an unknown order, so that no caption is known to belong to an image: each is a text of all
    images of its class. Nor is it known which were written for the images that test seen
    classes: they are among the texts of those classes. Texts of single images are in
    `zslib.datasets.flowers`.

    Parameters
    ----------
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
    return _with_sentences(images, "class-captions", "captions", captions, max_texts)


def _with_sentences(images, name, what, sentences, max_texts):
    return with_texts(
        images,
        name=f"cub-{name}",
        description=images.description.replace("312 attributes", f"{what} of classes"),
        **sentence_pairs(images.labels, sentences, max_texts=max_texts),
    )


def sentence_pairs(labels, sentences, *, max_texts=None):
    """Fields of a problem where each sentence of a class is a text of all its images.

    Sentences of three words or more count, at most ``max_texts`` of each class.
    """
    if max_texts is not None:
        check_integer(max_texts, "max_texts", low=1)
    kept = [list(filter(_is_long, dict.fromkeys(listed)))[:max_texts] for listed in sentences]
    counts = np.array([len(texts) for texts in kept])
    if len(bare := np.setdiff1d(labels, np.flatnonzero(counts))):
        raise ValueError(f"class {bare[0]} has no sentence of {_FEWEST_WORDS} words: leave it out")
    ends = np.concatenate([[0], np.cumsum(counts)])
    offsets, index = ragged_rows(ends, np.arange(ends[-1]), labels)
    owners = Counter(chain.from_iterable(kept))
    shared = [any(owners[text] > 1 for text in texts) for texts in kept]
    return {
        "texts": list(chain.from_iterable(kept)),
        "text_offsets": offsets,
        "text_index": index,
        "level": "class",
        "coverage": {
            "sentences listed": sum(map(len, sentences)),
            "sentences used": int(counts.sum()),
            "classes that share a sentence": sum(shared),
        },
    }


def _is_long(text):
    return len(tokenize(text)) >= _FEWEST_WORDS


ENTRIES = (
    Dataset(
        name="cub",
        loaders={PAIRS: cub_sentences},
        quick={PAIRS: {"max_per_class": 6, "max_texts": 8}},
        optional_files=("visual/cub/class_wikipedia_sentences.jsonl",),
    ),
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
