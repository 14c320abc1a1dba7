"""Sentences about classes as the texts of their images: CUB with Wikipedia's."""

from collections import Counter
from itertools import chain

import numpy as np

from zslib.arrays import ragged_rows
from zslib.datasets.attributes.cub import class_sentences, cub
from zslib.datasets.entry import PAIRS, Dataset
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.problem import with_texts
from zslib.datasets.words.tokens import tokenize
from zslib.validation import check_integer

_FEWEST_WORDS = 3


def cub_sentences(*, seed=0, max_texts=None, feature_scaling="unit length", max_per_class=None):
    """CUB-200-2011 with Wikipedia's sentences about each species.

    A pair is an image and sentences of its class. Texts of single images are in
    `zslib.datasets.flowers`, captions of these birds in `zslib.datasets.cub_captions`.

    Parameters
    ----------
    seed, feature_scaling, max_per_class
        See `zslib.datasets.cub`, which is taken in the proposed split.
    max_texts : int, optional
        At most so many of each class, the article's first.

    Returns
    -------
    ImageTextProblem
        ``level`` is "class"; ``coverage`` counts the sentences and those left out.
    """
    images = cub(seed=seed, feature_scaling=feature_scaling, max_per_class=max_per_class)
    sentences = class_sentences(require_folder("visual/cub"))
    return with_texts(
        images,
        name="cub-sentences",
        description=images.description.replace("312 attributes", "Wikipedia sentences of classes"),
        **sentence_pairs(images.labels, sentences, max_texts=max_texts),
    )


def sentence_pairs(labels, sentences, *, max_texts=None):
    """Fields of a problem where each sentence of a class is a text of all its images.

    Sentences of three words or more count, at most ``max_texts`` of each class.
    """
    if max_texts is not None:
        check_integer(max_texts, "max_texts", low=1)
    kept = [
        [text for text in dict.fromkeys(listed) if len(tokenize(text)) >= _FEWEST_WORDS][
            :max_texts
        ]
        for listed in sentences
    ]
    counts = np.array([len(texts) for texts in kept])
    if len(bare := np.setdiff1d(labels, np.flatnonzero(counts))):
        raise ValueError(f"class {bare[0]} has no sentence of {_FEWEST_WORDS} words: leave it out")
    ends = np.concatenate([[0], np.cumsum(counts)])
    offsets, index = ragged_rows(ends, np.arange(ends[-1]), labels)
    owners = Counter(chain.from_iterable(kept))
    return {
        "texts": [text for texts in kept for text in texts],
        "text_offsets": offsets,
        "text_index": index,
        "level": "class",
        "coverage": {
            "sentences listed": sum(map(len, sentences)),
            "sentences used": int(counts.sum()),
            "classes that share a sentence": sum(
                any(owners[text] > 1 for text in texts) for texts in kept
            ),
        },
    }


ENTRIES = (
    Dataset(
        name="cub",
        loaders={PAIRS: cub_sentences},
        quick={PAIRS: {"max_per_class": 6, "max_texts": 8}},
        optional_files=("visual/cub/class_wikipedia_sentences.jsonl",),
    ),
)
