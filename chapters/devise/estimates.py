"""Means over the classes of test images, with intervals that resample these classes."""

from dataclasses import replace

import numpy as np

from zslib.protocols.intervals import mean_estimate


def metric_rows(values, **columns):
    """Rows of ``{metric: value}`` with the same other ``columns``."""
    for metric, value in values.items():
        yield {"metric": metric, "value": value} | columns


def compared(values, answers, minus, *, methods=None, **columns):
    """Rows: `over_classes` of each method's ``values``, and of differences of methods.

    ``values`` are by method, ``minus`` pairs of methods; ``methods`` are those with a row of their
    own, by default all.
    """
    pairs = {name: (name, None) for name in values if methods is None or name in methods}
    pairs |= {f"{a} - {b}": (a, b) for a, b in minus}
    for method, (a, b) in pairs.items():
        value = over_classes(values[a], answers, minus=values[b] if b else None)
        yield columns | {"method": method, "value": value}


def class_means(values, answers):
    """Means over classes of the means over images of all runs, for each column of ``values``."""
    classes = np.concatenate([run.classes for run in answers])
    values = np.concatenate(values)
    return np.mean([values[classes == c].mean(axis=0) for c in np.unique(classes)], axis=0)


def over_classes(values, answers, *, minus=None):
    """Mean over classes of the means over their images, or of a paired difference.

    The interval resamples classes, then images, then runs. Where the runs have images of their
    own, as when each holds out other classes, their images are pooled by class instead.

    Parameters
    ----------
    values : sequence of (n_images,) arrays
        One for each run.
    answers : sequence
        What has the ``classes`` of each run's images, such as `SynsetAnswers`.
    minus : sequence of (n_images,) arrays, optional
        What is taken off the values, image by image.

    Returns
    -------
    Estimate
    """
    n_runs = len(values)
    if minus is not None:
        values = [a - b for a, b in zip(values, minus, strict=True)]
    classes = [run.classes for run in answers]
    if any(not np.array_equal(row, classes[0]) for row in classes):
        values, classes = [np.concatenate(values)], [np.concatenate(classes)]
    return replace(mean_estimate(values, classes=classes[0], n_resamples=1000), n_seeds=n_runs)
