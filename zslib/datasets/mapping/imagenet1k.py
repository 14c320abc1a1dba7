"""One photograph for each ILSVRC label, searched among text vectors of all ImageNet synsets."""

import numpy as np
from threadpoolctl import threadpool_limits

from zslib.arrays import unit_rows
from zslib.datasets.entry import MODAL, Dataset
from zslib.datasets.files import read_arrays
from zslib.datasets.locate import require_folder
from zslib.datasets.mapping.labels import split_labels
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.words.glosses import GLOSSES, gloss_vectors


def imagenet1k(*, seed=0, fold=0, dimension=300, folder=None):
    """Map photographs of the 1,000 ILSVRC labels to gloss vectors of all 21,844 synsets.

    The cross-modal setting of the paper's section 2 with many labels and one image each: so a
    training "average" is that image, and there is one query a test label. Of the 1,280
    MobileNetV2 features 256 principal components are kept, fitted on the training images; rows
    are then divided by their length. Limit of the data: the feature network was trained on these
    labels.

    Parameters
    ----------
    seed : int
        Of the split of labels, 75% for training and 25% for test.
    fold : int
        Which quarter of the labels is for test: 0 to 3.
    dimension : int
        Of the gloss vectors.

    Returns
    -------
    MappingProblem
        ``labels`` are the 1,000, ``targets`` all synsets.
    """
    from sklearn.decomposition import PCA

    folder = require_folder("visual/imagenet1k_sample", folder)
    data = read_arrays(folder / "imagenet1k_sample.npz")
    features, wnid = data["features"].astype(np.float32), data["wnid"]
    wnids, vectors = gloss_vectors(dimension=dimension)
    row_of = {name: row for row, name in enumerate(wnids.tolist())}
    covered = np.array([i for i, name in enumerate(wnid.tolist()) if name in row_of])
    rows = np.array([row_of[str(wnid[i])] for i in covered])
    features = features[covered]

    train, test = split_labels(len(covered), seed=seed, fold=fold)
    kept = min(256, *features[train].shape)
    # The last bits of a product depend on how many threads share it.
    with threadpool_limits(1):
        features = PCA(kept, random_state=0).fit(features[train]).transform(features)
    features = unit_rows(features.astype(np.float32), name="features")
    return MappingProblem(
        name="imagenet1k",
        setting="cross-modal",
        synthetic=False,
        description="one photograph per ImageNet label and gloss vectors",
        X_train=features[train],
        train_gold=rows[train],
        X_test=features[test],
        test_gold=tuple(rows[test, None]),
        targets=np.ascontiguousarray(vectors.vectors),
        target_words=vectors.words,
        train_words=vectors.words[rows[train]],
        test_words=vectors.words[rows[test]],
        labels=rows,
        coverage={
            "labels listed": len(wnid),
            "labels without a target vector": len(wnid) - len(covered),
            **vectors.report,
            "training labels": len(train),
            "test labels": len(test),
            "test images used": len(test),
        },
    )


ENTRY = Dataset(
    name="imagenet1k",
    loaders={MODAL: imagenet1k},
    summary="one photograph of each of 1,000 labels, glosses of 21,844 synsets",
    licence="images: non-commercial research; WordNet licence",
    quick={MODAL: {"dimension": 100}},
    auto={MODAL: 0},
    files=("visual/imagenet1k_sample/imagenet1k_sample.npz", GLOSSES),
)
