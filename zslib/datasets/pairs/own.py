"""Your own images with texts: arrays, or one ``.npz`` file."""

import re
import warnings
from collections.abc import Mapping

import numpy as np

from zslib.datasets.attributes.features import own_parts, own_path
from zslib.datasets.attributes.own import check_arrays, is_npz, read_npz
from zslib.datasets.attributes.splits import select_images
from zslib.datasets.attributes.table import check_heads
from zslib.datasets.files import naming
from zslib.datasets.pairs.problem import ImageTextProblem
from zslib.datasets.words.tokens import check_texts
from zslib.validation import (
    as_float32,
    as_labels,
    as_vectors,
    check_paired,
    column_names,
    host_array,
    plain_name,
)

_NEEDED = ("features", "labels", "texts", "unseen_classes")
_KNOWN = (*_NEEDED, "class_names", "val_classes")
_LINE_ENDS = re.compile("\r\n|\r|\n")  # and no other that str.splitlines has
_LOST = {"nan", "None", "NaT", "<NA>"}
_LIST = re.compile(r"""\s*\[\s*(?:(['"]).*['"]\s*)?\]\s*""")  # and no "[CLS] a cat [SEP]"
_NEARLY_ALL = 0.9  # of the texts
_SHOWN = 40  # letters of a text


def from_captions(
    features,
    labels,
    texts,
    *,
    unseen_classes,
    class_names=None,
    val_classes=None,
    max_per_class=None,
    name="own",
    seed=0,
):
    """Your own images, their labels and their texts as an `ImageTextProblem`.

    All images of unseen classes test, and a fifth of each other class's, drawn by ``seed``; images
    of a class that have the same texts are held out together. Where all images of a class have the
    same, in every class, these are texts about classes (``level="class"``).

    Parameters
    ----------
    features : array or DataFrame, shape (n, p)
        One row for each image.
    labels : sequence of n int or str
        Class of each image: its row of ``class_names`` from 0, or its name.
    texts : sequence of n
        The texts of each image: a list of strings, or one string with a text on each line.
    unseen_classes, val_classes, name, seed
        As in `from_features`.
    class_names : sequence of C str, optional
        Default: the labels, sorted; whole numbers are then names.
    max_per_class : int, optional
        At most so many images of each class in each part, for a quick look.

    Returns
    -------
    ImageTextProblem
        Its features are float32.

    Examples
    --------
    >>> import numpy as np
    >>> images = np.random.default_rng(0).normal(size=(30, 8))
    >>> from_captions(
    ...     images, ["cat", "dog", "fox"] * 10, ["it purrs", "it barks", "it is red"] * 10,
    ...     unseen_classes=["fox"])
    ImageTextProblem('own': 2 seen and 1 unseen classes, 16 + 4 seen and 10 unseen images,
    3 texts of classes, 8 features)
    """
    for given, what in ((labels, "labels"), (texts, "texts")):
        check_paired(features, given, "features", what)
    heads = column_names(features)
    features = as_vectors(host_array(features, "features"), "features")
    check_heads(heads, features, "features")
    _check_ordered(texts, "texts")
    texts = [] if isinstance(texts, str | Mapping) or not np.iterable(texts) else list(texts)
    if len(texts) != len(features):
        raise ValueError(
            f"texts must be {len(features)} entries, one for each row of features: where they "
            "are of classes, pass [texts[label] for label in labels]"
        )
    labels = host_array(as_labels(labels, "labels"), "labels")
    if class_names is None:
        class_names = np.unique(labels)
        writings = {}
        for one in class_names.tolist():
            other = writings.setdefault(plain_name(one), one)
            if other != one:
                raise ValueError(
                    f"labels has {other!r} and {one!r}, which differ in case or blanks: write "
                    "them one way, or give class_names if these are two classes"
                )
        if lost := sorted(_LOST.intersection(class_names.tolist())):
            raise ValueError(
                f"labels has {lost[0]!r}, which a missing label becomes as text: leave these rows "
                "out, or give class_names if a class is called so"
            )
    names = host_array(as_labels(class_names, "class_names"), "class_names")
    texts = [_LINE_ENDS.split(text) if isinstance(text, str) else text for text in texts]
    for row, some in enumerate(texts):
        if isinstance(some, Mapping):
            raise TypeError(
                f"texts[{row}] must be a text or a list of texts, got a dict with the keys "
                f"{', '.join(map(repr, some))}: where one has the text, such as 'caption', pass "
                "[one['caption'] for one in texts]"
            )
        _check_ordered(some, f"texts[{row}]")
        if not np.iterable(some) or not all(isinstance(text, str) for text in some):
            raise TypeError(f"texts[{row}] must be a text or a list of texts, got {some!r}")
    texts = [[text for text in some if text.strip()] for some in texts]
    for row, some in enumerate(texts):
        if lost := _LOST.intersection(map(str.strip, some)):
            raise ValueError(
                f"texts[{row}] has {min(lost)!r}, which a missing text becomes: leave it out, or "
                "the row where it is the only one"
            )
    lists = [text for some in texts for text in some if _LIST.fullmatch(text)]
    if len(lists) > _NEARLY_ALL * sum(map(len, texts)):
        raise ValueError(
            f"texts holds lists that were written as text, such as {lists[0][:_SHOWN]!r}: parse "
            "them first, by json.loads or ast.literal_eval"
        )
    for row, some in enumerate(texts):
        with naming(f"texts[{row}]"):
            check_texts(some)
    alike = np.unique(["\n".join(sorted(set(some))) for some in texts], return_inverse=True)[1]
    by_label = {}
    for label, number in zip(map(str, labels), alike.tolist(), strict=False):
        by_label.setdefault(label, []).append(number)
    same = [label for label, numbers in by_label.items() if len(numbers) > 1 == len(set(numbers))]
    apart = [label for label, numbers in by_label.items() if len(set(numbers)) > 1]
    by_class = not apart
    if len(same) > len(apart) > 0:
        warnings.warn(
            f"texts are the same for all images of a class in {len(same)} classes, but not in "
            f"{len(apart)}, the first is {apart[0]!r}: all are taken for texts of images, of "
            "which those with the same texts are held out together; if they are about classes, "
            "give each image of a class the same",
            stacklevel=2,
        )
    groups = None if by_class else alike
    present, labels, parts, _ = own_parts(
        labels, names, len(features), unseen_classes, val_classes, seed=seed, groups=groups
    )
    if not len(parts["test_seen"]):
        warnings.warn(
            "no image of a seen class is held out for the test: a fifth of each is, in whole sets "
            "of images with the same texts; give more images, or more of them texts of their own",
            stacklevel=2,
        )
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    numbers, index = {}, []
    for row in rows:
        owner = labels[row] if by_class else row
        texts[row] = dict.fromkeys(texts[row])
        index += [numbers.setdefault((owner, text), len(numbers)) for text in texts[row]]
    return ImageTextProblem(
        name=name,
        description="own images with texts",
        features=as_float32(features[rows], "features"),
        labels=labels[rows],
        class_names=names[present].astype(str),
        texts=[text for _, text in numbers],
        text_offsets=np.cumsum([0, *(len(texts[row]) for row in rows)]),
        text_index=np.array(index, dtype=np.int64),
        level="class" if by_class else "image",
        columns={"features": heads} if heads else {},
        **parts,
    )


def _check_ordered(texts, what):
    if isinstance(texts, set | frozenset):
        raise TypeError(
            f"{what} is a {type(texts).__name__}, whose order changes from run to run: pass a list"
        )


def read_captions(path, *, max_per_class=None, seed=0):
    """Your own images with texts, from an ``.npz`` file with the arrays of `from_captions`.

    ``texts`` has one string for each image, with a text on each line; text is stored as
    fixed-width strings (``np.array([...], dtype=str)``).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> pets = {"features": np.eye(30, 4), "labels": ["cat", "dog", "fox"] * 10}
    >>> pets["texts"] = ["it purrs", "it barks\\nit wags", "it is red"] * 10
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "pets.npz"), **pets, unseen_classes=["fox"])
    ...     read_captions(Path(folder, "pets.npz"))
    ImageTextProblem('pets': 2 seen and 1 unseen classes, 16 + 4 seen and 10 unseen images,
    4 texts of classes, 4 features)
    """
    path = own_path(path, "path")
    if not is_npz(path):
        raise ValueError(f"{path} is no .npz file: save the arrays of from_captions by np.savez")
    arrays = read_npz(path)
    check_arrays(arrays, _NEEDED, _KNOWN, path)
    with naming(path):
        return from_captions(**arrays, max_per_class=max_per_class, name=path.stem, seed=seed)
