"""Your own features in the forms that ``zslib compare`` takes, as a checked problem."""

from __future__ import annotations

import csv
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from zslib.datasets.attributes.own import load_zero_shot
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts, select_images
from zslib.datasets.attributes.xlsa17 import XLSA17_FILES, load_xlsa17

__all__ = ["read_class_vectors", "read_features"]

_NEEDED = ("features", "labels", "class_embeddings")
_KNOWN = (*_NEEDED, "class_names", "unseen_classes", "val_classes")
_SHOWN = 5


def read_features(path, *, vectors=None, unseen=None, max_per_class=None, seed=0):
    """Your own zero-shot data, from an ``.npz`` file or a pair of ``.mat`` files.

    Parameters
    ----------
    path : path
        An ``.npz`` file with these arrays:

        =====================  ====================================================================
        ``features``           (n, p) numbers, one row for each image
        ``labels``             (n,) class of each image: its row of ``class_embeddings`` from 0, or
                               its name
        ``class_embeddings``   (C, q) numbers, one row for each class; or see ``vectors``
        ``class_names``        (C,) text; needed where labels are names
        ``unseen_classes``     rows or names of the classes kept for testing; or see ``unseen``
        ``val_classes``        optional: rows or names of those to choose settings on
        =====================  ====================================================================

        All images of unseen classes test, and a fifth of each other class's, drawn by ``seed``.
        Classes without images are left out. Text must be fixed-width strings
        (``np.array([...], dtype=str)``). A file that has ``trainval`` and ``test_unseen`` is read
        as by `load_zero_shot`, with its own split.

        Or the folder of ``res101.mat`` and ``att_splits.mat``, the format of Xian et al. (2017),
        or one of the two files.
    vectors : path, optional
        A CSV file with one class on each line, its name and then its numbers; a first line of
        heads is passed over. It takes the place of ``class_embeddings`` and ``class_names``;
        labels that are numbers count its lines from 0.
    unseen : sequence of str, optional
        Names or rows of the unseen classes, instead of ``unseen_classes``.
    max_per_class : int, optional
        At most so many images of each class in each part, for a quick look.
    seed : int

    Returns
    -------
    ZeroShotProblem
    """
    path = Path(path)
    folder = path.parent if path.suffix == ".mat" else path
    if path.suffix == ".mat" or (path.is_dir() and (path / XLSA17_FILES[0]).is_file()):
        if vectors is not None or unseen is not None:
            raise ValueError(
                f"{path} has its own class vectors and split: leave out vectors and unseen"
            )
        return load_xlsa17(folder, max_per_class=max_per_class, seed=seed)
    arrays = {} if path.is_dir() else _read_npz(path)
    if path.is_dir() or "trainval" in arrays:
        if vectors is not None or unseen is not None:
            raise ValueError(f"{path} has a split of its own: leave out vectors and unseen")
        problem = load_zero_shot(path)
    else:
        if vectors is not None:
            arrays["class_names"], arrays["class_embeddings"] = read_class_vectors(vectors)
        if unseen is not None:
            arrays["unseen_classes"] = _words(unseen)
        problem = _problem(arrays, path, seed)
    if max_per_class is None:
        return problem
    how = {"max_per_class": max_per_class, "seed": seed}
    rows, parts = select_images(problem.labels, problem.parts, **how)
    images = problem.image_attributes
    return replace(
        problem,
        features=problem.features[rows],
        labels=problem.labels[rows],
        image_attributes=None if images is None else images[rows],
        **parts,
    )


def _read_npz(path):
    if not path.is_file():
        raise FileNotFoundError(f"{path} is neither a file nor a folder: check the path")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path} is no .npz file: write it with numpy.savez")
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (zipfile.BadZipFile, EOFError, zlib.error, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}): save text as np.array([...], dtype=str), numbers "
            "as numeric arrays, with numpy.savez"
        ) from error


def _problem(arrays, path, seed):
    """The problem of arrays without a split by image; classes without images are dropped."""
    unknown = [name for name in arrays if name not in _KNOWN]
    if unknown:
        raise ValueError(
            f"{path} has {', '.join(unknown)}, which is not of the format: known are "
            f"{', '.join(_KNOWN)}; or a split by image, with trainval and test_unseen"
        )
    lacks = [name for name in _NEEDED if name not in arrays]
    if lacks:
        raise ValueError(
            f"{path} lacks {' and '.join(lacks)}: needed are {', '.join(_NEEDED)}, the last "
            "perhaps as a CSV file (--vectors)"
        )
    features, labels, vectors = (np.asarray(arrays[name]) for name in _NEEDED)
    for array, name in ((features, "features"), (vectors, "class_embeddings")):
        if array.ndim != 2 or array.dtype.kind not in "fiub":
            raise ValueError(
                f"{path}: {name} must be a matrix of numbers, got {array.dtype} of shape "
                f"{array.shape}"
            )
    if labels.shape != features.shape[:1]:
        raise ValueError(
            f"{path}: labels has {labels.size} entries for {len(features)} rows of features: give "
            "one for each row"
        )
    names = np.asarray(arrays.get("class_names", [f"class {i}" for i in range(len(vectors))]))
    if len(names) != len(vectors):
        raise ValueError(
            f"{path}: class_names has {len(names)} entries for {len(vectors)} class vectors: give "
            "one for each"
        )
    classes = _rows(labels, names, "labels", path)
    unseen, val = (
        _rows(arrays.get(what, []), names, what, path)
        for what in ("unseen_classes", "val_classes")
    )
    if not unseen.size:
        raise ValueError(
            f"{path} has no unseen class: name those to test on in the array unseen_classes, or "
            "as --unseen A,B,C"
        )
    there, labels = np.unique(classes, return_inverse=True)
    idle = np.setdiff1d(np.union1d(unseen, val), there)
    if idle.size:
        raise ValueError(f"{path}: no image shows {', '.join(names[idle[:_SHOWN]])}")
    unseen, val = (np.searchsorted(there, rows) for rows in (unseen, val))
    train = np.setdiff1d(np.arange(there.size), np.union1d(unseen, val))
    parts = class_parts(labels, train, val, unseen, seed=seed)
    if not val.size:
        parts |= {"train": (), "val": ()}
    try:
        return ZeroShotProblem(
            name=path.stem,
            synthetic=False,
            description="own features",
            features=features.astype(np.float32),
            labels=labels,
            class_embeddings=vectors[there].astype(np.float32),
            class_names=names[there],
            **parts,
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def read_class_vectors(path):
    """Names (C,) and vectors (C, q) float32 of a CSV file: on each line a name and its numbers."""
    path = Path(path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = [(number, line) for number, line in enumerate(csv.reader(file), 1) if any(line)]
    names, rows = [], []
    for number, (name, *cells) in lines:
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            if number == lines[0][0]:
                continue  # heads
            raise ValueError(f"{path}, line {number}: {cells!r} are not all numbers") from None
        names.append(name.strip())
        if not cells or len(cells) != len(rows[0]):
            raise ValueError(
                f"{path}, line {number} has {len(cells)} numbers and the first class "
                f"{len(rows[0])}: give each class as many, at least one"
            )
    if not rows:
        raise ValueError(f"{path} has no class: write a name and its numbers on each line")
    return np.array(names, dtype=str), np.array(rows, dtype=np.float32)


def _rows(classes, names, what, path):
    """Rows of classes that are given by row or by name; those without a vector are refused."""
    classes = np.atleast_1d(np.asarray(classes))
    if not classes.size:
        return np.empty(0, dtype=np.int64)
    if classes.dtype.kind not in "iuU":
        raise TypeError(
            f"{path}: {what} must be whole numbers or names, got {classes.dtype}: convert them"
        )
    if classes.dtype.kind == "U":
        known = {str(name): row for row, name in enumerate(names)}
        found = np.array([known.get(str(name), -1) for name in classes])
    else:
        found = np.where((classes >= 0) & (classes < len(names)), classes, -1).astype(np.int64)
    lost = dict.fromkeys(map(str, classes[found < 0]))
    if lost:
        told = ", ".join(list(lost)[:_SHOWN]) + (", …" if len(lost) > _SHOWN else "")
        raise ValueError(
            f"{path}: {len(lost)} class(es) of {what} without a vector ({told}): add theirs to "
            f"the {len(names)} class vectors, or drop their images"
        )
    return found


def _words(given):
    given = [str(word).strip() for word in given]
    return np.array([int(w) for w in given] if all(w.isdigit() for w in given) else given)
