"""Tiny-ImageNet images labelled with words: the paper's cross-modal setting at small scale."""

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.entry import MODAL, Dataset, below
from zslib.datasets.files import read_arrays, read_rows
from zslib.datasets.locate import require_folder
from zslib.datasets.mapping.labels import label_means, sample_rows, split_labels
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.words.vectors import ENGLISH, WordVectors, europarl_vectors
from zslib.validation import check_choice, check_integer


def glove_vectors():
    """GloVe vectors of 1,326 class and tag names, 300-d of unit length, as `WordVectors`.

    Examples
    --------
    >>> glove_vectors()
    WordVectors(1326 words, 300 dimensions)
    """
    data = read_arrays(require_folder("visual/word_vectors") / "glove6B_300_union.npz")
    return WordVectors(data["words"], data["vectors"])


def tiny_imagenet(
    *,
    seed=0,
    fold=0,
    split="random",
    semantics="glove",
    test_images=None,
    normalise=True,
    folder=None,
):
    """Map images of 190 Tiny-ImageNet classes to word vectors (the paper's section 2).

    MobileNetV2 features (PCA to 256 dimensions) are divided by their length, as in the data
    set's baseline. Training images (100 a training label) are averaged, one row a label; the
    queries are single images of the test labels. Two limits of the data: the network was itself
    trained on images of these classes, and the PCA on the training images of the fixed split's
    training labels, some of which a random split uses as test labels.

    Parameters
    ----------
    seed : int
        Of the label split and of the sampled queries.
    fold : int
        Of a random split: which quarter of the labels is for test, 0 to 3.
    split : {"random", "fixed"}
        75% of the labels for training and 25% for test, drawn by ``seed``; or the split that
        comes with the data (142 and 48 labels).
    semantics : {"glove", "europarl"}
        Target space: 1,326 GloVe vectors of class and tag names, which have all 190 labels; or
        the English vectors of `europarl`, which have 124 of them. ``coverage`` counts the labels
        left out.
    normalise : bool
        Averages of unit length too (the default); single images always are.
    test_images : int or None
        How many queries to sample; None uses all 150 images of each test label.

    Examples
    --------
    >>> tiny_imagenet(test_images=2)
    MappingProblem('tiny_imagenet', cross-modal: 142 training pairs, 2 queries, 1326 targets)
    """
    check_choice(split, "split", ("random", "fixed"))
    check_choice(semantics, "semantics", ("glove", "europarl"))
    check_integer(seed, "seed", low=0)
    folder = require_folder("visual/tiny_imagenet", folder)
    data = read_arrays(folder / "tiny_imagenet.npz")
    label, part, names = data["label"], data["part"], data["zjl_name"]
    path = folder / "features_mobilenetv2_pca256.npy"
    if semantics == "glove":
        space, vectors = "GloVe", glove_vectors()
    else:
        space, vectors = "Europarl English", europarl_vectors("en")

    named = np.flatnonzero(names != "")
    row = np.array([vectors.index.get(name, -1) for name in names.tolist()])
    classes = named[row[named] >= 0]
    if split == "fixed":
        is_test = np.isin(classes, data["test_classes"])
        train, test = classes[~is_test], classes[is_test]
    else:
        train, test = (classes[part] for part in split_labels(len(classes), seed=seed, fold=fold))

    all_queries = np.flatnonzero(np.isin(label, test))
    queries = sample_rows(all_queries, test_images, seed=seed)
    train_images = np.flatnonzero((part == 0) & np.isin(label, train))

    def images(rows):
        return unit_rows(read_rows(path, rows, of=(len(label), "image labels")), name="features")

    averages = label_means(images(train_images), label[train_images], train)
    if normalise:
        averages = unit_rows(averages, name="averaged features")

    return MappingProblem(
        name="tiny_imagenet",
        setting="cross-modal",
        synthetic=False,
        description=f"Tiny-ImageNet images and {space} vectors",
        X_train=averages,
        train_gold=row[train],
        X_test=images(queries),
        test_gold=tuple(row[label[queries], None]),
        targets=unit_rows(np.asarray(vectors.vectors, dtype=np.float32), name="target vectors"),
        target_words=vectors.words,
        train_words=names[train],
        test_words=names[label[queries]],
        labels=row[classes],
        coverage={
            "classes": len(names),
            "classes without a name": len(names) - len(named),
            "labels without a target vector": len(named) - len(classes),
            "training labels": len(train),
            "test labels": len(test),
            "training images averaged": len(train_images),
            "test images": len(all_queries),
            "test images used": len(queries),
        },
    )


ENTRY = Dataset(
    name="tiny_imagenet",
    loaders={MODAL: tiny_imagenet},
    summary="images of 190 labels, GloVe vectors of 1,326 words",
    licence="images: non-commercial research; GloVe: PDDL",
    quick={MODAL: {"test_images": 300}},
    auto={MODAL: 1},
    files=(
        *below("visual/tiny_imagenet", "features_mobilenetv2_pca256.npy", "tiny_imagenet.npz"),
        "visual/word_vectors/glove6B_300_union.npz",
    ),
    optional_files=ENGLISH,
)
