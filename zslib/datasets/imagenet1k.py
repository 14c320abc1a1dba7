"""One photograph for each ILSVRC label, searched among text vectors of all ImageNet synsets."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.crossmodal import sample_rows, split_labels
from zslib.datasets.locate import cache_dir, require_folder
from zslib.datasets.problem import MappingProblem
from zslib.datasets.vectors import WordVectors
from zslib.validation import check_integer

__all__ = ["gloss_vectors", "imagenet1k"]


def gloss_vectors(*, dimension=300, folder=None):
    """Vectors of 21,844 ImageNet synsets from the words of their lemmas and definitions.

    TF-IDF (English stop words out, words in at least two synsets, sublinear counts) reduced by
    a truncated singular value decomposition, rows of unit length, as in the data set's
    baseline. Computed in seconds and cached.

    Parameters
    ----------
    dimension : int
    folder : path, optional
        By default ``visual/imagenet_synsets`` in the data folder.

    Returns
    -------
    (wnids, WordVectors)
        The name of a synset is its first lemma, with the wnid where several share that lemma:
        "crane (n02012849)". A synset without any usable word is left out and counted in
        ``report``.
    """
    import sklearn

    check_integer(dimension, "dimension", low=1)
    path = require_folder("visual/imagenet_synsets", folder) / "synsets.tsv.gz"
    content = path.read_bytes()
    lines = gzip.decompress(content).decode("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    bad = [number for number, row in enumerate(rows, start=1) if len(row) != 3]
    if bad:
        raise ValueError(f"{path}, line {bad[0]}: expected wnid, lemmas and definition")
    wnids, lemmas, definitions = map(np.array, zip(*rows, strict=True))

    key = f"{dimension} {sklearn.__version__} {hashlib.sha256(content).hexdigest()}"
    cached = cache_dir() / "gloss" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.npy"
    if cached.is_file():
        vectors = np.load(cached, mmap_mode="r", allow_pickle=False)
    else:
        vectors = _embed([f"{a} {b}" for a, b in zip(lemmas, definitions, strict=True)], dimension)
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cached.parent, suffix=".part", delete=False) as file:
            np.save(file, vectors, allow_pickle=False)
        os.replace(file.name, cached)

    first = np.array([names.split(",")[0].strip() for names in lemmas])
    _, inverse, counts = np.unique(first, return_inverse=True, return_counts=True)
    shared = counts[inverse] > 1
    words = np.array(
        [f"{w} ({n})" if s else w for w, n, s in zip(first, wnids, shared, strict=True)]
    )
    usable = np.abs(vectors).max(axis=1) > 0
    report = {"synsets": len(words), "synsets without a usable word": int((~usable).sum())}
    return wnids[usable], WordVectors(words[usable], vectors[usable], report)


def _embed(texts, dimension):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts = TfidfVectorizer(stop_words="english", min_df=2, sublinear_tf=True)
    weights = counts.fit_transform(texts)
    vectors = TruncatedSVD(dimension, random_state=0).fit_transform(weights).astype(np.float32)
    usable = np.diff(weights.indptr) > 0
    vectors[~usable] = 0
    vectors[usable] = unit_rows(vectors[usable], name="gloss vectors")
    return vectors


def imagenet1k(*, seed=0, pca=256, test_images=None, dimension=300, folder=None):
    """Map photographs of the 1,000 ILSVRC labels to gloss vectors of all 21,844 synsets.

    The cross-modal setting of the paper's section 2 with many labels and one image each: so a
    training "average" is that image, and there is one query a test label. Limit of the data:
    the feature network was trained on these labels.

    Parameters
    ----------
    seed : int
        Of the split of labels, 75% for training and 25% for test.
    pca : int or None
        Principal components kept of the 1,280 MobileNetV2 features, fitted on the training
        images. Rows are then divided by their length.
    test_images : int, optional
        Sample of the 250 queries; by default all.
    dimension : int
        Of the gloss vectors.
    folder : path, optional
        By default ``visual/imagenet1k_sample`` in the data folder.

    Returns
    -------
    MappingProblem
        ``labels`` are the 1,000, ``targets`` all synsets.
    """
    check_integer(seed, "seed", low=0)
    folder = require_folder("visual/imagenet1k_sample", folder)
    with np.load(folder / "imagenet1k_sample.npz", allow_pickle=False) as data:
        features, wnid = data["features"].astype(np.float32), data["wnid"]
    wnids, vectors = gloss_vectors(dimension=dimension)
    row_of = {name: row for row, name in enumerate(wnids.tolist())}
    covered = np.array([i for i, name in enumerate(wnid.tolist()) if name in row_of])
    rows = np.array([row_of[str(wnid[i])] for i in covered])
    features = features[covered]

    train, test = split_labels(len(covered), seed=seed)
    queries = sample_rows(test, test_images, seed=seed)
    if pca is not None:
        from sklearn.decomposition import PCA

        check_integer(pca, "pca", low=1, high=len(train), high_means=" (training labels)")
        features = PCA(pca, random_state=0).fit(features[train]).transform(features)
    features = unit_rows(features.astype(np.float32), name="features")
    return MappingProblem(
        name="imagenet1k",
        setting="cross-modal",
        synthetic=False,
        description="one photograph per ImageNet label and gloss vectors",
        X_train=features[train],
        train_gold=rows[train],
        X_test=features[queries],
        test_gold=tuple(rows[queries, None]),
        targets=np.ascontiguousarray(vectors.vectors),
        target_words=vectors.words,
        train_words=vectors.words[rows[train]],
        test_words=vectors.words[rows[queries]],
        labels=rows,
        coverage={
            "labels listed": len(wnid),
            "labels without a target vector": len(wnid) - len(covered),
            **vectors.report,
            "training labels": len(train),
            "test labels": len(test),
            "test images used": len(queries),
        },
    )
