"""The image sets that one loader reads as a table describes them: CUB, AWA1 and aPY."""

import re

import numpy as np
import pytest

from zslib.datasets import apy_attributes, awa1, cub
from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits


def test_files_that_are_refused(real_data, tmp_path, refused):
    for path in real_data("visual/cub").iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "features_resnet_pca256.npy").unlink()
    np.save(tmp_path / "features_resnet_pca256.npy", np.ones((71, 4)))
    refused(r"has shape \(71, 4\) and there are 11788 image labels", cub, folder=tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder: put 'visual/cub' there"):
        cub(folder=tmp_path / "absent")


OFFICIAL = [
    (cub, "CUB", "CUB_att_splits_2020.mat", (100, 50)),
    (awa1, "AWA1", "AWA1_att_splits.mat", (27, 13)),
]


@pytest.mark.parametrize("load, name, file, counts", OFFICIAL)
def test_real_split_and_attributes_are_the_official_ones(real_data, load, name, file, counts):
    folder = real_data("visual/xlsa17_splits", f"visual/{name.lower()}")
    problem = load()
    assert problem.summary() == OFFICIAL_STATISTICS[name] | {"features": 256}
    assert (len(problem.train_classes), len(problem.val_classes)) == counts
    splits = read_att_splits(folder / file)
    for part, rows in splits.parts.items():
        assert np.array_equal(np.sort(rows), getattr(problem, part)), part
    names = [re.sub(r".*\.|[_+]", " ", name).strip() for name in splits.class_names]
    order = [names.index(name) for name in problem.class_names]
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
