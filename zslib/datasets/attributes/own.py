"""Your own zero-shot data: one ``.npz`` file, or a folder with one ``.npy`` file an array."""

import json
import os
import tempfile
import zipfile
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from zslib.arrays import to_host
from zslib.datasets.attributes.att_splits import file_kind
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import PARTS, select_images
from zslib.datasets.content import refuse_kind
from zslib.datasets.entry import METRIC, Dataset
from zslib.datasets.files import naming
from zslib.datasets.locate import require_folder
from zslib.datasets.problem import check_problem
from zslib.validation import as_float32, as_vectors, check_choice

_VGG19 = ("APY", "AWA", "CUB", "SUN")
_VECTORS = ("features", "class_embeddings", "image_attributes")
_ABOUT = ("name", "description", "synthetic", "feature_scaling", "coverage")
_NEEDED = ("features", "labels", "class_embeddings", "class_names", "trainval", "test_unseen")
_KNOWN = (*_VECTORS, "class_names", "class_ids", "labels", *PARTS, "candidates", *_ABOUT)


def load_zero_shot(path):
    """Read a `ZeroShotProblem` from an ``.npz`` file or a folder of ``.npy`` files.

    Arrays, by their name in the file (or ``<name>.npy`` in the folder). Needed: ``features``
    (n, p), ``labels`` (n,) counting classes from 0, ``class_embeddings`` (C, q),
    ``class_names`` (C,) of text, and the image numbers from 0 of ``trainval`` and
    ``test_unseen``. Optional: ``test_seen``, ``train`` and ``val`` (a split of trainval by
    class, for tuning), ``candidates`` (rows of classes without images), ``class_ids``,
    ``image_attributes`` (n, q'); and, each one value, ``name``, ``description`` (by default the
    file's name), ``synthetic``, ``feature_scaling`` and ``coverage`` (text of a JSON object).

    Text must be stored as fixed-width strings (``np.array([...], dtype=str)``). Pickled
    (object) arrays are refused: unpickling runs code from the file.
    Vectors become float32.
    """
    path = Path(path)
    if not path.is_dir():
        return split_problem(read_npz(path), path)
    files = sorted(path.glob("*.npy"))
    arrays = {file.stem: _readable(path, file.stem, partial(np.load, file)) for file in files}
    return split_problem(arrays, Path(os.path.abspath(path)))  # whose name "." lacks


def split_problem(arrays, path):
    """The problem of arrays that say for each image which part it is in."""
    check_arrays(arrays, _NEEDED, _KNOWN, path)
    fields = {"name": path.stem, "description": f"data of {path.name}", "synthetic": False}
    with naming(path):
        for name, array in arrays.items():
            if name in _VECTORS:
                array = as_float32(as_vectors(array, name), name)
            fields[name] = _single(array, name) if name in _ABOUT else array
        return ZeroShotProblem(**fields)


def save_zero_shot(problem, path):
    """Write a `ZeroShotProblem` in the form that `load_zero_shot` reads.

    With the suffix ``.npz`` one file, else a folder with one ``.npy`` file an array; nothing is
    overwritten. It is written under a temporary name, then renamed, so that a reader never meets
    half of it. Names of columns and the ``scaler`` are not written, so save a problem before it is
    scaled if a model is to take raw images. Returns the path; FileExistsError where it is there.

    Examples
    --------
    >>> import tempfile
    >>> from zslib.datasets.attributes.digits import digits_segments
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_zero_shot(digits_segments(), Path(folder, "digits.npz"))
    ...     load_zero_shot(path).unseen_classes
    array([1, 3, 6])
    """
    check_problem(problem, "class_embeddings", "trainval", kind="ZeroShotProblem")
    path = Path(path)
    if path.exists():
        raise FileExistsError(f"{path} is there already: delete it or choose another name")
    arrays = {}
    for name in _KNOWN:
        value = getattr(problem, name)
        if name == "coverage":
            value = json.dumps(value, default=lambda number: number.item())
        if value is not None:
            arrays[name] = to_host(value) if name in _VECTORS else np.asarray(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".saving-") as folder:
        # A folder of its own inside: the temporary one is for its owner's eyes only.
        made = Path(folder) / path.name
        if path.suffix == ".npz":
            np.savez(made, **arrays)
        else:
            made.mkdir()
            for name, array in arrays.items():
                np.save(made / f"{name}.npy", array, allow_pickle=False)
        os.rename(made, path)
    return path


def read_npz(path):
    """The arrays of an ``.npz`` file, none of which may be pickled."""
    kind = file_kind(path)
    if kind != "zip" or (zipfile.is_zipfile(path) and not is_npz(path)):
        raise refuse_kind(path, kind, "an .npz file of numpy.savez")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {n: _readable(path, n, partial(stored.__getitem__, n)) for n in stored}
    except (zipfile.BadZipFile, EOFError, zlib.error, OSError) as error:
        raise ValueError(f"{path} is damaged or truncated, write it anew: {error}") from error


def is_npz(path):
    """Whether a file is a zip of arrays, whatever it is called."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith(".npy") for name in archive.namelist())


def check_arrays(arrays, needed, known, path, elsewhere=""):
    """Refuse arrays that the format of a file does not have, and a file that lacks one."""
    if unknown := [name for name in arrays if name not in known]:
        raise ValueError(
            f"{path} has {', '.join(map(repr, unknown))}, which is not of the format: known are "
            f"{', '.join(known)}"
        )
    if lacks := [name for name in needed if name not in arrays]:
        wanted = ", ".join(needed)
        raise ValueError(f"{path} lacks {' and '.join(lacks)}: needed are {wanted}{elsewhere}")


def _readable(path, name, read):
    try:
        return read()
    except (ValueError, EOFError) as error:
        if "allow_pickle" in str(error) or "pickled" in str(error):
            raise ValueError(
                f"{path}: {name} is a pickled array, which could run code and is not read: save "
                "text as np.array([...], dtype=str) and numbers as a numeric array"
            ) from error
        raise ValueError(f"{path}: {name} is damaged: {error}") from error


def _single(array, name):
    value = array.item() if array.size == 1 else None
    if name == "synthetic" and value is not None:
        return bool(value)
    if not isinstance(value, str):
        raise ValueError(f"{name} must be one text, got {array.dtype} of shape {array.shape}")
    if name != "coverage":
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"coverage is not a JSON object: {error}") from error


def fewer_images(problem, max_per_class, seed):
    """The problem with at most so many images of each class in each part; None: all."""
    if max_per_class is None:
        return problem
    options = {"max_per_class": max_per_class, "seed": seed}
    rows, parts = select_images(problem.labels, problem.parts, **options)
    images = problem.image_attributes
    return replace(
        problem,
        features=problem.features[rows],
        labels=problem.labels[rows],
        image_attributes=None if images is None else images[rows],
        **parts,
    )


def vgg19(name, *, seed=0, max_per_class=None, feature_scaling="unit length", folder=None):
    """One of the paper's four data sets, from features that you extracted.

    The features were never published as files. Whoever has the images can extract layer fc7 (4,096
    dimensions) of VGG-verydeep-19 and save them, with labels, attributes and the split, as
    ``vgg19/<NAME>.npz`` in the data folder, in the form of `load_zero_shot`; any other feature
    matrix does as well. Attributes of single images go into ``image_attributes``, in the unit of
    ``class_embeddings``. Then the chapters on metric learning take it by name ("vgg19-CUB").

    Parameters
    ----------
    name : {"APY", "AWA", "CUB", "SUN"}
    """
    check_choice(name, "name", _VGG19)
    problem = load_zero_shot(require_folder("vgg19", folder) / f"{name}.npz")
    problem = fewer_images(problem, max_per_class, seed)
    return replace(problem, name=f"vgg19-{name.lower()}").scaled(feature_scaling)


ENTRIES = tuple(
    Dataset(
        name=f"vgg19-{name}",
        kind="official",
        loaders={METRIC: partial(vgg19, name)},
        summary=f"{name} with VGG-19 features that you extracted, as load_zero_shot reads",
        licence="yours",
        quick={METRIC: {"max_per_class": 10}},
        auto={METRIC: 2},
        files=(f"vgg19/{name}.npz",),
    )
    for name in _VGG19
)
