"""Data sets in the format of Xian et al. (2017): ``res101.mat`` and ``att_splits.mat``."""

from __future__ import annotations

import numpy as np

from zslib.datasets import locate
from zslib.datasets.attributes.att_splits import (
    OFFICIAL_STATISTICS,
    AttSplits,
    load_mat,
    matrix,
    read_att_splits,
    split_summary,
    zero_based,
)
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, select_images, split_classes
from zslib.validation import check_choice

__all__ = [
    "OFFICIAL_STATISTICS",
    "XLSA17_FILES",
    "XLSA17_NAMES",
    "AttSplits",
    "load_xlsa17",
    "read_att_splits",
    "split_summary",
]

XLSA17_NAMES = tuple(OFFICIAL_STATISTICS)
XLSA17_FILES = ("res101.mat", "att_splits.mat")


def load_xlsa17(
    source,
    *,
    split="proposed",
    att="unit length",
    seed=0,
    seen_fraction=0.2,
    feature_scaling="none",
    max_per_class=None,
):
    """A data set in the format of Xian et al. (2017) as a `ZeroShotProblem`.

    Parameters
    ----------
    source : str or path
        A name ("AWA1", "AWA2", "CUB", "SUN", "APY", "FLO"), looked for as ``xlsa17/<name>`` in
        the data folder and in the cache (see `fetch_xlsa17`); or a folder with the two files.
    split : {"proposed", "random"}
        The file's own split; or classes drawn by ``seed`` into as many unseen and validation
        classes as it has, ``seen_fraction`` of each seen class's images held out.
    att : {"unit length", "original"}
        Class embeddings: the variable ``att`` or ``original_att``.
    seed, seen_fraction
        Of the random split; ``seed`` also of ``max_per_class``.
    feature_scaling : {"none", "unit length", "standard"}
        See `ZeroShotProblem.scaled`.
    max_per_class : int, optional
        At most this many images of each class in each part, for quick runs.

    Returns
    -------
    ZeroShotProblem
        ``coverage`` has the number of test images found in the file's train and val lists,
        and for a known name whether the counts are the published ones.

    Raises
    ------
    FileNotFoundError, ValueError
        When a file is absent, damaged, of version 7.3, lacks a variable, or an index is out of
        range.
    """
    check_choice(split, "split", ("proposed", "random"))
    check_choice(att, "att", ("unit length", "original"))
    folder = find_xlsa17(source)
    splits = read_att_splits(folder / "att_splits.mat")
    if att == "original" and splits.original_att is None:
        raise ValueError(
            f"{folder / 'att_splits.mat'} has no original_att: pass att='unit length'"
        )
    path = folder / "res101.mat"
    data = load_mat(path, ("features", "labels"))
    features = matrix(data["features"], path, "features").astype(np.float32).T
    labels = zero_based(data["labels"], path, "labels", len(splits.class_names))
    if len(labels) != len(features):
        raise ValueError(
            f"{path}: features has {len(features)} columns and labels {len(labels)} entries; the "
            "format has one column for each image"
        )
    parts = splits.parts
    for part, rows in parts.items():
        if len(rows) and rows.max() >= len(labels):
            raise ValueError(
                f"{folder / 'att_splits.mat'}: {part}_loc names image {rows.max() + 1} and "
                f"res101.mat has {len(labels)}: the two files do not belong together"
            )
    coverage = {"images": len(labels), "test images in train_loc or val_loc": splits.dropped}
    if str(source) in OFFICIAL_STATISTICS:
        published = OFFICIAL_STATISTICS[str(source)]
        coverage["counts as published"] = split_summary(splits, labels) == published
    if split == "random":
        parts = _random_parts(labels, parts, len(splits.att), seed, seen_fraction)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    embeddings = splits.att if att == "unit length" else splits.original_att
    return ZeroShotProblem(
        name=folder.name.lower(),
        synthetic=False,
        description=f"{folder.name}, {split} split, ResNet-101 features, {att} attributes",
        features=np.ascontiguousarray(features[rows]),
        labels=labels[rows],
        class_embeddings=np.ascontiguousarray(embeddings, dtype=np.float32),
        class_names=splits.class_names,
        **parts,
        coverage=coverage,
    ).scaled(feature_scaling)


def _random_parts(labels, parts, n_classes, seed, seen_fraction):
    counts = {part: len(np.unique(labels[rows])) for part, rows in parts.items()}
    groups = split_classes(
        np.arange(n_classes),
        test_fraction=counts["test_unseen"] / n_classes,
        val_fraction=max(counts["val"], 1) / counts["trainval"],
        seed=seed,
    )
    return class_parts(labels, *groups, seen_fraction=seen_fraction, seed=seed)


def find_xlsa17(source):
    if str(source) not in XLSA17_NAMES:
        return locate.require_folder("xlsa17", source)
    for root in (locate.data_root(), locate.cache_dir()):
        for inner in ("xlsa17", "xlsa17/data"):
            folder = root and root / inner / source
            if folder and all((folder / name).is_file() for name in XLSA17_FILES):
                return folder
    raise FileNotFoundError(
        f"{source} is not here: run fetch_xlsa17(), unpack xlsa17.zip with extract_xlsa17, or "
        f"put res101.mat and att_splits.mat into xlsa17/{source} in the folder that ZSLIB_DATA "
        "names"
    )
