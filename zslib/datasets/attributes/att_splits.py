"""Reading ``att_splits.mat``: class embeddings and split of Xian et al. (2017)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from zslib.datasets.attributes.splits import PARTS, without_tested
from zslib.datasets.content import kind_of, refuse_kind
from zslib.datasets.files import checked

_ROWS = (
    "seen_classes",
    "train_seen_samples",
    "test_seen_samples",
    "unseen_classes",
    "unseen_samples",
    "class_attributes",
)
# Xian et al. (2017), Tables 1 and 2 of the long version; FLO as distributed with their files.
OFFICIAL_STATISTICS = {
    name: dict(zip(_ROWS, counts, strict=True))
    for name, counts in {
        "AWA1": (40, 19_832, 4_958, 10, 5_685, 85),
        "AWA2": (40, 23_527, 5_882, 10, 7_913, 85),
        "CUB": (150, 7_057, 1_764, 50, 2_967, 312),
        "SUN": (645, 10_320, 2_580, 72, 1_440, 102),
        "APY": (20, 5_932, 1_483, 12, 7_924, 64),
        "FLO": (82, 5_631, 1_403, 20, 1_155, 1_024),
    }.items()
}


_OBJECT = "None"  # so SciPy calls an object of MATLAB's, whose name it does not read


@dataclass(frozen=True, eq=False)
class AttSplits:
    """Content of one ``att_splits.mat``, indices counting from 0."""

    att: np.ndarray
    original_att: np.ndarray | None
    class_names: np.ndarray
    parts: dict
    dropped: int
    named: bool = True


def read_att_splits(path):
    """Read an ``att_splits.mat``.

    In the files of 2017 and 2018 but for APY ``train_loc`` and ``val_loc`` list the images of
    ``test_seen_loc`` too, which are dropped here. All three may be absent, as the first two are
    in the second version. A file without ``allclasses_names`` gets the names "class 1", "class 2"
    and so on, and ``named`` is false.
    """
    required = ("att", "trainval_loc", "test_unseen_loc")
    locations = tuple(f"{part}_loc" for part in PARTS)
    optional = ("original_att", "allclasses_names", _OBJECT, *locations)
    data = load_mat(path, required, optional)
    att = matrix(data["att"], path, "att").T
    original = data.get("original_att")
    if original is not None:
        original = matrix(original, path, "original_att").T
    names = [f"class {i}" for i in range(1, len(att) + 1)]
    if named := "allclasses_names" in data:
        names = cell_strings(data["allclasses_names"], path, "allclasses_names")
    elif _OBJECT in data:
        raise ValueError(
            f"{path} has no allclasses_names that SciPy reads, but an object of MATLAB's, such as "
            "a string array: save it anew with allclasses_names = cellstr(allclasses_names)"
        )
    if len(names) != len(att) or (original is not None and original.shape != att.shape):
        raise ValueError(
            f"{path}: att has shape {att.T.shape}, original_att {np.shape(original)[::-1]}, and "
            f"allclasses_names {len(names)} names: one of them is damaged"
        )
    none = np.empty((0, 1))
    parts = {
        part: zero_based(data.get(f"{part}_loc", none), path, f"{part}_loc") for part in PARTS
    }
    dropped = int(np.isin([*parts["train"], *parts["val"]], parts["test_seen"]).sum())
    return AttSplits(att, original, np.array(names), without_tested(parts), dropped, named)


def split_summary(splits, labels=None):
    """Rows of Table 2 of Guo et al. (AAAI 2019) for a split."""
    parts = splits.parts
    classes = {"trainval": None, "test_unseen": None}
    if labels is not None:
        classes = {part: len(np.unique(labels[parts[part]])) for part in classes}
    counts = (
        classes["trainval"],
        len(parts["trainval"]),
        len(parts["test_seen"]),
        classes["test_unseen"],
        len(parts["test_unseen"]),
        splits.att.shape[1],
    )
    return dict(zip(_ROWS, counts, strict=True))


def load_mat(path, required, optional=()):
    """Named variables of a MATLAB file up to version 7.2, as a dict of NumPy arrays."""
    from scipy.io import loadmat

    path = checked(path)
    kind = file_kind(path)
    if kind not in ("mat", "binary", "text"):  # files of MATLAB 4 have no signature
        raise refuse_kind(path, kind, "a MATLAB file up to version 7")
    try:
        data = loadmat(path, variable_names=[*required, *optional])
    except Exception as error:  # scipy raises many kinds for damaged files
        raise ValueError(f"{path} cannot be read as a MATLAB file: {error}") from error
    missing = [name for name in required if name not in data]
    if missing:
        raise ValueError(f"{path} lacks {', '.join(missing)}: is it a file of xlsa17?")
    return {name: a.toarray() if sparse.issparse(a) else a for name, a in data.items()}


def file_kind(path):
    """What a file is, by its first bytes: see `kind_of`."""
    with open(path, "rb") as file:
        return kind_of(file.read(4096))


def variables(path):
    """Names of the variables of a MATLAB file, a set; none where it is no such file."""
    from scipy.io import loadmat, whosmat

    try:
        try:
            return {name for name, *_ in whosmat(path)}
        except TypeError:  # it does not know MATLAB's objects
            return set(loadmat(path))
    except Exception:  # scipy raises many kinds for damaged files
        return set()


def cell_strings(cells, path, name):
    """MATLAB's cell array of strings, or its matrix of characters, as a list of strings."""
    strings = [_string(cell) for cell in np.ravel(cells)]
    if None in strings:
        raise ValueError(
            f"{path}: {name} has no text at place {strings.index(None) + 1}: save it as a cell "
            "array of names"
        )
    return strings


def _string(cell):
    """The text in a cell, without the padding of MATLAB's matrices; None where it has none."""
    cell = np.asarray(cell)
    while cell.dtype.kind == "O" and cell.size == 1 and cell.item() is not cell:
        cell = np.asarray(cell.item())
    return (cell.item().strip() or None) if cell.dtype.kind == "U" and cell.size == 1 else None


# What NumPy's kinds are in MATLAB.
_KINDS = {"O": "a cell array", "V": "a struct", "U": "text", "c": "complex", "b": "logical"}


def matrix(values, path, name):
    """Return ``values`` when it is a matrix of numbers with at least one entry."""
    kind = getattr(getattr(values, "dtype", None), "kind", "V")
    if kind not in "fiu" or values.ndim != 2 or 0 in values.shape:
        kind = _KINDS.get(kind, "shape " + "x".join(map(str, np.shape(values))))
        raise ValueError(f"{path}: {name} must be a matrix of numbers, got {kind}")
    return values


def zero_based(values, path, name, size=None):
    """MATLAB's indices from 1 as int64 indices from 0."""
    shape, values = np.shape(values), np.ravel(values)
    whole = values.dtype.kind in "fiu" and np.isfinite(values) & (values == np.floor(values))
    if not np.all(whole):
        kind = _KINDS.get(values.dtype.kind, "fractions, NaN or infinity")
        raise ValueError(f"{path}: {name} must hold whole numbers, got {kind}")
    if len(values) not in (0, max(shape)):
        raise ValueError(f"{path}: {name} must be one column, got shape {shape}")
    if values.size and (values.min() < 1 or values.max() > (size or np.inf)):
        raise ValueError(
            f"{path}: {name} has values from {values.min():g} to {values.max():g}; they count "
            f"from 1 {f'to {size}' if size else 'up'}"
        )
    return values.astype(np.int64) - 1
