"""Seeded generators of both settings of the paper, for machines without real data.

A vocabulary has a latent meaning. Two spaces see it, each through a view of its own, and the
maps of this package try to get from one to the other. Each ingredient stands for something
known of real spaces; none refers to a mapping method, and no default was chosen by looking at
which method wins:

clusters
    Meanings gather around topics of uneven size, as words do.
decaying spectrum
    Latent directions matter unequally: the standard deviation of direction j falls as
    ``(j + 1) ** -decay``, the power law of word-vector covariances.
two views
    Each space is a random linear image of the latent meaning with a mild ``tanh`` of its own,
    so that no linear map between the two is exact.
common mean
    Each space adds one direction to all its vectors; trained vectors are not centred.
noise growing with rarity
    What one space says of a word and the other does not: own senses, accidents of the corpus,
    few occurrences. It has directions of its own with the same decaying spectrum, and grows
    with the word's frequency rank r as ``(r / N) ** rarity``. Words are numbered by frequency.

The default noise makes the task about as hard as real ones, judged by ridge regression alone:
its precision at 1 is near the paper's 30% for translation, and near the paper's 1% for images
among all labels. A word is named after its topic and its frequency rank ("beka-17").
"""

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.entry import BILINGUAL, MODAL, Dataset
from zslib.datasets.mapping.labels import split_labels
from zslib.datasets.mapping.problem import MappingProblem
from zslib.validation import check_integer, check_real

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_TOPIC_NAMES = [a + b for a in _SYLLABLES for b in _SYLLABLES]  # to be read: baba, babe, ...
_TOPICS, _LABEL_TOPICS = 250, 60  # of the words, and of them those that labels come from
# Defaults of `synthetic_crosslingual`, which say what they are, and fixed for images.
_LATENT, _TIGHTNESS, _DECAY = 200, 0.4, 0.4
_NOISE, _RARITY, _NONLINEARITY, _MEAN = 1.5, 0.07, 0.5, 0.3
_DIMENSION, _VISUAL_DIMENSION = 300, 256
_IMAGES = 100  # behind the average of a training label


def _vocabulary(rng, n_words, latent=_LATENT, decay=_DECAY, tightness=_TIGHTNESS):
    """Topic, latent meaning and name of each word, in order of frequency."""
    size = rng.dirichlet(np.full(_TOPICS, 1.0))
    topic = rng.choice(_TOPICS, size=n_words, p=size)
    centres, apart = _gaussian(rng, _TOPICS, latent), _gaussian(rng, n_words, latent)
    tightness = np.float32(tightness)
    meaning = np.sqrt(tightness) * centres[topic] + np.sqrt(1 - tightness) * apart
    words = [f"{_TOPIC_NAMES[t]}-{rank}" for rank, t in enumerate(topic, start=1)]
    return topic, meaning * _spectrum(latent, decay), np.array(words)


def _space(rng, meaning, dimension, noise=_NOISE, rarity=_RARITY, decay=_DECAY, **seeing):
    """Unit vectors of the words in a space of its own view and noise, (N, dimension)."""
    n = len(meaning)
    view = _view(rng, meaning, dimension, **seeing)
    spread = noise * ((np.arange(n, dtype=np.float32) + 1) / n) ** rarity
    mixing = _mixing(rng, dimension, decay)
    return unit_rows(view + spread[:, None] * (_gaussian(rng, n, dimension) @ mixing))


def _view(rng, meaning, dimension, nonlinearity=_NONLINEARITY, mean=_MEAN):
    """One space's way of seeing meanings: linear image, mild tanh, common mean direction."""
    seen = meaning @ _gaussian(rng, meaning.shape[1], dimension)
    direction = _gaussian(rng, dimension)
    gain = np.float32(nonlinearity)
    if gain > 0:
        seen = np.tanh(gain * seen) / gain
    return seen + np.float32(mean) * direction


def _mixing(rng, dimension, decay=_DECAY):
    """What gives Gaussian rows a decaying spectrum along random directions, unit variance each."""
    return _spectrum(dimension, decay)[:, None] * _gaussian(rng, dimension, dimension)


def _gaussian(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def _spectrum(size, decay):
    """Standard deviations that fall as a power law, squares summing to one."""
    scale = np.arange(1, size + 1) ** -float(decay)
    return (scale / np.sqrt((scale**2).sum())).astype(np.float32)


def synthetic_crosslingual(
    *,
    seed=0,
    n_targets=10_000,
    n_train=3_000,
    n_test=1_000,
    dimension=_DIMENSION,
    noise=_NOISE,
    rarity=_RARITY,
    latent=_LATENT,
    tightness=_TIGHTNESS,
    decay=_DECAY,
    nonlinearity=_NONLINEARITY,
    mean=_MEAN,
):
    """Synthetic translation: one vocabulary seen by two languages' spaces.

    As in section 2 of the paper the training pairs are the most frequent words, and the
    queries come in equal parts from five frequency bins of the other words. Every source word
    has one translation, which has the same name.

    Parameters
    ----------
    n_targets : int
        Words of the vocabulary, which is the search space.
    n_train, n_test : int
        Training pairs and queries; together at most ``n_targets``.
    dimension : int
        Of both spaces.
    noise : float
        Standard deviation of the rarest word's noise, in each space, relative to the signal's.
    rarity : float
        Exponent of the noise's growth with frequency rank; 0 makes it even.
    latent : int
        Dimensions of meaning.
    tightness : float
        Share in (0, 1) of a word's latent variance that comes from its topic.
    decay : float
        Exponent of the spectra of meaning and of noise.
    nonlinearity : float
        Gain of the tanh; 0 makes both views linear.
    mean : float
        Length of the common mean relative to the signal.

    Returns
    -------
    MappingProblem
        Unit-length float32 vectors.

    Examples
    --------
    >>> problem = synthetic_crosslingual(n_targets=200, n_train=50, n_test=20, dimension=16)
    >>> problem
    MappingProblem('synthetic-crosslingual', cross-linguistic: 50 training pairs,
    20 queries, 200 targets)
    """
    check_integer(n_targets, "n_targets", low=2)
    check_integer(n_train, "n_train", low=1, high=n_targets - 1)
    left = n_targets - n_train
    check_integer(n_test, "n_test", low=1, high=left, high_means=" (n_targets - n_train)")
    check_integer(dimension, "dimension", low=1)
    check_integer(latent, "latent", low=1)
    ingredients = {"noise": noise, "rarity": rarity, "decay": decay}
    ingredients |= {"nonlinearity": nonlinearity, "mean": mean}
    for name, value in ingredients.items():
        check_real(value, name, low=0)
    check_real(tightness, "tightness", low=0, high=1, inclusive=False)
    check_integer(seed, "seed", low=0)
    rng = np.random.default_rng(seed)
    _, meaning, words = _vocabulary(rng, n_targets, latent, decay, tightness)
    source, targets = (_space(rng, meaning, dimension, **ingredients) for _ in range(2))

    bins = np.array_split(np.arange(n_train, n_targets), min(5, n_test))
    share = [len(part) for part in np.array_split(np.arange(n_test), len(bins))]
    drawn = [rng.choice(part, k, replace=False) for part, k in zip(bins, share, strict=True)]
    test = np.sort(np.concatenate(drawn))
    return MappingProblem(
        name="synthetic-crosslingual",
        setting="cross-linguistic",
        synthetic=True,
        description=f"synthetic data ({n_targets:,} words, {dimension}-d, noise {noise:g})",
        X_train=source[:n_train],
        train_gold=np.arange(n_train),
        X_test=source[test],
        test_gold=tuple(test[:, None]),
        targets=targets,
        target_words=words,
        train_words=words[:n_train],
        test_words=words[test],
        coverage={"training pairs used": n_train, "test words used": len(test)},
    )


def synthetic_crossmodal(
    *, seed=0, n_targets=10_000, n_labels=800, test_images=1_000, image_noise=3.0, visible=0.5
):
    """Synthetic image labelling: words in one space, images of some of them in another.

    Labels are concrete words, so they come from a part of the topics only. Pictures show a
    part of the meaning (``visible``) plus what differs from one picture to the next (pose,
    background): noise with a decaying spectrum. Training images are averaged
    per label; the average of Gaussian noise is drawn directly, as its distribution is known.
    Images have 256 dimensions. The other ingredients of the vocabulary and of both spaces are as
    `synthetic_crosslingual` has them by default.

    Parameters
    ----------
    seed : int
        Of the data, of the 75/25 label split and of the queries.
    n_targets : int
        Words of the vocabulary, the full search space.
    n_labels : int
        Words that have images.
    test_images : int
        Queries, spread evenly over the test labels. A training label has 100 images.
    image_noise : float
        Standard deviation of one image's noise relative to the signal's.
    visible : float
        Share in [0, 1] of the latent directions that images show; at least one is shown.

    Returns
    -------
    MappingProblem
        Unit-length float32 word vectors and images; ``labels`` are all labels.

    Examples
    --------
    >>> problem = synthetic_crossmodal(n_targets=300, n_labels=40, test_images=20)
    >>> len(problem.space("labels")), len(problem.space("test"))
    (40, 10)
    """
    check_integer(n_targets, "n_targets", low=2)
    check_integer(n_labels, "n_labels", low=2, high=n_targets, high_means=" (n_targets)")
    check_integer(test_images, "test_images", low=1)
    check_integer(seed, "seed", low=0)
    check_real(visible, "visible", low=0, high=1)
    check_real(image_noise, "image_noise", low=0)
    rng = np.random.default_rng(seed)
    topic, meaning, words = _vocabulary(rng, n_targets)
    targets = _space(rng, meaning, _DIMENSION)

    concrete = rng.choice(_TOPICS, _LABEL_TOPICS, replace=False)
    candidates = np.flatnonzero(np.isin(topic, concrete))
    if len(candidates) < n_labels:
        raise ValueError(
            f"{_LABEL_TOPICS} topics have {len(candidates)} words, fewer than n_labels="
            f"{n_labels}: raise n_targets"
        )
    labels = np.sort(rng.choice(candidates, n_labels, replace=False))
    shown = rng.random(_LATENT) < visible
    shown[rng.integers(_LATENT)] = True
    seen = _view(rng, meaning[labels] * shown.astype(np.float32), _VISUAL_DIMENSION)
    mixing = _mixing(rng, _VISUAL_DIMENSION)

    draws = np.random.default_rng((seed, 1))
    train, test = split_labels(n_labels, seed=seed)
    query = np.sort(np.resize(draws.permutation(test), test_images))

    def pictures(rows, count):
        clutter = _gaussian(draws, len(rows), _VISUAL_DIMENSION) @ mixing
        return unit_rows(seen[rows] + np.float32(image_noise / np.sqrt(count)) * clutter)

    return MappingProblem(
        name="synthetic-crossmodal",
        setting="cross-modal",
        synthetic=True,
        description=f"synthetic data ({n_labels:,} labels, {n_targets:,} words, "
        f"image noise {image_noise:g})",
        X_train=pictures(train, _IMAGES),
        train_gold=labels[train],
        X_test=pictures(query, 1),
        test_gold=tuple(labels[query, None]),
        targets=targets,
        target_words=words,
        train_words=words[labels[train]],
        test_words=words[labels[query]],
        labels=labels,
        coverage={
            "training labels": len(train),
            "test labels": len(test),
            "training images averaged": len(train) * _IMAGES,
            "test images used": len(query),
        },
    )


ENTRY = Dataset(
    name="synthetic",
    kind="synthetic",
    loaders={BILINGUAL: synthetic_crosslingual, MODAL: synthetic_crossmodal},
    summary="seeded generators of each setting",
    licence="part of zslib",
    quick={
        BILINGUAL: {"n_targets": 3_000, "n_train": 1_000, "n_test": 300},
        MODAL: {"n_targets": 3_000, "n_labels": 300, "test_images": 300},
    },
)
