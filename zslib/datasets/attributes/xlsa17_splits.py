"""The official splits of six data sets, without images: Table 2 of Guo et al. (AAAI 2019)."""

from __future__ import annotations

import numpy as np

from zslib.datasets.attributes.xlsa17 import XLSA17_NAMES, read_att_splits, split_summary
from zslib.datasets.locate import require_folder
from zslib.validation import check_choice

__all__ = ["official_split_summary"]

_FILES = {"APY": "APY_att_splits_2020.mat", "CUB": "CUB_att_splits_2020.mat"}
_SUN_IMAGES = 20  # of each of its 717 classes, class after class


def official_split_summary(name, *, folder=None):
    """Rows of Table 2, counted from the official ``att_splits.mat``.

    The number of images and attributes are in that file. The number of classes needs the
    labels, which come with the features: here they are known from other files for AWA1, CUB,
    APY and FLO; SUN has 20 images a class in order of class; AWA2 has AWA1's classes and
    attributes, and its runs of training, validation and unseen images follow each other as
    AWA1's do, which is checked, so its classes are counted there.

    Parameters
    ----------
    name : {"AWA1", "AWA2", "CUB", "SUN", "APY", "FLO"}
    folder : path, optional
        By default ``visual`` in the data folder.

    Returns
    -------
    dict
        See `split_summary`; and images_dropped, the test images that
        the file lists for training or validation.
    """
    check_choice(name, "name", XLSA17_NAMES)
    folder = require_folder("visual", folder)

    def read(which):
        return read_att_splits(
            folder / "xlsa17_splits" / _FILES.get(which, f"{which}_att_splits.mat")
        )

    splits = read(name)
    if name == "AWA2":
        twin = read("AWA1")
        same = np.array_equal(splits.att, twin.att)
        if not same or _groups_in_order(splits.parts) != _groups_in_order(twin.parts):
            raise ValueError("AWA2's split does not follow AWA1's: its classes cannot be counted")
        counted = split_summary(twin, _labels("AWA1", folder, twin))
        summary = split_summary(splits)
        summary |= {key: counted[key] for key in ("seen_classes", "unseen_classes")}
    else:
        summary = split_summary(splits, _labels(name, folder, splits))
    return {**summary, "images_dropped": splits.dropped}


def _labels(name, folder, splits):
    if name == "SUN":
        return np.repeat(np.arange(len(splits.att)), _SUN_IMAGES)
    file = {
        "AWA1": "awa1/awa1.npz",
        "CUB": "cub/cub.npz",
        "APY": "apy/apy_instances.npz",
        "FLO": "xlsa17_splits/FLO_order.npz",
    }[name]
    with np.load(folder / file, allow_pickle=False) as data:
        return data["label"]


def _groups_in_order(parts):
    """The order in which runs of training, validation and unseen images follow each other."""
    group = np.full(max(int(rows.max()) for rows in parts.values()) + 1, -1)
    for code, part in enumerate(("train", "val", "test_unseen")):
        group[parts[part]] = code
    group = group[group >= 0]
    return group[np.flatnonzero(np.diff(group, prepend=-1))].tolist()
