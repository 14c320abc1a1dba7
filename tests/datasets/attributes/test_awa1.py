from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits
from zslib.datasets.attributes.awa1 import awa1


@pytest.fixture
def folder(tmp_path):
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


@pytest.mark.parametrize("semantics", ["attributes", "word_vectors"])
def test_proposed_split(folder, semantics):
    problem = awa1(semantics=semantics, folder=folder)
    assert problem.class_names[0] == "blue whale"
    assert len(problem.train) == 36
    assert len(problem.val) == 12
    assert problem.unseen_classes.tolist() == [12, 13, 14, 15]
    assert problem.features.dtype == problem.class_embeddings.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(problem.class_embeddings, axis=1), 1, rtol=1e-6)


def test_standard_split_holds_out_images(folder):
    problem = awa1(split="standard", folder=folder)
    assert problem.unseen_classes.tolist() == [0, 1]
    assert len(problem.val_classes) == 10
    assert len(problem.train_classes) == 4
    assert len(problem.test_seen) == 14
    assert len(awa1(split="standard", seen_fraction=0, folder=folder).test_seen) == 0
    drawn = {tuple(awa1(split="standard", folder=folder, seed=s).val_classes) for s in range(5)}
    assert len(drawn) == 5


def test_real_split_and_attributes_are_the_official_ones(real_data):
    root = real_data("visual/awa1", "visual/xlsa17_splits") / "visual" / "xlsa17_splits"
    problem = awa1()
    summary = problem.summary()
    assert summary.pop("features") == 256
    assert summary == OFFICIAL_STATISTICS["AWA1"]
    assert len(problem.train_classes) == 27
    assert len(problem.val_classes) == 13
    splits = read_att_splits(root / "AWA1_att_splits.mat")
    for part, rows in splits.parts.items():
        assert np.array_equal(np.sort(rows), getattr(problem, part)), part
    names = [name.replace("+", " ") for name in splits.class_names]
    order = [names.index(name) for name in problem.class_names]
    np.testing.assert_allclose(splits.att[order], problem.class_embeddings, atol=1e-6)


def test_real_standard_split(real_data):
    real_data("visual/awa1")
    problem = awa1(split="standard", semantics="binary", max_per_class=4)
    assert problem.summary()["train_seen_samples"] == 160
    assert "hippopotamus" in problem.class_names[problem.unseen_classes]
