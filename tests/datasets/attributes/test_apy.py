from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.attributes.apy import apy_attributes
from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS


@pytest.fixture
def folder(tmp_path):
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


def test_real_attributes_with_synthetic_features(folder):
    problem = apy_attributes(n_features=7, folder=folder, att="original")
    assert problem.synthetic
    assert "synthetic features" in problem.description
    assert problem.features.shape == (40, 7)
    with np.load(folder / "apy_instances.npz") as data:
        assert np.array_equal(problem.image_attributes, data["attributes"])
    assert problem.class_names[problem.unseen_classes].tolist() == ["boat", "bottle"]
    other = apy_attributes(n_features=7, folder=folder, att="original", seed=1)
    assert np.array_equal(other.image_attributes, problem.image_attributes)
    assert not np.array_equal(other.features, problem.features)
    capped = apy_attributes(n_features=7, folder=folder, att="original", max_per_class=2)
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


def test_attributes_of_classes_in_the_unit_of_the_images(folder):
    problem = apy_attributes(n_features=7, folder=folder, att="original")
    means = [problem.image_attributes[problem.labels == c].mean(0) for c in range(5)]
    np.testing.assert_allclose(problem.class_embeddings, means, rtol=1e-6)
    scaled = apy_attributes(n_features=7, folder=folder)
    np.testing.assert_allclose(np.linalg.norm(scaled.class_embeddings, axis=1), 1, rtol=1e-6)
    assert scaled.image_attributes is None  # these have no length in common with the classes'
    with pytest.raises(ValueError, match="att must be one of"):
        apy_attributes(folder=folder, att="raw")


def test_real_counts_and_class_means(real_data):
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
