"""Steps shared by the image-labelling data sets: label splits, averages, sampled queries."""

import math

import numpy as np

from zslib.validation import check_integer

FOLDS = 4
"""How many folds of `split_labels` test every label once."""


def split_labels(n_labels, *, seed=0, fold=0):
    """Random split of label numbers from 0 into training and test labels, both sorted.

    Section 2 of the paper uses 75% of the labels for training; the quarter for test is
    rounded up. The folds of one seed have no test label in common, and together they have all.

    Examples
    --------
    >>> sorted(label for fold in range(FOLDS) for label in split_labels(8, fold=fold)[1].tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    check_integer(n_labels, "n_labels", low=2)
    check_integer(seed, "seed", low=0)
    n_test = math.ceil(n_labels / FOLDS)
    last = math.ceil(n_labels / n_test) - 1
    check_integer(fold, "fold", low=0, high=last, high_means=" (then all labels were tested)")
    order = np.roll(np.random.default_rng(seed).permutation(n_labels), -fold * n_test)
    n_test = min(n_test, n_labels - fold * n_test)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def label_means(features, label, labels):
    """Mean feature vector of each of ``labels``, shape (len(labels), d).

    The paper maps averaged images, one training row a label. ``label`` is each image's label;
    each of ``labels`` has an image.
    """
    return np.stack([features[label == wanted].mean(axis=0) for wanted in labels])


def sample_rows(rows, size, *, seed=0):
    """At most ``size`` of ``rows`` drawn without replacement, in their order; None: all."""
    if size is None:
        return rows
    check_integer(size, "test_images", low=1)
    if size >= len(rows):
        return rows
    # A stream of its own: the same split with more queries keeps its split.
    return np.sort(np.random.default_rng((seed, 1)).choice(rows, size, replace=False))
