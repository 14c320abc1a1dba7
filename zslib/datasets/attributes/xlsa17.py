"""Data sets in the format of Xian et al. (2017): ``res101.mat`` and ``att_splits.mat``."""

import os
from functools import partial
from pathlib import Path

import numpy as np

from zslib.datasets import locate
from zslib.datasets.attributes.att_splits import (
    OFFICIAL_STATISTICS,
    file_kind,
    load_mat,
    matrix,
    read_att_splits,
    split_summary,
    variables,
    zero_based,
)
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import select_images
from zslib.datasets.download import extract_members, fetch_file
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset, below
from zslib.datasets.files import naming, read_arrays
from zslib.validation import as_float32, check_choice

XLSA17_NAMES = tuple(OFFICIAL_STATISTICS)
XLSA17_FILES = ("res101.mat", "att_splits.mat")
_VARIABLES = {"features", "labels"}, {"att", "trainval_loc"}
XLSA17_URL = "https://datasets.d2.mpi-inf.mpg.de/xian/xlsa17.zip"
# Of the splits alone, without images.
_SPLIT_FILES = {"APY": "APY_att_splits_2020.mat", "CUB": "CUB_att_splits_2020.mat"}
_SUN_IMAGES = 20  # of each of its 717 classes, class after class


def load_xlsa17(source, *, att="unit length", seed=0, feature_scaling="none", max_per_class=None):
    """A data set in the format of Xian et al. (2017) as a `ZeroShotProblem`.

    Parameters
    ----------
    source : str or path
        A name ("AWA1", "AWA2", "CUB", "SUN", "APY", "FLO"), looked for as ``xlsa17/<name>`` in
        the data folder and in the cache (see `fetch`); or a folder with the two files, or
        one of them. Where they are called otherwise, their variables tell them.
    att : {"unit length", "original"}
        Class embeddings: the variable ``att`` or ``original_att``.

    Returns
    -------
    ZeroShotProblem
        ``coverage`` has the number of test images found in the file's train and val lists,
        and for a known name whether the counts are the published ones.
    """
    check_choice(att, "att", ("unit length", "original"))
    path, split_path = _files(source)
    folder = Path(os.path.abspath(path)).parent
    splits = read_att_splits(split_path)
    if att == "original" and splits.original_att is None:
        raise ValueError(f"{split_path} has no original_att: pass att='unit length'")
    data = load_mat(path, ("features", "labels"))
    with naming(path):
        features = as_float32(matrix(data["features"], path, "features").T, "features")
    labels = zero_based(data["labels"], path, "labels", len(splits.class_names))
    if len(labels) != len(features):
        raise ValueError(
            f"{path}: features has {len(features)} columns and labels {len(labels)} entries; the "
            "format has one column for each image"
        )
    for part, rows in splits.parts.items():
        if len(rows) and rows.max() >= len(labels):
            raise ValueError(
                f"{split_path}: {part}_loc names image {rows.max() + 1} and there are "
                f"{len(labels)} labels: the two do not belong together"
            )
    coverage = {"images": len(labels), "test images in train_loc or val_loc": splits.dropped}
    if not splits.named:
        coverage["class names"] = "not in the file, which has no allclasses_names: counted"
    if published := OFFICIAL_STATISTICS.get(str(source)):
        coverage["counts as published"] = split_summary(splits, labels) == published
    rows, parts = select_images(labels, splits.parts, max_per_class=max_per_class, seed=seed)
    embeddings = splits.att if att == "unit length" else splits.original_att
    kind = "ResNet-101" if path.name == XLSA17_FILES[0] else path.stem
    with naming(folder):
        problem = ZeroShotProblem(
            name=folder.name.lower(),
            description=f"{folder.name}, proposed split, {kind} features, {att} attributes",
            features=np.ascontiguousarray(features[rows]),
            labels=labels[rows],
            class_embeddings=np.ascontiguousarray(embeddings, dtype=np.float32),
            class_names=splits.class_names,
            **parts,
            coverage=coverage,
        )
    return problem.scaled(feature_scaling)


def is_mat(path):
    """Whether a file is one of MATLAB's, by its first bytes or by its name."""
    return path.is_file() and (path.suffix.lower() == ".mat" or file_kind(path) == "mat")


def _files(source):
    """The files with the images and with the split: the one given, by name, or by variables."""
    path, files, inside = Path(source), [], set()
    folder = path.parent if is_mat(path) else find_xlsa17(source)
    if is_mat(path) and path.name not in XLSA17_FILES:
        inside = variables(path)
        if not any(needed <= inside for needed in _VARIABLES):
            raise ValueError(
                f"{path} has neither features and labels nor att and trainval_loc, or is of "
                "version 7.3: save it anew with '-v7', or write the arrays to an .npz file"
            )
    for name, needed in zip(XLSA17_FILES, _VARIABLES, strict=True):
        given = path if needed <= inside else folder / name
        there = sorted(folder.glob("*.mat"))
        fitting = [given] if given.is_file() else [f for f in there if needed <= variables(f)]
        if len(fitting) != 1:
            raise FileNotFoundError(
                f"{given} is not there, and {len(fitting)} other .mat files have "
                f"{' and '.join(sorted(needed))} (there: {', '.join(f.name for f in there)}; "
                "version 7.3 is not read): give one the name, or write the arrays to an .npz file"
            )
        files += fitting
    return files


def find_xlsa17(source):
    if str(source) not in XLSA17_NAMES:
        return locate.require_folder("xlsa17", source)
    for inner in ("xlsa17", "xlsa17/data"):
        if folder := locate.complete_folder(f"{inner}/{source}", XLSA17_FILES):
            return folder
    raise FileNotFoundError(
        f"{source} is not here: run 'zslib data fetch {source}', or put res101.mat and "
        f"att_splits.mat into xlsa17/{source} in the folder that ZSLIB_DATA names"
    )


def fetch_xlsa17(names=XLSA17_NAMES, *, progress=None):
    """Download the official archive (0.9 GB) into the cache and take out the data sets named.

    The authors publish no checksum, so it is taken as it comes; `load_xlsa17` then tells in
    ``coverage`` whether the counts are the published ones.
    """
    folder = locate.cache_folder("xlsa17")
    archive = fetch_file(XLSA17_URL, folder / "xlsa17.zip", None, progress=progress)
    extract_xlsa17(archive, folder, names)
    return folder


def extract_xlsa17(archive, folder, names=XLSA17_NAMES):
    """Take the two files of each data set named, and no others, out of an archive."""
    for name in names:
        check_choice(name, "names", XLSA17_NAMES)
    folder = Path(folder)
    wanted = {f"{name}/{file}" for name in names for file in XLSA17_FILES}
    missing = sorted(wanted.difference(extract_members(archive, wanted, folder)))
    if missing:
        raise ValueError(f"{archive} lacks {', '.join(missing)}: is it xlsa17.zip?")
    return [folder / name for name in names]


def official_split_summary(name):
    """Rows of Table 2 of Guo et al. (AAAI 2019), counted from the official ``att_splits.mat``.

    The number of classes needs the labels, which come with the features: here they are known from
    other files for AWA1, CUB, APY and FLO; SUN has 20 images a class in order of class; AWA2 has
    AWA1's classes, and its parts follow each other as AWA1's do, so they are counted there.
    ``images_dropped`` counts the test images that the file lists for training or validation.
    """
    check_choice(name, "name", XLSA17_NAMES)
    folder = locate.require_folder("visual/xlsa17_splits")

    def read(which):
        return read_att_splits(folder / _SPLIT_FILES.get(which, f"{which}_att_splits.mat"))

    splits, twin = read(name), "AWA1" if name == "AWA2" else name
    counted = split_summary(splits if twin == name else read(twin), _labels(twin, splits))
    classes = {key: counted[key] for key in ("seen_classes", "unseen_classes")}
    return {**split_summary(splits), **classes, "images_dropped": splits.dropped}


def _labels(name, splits):
    if name == "SUN":
        return np.repeat(np.arange(len(splits.att)), _SUN_IMAGES)
    folder, file = {
        "AWA1": ("awa1", "awa1.npz"),
        "CUB": ("cub", "cub.npz"),
        "APY": ("apy", "apy_instances.npz"),
        "FLO": ("xlsa17_splits", "FLO_order.npz"),
    }[name]
    return read_arrays(locate.require_folder(f"visual/{folder}") / file)["label"]


ENTRIES = tuple(
    Dataset(
        name=name,
        kind="official",
        loaders=dict.fromkeys((ATTRIBUTES, METRIC), partial(load_xlsa17, name)),
        summary=f"{name} as Xian et al. (2017) published it, ResNet-101 features",
        licence="as its authors state",
        quick={setting: {"max_per_class": 10} for setting in (ATTRIBUTES, METRIC)},
        auto={ATTRIBUTES: 0},
        files=below(f"xlsa17/{name}", *XLSA17_FILES),
        fetch=partial(fetch_xlsa17, (name,)),
    )
    for name in XLSA17_NAMES
)
