"""Seeded image-caption pairs: generated birds, described in templated English.

For machines without captioned data. Each ingredient stands for something known of real captions;
none refers to a method, and no default was chosen by looking at which method wins:

related classes
    Each class has a value for each of 14 aspects (the colour of the wings, the shape of the
    bill, ...), half of them shared with the other classes of its group.
images vary
    An image differs from its class in some aspects, and only its own captions tell which.
a caption tells little
    It mentions a few aspects of the image, not all of them, in random order.
synonyms
    A value has several words, and so have most parts, the rarer ones used less often.
distractors
    Sentences of the surroundings are mixed in, with colours of their own.
errors
    Now and then a caption gives a wrong value.

Features are `attribute_features` of the image's aspects: noisy, nonlinear, with an error that the
images of one class share. The default noise makes the task about as hard as real ones, judged
by ridge regression onto reduced TF-IDF of the captions alone: it recognises somewhat over half of
the unseen classes' images, and hardly a quarter where seen classes compete.
"""

import tomllib
from pathlib import Path

import numpy as np

from zslib.datasets.attributes.splits import class_parts, split_seen
from zslib.datasets.attributes.synthetic import attribute_features
from zslib.datasets.entry import PAIRS, Dataset
from zslib.datasets.pairs.problem import ImageTextProblem
from zslib.validation import check_integer

_BIRDS = tomllib.loads(Path(__file__).with_name("birds.toml").read_text("utf-8"))
_ASPECTS = [(a["parts"], a.get("values", _BIRDS["colours"])) for a in _BIRDS["aspects"]]
_OPENINGS, _DISTRACTORS = _BIRDS["openings"], _BIRDS["distractors"]
_MENTIONS = (2, 4)  # fewest and most aspects that a caption mentions
# Probability that an image's aspect is not its class's, that a mentioned value is drawn at random,
# and that a caption has a sentence about something else.
_VARIATION, _ERRORS, _DISTRACTION = 0.2, 0.05, 0.3


def synthetic_pairs(
    *,
    n_seen=60,
    n_val=20,
    n_unseen=20,
    images_per_class=20,
    captions=(4, 10),
    n_features=256,
    seed=0,
):
    """Synthetic images with captions of their own.

    Parameters
    ----------
    n_seen, n_val, n_unseen : int
        Seen classes, how many of them are validation classes, and unseen classes.
    images_per_class : int
        A fifth of each seen class's images is kept for testing.
    captions : pair of int
        Fewest and most captions of an image.
    n_features : int

    Examples
    --------
    >>> problem = synthetic_pairs(n_seen=6, n_val=2, n_unseen=3, images_per_class=5)
    >>> problem
    ImageTextProblem('synthetic-pairs': 6 seen and 3 unseen classes, 24 + 6 seen and 15 unseen
    images, 307 texts of images, 256 features)
    >>> problem.texts[0]
    'the sky behind it is blue. note its brown wings and lemon crown.'
    """
    check_integer(n_unseen, "n_unseen", low=1)
    check_integer(images_per_class, "images_per_class", low=2)
    fewest, most = captions
    check_integer(fewest, "captions[0]", low=1)
    check_integer(most, "captions[1]", low=fewest)
    train, val = split_seen(np.arange(n_seen), n_val, seed=seed)
    rng = np.random.default_rng([seed, 2])

    n_classes = n_seen + n_unseen
    sizes = np.array([len(values) for _, values in _ASPECTS])
    labels = np.repeat(np.arange(n_classes), images_per_class)
    groups = rng.integers(sizes, size=(max(2, n_classes // 5), len(sizes)))
    of_class = groups[rng.integers(len(groups), size=n_classes)]
    of_class = _redrawn(rng, of_class, sizes, 0.5)
    of_image = _redrawn(rng, of_class[labels], sizes, _VARIATION)

    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    attributes = np.zeros((len(labels), sizes.sum()), dtype=np.float32)
    np.put_along_axis(attributes, of_image + starts, 1, axis=1)
    features = attribute_features(
        attributes, labels, n_features=n_features, noise=0.5, class_shift=0.3, seed=seed
    )
    counts = rng.integers(fewest, most + 1, size=len(labels))
    of_caption = _redrawn(rng, np.repeat(of_image, counts, axis=0), sizes, _ERRORS)
    texts = [_caption(rng, values) for values in of_caption.tolist()]
    return ImageTextProblem(
        name="synthetic-pairs",
        synthetic=True,
        description="synthetic images and captions of birds",
        features=features,
        labels=labels,
        class_names=np.array([f"bird {i:03d}" for i in range(1, n_classes + 1)]),
        texts=texts,
        text_offsets=np.concatenate([[0], np.cumsum(counts)]),
        text_index=np.arange(len(texts)),
        **class_parts(labels, train, val, np.arange(n_seen, n_classes), seed=seed),
    )


def _redrawn(rng, values, sizes, probability):
    fresh = rng.integers(sizes, size=values.shape)
    return np.where(rng.random(values.shape) < probability, fresh, values)


def _caption(rng, values):
    chosen = rng.permutation(len(_ASPECTS))[: rng.integers(_MENTIONS[0], _MENTIONS[1] + 1)]
    phrases = []
    for aspect in chosen.tolist():
        parts, kinds = _ASPECTS[aspect]
        phrases.append(f"{_word(rng, kinds[values[aspect]])} {_word(rng, parts)}")
    listed = ", ".join(phrases[:-1])
    text = f"{_OPENINGS[rng.integers(len(_OPENINGS))]} {listed} and {phrases[-1]}."
    if rng.random() < _DISTRACTION:
        other = _DISTRACTORS[rng.integers(len(_DISTRACTORS))]
        text = f"{text} {other}" if rng.random() < 0.5 else f"{other} {text}"
    return text


def _word(rng, words):
    """One of the words, each half as often as the one before it."""
    return words[min(int(-np.log2(1 - rng.random())), len(words) - 1)]


_SMALL = {"n_seen": 15, "n_val": 5, "n_unseen": 5, "images_per_class": 10}

ENTRY = Dataset(
    name="synthetic",
    kind="synthetic",
    loaders={PAIRS: synthetic_pairs},
    quick={PAIRS: {**_SMALL, "captions": (2, 5), "n_features": 64}},
)
