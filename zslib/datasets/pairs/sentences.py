"""Sentences about classes as the texts of their images: CUB with Wikipedia's."""

import numpy as np

from zslib.arrays import ragged_rows
from zslib.datasets.attributes.cub import class_sentences, cub
from zslib.datasets.entry import PAIRS, Dataset
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.problem import with_texts
from zslib.datasets.words.tokens import tokenize
from zslib.validation import check_integer

_FEWEST_WORDS = 3


def cub_sentences(
    *,
    split="proposed",
    seed=0,
    max_sentences=None,
    feature_scaling="unit length",
    max_per_class=None,
    folder=None,
):
    """CUB-200-2011 with Wikipedia's sentences about each species.

    A pair is an image and sentences of its class. Texts of single images are in
    `zslib.datasets.flowers`, captions of these birds in `zslib.datasets.cub_captions`.

    Parameters
    ----------
    split, seed, feature_scaling, max_per_class, folder
        See `zslib.datasets.attributes.cub`.
    max_sentences : int, optional
        At most so many of each class, the article's first.

    Returns
    -------
    ImageTextProblem
        ``level`` is "class"; ``coverage`` counts the sentences and those left out.
    """
    folder = require_folder("visual/cub", folder)
    images = cub(
        split=split,
        seed=seed,
        feature_scaling=feature_scaling,
        max_per_class=max_per_class,
        folder=folder,
    )
    pairs = sentence_pairs(images.labels, class_sentences(folder), max_sentences=max_sentences)
    return with_class_texts(images, "cub-sentences", "Wikipedia sentences of classes", *pairs)


def with_class_texts(images, name, kind, texts, coverage):
    """CUB's images with the ``texts`` of their classes, which take the place of attributes."""
    described = images.description.replace("312 attributes", kind)
    return with_texts(images, name=name, description=described, coverage=coverage, **texts)


def sentence_pairs(labels, sentences, *, max_sentences=None, argument="max_sentences"):
    """Every sentence of a class, of three words or more, as a text of each of its images.

    ``argument`` is what the loader calls ``max_sentences``.
    """
    if max_sentences is not None:
        check_integer(max_sentences, argument, low=1)
    kept = [
        [text for text in dict.fromkeys(listed) if len(tokenize(text)) >= _FEWEST_WORDS]
        for listed in sentences
    ]
    kept = [texts[:max_sentences] for texts in kept]
    counts = np.array([len(texts) for texts in kept])
    labels = np.asarray(labels)
    if len(bare := np.setdiff1d(labels, np.flatnonzero(counts))):
        raise ValueError(f"class {bare[0]} has no sentence of {_FEWEST_WORDS} words: leave it out")
    ends = np.concatenate([[0], np.cumsum(counts)])
    offsets, index = ragged_rows(ends, np.arange(ends[-1]), labels)
    owners = {}
    for number, texts in enumerate(kept):
        for text in texts:
            owners.setdefault(text, set()).add(number)
    shared = set().union(*(classes for classes in owners.values() if len(classes) > 1))
    return {
        "texts": [text for texts in kept for text in texts],
        "text_offsets": offsets,
        "text_index": index,
        "level": "class",
    }, {
        "sentences listed": sum(map(len, sentences)),
        "sentences used": int(counts.sum()),
        "classes that share a sentence": len(shared),
    }


ENTRIES = (
    Dataset(
        name="cub",
        loaders={PAIRS: cub_sentences},
        quick={PAIRS: {"max_per_class": 6, "max_sentences": 8}},
        optional_files=("visual/cub/class_wikipedia_sentences.jsonl",),
    ),
)
