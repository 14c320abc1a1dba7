"""Seeded splits of classes and of the images within them, for data without an official split."""

from __future__ import annotations

import math

import numpy as np

from zslib.validation import check_integer, check_real

__all__ = ["cap_per_class", "hold_out", "split_classes"]


def hold_out(labels, samples, *, fraction=0.2, seed=0):
    """Split samples in two, taking the same share of each class at random.

    Parameters
    ----------
    labels : int array, shape (n,)
    samples : int array, shape (m,)
        Which samples to split.
    fraction : float
        Share of each class that is held out, rounded half up; at least one of its samples
        stays in.
    seed : int

    Returns
    -------
    (kept, held_out) : int64 arrays, both sorted

    Examples
    --------
    >>> kept, held = hold_out(np.array([0] * 5 + [1]), np.arange(6), fraction=0.2)
    >>> len(kept), len(held)
    (5, 1)
    """
    check_real(fraction, "fraction", low=0, high=1)
    rank, size = _random_rank(labels, samples, seed)
    held = np.minimum(np.floor(fraction * size + 0.5), size - 1)
    out = rank < held
    samples = np.asarray(samples, dtype=np.int64)
    return np.sort(samples[~out]), np.sort(samples[out])


def cap_per_class(labels, samples, most, *, seed=0):
    """At most ``most`` of the samples of each class, drawn at random; all where it is None.

    Returns
    -------
    int64 array, sorted

    Examples
    --------
    >>> len(cap_per_class(np.array([0] * 5 + [1]), np.arange(6), 2))
    3
    """
    samples = np.asarray(samples, dtype=np.int64)
    if most is None:
        return np.sort(samples)
    check_integer(most, "max_per_class", low=1)
    rank, _ = _random_rank(labels, samples, seed)
    return np.sort(samples[rank < most])


def split_classes(classes, *, test_fraction=0.25, val_fraction=0.2, seed=0):
    """Split classes at random into training, validation and test (unseen) classes.

    Parameters
    ----------
    classes : int array, shape (c,)
    test_fraction : float
        Share of all classes that become unseen, rounded up.
    val_fraction : float
        Share of the others that become validation classes, rounded up.
    seed : int

    Returns
    -------
    (train, val, test) : int64 arrays, each sorted

    Raises
    ------
    ValueError
        When fewer than two training classes are left.

    Examples
    --------
    >>> [len(part) for part in split_classes(np.arange(8))]
    [4, 2, 2]
    """
    check_real(test_fraction, "test_fraction", low=0, high=1, inclusive=False)
    check_real(val_fraction, "val_fraction", low=0, high=1, inclusive=False)
    check_integer(seed, "seed", low=0)
    classes = np.unique(np.asarray(classes, dtype=np.int64))
    n_test = math.ceil(test_fraction * len(classes))
    n_val = math.ceil(val_fraction * (len(classes) - n_test))
    if len(classes) - n_test - n_val < 2:
        raise ValueError(
            f"{len(classes)} classes leave {max(len(classes) - n_test - n_val, 0)} for training "
            f"beside {n_test} unseen and {n_val} validation classes: two are needed; give more "
            "classes or lower test_fraction and val_fraction"
        )
    order = np.random.default_rng(seed).permutation(classes)
    parts = (order[n_test + n_val :], order[n_test : n_test + n_val], order[:n_test])
    return tuple(np.sort(part) for part in parts)


def _random_rank(labels, samples, seed):
    """Each sample's place (from 0) in a random order of its class, and the class's size."""
    check_integer(seed, "seed", low=0)
    own = np.asarray(labels)[np.asarray(samples, dtype=np.int64)]
    order = np.lexsort((np.random.default_rng(seed).random(len(own)), own))
    _, start, inverse, count = np.unique(
        own[order], return_index=True, return_inverse=True, return_counts=True
    )
    rank, size = np.empty(len(own), np.int64), np.empty(len(own), np.int64)
    rank[order] = np.arange(len(own)) - start[inverse]
    size[order] = count[inverse]
    return rank, size
