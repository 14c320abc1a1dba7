"""The image sets that one table-driven loader reads: CUB, AWA1 and aPY."""

from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets import apy_attributes, awa1, cub
from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits


@pytest.fixture
def awa1_folder(tmp_path):
    """Sixteen animals of five images: twelve seen in the proposed split, the rest unseen."""
    rng = np.random.default_rng(0)
    images = np.arange(80).reshape(16, 5)
    np.savez(
        tmp_path / "awa1.npz",
        label=np.repeat(np.arange(16), 5).astype(np.int8),
        attributes_xlsa17=rng.random((16, 6), dtype=np.float32),
        attributes_binary=np.maximum(rng.integers(0, 2, (16, 6)), np.eye(16, 6)).astype(np.uint8),
        word_vectors_1000=rng.standard_normal((16, 8)).astype(np.float16),
        standard_train_classes=np.arange(2, 16),
        standard_test_classes=np.array([0, 1]),
        train_loc=images[:9].ravel(),
        val_loc=images[9:12].ravel(),
        trainval_loc=images[:12, 1:].ravel(),
        test_seen_loc=images[:12, 0],
        test_unseen_loc=images[12:].ravel(),
    )
    features = rng.standard_normal((80, 4)).astype(np.float16)
    np.save(tmp_path / "features_bow5_pca256.npy", features)
    names = ["blue+whale", *(f"animal{i}" for i in range(15))]
    (tmp_path / "classes.txt").write_text("\n".join(names) + "\n")
    return tmp_path


@pytest.fixture
def apy_folder(tmp_path):
    """Five classes of eight objects: three seen in the proposed split, two unseen."""
    rng = np.random.default_rng(0)
    images = np.arange(40).reshape(5, 8)
    label = np.repeat(np.arange(5), 8)
    attributes = rng.integers(0, 2, (40, 6)).astype(np.uint8)
    np.savez(
        tmp_path / "apy_instances.npz",
        label=label.astype(np.int8),
        attributes=attributes,
        part=np.repeat([0, 1, 0, 2], [4, 4, 16, 16]).astype(np.uint8),
        class_attributes=np.stack([attributes[label == c].mean(0) for c in range(5)]).astype("f4"),
        train_loc=images[:2, 2:].ravel(),
        val_loc=images[2, 2:],
        trainval_loc=images[:3, 2:].ravel(),
        test_seen_loc=images[:3, :2].ravel(),
        test_unseen_loc=images[3:].ravel(),
    )
    (tmp_path / "classes.txt").write_text("aeroplane\nbicycle\nbird\nboat\nbottle\n")
    return tmp_path


def test_cub_proposed_split(cub_folder):
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
    with pytest.raises(FileNotFoundError, match="is not a folder: put 'visual/cub' there"):
        cub(folder=tmp_path / "absent")
    np.save(cub_folder / "features_resnet_pca256.npy", np.ones((71, 4)))
    with pytest.raises(ValueError, match=r"has shape \(71, 4\) and there are 72 image labels"):
        cub(folder=cub_folder)


@pytest.mark.parametrize("semantics", ["attributes", "word_vectors"])
def test_awa1_proposed_split(awa1_folder, semantics):
    problem = awa1(semantics=semantics, folder=awa1_folder)
    assert problem.class_names[0] == "blue whale"
    assert len(problem.train) == 36
    assert len(problem.val) == 12
    assert problem.unseen_classes.tolist() == [12, 13, 14, 15]
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(problem.class_embeddings, axis=1), 1, rtol=1e-6)


def test_standard_split_holds_out_images(awa1_folder):
    problem = awa1(split="standard", folder=awa1_folder)
    assert problem.unseen_classes.tolist() == [0, 1]
    assert len(problem.val_classes) == 10
    assert len(problem.train_classes) == 4
    assert len(problem.test_seen) == 14
    assert len(awa1(split="standard", seen_fraction=0, folder=awa1_folder).test_seen) == 0
    drawn = {
        tuple(awa1(split="standard", folder=awa1_folder, seed=s).val_classes) for s in range(5)
    }
    assert len(drawn) == 5


def test_real_attributes_with_synthetic_features(apy_folder):
    problem = apy_attributes(n_features=7, folder=apy_folder, att="original")
    assert problem.synthetic
    assert "synthetic features" in problem.description
    assert problem.features.shape == (40, 7)
    with np.load(apy_folder / "apy_instances.npz") as data:
        assert np.array_equal(problem.image_attributes, data["attributes"])
    assert problem.class_names[problem.unseen_classes].tolist() == ["boat", "bottle"]
    other = apy_attributes(n_features=7, folder=apy_folder, att="original", seed=1)
    assert np.array_equal(other.image_attributes, problem.image_attributes)
    assert not np.array_equal(other.features, problem.features)
    capped = apy_attributes(n_features=7, folder=apy_folder, att="original", max_per_class=2)
    assert len(capped.image_attributes) == len(capped.features) == 16


def test_standard_split_is_pascal_against_yahoo(tmp_path):
    rng = np.random.default_rng(0)
    label = np.repeat(np.arange(9), 5)
    np.savez(
        tmp_path / "apy_instances.npz",
        label=label,
        attributes=rng.integers(0, 2, (45, 4)),
        part=np.where(label < 7, label % 2, 2),
        class_attributes=rng.random((9, 4)).astype("f4"),
    )
    (tmp_path / "classes.txt").write_text("\n".join("abcdefghi"))
    problem = apy_attributes(n_features=40, folder=tmp_path, split="standard")
    assert problem.unseen_classes.tolist() == [7, 8]
    assert len(problem.trainval) == 28
    assert len(problem.test_seen) == 7
    assert len(problem.train_classes) == 2
    assert len(problem.val_classes) == 5
    assert "standard split" in problem.description
    every = apy_attributes(n_features=40, folder=tmp_path, split="standard", seen_fraction=0.0)
    np.testing.assert_array_equal(every.trainval, np.arange(35))
    with pytest.raises(ValueError, match="split must be one of 'proposed', 'standard'"):
        apy_attributes(folder=tmp_path, split="official")


def test_attributes_of_classes_in_the_unit_of_the_images(apy_folder):
    problem = apy_attributes(n_features=7, folder=apy_folder, att="original")
    means = [problem.image_attributes[problem.labels == c].mean(0) for c in range(5)]
    np.testing.assert_allclose(problem.class_embeddings, means, rtol=1e-6)
    scaled = apy_attributes(n_features=7, folder=apy_folder)
    np.testing.assert_allclose(np.linalg.norm(scaled.class_embeddings, axis=1), 1, rtol=1e-6)
    assert scaled.image_attributes is None  # these have no length in common with the classes'
    with pytest.raises(ValueError, match="att must be one of"):
        apy_attributes(folder=apy_folder, att="raw")


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


def test_real_cub_options(real_data):
    real_data("visual/cub")
    problem = cub(split="standard", semantics="wikipedia", max_per_class=3, seed=1)
    assert len(problem.seen_classes) == 150
    assert len(problem.val_classes) == 50
    assert problem.class_embeddings.shape == (200, 150)
    assert problem.summary()["test_seen_samples"] == 450


def test_real_awa1_standard_split(real_data):
    real_data("visual/awa1")
    problem = awa1(split="standard", semantics="binary", max_per_class=4)
    assert problem.summary()["train_seen_samples"] == 160
    assert "hippopotamus" in problem.class_names[problem.unseen_classes]


def test_real_apy_counts_and_class_means(real_data):
    real_data("visual/apy")
    problem = apy_attributes(n_features=16)
    summary = problem.summary()
    assert summary.pop("features") == 16
    assert summary == OFFICIAL_STATISTICS["APY"]
    images = apy_attributes(n_features=16, att="original").image_attributes
    means = np.stack([images[problem.labels == c].mean(0) for c in range(32)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.class_embeddings, means, atol=1e-5)
    standard = apy_attributes(n_features=16, split="standard").summary()
    assert standard["seen_classes"] == 20
    assert standard["unseen_classes"] == 12
    assert standard["train_seen_samples"] + standard["test_seen_samples"] == 12_695
    assert standard["unseen_samples"] == 2_644
