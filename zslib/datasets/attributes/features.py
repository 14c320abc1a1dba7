"""Your own features: arrays, or files in the forms that ``zslib compare`` takes."""

import re
from collections.abc import Mapping, Set
from dataclasses import replace
from numbers import Integral
from os import PathLike
from pathlib import Path

import numpy as np

from zslib.datasets.attributes.own import (
    check_arrays,
    fewer_images,
    is_npz,
    load_zero_shot,
    read_npz,
    split_problem,
)
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.seen_unseen import check_distinct, mask_rows
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.attributes.table import check_heads, read_table
from zslib.datasets.attributes.xlsa17 import is_mat, load_xlsa17
from zslib.datasets.files import naming
from zslib.validation import (
    as_float32,
    as_labels,
    as_vectors,
    check_alike,
    check_indices,
    check_paired,
    check_row_names,
    column_names,
    host_array,
    is_text,
    row_names,
    rows_of_names,
)

_NEEDED = ("features", "labels", "class_embeddings", "unseen_classes")
_KNOWN = (*_NEEDED, "class_names", "val_classes")
_CLASSES = "labels", "unseen_classes", "val_classes"
_ELSEWHERE = (
    "; class vectors may be a CSV file, given by vectors=, and unseen classes be named by unseen="
)
_SHOWN = 5
_ROW = re.compile("0|[1-9][0-9]*")  # "007" is a name
_DIGITS = re.compile("[0-9]+")


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
    Unseen classes without images are candidates: they compete, and are never tested. Other
    classes without images are left out; ``coverage`` counts both.

    Parameters
    ----------
    features : array or DataFrame, shape (n, p)
        One row for each image.
    labels : sequence of n int or str
        Class of each image: its name, or its row of ``class_embeddings`` from 0. Whole numbers are
        names where ``class_names`` are, and refused where they may be either.
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
    TypeError
        For labels or classes that are neither whole numbers nor names, and for sparse arrays.
    ValueError
        For a label without a vector, a missing label or name, a validation class without an
        image, a name that two classes have, numbers beyond float32, a data frame with a column of
        labels or of row numbers, and what `ZeroShotProblem` refuses.

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
    named_by, by_name = "class_names", isinstance(class_embeddings, Mapping)
    known = list(class_embeddings) if by_name else None
    if class_names is None:
        class_names = known or row_names(class_embeddings, "class_embeddings", numbers=True)
        named_by = "class_names" if class_names is None else "class_embeddings"
    columns = {"features": features, "class_embeddings": class_embeddings}
    if by_name:
        check_alike(class_embeddings, "class_embeddings")
        class_names = as_labels(class_names, named_by)
        rows = rows_of_names(class_names, known, "class_names", "class_embeddings")
        class_embeddings = [class_embeddings[known[row]] for row in rows]
    features = as_vectors(host_array(features, "features"), "features")
    vectors = as_vectors(host_array(class_embeddings, "class_embeddings"), "class_embeddings")
    columns = {what: column_names(given) for what, given in columns.items()}
    for what, rows in (("features", features), ("class_embeddings", vectors)):
        check_heads(columns[what], rows, what)
    if class_names is None:
        if is_text(as_labels(labels, "labels")):
            raise ValueError(
                "labels holds names, and the class vectors have none: give class_names, a name "
                "for each row of class_embeddings, or class_embeddings as a dict of name to vector"
            )
        class_names = [f"class {row}" for row in range(len(vectors))]
    names = host_array(as_labels(class_names, "class_names"), "class_names")
    _check_index(class_embeddings, names, "class_embeddings")
    if names.shape != (len(vectors),):
        raise ValueError(
            f"class_names has shape {names.shape} for {len(vectors)} class vectors: give as many"
        )
    kept, numbers, parts, candidates = own_parts(
        labels, names, len(features), unseen_classes, val_classes, seed=seed, named_by=named_by
    )
    idle = {
        "candidate classes without images": len(candidates),
        "classes without images left out": len(names) - len(kept),
    }
    return ZeroShotProblem(
        name=name,
        description="own features",
        features=as_float32(features, "features"),
        labels=numbers,
        class_embeddings=as_float32(vectors[kept], "class_embeddings"),
        class_names=names[kept].astype(str),
        candidates=candidates,
        columns=columns,
        coverage={what: count for what, count in idle.items() if count},
        **parts,
    )


def own_parts(labels, names, n, unseen, val, *, seed, groups=None, named_by="class_names"):
    """Rows of the classes kept, the labels as numbers of these, the five parts, and candidates.

    Candidates are the unseen classes without images, as numbers of the classes kept; kept are
    these and all with images. ``named_by`` is the argument that has the names.
    """
    if names.ndim != 1:
        raise ValueError(f"class_names has shape {names.shape}: give one name for each class")
    check_distinct(names, "class_names")
    labels = host_array(as_labels(labels, "labels"), "labels")
    if labels.shape != (n,):
        raise ValueError(
            f"labels has {labels.size} entries for {n} rows of features, and shape "
            f"{labels.shape}: give one for each row" + " by labels.ravel()" * (labels.size == n)
        )
    classes = _rows(labels, names, "labels", named_by)
    unseen = _rows(unseen, names, "unseen_classes", named_by)
    val = _rows(() if val is None else val, names, "val_classes", named_by)
    if not unseen.size:
        raise ValueError("there is no unseen class: name those to test on in unseen_classes")
    if (both := np.intersect1d(unseen, val)).size:
        raise ValueError(
            f"val_classes and unseen_classes share {', '.join(map(str, names[both[:_SHOWN]]))}: "
            "settings are chosen on classes that do not test"
        )
    present = np.unique(classes)
    idle = np.setdiff1d(np.union1d(unseen, val), present)
    if np.isin(unseen, present).any():
        idle = np.setdiff1d(val, present)
    if idle.size:
        raise ValueError(
            f"no image shows {', '.join(map(str, names[idle[:_SHOWN]]))}: give some, or leave "
            "them out of unseen_classes and val_classes"
        )
    kept = np.union1d(present, unseen)
    if (seen := kept.size - unseen.size) < 2:
        raise ValueError(
            f"{seen} seen class{'es' * (seen != 1)} with images, and two are needed to learn "
            "anything: name fewer classes in unseen_classes, or give images of more"
        )
    numbers, unseen, val = (np.searchsorted(kept, rows) for rows in (classes, unseen, val))
    train = np.setdiff1d(np.arange(kept.size), np.union1d(unseen, val))
    if val.size and train.size < 2:
        raise ValueError(
            f"val_classes leave {train.size} seen class{'es' * (train.size != 1)} to train on, "
            "where two are needed: name fewer"
        )
    parts = class_parts(numbers, train, val, unseen, seed=seed, groups=groups)
    parts = parts if val.size else parts | {"train": (), "val": ()}
    return kept, numbers, parts, np.flatnonzero(~np.isin(kept, present))


def read_features(
    path, *, vectors=None, unseen=None, max_per_class=None, seed=0, encoding=None, decimal=None
):
    """Your own zero-shot data, from files.

    Parameters
    ----------
    path : path
        One of these:

        - an ``.npz`` file with the arrays that `from_features` takes, under their names there.
          Text must be fixed-width strings (``np.array([...], dtype=str)``). A file that has
          ``trainval`` and ``test_unseen`` is read as by `load_zero_shot`, with its own split;
        - a CSV file with one image on each line, the name of its class and then its numbers, with
          commas, semicolons or tabs between, and, but between commas, decimal commas;
        - the folder of ``res101.mat`` and ``att_splits.mat``, the format of Xian et al. (2017),
          or one of the two files.

        Which it is, its first bytes say.
    vectors : path, optional
        A CSV file with one class on each line, its name and then its numbers. It takes the place
        of ``class_embeddings`` and ``class_names``; labels that are numbers in an ``.npz`` file
        count its lines from 0. Heads that were passed over are in ``coverage``.
    unseen : sequence of str, optional
        Names of the unseen classes, or rows where no class has a number for its name, instead
        of ``unseen_classes``.
    max_per_class : int, optional
        At most so many images of each class in each part, for a quick look.
    seed : int
    encoding : str, optional
        Of CSV files, where it is neither UTF-8 nor UTF-16: "latin-1", for instance.
    decimal : {".", ","}, optional
        The decimal sign of CSV files, whose other sign then separates thousands; needed where it
        cannot be told, as of 1.234 and 56.789 alone.

    Returns
    -------
    ZeroShotProblem

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> pets = {"features": np.eye(30, 4), "labels": ["cat", "dog", "fox"] * 10}
    >>> pets |= {"class_names": ["cat", "dog", "fox"], "class_embeddings": np.eye(3)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "pets.npz"), **pets, unseen_classes=["fox"])
    ...     read_features(Path(folder, "pets.npz"))
    ZeroShotProblem('pets': 2 seen and 1 unseen classes, 16 + 4 seen and 10 unseen images,
    4 features, 3 attributes)
    """
    path = own_path(path, "path")
    vectors = vectors if vectors is None else own_path(vectors, "vectors=")
    problem, heads, columns = None, {}, {}
    if is_mat(path) or (path.is_dir() and any(path.glob("*.mat"))):
        problem = load_xlsa17(path)
    elif path.is_dir():
        problem = load_zero_shot(path)
    else:
        arrays, heads[path.name], columns["features"] = _read(path, encoding, decimal)
        problem = split_problem(arrays, path) if "trainval" in arrays else None
    if problem is not None:
        if vectors is not None or unseen is not None:
            raise ValueError(
                f"{path} has a split of its own: leave out vectors= and unseen=, or write "
                f"{', '.join(_NEEDED[:3])} alone to an .npz file"
            )
        return fewer_images(problem, max_per_class, seed)
    names = {} if unseen is None else {"unseen_classes": "unseen="}
    if vectors is not None:
        with naming(path):
            known = as_labels(arrays.get("labels", ()), "labels").ravel()
        table = read_table(vectors, known, encoding, decimal)
        _check_first_columns(path, heads[path.name], vectors, table)
        own = arrays.get("class_names", ())
        if not np.size(own):
            _check_order(path, arrays.get("class_embeddings"), vectors, table.rows, known)
        arrays["class_names"], arrays["class_embeddings"] = table.names, table.rows
        heads[vectors.name], columns["class_embeddings"] = table.heads, table.columns
        names["class_names"] = str(vectors)  # last: a path may have the other's name in it
    if unseen is not None:
        arrays["unseen_classes"] = _named(unseen, arrays.get("class_names", ()))
    if vectors is not None and not _same_rows(own, table.names, arrays):
        raise ValueError(
            f"{path} numbers classes by its own class_names, and the lines of {vectors} are "
            "others: save class_names[labels] as labels, and so the unseen and validation classes"
        )
    check_arrays(arrays, _NEEDED, _KNOWN, path, _ELSEWHERE)
    with naming(path, names):
        problem = from_features(**arrays, name=path.stem, seed=seed)
    passed = {f"heads of {name}": line for name, line in heads.items() if line}
    columns = {what: named for what, named in columns.items() if named}
    problem = replace(problem, coverage={**problem.coverage, **passed}, columns=columns)
    return fewer_images(problem, max_per_class, seed)


def own_path(path, what):
    """The path of a user's file or folder, which is there."""
    if not isinstance(path, str | PathLike) or not str(path):
        got = repr(path) if path == "" else type(path).__name__
        raise TypeError(f"{what} must be a path, got {got}: see from_features")
    if not (path := Path(path)).exists():
        raise FileNotFoundError(f"{path} is not there: check the path")
    return path


def _read(path, encoding, decimal):
    """Arrays of a file, and, where it is a table, the line of heads and those that are names."""
    if is_npz(path):
        return read_npz(path), "", None
    table = read_table(path, encoding=encoding, decimal=decimal)
    return {"features": table.rows, "labels": table.names}, table.heads, table.columns


def _check_first_columns(path, head, vectors, table):
    """Refuse a table of classes that has row numbers before what the images call their classes."""
    head, later = head.partition(",")[0], table.heads.split(",")[1:]
    if head in later and all(map(_ROW.fullmatch, table.names)):
        raise ValueError(
            f"{vectors} has numbers in its first column and {head!r}, as {path} calls its "
            "classes, in a later one: put this column first, and leave out the numbers of rows"
        )


def _check_order(path, own, vectors, rows, labels):
    """Refuse labels that number class vectors which a table has in another order."""
    if own is None or is_text(labels) or np.shape(own) != rows.shape:
        return
    ours, theirs = (np.asarray(one, dtype=np.float64).round(5).tolist() for one in (own, rows))
    if ours != theirs and sorted(ours) == sorted(theirs):
        raise ValueError(
            f"{path} numbers classes in the order of its class_embeddings, and {vectors} has the "
            "same vectors in another order: bring its lines into that order, or leave it out"
        )


def _same_rows(own, lines, arrays):
    """Whether classes that a file numbers are the same lines of a table as of its own names."""
    given = [np.asarray(arrays.get(what, ())) for what in _CLASSES]
    named = all(one.dtype.kind in "SU" for one in given if one.size)
    own = as_labels(own, "class_names").ravel().astype(str)
    return named or own.tolist() == lines[: own.size].tolist()


def _named(given, names):
    """Classes as asked for: names, or rows where all are numbers and no name is one."""
    given = [given] if isinstance(given, str | Integral) else given
    if isinstance(given, bytes) or not np.iterable(given):
        raise TypeError(
            f"unseen= must be a sequence of names, or of rows, got {type(given).__name__}"
        )
    given = list(given)
    if any(isinstance(one, bool | np.bool_) for one in given):
        raise TypeError("unseen= has truths: name the classes, or give their rows")
    given = [str(one).strip() for one in given]
    rows = all(map(_ROW.fullmatch, given)) and not any(map(_DIGITS.fullmatch, map(str, names)))
    return np.array([int(one) for one in given] if rows else given)


def _unpadded(name):
    return (name.lstrip("0") or "0") if _DIGITS.fullmatch(name) else name


def _check_padded(written, names, plain, what, named_by):
    """Refuse a number that is no name, where with other zeros before it is one."""
    known, alike = set(names.tolist()), dict(zip(plain.tolist(), names.tolist(), strict=True))
    for one in sorted(set(written.tolist()) - known):
        if other := alike.get(_unpadded(one)):
            raise ValueError(
                f"{what} has {one!r}, which {named_by} lacks: did you mean {other!r}? Write the "
                "zeros before numbers alike"
            )


def _check_index(given, names, what):
    """Refuse an index of text that has other names than the classes, or these in other order."""
    index = getattr(given, "index", ())
    if not callable(index) and all(isinstance(one, str) for one in index):
        rows_of_names(np.asarray(index), names, f"the index of {what}", "class_names")
    check_row_names(given, names, what, "class_names")


def _rows(classes, names, what, named_by):
    """Rows of classes that are given by name or by row; those without a vector are refused.

    Numbers are names where names are numbers; where names are written as numbers, either is meant.
    """
    given = sorted(classes, key=str) if isinstance(classes, Set) else classes
    mask = np.atleast_1d(host_array(given, what))
    if mask.dtype == bool and what != "labels":
        _check_index(given, names, what)
        return mask_rows(mask, what, len(names), "classes")
    classes = np.atleast_1d(host_array(as_labels(given, what), what))
    if not classes.size:
        return np.empty(0, dtype=np.int64)
    if what != "labels" and len(classes) == len(names) > 2 and np.isin(classes, [0, 1]).all():
        raise ValueError(
            f"{what} looks like a mask of zeros and ones, and is read as rows of classes: pass it "
            "as truths, or name the classes"
        )
    written = np.unique(classes).astype(str)
    plain = np.array([_unpadded(name) for name in names.astype(str).tolist()])
    if classes.dtype.kind == "U" or names.dtype.kind in "iu":
        _check_padded(written, names.astype(str), plain, what, named_by)
        return rows_of_names(classes, names, what, named_by)
    by_name = np.isin(written, plain).all()
    if by_name and classes.max() >= len(names):  # no rows
        _check_padded(written, names, plain, what, named_by)
        return rows_of_names(classes, names, what, named_by)
    if what == "labels" and len(names) - 1 > np.iinfo(classes.dtype).max:
        raise ValueError(
            f"{what} are {classes.dtype}, which cannot number {len(names)} classes: make them of "
            "a wider type where they come from"
        )
    if classes.min() >= 1 and classes.max() == len(names):
        raise ValueError(
            f"{what} go up to {len(names)}, and rows of {len(names)} classes count from 0: pass "
            f"{what} - 1 if they count from 1"
        )
    row_of = f"{what} (each the row of one of {len(names)} class vectors)"
    rows = check_indices(classes, row_of, len(names)).astype(np.int64)
    present = np.unique(rows)
    if by_name and (plain[present] != written).any():
        names_of = f"{what}.astype(str)"
        if padded := set(names[np.isin(plain, written)].tolist()).difference(written.tolist()):
            names_of = f"them as text with zeros before, such as {min(padded)!r},"
        raise ValueError(
            f"{what} are whole numbers, and class_names has the same numbers in other rows: pass "
            f"{names_of} if they are names, the names of these rows if they are rows, or give "
            "class vectors in the order of the numbers"
        )
    if what == "labels" and not by_name and present[0] == 1:
        raise ValueError(
            f"labels go from 1 to {present[-1]} and are never 0, of {len(names)} classes: pass "
            "labels - 1 if they count from 1, their names if they are rows from 0"
        )
    return rows
