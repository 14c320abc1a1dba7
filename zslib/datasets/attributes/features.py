"""Your own features: arrays, or files in the forms that ``zslib compare`` takes."""

import csv
from collections.abc import Mapping, Set
from contextlib import suppress
from numbers import Integral
from os import PathLike
from pathlib import Path

import numpy as np

from zslib.datasets.attributes.own import (
    check_arrays,
    fewer_images,
    load_zero_shot,
    read_npz,
    split_problem,
)
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.seen_unseen import check_distinct, mask_rows
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.attributes.xlsa17 import XLSA17_FILES, load_xlsa17
from zslib.datasets.files import naming
from zslib.validation import (
    check_indices,
    check_paired,
    check_row_names,
    host_array,
    row_names,
    rows_of_names,
)

__all__ = ["from_features", "own_parts", "read_class_vectors", "read_features"]

_NEEDED = ("features", "labels", "class_embeddings", "unseen_classes")
_KNOWN = (*_NEEDED, "class_names", "val_classes")
_ELSEWHERE = (
    "; class vectors may be a CSV file, given by vectors=, and unseen classes be named by unseen="
)
_SHOWN = 5


def from_features(
    features,
    labels,
    class_embeddings,
    *,
    unseen_classes,
    class_names=None,
    val_classes=None,
    name="own",
    seed=0,
):
    """Your own features, labels and class vectors as a `ZeroShotProblem`.

    All images of unseen classes test, and a fifth of each other class's, drawn by ``seed``.
    Classes without images are left out.

    Parameters
    ----------
    features : array or DataFrame, shape (n, p)
        One row for each image.
    labels : sequence of n int or str
        Class of each image: its name, or its row of ``class_embeddings`` from 0. Whole numbers are
        names where ``class_names`` are.
    class_embeddings : array or DataFrame, shape (C, q), or dict of str to (q,) array
        One row for each class; or, by its name, its vector.
    unseen_classes : sequence or set of int or str
        Rows or names of the classes kept for testing.
    class_names : sequence of C str or int, optional
        Default: the index of a DataFrame, the keys of a dict, else "class 0" and so on.
    val_classes : sequence or set of int or str, optional
        Rows or names of the classes to choose settings on; default: drawn when they are needed.
    name : str
    seed : int

    Returns
    -------
    ZeroShotProblem
        Its vectors are float32.

    Raises
    ------
    ValueError
        For a label without a vector, a named class without an image, a name that two classes
        have, and what `ZeroShotProblem` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> images = np.random.default_rng(0).normal(size=(30, 8))
    >>> from_features(
    ...     images, ["cat", "dog", "fox"] * 10, np.eye(3), unseen_classes=["fox"],
    ...     class_names=["cat", "dog", "fox"])
    ZeroShotProblem('own': 2 seen and 1 unseen classes, 16 + 4 seen and 10 unseen images,
    8 features, 3 attributes)
    """
    check_paired(features, labels, "features", "labels")
    if isinstance(class_embeddings, Mapping):
        known = list(class_embeddings)
        class_names = known if class_names is None else class_names
        given = host_array(class_names, "class_names")
        rows = rows_of_names(given, known, "class_names", "class_embeddings")
        class_embeddings = [class_embeddings[known[row]] for row in rows]
    elif class_names is None:
        class_names = row_names(class_embeddings, "class_embeddings", numbers=True)
    else:
        check_row_names(class_embeddings, class_names, "class_embeddings", "class_names")
    features = as_matrix(features, "features")
    vectors = as_matrix(class_embeddings, "class_embeddings")
    if class_names is None:
        class_names = [f"class {row}" for row in range(len(vectors))]
    names = host_array(class_names, "class_names")
    if names.dtype.kind not in "iu":
        names = names.astype(str)
    if names.ndim != 1:
        raise ValueError(f"class_names must be a list of names, got shape {names.shape}")
    if len(names) != len(vectors):
        raise ValueError(
            f"class_names has {len(names)} entries for {len(vectors)} class vectors: give one for "
            "each"
        )
    present, numbers, parts = own_parts(
        labels, names, len(features), unseen_classes, val_classes, seed=seed
    )
    return ZeroShotProblem(
        name=name,
        synthetic=False,
        description="own features",
        features=features.astype(np.float32),
        labels=numbers,
        class_embeddings=vectors[present].astype(np.float32),
        class_names=names[present].astype(str),
        **parts,
    )


def as_matrix(values, name):
    """A host matrix of numbers from an array or frame, or an error that names it."""
    array = host_array(values, name)
    if array.dtype.kind == "O":  # pandas' own numbers
        with suppress(TypeError, ValueError):
            if hasattr(values, "to_numpy"):  # what is missing becomes NaN
                array = values.to_numpy(np.float64, na_value=np.nan)
            else:
                array = array.astype(np.float64)
    if array.ndim == 2 and not len(array):
        raise ValueError(f"{name} is empty, shape {array.shape}: give at least one row")
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name} must be a matrix of numbers, got {array.dtype} of shape {array.shape}: "
            "leave out columns of anything else, such as names"
        )
    return array


def own_parts(labels, names, n, unseen, val, *, seed, groups=None):
    """Rows of the classes with images, the labels as numbers of these, and the five parts."""
    check_distinct(names, "class_names")
    labels = host_array(labels, "labels")
    if labels.shape != (n,):
        shape = "" if labels.ndim == 1 else f" in shape {labels.shape}"
        raise ValueError(
            f"labels has {labels.size} entries{shape} for {n} rows of features: give one for each "
            f"row, in shape ({n},)"
        )
    classes = _rows(labels, names, "labels")
    unseen = _distinct(_rows(unseen, names, "unseen_classes"), names, "unseen_classes")
    val = _rows(() if val is None else val, names, "val_classes")
    val = _distinct(val, names, "val_classes")
    if not unseen.size:
        raise ValueError("there is no unseen class: name those to test on in unseen_classes")
    if (both := np.intersect1d(unseen, val)).size:
        raise ValueError(
            f"val_classes and unseen_classes share {', '.join(map(str, names[both[:_SHOWN]]))}: "
            "settings are chosen on classes that do not test"
        )
    present, numbers = np.unique(classes, return_inverse=True)
    idle = np.setdiff1d(np.union1d(unseen, val), present)
    if idle.size:
        raise ValueError(
            f"no image shows {', '.join(map(str, names[idle[:_SHOWN]]))}: give some, or leave "
            "them out of unseen_classes and val_classes"
        )
    unseen, val = (np.searchsorted(present, rows) for rows in (unseen, val))
    train = np.setdiff1d(np.arange(present.size), np.union1d(unseen, val))
    parts = class_parts(numbers, train, val, unseen, seed=seed, groups=groups)
    return present, numbers, parts if val.size else parts | {"train": (), "val": ()}


def read_features(path, *, vectors=None, unseen=None, max_per_class=None, seed=0):
    """Your own zero-shot data, from files.

    Parameters
    ----------
    path : path
        One of these:

        - an ``.npz`` file with the arrays that `from_features` takes, under their names there.
          Text must be fixed-width strings (``np.array([...], dtype=str)``). A file that has
          ``trainval`` and ``test_unseen`` is read as by `load_zero_shot`, with its own split;
        - a ``.csv`` file with one image on each line, the name of its class and then its numbers;
        - the folder of ``res101.mat`` and ``att_splits.mat``, the format of Xian et al. (2017),
          or one of the two files.
    vectors : path, optional
        A CSV file with one class on each line, its name and then its numbers; a first line of
        heads is passed over. It takes the place of ``class_embeddings`` and ``class_names``;
        labels that are numbers in an ``.npz`` file count its lines from 0.
    unseen : sequence of str, optional
        Names of the unseen classes, or rows where no class has such a name, instead of
        ``unseen_classes``.
    max_per_class : int, optional
        At most so many images of each class in each part, for a quick look.
    seed : int

    Returns
    -------
    ZeroShotProblem
    """
    if not isinstance(path, str | PathLike):
        raise TypeError(f"path must be a path, got {type(path).__name__}: see from_features")
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} is neither a file nor a folder: check the path")
    if path.suffix == ".mat" and path.name not in XLSA17_FILES:
        raise ValueError(
            f"{path} has not the name of one of the format's two files, "
            f"{' and '.join(XLSA17_FILES)}: name them so, or write the arrays to an .npz file"
        )
    problem = None
    if path.suffix == ".mat":
        problem = load_xlsa17(path.parent)
    elif path.is_dir():
        problem = (load_xlsa17 if (path / XLSA17_FILES[0]).is_file() else load_zero_shot)(path)
    elif "trainval" in (arrays := _read(path)):
        problem = split_problem(arrays, path)
    if problem is not None:
        if vectors is not None or unseen is not None:
            raise ValueError(
                f"{path} has a split of its own: leave out vectors= and unseen=, or write "
                f"{', '.join(_NEEDED[:3])} alone to an .npz file"
            )
        return fewer_images(problem, max_per_class, seed)
    names = {}
    if vectors is not None:
        arrays["class_names"], arrays["class_embeddings"] = read_class_vectors(vectors)
        names["class_names"] = str(vectors)
    if unseen is not None:
        arrays["unseen_classes"] = _named(unseen, arrays.get("class_names", ()))
        names["unseen_classes"] = "unseen="
    check_arrays(arrays, _NEEDED, _KNOWN, path, _ELSEWHERE)
    with naming(path, names):
        problem = from_features(**arrays, name=path.stem, seed=seed)
    return fewer_images(problem, max_per_class, seed)


def _read(path):
    if path.suffix != ".csv":
        return read_npz(path)
    labels, features = read_class_vectors(path)
    return {"features": features, "labels": labels}


def read_class_vectors(path):
    """Names (C,) and vectors (C, q) float32 of a CSV file: on each line a name and its numbers."""
    path = Path(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [(i, line) for i, line in enumerate(csv.reader(file), 1) if any(line)]
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not text in UTF-8: save it as a CSV file in that encoding"
        ) from None
    names, rows = [], []
    for number, (name, *cells) in lines:
        if number == lines[0][0] and _are_heads(name, cells):
            continue
        if bad := [cell for cell in cells if not _is_number(cell)]:
            raise ValueError(
                f"{path}, line {number}: {bad[0]!r} is not a number: write a name and then "
                "numbers, with commas between"
            )
        rows.append([float(cell) for cell in cells])
        names.append(name.strip())
        if not names[-1] or not cells:
            raise ValueError(
                f"{path}, line {number} has no {'comma' if names[-1] else 'name'}: write a name "
                "and then numbers, with commas between"
            )
        if len(cells) != len(rows[0]):
            raise ValueError(
                f"{path}, line {number} has {len(cells)} numbers and the first one "
                f"{len(rows[0])}: give each line as many"
            )
    if not rows:
        raise ValueError(f"{path} has no vector: write a name and its numbers on each line")
    return np.array(names, dtype=str), np.array(rows, dtype=np.float32)


def _named(given, names):
    """Classes as asked for: names, or rows where all are numbers and none is a name."""
    given = [given] if isinstance(given, str | Integral) else list(given)
    if all(isinstance(one, bool | np.bool_) for one in given):
        return np.array(given)
    given = [str(one).strip() for one in given]
    rows = all(one.isdigit() for one in given) and not {*given} & {*map(str, names)}
    return np.array([int(one) for one in given] if rows else given)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _are_heads(name, cells):
    """Whether a first line names columns: by words, or as pandas numbers them, 0, 1, 2, …."""
    if not any(map(_is_number, cells)):
        return any(map(str.strip, cells))
    counted = [str(i) for i in range(len(cells))] == [cell.strip() for cell in cells]
    whole = all(cell.strip().isdigit() for cell in cells)
    return (not name.strip() and whole) or (counted and len(cells) > 2)


def _distinct(rows, names, what):
    """Rows of classes; a mask written in numbers, which would be read as rows, is refused."""
    if len(rows) == len(names) > 2 and rows.max() <= 1:
        raise ValueError(
            f"{what} looks like a mask of zeros and ones, and is read as rows of classes: pass it "
            "as truths, or name the classes"
        )
    return rows


def _rows(classes, names, what):
    """Rows of classes that are given by name or by row; those without a vector are refused.

    Numbers are names where names are numbers; where names are written as numbers, either is meant.
    """
    given = sorted(classes) if isinstance(classes, Set) else classes
    classes = np.atleast_1d(host_array(given, what))
    if not classes.size:
        return np.empty(0, dtype=np.int64)
    if classes.dtype == bool and what != "labels":
        rows = mask_rows(classes, what, len(names), "classes")
        check_row_names(given, names, what, "class_names")
        return rows
    classes = numbers_or_names(classes, what)
    if classes.dtype.kind == "U" or names.dtype.kind in "iu":
        return rows_of_names(classes, names, what, "class_names")
    rows = check_indices(classes, f"{what} (each the row of a class)", len(names)).astype(np.int64)
    written = np.unique(rows).astype(str)
    if np.isin(written, names).all() and (names[np.unique(rows)] != written).any():
        raise ValueError(
            f"{what} are whole numbers, and class_names has the same numbers in other rows: pass "
            f"{what}.astype(str) if they are names, class_names[{what}] if they are rows, or give "
            "class vectors in the order of the numbers"
        )
    return rows


def numbers_or_names(classes, what):
    """An array of whole numbers or of strings, from one that holds nothing else."""
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    if classes.size and classes.dtype.kind not in "iuU":
        odd = next((i for i, c in enumerate(classes.tolist()) if not isinstance(c, str | int)), 0)
        raise TypeError(
            f"{what} must be whole numbers or names, got {classes.dtype} ({classes[odd]} at "
            f"{odd}): convert them, or drop what has no label"
        )
    return classes
