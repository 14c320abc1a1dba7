"""The image sets that one loader reads as a table describes them: CUB, AWA1 and aPY."""

from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets import apy_attributes, awa1, cub
from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits


def test_proposed_split(cub_folder):
    problem = cub(folder=cub_folder)
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    for vectors in (problem.features, problem.class_embeddings):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert problem.class_names[2] == "Red winged Bird2"
    assert len(problem.train) == 30  # without the six images that test seen classes
    assert len(problem.val) == 10
    assert problem.unseen_classes.tolist() == [8, 9, 10, 11]
    assert cub(folder=cub_folder, features="vgg", feature_scaling="none").features.shape == (72, 7)
    assert len(cub(folder=cub_folder, max_per_class=2).trainval) == 16


def test_files_that_are_refused(cub_folder):
    with pytest.raises(FileNotFoundError, match="is not a folder: put 'visual/cub' there"):
        cub(folder=cub_folder / "absent")
    np.save(cub_folder / "features_resnet_pca256.npy", np.ones((71, 4)))
    with pytest.raises(ValueError, match=r"has shape \(71, 4\) and there are 72 image labels"):
        cub(folder=cub_folder)


def eszsl_accuracy(problem):
    """Per-class top-1 accuracy on unseen classes of ESZSL, tuned on the validation classes."""
    X, S = problem.features.astype(float), problem.class_embeddings.astype(float)

    def fit(rows):
        classes = np.unique(problem.labels[rows])
        Y = np.where(problem.labels[rows][:, None] == classes, 1.0, -1.0)
        a, U = np.linalg.eigh(X[rows].T @ X[rows])
        b, V = np.linalg.eigh(S[classes].T @ S[classes])
        middle = U.T @ (X[rows].T @ Y @ S[classes]) @ V
        return lambda g, h: U @ (middle / ((a + g)[:, None] * (b + h))) @ V.T

    def accuracy(W, rows):
        classes, y = np.unique(problem.labels[rows], return_inverse=True)
        hit = np.argmax(X[rows] @ (W @ S[classes].T), axis=1) == y
        return np.mean([hit[y == c].mean() for c in range(len(classes))])

    grid = [(10.0**g, 10.0**h) for g in range(-1, 3) for h in range(-2, 2)]
    trial = fit(problem.train)
    best = max(grid, key=lambda pair: accuracy(trial(*pair), problem.val))
    return 100 * accuracy(fit(problem.trainval)(*best), problem.test_unseen)


@pytest.mark.parametrize(("features", "printed"), [("resnet", 54.8), ("vgg", 49.4)])
def test_eszsl_gives_the_known_accuracy(real_data, features, printed):
    # The figures come with the data, measured independently: one wrong index would show.
    real_data("visual/cub")
    assert eszsl_accuracy(cub(features=features)) == pytest.approx(printed, abs=1)


@pytest.mark.parametrize(
    ("load", "name", "file", "counts"),
    [
        (cub, "CUB", "CUB_att_splits_2020.mat", (100, 50)),
        (awa1, "AWA1", "AWA1_att_splits.mat", (27, 13)),
    ],
)
def test_real_split_and_attributes_are_the_official_ones(real_data, load, name, file, counts):
    folder = real_data("visual/xlsa17_splits", f"visual/{name.lower()}")
    problem = load()
    summary = problem.summary()
    assert summary.pop("features") == 256
    assert summary == OFFICIAL_STATISTICS[name]
    assert (len(problem.train_classes), len(problem.val_classes)) == counts
    splits = read_att_splits(folder / file)
    for part, rows in splits.parts.items():
        assert np.array_equal(np.sort(rows), getattr(problem, part)), part
    names = [
        listed.split(".")[-1].replace("_", " ").replace("+", " ") for listed in splits.class_names
    ]
    order = [names.index(listed) for listed in problem.class_names]
    np.testing.assert_allclose(splits.att[order], problem.class_embeddings, atol=1e-6)


def test_real_cub_in_the_standard_split(real_data):
    real_data("visual/cub")
    options = {"split": "standard", "semantics": "wikipedia", "max_per_class": 3}
    problems = [cub(**options, seed=seed) for seed in range(3)]
    for problem in problems:
        assert (len(problem.seen_classes), len(problem.val_classes)) == (150, 50)
        assert problem.class_embeddings.shape == (200, 150)
        assert len(problem.test_seen) == 450
    assert len({tuple(problem.val_classes) for problem in problems}) == 3


def test_real_awa1_in_the_standard_split(real_data):
    real_data("visual/awa1")
    problem = awa1(split="standard", semantics="binary")
    assert "blue whale" in problem.class_names
    assert "hippopotamus" in problem.class_names[problem.unseen_classes]
    assert (len(problem.train_classes), len(problem.val_classes)) == (30, 10)
    share = len(problem.test_seen) / (len(problem.test_seen) + len(problem.trainval))
    assert share == pytest.approx(0.2, abs=0.001)
    every = awa1(split="standard", semantics="word_vectors", seen_fraction=0, max_per_class=4)
    assert (len(every.trainval), len(every.test_seen)) == (160, 0)


def test_real_apy_has_the_published_counts_and_the_means_of_its_images(real_data):
    folder = real_data("visual/apy")
    problem, original = apy_attributes(), apy_attributes(att="original", max_per_class=50, seed=1)
    assert problem.synthetic
    assert problem.summary() == OFFICIAL_STATISTICS["APY"] | {"features": 256}
    assert problem.image_attributes is None  # these have no length in common with the classes'
    assert len(original.image_attributes) == len(original.features) < len(problem.features)
    with np.load(folder / "apy_instances.npz") as data:
        images, labels, part = data["attributes"], data["label"], data["part"]
    means = np.stack([images[labels == c].mean(0) for c in range(32)])
    np.testing.assert_allclose(original.class_embeddings, means, atol=1e-5)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.class_embeddings, means, atol=1e-5)
    # aPascal's classes are seen, aYahoo's unseen.
    standard = apy_attributes(split="standard", seen_fraction=0.0)
    np.testing.assert_array_equal(standard.trainval, np.flatnonzero(part < 2))
    np.testing.assert_array_equal(standard.test_unseen, np.flatnonzero(part == 2))
    assert (len(standard.train_classes), len(standard.val_classes)) == (15, 5)
