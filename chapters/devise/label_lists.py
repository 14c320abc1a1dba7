"""The label sets of DeViSE's section A.1: their sizes, their hop lists, their images."""

import numpy as np
from scipy import stats

from chapters.devise.correct_sets import reading_hierarchy
from chapters.devise.estimates import metric_rows
from zslib.datasets.hierarchy.readings import label_sets
from zslib.protocols.intervals import Estimate, mean_estimate


def label_counts(lists, printed):
    """Rows: labels tested and labels that may be answered in each set, beside ``printed``."""
    for name, row in label_sets(lists).items():
        valid = len(row.valid)
        counts = {
            "test labels": len(row.labels),
            "labels": valid,
            "labels, difference to the printed number": abs(valid - printed[name]["labels"]),
            "test images": None if row.weights is None else int(sum(row.weights)),
        }
        yield from metric_rows(counts, label_set=name)


def hop_lists(lists):
    """Rows: labels that only one has of a published hop list and of those within so many links."""
    sets = label_sets(lists)
    known, pool = set(sets["1K"].labels), set(sets["21K"].labels)
    for reading in ("A", "C", "D", "E"):
        hierarchy = reading_hierarchy(lists, reading)
        path = "up, then down" if reading == "E" else "any path"
        for radius in (1, 2, 3):
            reached = hierarchy.within(known & set(hierarchy.nodes), radius) & pool
            for name in ("2-hop", "3-hop"):
                apart = {"labels in one set only": len(reached ^ set(sets[name].labels))}
                method = f"{reading}, {path}, {radius} hops"
                yield from metric_rows(apart, label_set=name, method=method)


def validation_sizes(n_classes, images_per_class, share, seeds):
    """Validation images of each class in random splits, one row per seed: (n_seeds, n_classes)."""
    n = n_classes * images_per_class
    drawn = round(share * n)
    if not 0 < drawn < n:
        raise ValueError(f"validation={share} leaves one of the two sets empty: choose another")
    chosen = [np.random.default_rng(seed).permutation(n)[:drawn] for seed in seeds]
    return np.array([np.bincount(c // images_per_class, minlength=n_classes) for c in chosen])


def split_rows(counts, images_per_class):
    """Rows: how equal the classes are in size in both parts of random splits."""
    for name, part in (("validation", counts), ("held-out test", images_per_class - counts)):
        values = {
            "images": int(part[0].sum()),
            "images of a class, fewest": int(part.min()),
            "images of a class, most": int(part.max()),
            "relative spread of class sizes, %": mean_estimate(
                [100 * c.std() / c.mean() for c in part]
            ),
            "classes without an image": mean_estimate([float((c == 0).sum()) for c in part]),
        }
        yield from metric_rows(values, part=name)


def class_size_shares(counts, images_per_class):
    """Rows: classes in percent by validation images, mean and range over splits, and in law."""
    sizes = np.arange(counts.max() + 2)
    shares = np.array([(c[:, None] == sizes).mean(axis=0) for c in counts]) * 100
    law = stats.hypergeom(images_per_class * counts.shape[1], images_per_class, counts[0].sum())
    for size, share in zip(sizes.tolist(), shares.T, strict=True):
        drawn = Estimate(share.mean(), share.min(), share.max(), len(counts))
        yield {"method": "random splits, mean and range", "size": size, "value": drawn}
        yield {"method": "hypergeometric law", "size": size, "value": 100 * law.pmf(size)}


def image_shares(lists):
    """Rows: how unequally images are spread over labels; None where they are not counted."""
    for name, row in list(label_sets(lists).items())[1:]:
        median = half = few = None
        if row.weights is not None:
            weights = np.sort(row.weights)[::-1]
            median = float(np.median(weights))
            largest = np.searchsorted(np.cumsum(weights), weights.sum() / 2) + 1
            half, few = 100 * largest / weights.size, 100 * float((weights < 10).mean())
        shares = {
            "images of a label, median": median,
            "labels with half of the images, %": half,
            "labels with less than ten images, %": few,
        }
        yield from metric_rows(shares, label_set=name)


def image_curves(lists):
    """Rows: percent of a set's images that its largest so many percent of labels have."""
    percents = np.arange(0, 101, 2)
    for name, row in list(label_sets(lists).items())[1:]:
        if row.weights is not None:
            summed = np.concatenate([[0], np.cumsum(np.sort(row.weights)[::-1])])
            shares = np.interp(percents, np.linspace(0, 100, summed.size), summed) / summed[-1]
            for percent, share in zip(percents.tolist(), 100 * shares, strict=True):
                yield {"method": name, "labels": percent, "value": share}
    if lists.image_counts is not None:
        yield from ({"method": "equal shares", "labels": p, "value": p} for p in (0, 100))
