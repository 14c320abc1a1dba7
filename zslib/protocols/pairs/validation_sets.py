"""The validation sets of CLAREL's Appendix C, counted."""

from __future__ import annotations

import numpy as np

from zslib.datasets import data_root
from zslib.protocols.attributes.tuning import split_validation_classes

__all__ = ["listed_images", "validation_counts"]


def validation_counts(problem, aside, seed):
    """Classes and images of Appendix C, with and without the test images of seen classes.

    ``aside`` is the share of the images of training classes that is put aside.
    """
    p = problem if problem.val.size else split_validation_classes(problem, seed=seed)
    held = p.validation_problem(seen_fraction=aside, seed=seed)
    groups = [np.unique(p.labels[rows]) for rows in (p.train, p.val)]
    every = p.labels[np.concatenate([p.trainval, p.test_seen])]
    return {
        "classes": [len(group) for group in groups],
        "all images": [int(np.isin(every, group).sum()) for group in groups],
        "kept": len(held.trainval),
        "seen validation": len(held.test_seen),
        "unseen validation": len(held.test_unseen),
        "trainval": len(p.trainval),
        "test seen": len(p.test_seen),
    }


def listed_images():
    """Lengths of CUB's lists of images, and how many of the first also test seen classes.

    None where the file of the split is not here.
    """
    root = data_root()
    if root is None or not (root / "visual" / "cub" / "cub.npz").is_file():
        return None
    with np.load(root / "visual" / "cub" / "cub.npz") as stored:
        lists = {k: stored[k] for k in stored.files if k.endswith(("_loc", "_loc_2020"))}
    tested = [np.isin(lists[k], lists["test_seen_loc"]).sum() for k in ("train_loc", "val_loc")]
    return {k: len(rows) for k, rows in lists.items()} | {"tested too": int(sum(tested))}
