"""Synthetic images of synsets, split as in DeViSE: classes of the 1,000, and beyond them."""

import math

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, split_classes
from zslib.datasets.entry import BEYOND, WITHIN, Dataset
from zslib.datasets.hierarchy.lists import imagenet_lists
from zslib.datasets.words.term_vectors import hypernym_vectors
from zslib.validation import check_integer, check_real

_FEATURES = 128


def synthetic_within(*, seed=0, n_classes=150, images_per_class=30, noise=1.0):
    """Synthetic images of classes drawn from the 1,000, three quarters of them seen."""
    check_integer(n_classes, "n_classes", low=8, high=1000)
    rng = np.random.default_rng(seed)
    lists = imagenet_lists("embedded")
    wnids = np.sort(rng.choice(lists.ilsvrc2012, n_classes, replace=False))
    groups = split_classes(np.arange(n_classes), seed=seed)
    return _synthetic(WITHIN, lists, rng, wnids, groups, images_per_class, seed, noise)


def synthetic_beyond(*, seed=0, n_seen=100, n_unseen=20, images_per_class=30, noise=1.0):
    """Synthetic images: seen classes of the 1,000, unseen ones of each ring around them.

    A class's mean feature is a nonlinear view of its place in the real hierarchy, mixed half and
    half with a part of its own; images scatter around it by ``noise`` in length.
    """
    check_integer(n_seen, "n_seen", low=4, high=1000)
    check_integer(n_unseen, "n_unseen", low=1, high=1000)
    lists, rng = imagenet_lists("embedded"), np.random.default_rng(seed)
    near, far = set(lists.two_hop), set(lists.three_hop)
    known = {node for link in lists.is_a for node in link}
    others = known.intersection(lists.fall2011) - far - set(lists.ilsvrc2012)
    rings = [sorted(near & known), sorted(far - near & known), sorted(others)]
    seen = rng.choice(sorted(known.intersection(lists.ilsvrc2012)), n_seen, replace=False)
    unseen = np.concatenate([rng.choice(ring, n_unseen, replace=False) for ring in rings])
    wnids = np.concatenate([seen, unseen])
    groups = (np.arange(n_seen), [], n_seen + np.arange(len(unseen)))
    return _synthetic(BEYOND, lists, rng, wnids, groups, images_per_class, seed, noise)


def _synthetic(setting, lists, rng, wnids, groups, per_class, seed, noise):
    check_integer(per_class, "images_per_class", low=2)
    check_real(noise, "noise", low=0)
    width = min(100, len(wnids) - 1)
    place = hypernym_vectors(wnids.tolist(), lists.is_a, dimension=width)
    drawn = unit_rows(rng.standard_normal(place.shape).astype(np.float32))
    meaning = math.sqrt(0.5) * place + math.sqrt(0.5) * drawn
    view = rng.standard_normal((width, _FEATURES)).astype(np.float32)
    means = unit_rows(np.tanh(meaning @ view))
    labels = np.repeat(np.arange(len(wnids)), per_class)
    scatter = rng.standard_normal((len(labels), _FEATURES)).astype(np.float32)
    features = means[labels] + np.float32(noise / np.sqrt(_FEATURES)) * scatter
    parts = class_parts(labels, *groups, seed=seed)
    return ZeroShotProblem(
        name=f"synthetic-{setting.lower().replace(' ', '-')}",
        setting=setting,
        synthetic=True,
        description=f"synthetic images of synsets {setting}",
        features=unit_rows(features),
        labels=labels,
        class_embeddings=place,
        class_names=np.array([f"{lists.lemmas[n][0]} ({n})" for n in wnids.tolist()]),
        class_ids=np.asarray(wnids),
        feature_scaling="unit length",
        **parts | ({} if len(groups[1]) else {"train": (), "val": ()}),
    )


ENTRY = Dataset(
    name="synthetic",
    kind="synthetic",
    loaders={WITHIN: synthetic_within, BEYOND: synthetic_beyond},
    quick={
        WITHIN: {"n_classes": 60, "images_per_class": 12},
        BEYOND: {"n_seen": 40, "n_unseen": 8, "images_per_class": 12},
    },
)
