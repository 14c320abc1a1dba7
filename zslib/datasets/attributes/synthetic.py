"""Seeded attribute-based zero-shot problems with the shapes of four benchmark data sets.

For machines without real data. Each ingredient stands for something known of real data; none
refers to a method, and no default was chosen by looking at which method wins:

related classes
    A class has a latent meaning near that of its group (as species of a family), and its
    attributes are a logistic function of it, so attributes are correlated.
images vary
    An image has a meaning near its class's and further variation of each attribute: two images
    of one class differ in their attributes (``image_attributes``), as those of aPY do.
imperfect sight
    What a network sees of the attributes is off in two ways: by an error of each image, and by
    one that all images of a class share (why seen classes win over unseen ones). Errors are
    correlated as the attributes are, so neither more attributes nor more features average
    them out.
nonlinear view
    Features are a two-layer random network of what is seen, with some noise of each feature,
    cut at zero as ResNet's pooled features are, so that no linear map is exact.
long tail
    Class sizes fall as a power of their rank.

The default noise makes the task about as hard as real ones, judged by ESZSL alone: it recognises
about 60% (AWA2's shape), 50% (CUB, SUN) and 27% (APY) of the unseen classes' images, where Table
3 of Guo et al. (AAAI 2019) prints 58.6, 53.9, 54.5 and 38.3.
"""

from functools import partial

import numpy as np

from zslib.arrays import slices, unit_rows
from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset
from zslib.validation import check_choice, check_integer, check_real

# Validation classes of the official splits, whose other numbers are `OFFICIAL_STATISTICS`.
VALIDATION_CLASSES = {"AWA1": 13, "AWA2": 13, "CUB": 50, "SUN": 65, "APY": 5}
_FEATURES = 2_048
_FEWEST = 10  # training images a seen class keeps on average before classes are left out
_TAIL = 0.5  # class sizes fall as rank ** -_TAIL
_LATENT = 20  # dimensions of meaning
_VARIATION = 0.5  # how far an image strays from its class, relative to how classes differ
_HIDDEN = 256  # width of the random network's first layer
_BLOCK = 4_096  # images made at a time


def synthetic_attributes(shape="AWA2", *, scale=0.1, seed=0, n_features=None, att="unit length"):
    """A synthetic problem of the shape of AWA1, AWA2, CUB, SUN or APY.

    Parameters
    ----------
    shape : {"AWA2", "AWA1", "CUB", "SUN", "APY"}
        Numbers of classes, attributes and images of Table 2 of Guo et al. (AAAI 2019), exact
        at ``scale=1``.
    scale : float
        In (0, 1]: share of the images. The classes stay as they are while seen classes have 10
        training images on average; beyond that all groups of classes shrink alike.
    n_features : int, optional
        By default 2,048 times ``scale``, at least 64.
    att : {"unit length", "original"}
        Whether the classes' attributes are divided by row length; originally they have the unit
        of ``image_attributes``.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are the classes' attributes, originally in [0, 1];
        ``image_attributes`` those of the images, in [0, 1]. Features are not scaled.

    Examples
    --------
    >>> synthetic_attributes("APY", scale=0.05)
    ZeroShotProblem('synthetic-apy': 20 seen and 12 unseen classes, 297 + 74 seen and 396
    unseen images, 102 features, 64 attributes)
    """
    check_choice(shape, "shape", tuple(VALIDATION_CLASSES))
    check_real(scale, "scale", low=0, high=1)
    check_integer(seed, "seed", low=0)
    check_choice(att, "att", ("unit length", "original"))
    groups, images, n_attributes = _scaled_shape(shape, scale)
    n_features = max(64, round(_FEATURES * scale)) if n_features is None else n_features
    rng = np.random.default_rng(seed)

    labels, parts = _labels_and_parts(rng, groups, images)
    loading = rng.standard_normal((_LATENT, n_attributes), dtype=np.float32) / _LATENT**0.5
    base = rng.standard_normal(n_attributes, dtype=np.float32) - 1  # most attributes are absent
    meaning = _class_meanings(rng, sum(groups))
    attributes = _logistic(2 * meaning @ loading + base)
    varied = _image_attributes(rng, labels, meaning, loading, base)
    features = attribute_features(varied, labels, n_features=n_features, seed=seed)
    return ZeroShotProblem(
        name=f"synthetic-{shape.lower()}",
        synthetic=True,
        description=f"synthetic attributes and features in {shape}'s shape (scale {scale:g})",
        features=features,
        labels=labels,
        class_embeddings=attributes if att == "original" else unit_rows(attributes),
        class_names=np.array([f"class {i:03d}" for i in range(1, sum(groups) + 1)]),
        **parts,
        image_attributes=varied,
    )


def attribute_features(
    image_attributes, labels, *, n_features=256, noise=0.8, class_shift=0.6, seed=0
):
    """Synthetic image features: a noisy nonlinear view of each image's attributes.

    Parameters
    ----------
    image_attributes : array, shape (n, q)
        Real or synthetic.
    labels : int array, shape (n,)
        Class of each image, from 0.
    n_features : int
    noise : float
        Standard deviation of each image's error in the attributes seen, relative to that of
        the attributes. The noise of a feature is half of it, relative to the signal.
    class_shift : float
        Standard deviation of the error that the images of a class share.

    Returns
    -------
    float32 array, shape (n, n_features), not negative

    Examples
    --------
    >>> attribute_features(np.eye(3), np.arange(3), n_features=5).shape
    (3, 5)
    """
    check_integer(n_features, "n_features", low=1)
    check_real(noise, "noise", low=0)
    check_real(class_shift, "class_shift", low=0)
    labels = np.asarray(labels)
    attributes = np.asarray(image_attributes, dtype=np.float32)
    spread = attributes.std(axis=0)
    spread[spread == 0] = 1
    seen = (attributes - attributes.mean(axis=0)) / spread
    rng = np.random.default_rng([seed, 1])

    def normal(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    width = attributes.shape[1]
    values, vectors = np.linalg.eigh(seen.T @ seen / np.float32(len(seen)))
    mixing = (vectors * np.sqrt(np.maximum(values, 0))).T
    shift = class_shift * normal(int(labels.max()) + 1, width) @ mixing
    first = normal(width, _HIDDEN) / width**0.5
    second = normal(_HIDDEN, n_features) / (0.6 * _HIDDEN**0.5)  # tanh of a normal varies by 0.6
    threshold = normal(n_features)
    features = np.empty((len(seen), n_features), dtype=np.float32)
    for rows in slices(len(seen), _BLOCK):
        block = seen[rows] + shift[labels[rows]]
        block += noise * normal(*block.shape) @ mixing
        block = np.tanh(block @ first) @ second + threshold
        block += noise / 2 * normal(*block.shape)
        features[rows] = np.maximum(block, 0)
    return features


def _scaled_shape(shape, scale):
    seen, trained, held, unseen, tested, n_attributes = OFFICIAL_STATISTICS[shape].values()
    images = [max(1, round(scale * n)) for n in (trained, held, tested)]
    kept = min(1.0, images[0] / _FEWEST / seen)
    val = VALIDATION_CLASSES[shape]
    groups = [max(2, round(kept * n)) for n in (seen - val, val, unseen)]
    least = (2 * sum(groups[:2]), sum(groups[:2]), groups[2])
    if any(n < needed for n, needed in zip(images, least, strict=True)):
        raise ValueError(
            f"scale={scale:g} leaves {images[0]}, {images[1]} and {images[2]} images of {shape} "
            f"for {sum(groups[:2])} seen and {groups[2]} unseen classes: raise scale"
        )
    return groups, images, n_attributes


def _labels_and_parts(rng, groups, images):
    """Labels in order of part, and the parts: classes 0.. train, then val, then unseen."""
    n_seen, n_classes = sum(groups[:2]), sum(groups)
    weight = rng.permuted(np.arange(1, n_classes + 1) ** -_TAIL)
    classes = np.arange(n_classes)
    blocks = [
        np.repeat(classes[:n_seen], _sizes(weight[:n_seen], images[0], 2)),
        np.repeat(classes[:n_seen], _sizes(weight[:n_seen], images[1], 1)),
        np.repeat(classes[n_seen:], _sizes(weight[n_seen:], images[2], 1)),
    ]
    labels = np.concatenate(blocks)
    is_test = np.arange(len(labels)) >= len(blocks[0])
    return labels, class_parts(labels, *np.split(classes, np.cumsum(groups[:2])), is_test=is_test)


def _sizes(weight, total, least):
    """Whole numbers near ``total * weight``, at least ``least`` each, of sum ``total``."""
    wanted = (total - least * len(weight)) * weight / weight.sum()
    sizes = np.floor(wanted).astype(np.int64)
    largest_rest = np.argsort(sizes - wanted, kind="stable")
    sizes[largest_rest[: total - least * len(weight) - sizes.sum()]] += 1
    return sizes + least


def _class_meanings(rng, n_classes):
    n_groups = max(2, n_classes // 5)
    centres = rng.standard_normal((n_groups, _LATENT), dtype=np.float32)
    single = rng.standard_normal((n_classes, _LATENT), dtype=np.float32)
    return np.sqrt(np.float32(0.5)) * (centres[rng.integers(n_groups, size=n_classes)] + single)


def _image_attributes(rng, labels, meaning, loading, base):
    varied = np.empty((len(labels), loading.shape[1]), dtype=np.float32)
    spread = np.float32(_VARIATION / np.sqrt(2))
    for rows in slices(len(labels), _BLOCK):
        strayed = rng.standard_normal((len(labels[rows]), len(loading)), dtype=np.float32)
        single = rng.standard_normal(varied[rows].shape, dtype=np.float32)
        image = (meaning[labels[rows]] + spread * strayed) @ loading
        varied[rows] = _logistic(2 * (image + spread * single) + base)
    return varied


def _logistic(x):
    return 1 / (1 + np.exp(-x))


ENTRY = Dataset(
    name="synthetic",
    kind="synthetic",
    loaders={
        # Fewer features than the 2,048 of real sets: a first look should not take long.
        ATTRIBUTES: partial(synthetic_attributes, n_features=512),
        METRIC: partial(synthetic_attributes, "APY", scale=0.2, n_features=256, att="original"),
    },
    quick={
        ATTRIBUTES: {"scale": 0.04, "n_features": 256},
        METRIC: {"scale": 0.05, "n_features": 128},
    },
)
