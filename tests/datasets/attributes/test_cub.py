from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits
from zslib.datasets.attributes.cub import cub


def test_proposed_split(cub_folder):
    problem = cub(folder=cub_folder)
    assert problem.features.shape == (72, 4)
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    assert problem.feature_scaling == "unit length"
    np.testing.assert_allclose(np.linalg.norm(problem.features, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(problem.class_embeddings, axis=1), 1, rtol=1e-6)
    assert problem.class_names[2] == "Red winged Bird2"
    assert len(problem.train) == 30  # without the six images that test seen classes
    assert len(problem.val) == 10
    assert problem.unseen_classes.tolist() == [8, 9, 10, 11]
    assert cub(folder=cub_folder, features="vgg", feature_scaling="none").features.shape == (72, 7)
    assert len(cub(folder=cub_folder, max_per_class=2).trainval) == 16


def test_bad_options(cub_folder, tmp_path):
    with pytest.raises(ValueError, match="features must be one of 'resnet', 'vgg'"):
        cub(features="clip", folder=cub_folder)
    with pytest.raises(ValueError, match="semantics must be one of"):
        cub(semantics="words", folder=cub_folder)
    with pytest.raises(FileNotFoundError, match="is not a folder: put the data there"):
        cub(folder=tmp_path / "absent")
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


def test_real_split_and_attributes_are_the_official_ones(real_data):
    root = real_data("visual/cub", "visual/xlsa17_splits") / "visual" / "xlsa17_splits"
    problem = cub()
    summary = problem.summary()
    assert summary.pop("features") == 256
    assert summary == OFFICIAL_STATISTICS["CUB"]
    assert len(problem.train_classes) == 100
    assert len(problem.val_classes) == 50
    splits = read_att_splits(root / "CUB_att_splits_2020.mat")
    for part, rows in splits.parts.items():
        assert np.array_equal(np.sort(rows), getattr(problem, part)), part
    names = [name.split(".")[1].replace("_", " ") for name in splits.class_names]
    order = [names.index(name) for name in problem.class_names]
    np.testing.assert_allclose(splits.att[order], problem.class_embeddings, atol=1e-6)


def test_real_other_options(real_data):
    real_data("visual/cub")
    problem = cub(split="standard", semantics="wikipedia", max_per_class=3, seed=1)
    assert len(problem.seen_classes) == 150
    assert len(problem.val_classes) == 50
    assert problem.class_embeddings.shape == (200, 150)
    assert problem.summary()["test_seen_samples"] == 450
