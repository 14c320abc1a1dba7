"""Choosing classes and images: seeded splits where none is official, caps, rows of a file."""

import math

import numpy as np

from zslib.validation import check_integer, check_real

# The image sets of a `ZeroShotProblem`.
PARTS = ("trainval", "test_seen", "test_unseen", "train", "val")
_FOLDS = 4


def hold_out(labels, samples, *, fraction=0.2, seed=0, groups=None):
    """Kept and held-out samples, the same share of each class at random, rounded half up.

    At least one sample of each class is kept. Samples of one class and one of ``groups`` stay
    together: groups are taken in random order where they still fit in the share.
    """
    check_real(fraction, "fraction", low=0, high=1)
    rank, size = _random_rank(labels, samples, seed)
    held = np.minimum(np.floor(fraction * size + 0.5), size - 1)
    samples = np.asarray(samples, dtype=np.int64)
    if groups is None:
        out = rank < held
    else:
        out = _whole_groups(np.asarray(labels)[samples], np.asarray(groups)[samples], rank, held)
    return np.sort(samples[~out]), np.sort(samples[out])


def _whole_groups(labels, groups, rank, most):
    """Samples held out: whole groups, those with the first ranks first, ``most`` of a class."""
    members = {}
    for sample in np.argsort(rank, kind="stable").tolist():
        members.setdefault((labels[sample], groups[sample]), []).append(sample)
    left, out = dict(zip(labels.tolist(), most.tolist(), strict=True)), rank < 0
    for (label, _), samples in members.items():
        if len(samples) <= left[label]:
            out[samples] = True
            left[label] -= len(samples)
    return out


def split_classes(classes, *, seed=0):
    """Training, validation (a fifth of the seen) and unseen classes (a quarter) at random."""
    seen, test = split_seen(classes, math.ceil(0.25 * len(classes)), seed=seed)
    return (*split_seen(seen, math.ceil(0.2 * len(seen)), seed=seed), test)


def crossed_classes(classes, *, seed=0, folds=_FOLDS):
    """As `split_classes`, but in so many seeds in a row, from 0 on, every class is unseen once."""
    check_integer(seed, "seed", low=0)
    order = np.random.default_rng(seed // folds).permutation(np.unique(classes))
    test = order[seed % folds :: folds]
    seen = np.setdiff1d(order, test)
    return (*split_seen(seen, math.ceil(0.2 * len(seen)), seed=seed), np.sort(test))


def split_seen(classes, n_val, *, seed=0):
    """Draw ``n_val`` validation classes from the seen classes."""
    classes = np.unique(np.asarray(classes, dtype=np.int64))
    most = len(classes) - 2
    check_integer(n_val, "n_val", low=1, high=most, high_means=" (two training classes stay)")
    check_integer(seed, "seed", low=0)
    order = np.random.default_rng(seed).permutation(classes)
    return np.sort(order[n_val:]), np.sort(order[:n_val])


def class_parts(labels, train, val, test, *, is_test=None, seen_fraction=0.2, seed=0, groups=None):
    """The five image sets of a `ZeroShotProblem`, from a split of the classes.

    ``is_test`` are the images kept for testing. Without it all images of unseen classes are, and
    ``seen_fraction`` of each seen class's, by `hold_out`. Images of other classes are in no part.
    """
    labels = np.asarray(labels)
    seen = np.flatnonzero(np.isin(labels, np.union1d(train, val)))
    unseen = np.flatnonzero(np.isin(labels, test))
    if is_test is None:
        kept, _ = hold_out(labels, seen, fraction=seen_fraction, seed=seed, groups=groups)
        is_test = ~np.isin(np.arange(len(labels)), kept)
    is_test = np.asarray(is_test, dtype=bool)
    trainval = seen[~is_test[seen]]
    return {
        "trainval": trainval,
        "test_seen": seen[is_test[seen]],
        "test_unseen": unseen[is_test[unseen]],
        "train": trainval[np.isin(labels[trainval], train)],
        "val": trainval[np.isin(labels[trainval], val)],
    }


def without_tested(parts):
    """The parts, train and val without test images, which the files of 2017 count in."""
    kept = {name: np.setdiff1d(parts[name], parts["test_seen"]) for name in ("train", "val")}
    return {**parts, **kept}


def select_images(labels, parts, *, max_per_class=None, seed=0):
    """The images that some part uses, and the parts as numbers within these.

    Of each class in each part ``max_per_class`` are drawn; train and val follow trainval.
    """
    chosen = {name: np.sort(np.asarray(parts[name], dtype=np.int64)) for name in PARTS}
    if max_per_class is not None:
        check_integer(max_per_class, "max_per_class", low=1)
        for name in ("trainval", "test_seen", "test_unseen"):
            rank, _ = _random_rank(labels, chosen[name], seed)
            chosen[name] = chosen[name][rank < max_per_class]
        for name in ("train", "val"):
            chosen[name] = chosen[name][np.isin(chosen[name], chosen["trainval"])]
    rows = np.unique(np.concatenate(list(chosen.values())))
    return rows, {name: np.searchsorted(rows, part) for name, part in chosen.items()}


def _random_rank(labels, samples, seed):
    """Each sample's place (from 0) in a random order of its class, and the class's size."""
    check_integer(seed, "seed", low=0)
    labels = np.asarray(labels)[np.asarray(samples, dtype=np.int64)]
    order = np.lexsort((np.random.default_rng(seed).random(len(labels)), labels))
    _, inverse, count = np.unique(labels, return_inverse=True, return_counts=True)
    start = np.cumsum(count) - count
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels)) - start[inverse[order]]
    return rank, count[inverse]
