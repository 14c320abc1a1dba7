"""The validation sets of CLAREL's Appendix C, counted."""

import numpy as np

from zslib.datasets import find_folder
from zslib.datasets.files import read_arrays
from zslib.protocols.attributes.tuning import with_validation_classes


def validation_counts(problem, aside, seed):
    """Classes and images of Appendix C, with and without the test images of seen classes.

    ``aside`` is the share of the images of training classes that is put aside.
    """
    p = with_validation_classes(problem, seed)
    held = p.validation_problem(seen_fraction=aside, seed=seed)
    groups = p.train_classes, p.val_classes
    every = p.labels[np.concatenate([p.trainval, p.test_seen])]
    train, val = (int(np.isin(every, group).sum()) for group in groups)
    away, kept, seen = round(aside * train), len(held.trainval), len(held.test_seen)
    a, b = map(len, groups)
    return {
        "kept": kept,
        "seen validation": seen,
        "unseen validation": len(held.test_unseen),
        "trainval": len(p.trainval),
        "test seen": len(p.test_seen),
        "lines": {
            "all images": [a, train, train - away, away, b, val],
            "no test image": [a, kept + seen, kept, seen, b, len(held.test_unseen)],
        },
    }


def against_printed(counts, printed):
    """Counts of CUB less the printed ones, by metric, and sentences on them; None without CUB."""
    names = "images of CUB, counted minus printed", "printed images that are no training images"
    if counts is None:
        why = "None of these data is CUB, so the printed counts cannot be checked in this run."
        return dict.fromkeys(names), why
    _, train, *_, val = counts["lines"]["all images"]
    n_train, n_val = printed["train"], printed["validation, unseen classes"]
    apart = abs(train - n_train) + abs(val - n_val)
    beyond = max(0, n_train + n_val - counts["trainval"])
    text = (
        f"On CUB the printed counts are {'not' if apart else 'exactly'} those of *all* images of "
        f"the seen classes. The benchmark's split has {counts['trainval']:,} training images in "
        f"these classes; the other {counts['test seen']:,} test them. "
    )
    if beyond and not apart:
        text += f"So {beyond:,} printed training and validation images must be test images. "
    if folder := find_folder("visual/cub"):
        lists = read_arrays(folder / "cub.npz")
        train, val, test = (lists[name] for name in ("train_loc", "val_loc", "test_seen_loc"))
        text += (
            f"The split's files say how this can be: they list {len(train):,} images for training "
            f"and {len(val):,} for validation, and {np.isin([*train, *val], test).sum():,} of "
            "these test seen classes too."
        )
    return dict(zip(names, (apart, beyond), strict=True)), text
