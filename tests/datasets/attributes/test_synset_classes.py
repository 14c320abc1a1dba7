"""Tiny-ImageNet and Caltech-101: classes that are WordNet synsets."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from zslib.datasets.attributes import images
from zslib.datasets.attributes.caltech101 import caltech101
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_classes
from zslib.datasets.words.synset_vectors import synset_embeddings

# A tree of 15 synsets, 1 its root, the children of i are 2 i and 2 i + 1; and one apart, 16.
WNIDS = np.array([f"n{i:08d}" for i in range(1, 17)])
GLOSS_WORDS = ("metal", "fur", "leaf", "wheel", "stone")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data folder with that hierarchy and six leaf classes in both image sets."""
    visual = tmp_path / "visual"
    for name in ("imagenet_synsets", "tiny_imagenet", "caltech101"):
        (visual / name).mkdir(parents=True)
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    with gzip.open(visual / "imagenet_synsets" / "synsets.tsv.gz", "wt") as file:
        for i, wnid in enumerate(WNIDS, start=1):
            words = f"{GLOSS_WORDS[i % 5]} {GLOSS_WORDS[i % 3]}"
            file.write(f"{wnid}\tname{i // 2}, other {i}\ta thing of {words}\n")
    with gzip.open(visual / "imagenet_synsets" / "is_a.txt.gz", "wt") as file:
        file.writelines(f"n{i // 2:08d} n{i:08d}\n" for i in range(2, 16))
    rng = np.random.default_rng(0)
    leaves = WNIDS[7:15]  # eight classes; the second has no name in Tiny-ImageNet
    named = np.arange(8) != 1
    glove = np.where(named[:, None], rng.standard_normal((8, 5)), np.nan)
    attributes = np.where(named[:, None], rng.integers(0, 2, (8, 4)) + 0.5, np.nan)
    np.savez(
        visual / "tiny_imagenet" / "tiny_imagenet.npz",
        label=np.tile(np.repeat(np.arange(8), 4), 2).astype(np.uint8),
        part=np.repeat([0, 1], 32).astype(np.uint8),
        wnid=leaves,
        zjl_name=np.array(["cat", "", "dog", "car", "bus", "tree", "rose", "fish"]),
        glove300=glove.astype(np.float32),
        attributes30=attributes.astype(np.float32),
        train_classes=np.array([0, 3, 4]),
        val_classes=np.array([2]),
        test_classes=np.array([5, 6, 7]),
    )
    features = rng.standard_normal((64, 3)).astype(np.float16)
    np.save(visual / "tiny_imagenet" / "features_mobilenetv2_pca256.npy", features)
    np.savez(
        visual / "caltech101" / "caltech101.npz",
        label=np.repeat(np.arange(8), 5).astype(np.uint8),
        classes=np.array([f"sea_horse{i}" for i in range(8)]),
        wnid=leaves,
        train_classes=np.array([0, 1, 2, 3]),
        val_classes=np.array([4]),
        test_classes=np.array([5, 6, 7]),
    )
    np.save(visual / "caltech101" / "features_mobilenetv2_pca256.npy", features[:40])
    return visual


def test_hypernym_vectors_keep_the_weighted_products(data):
    # As many dimensions as the matrix has rank, nearly: inner products are those of the
    # weighted ancestor vectors, computed here in plain loops.
    vectors = synset_embeddings(WNIDS, semantics="hypernym", dimension=15)

    def ancestors(i):
        return {i} | (ancestors(i // 2) if 1 < i < 16 else set())

    above = [ancestors(i) for i in range(1, 17)]
    df = {a: sum(a in found for found in above) for a in range(1, 17)}
    weight = {a: np.log(16 / df[a]) for a in df}
    for i in range(7, 15):
        for j in range(7, 15):
            product = sum(weight[a] ** 2 for a in above[i] & above[j])
            length = [np.sqrt(sum(weight[a] ** 2 for a in above[k])) for k in (i, j)]
            expected = product / (length[0] * length[1])
            assert vectors[i] @ vectors[j] == pytest.approx(expected, abs=0.02)


def test_both_kinds_side_by_side(data):
    some = WNIDS[[9, 3, 12]]
    parts = [synset_embeddings(some, semantics=s, dimension=4) for s in ("gloss", "hypernym")]
    both = synset_embeddings(some, semantics="gloss+hypernym", dimension=4)
    np.testing.assert_allclose(both, np.concatenate(parts, axis=1) / np.sqrt(2), rtol=1e-5)
    assert both.dtype == np.float32
    with pytest.raises(ValueError, match=r"1 synset\(s\) have no gloss vector \(n1\)"):
        synset_embeddings(["n1"], semantics="gloss", dimension=4)
    with pytest.raises(ValueError, match="semantics must be one of"):
        synset_embeddings(some, semantics="both")


def test_tiny_imagenet_uses_validation_images_as_test_images(data):
    problem = tiny_imagenet_classes(semantics="both")
    assert problem.class_names.tolist() == ["cat", "dog", "car", "bus", "tree", "rose", "fish"]
    assert problem.class_ids[1] == WNIDS[9]
    assert problem.class_embeddings.shape == (7, 9)
    assert problem.class_names[problem.unseen_classes].tolist() == ["tree", "rose", "fish"]
    assert problem.class_names[problem.val_classes].tolist() == ["dog"]
    with np.load(data / "tiny_imagenet" / "tiny_imagenet.npz") as stored:
        label, part, names = stored["label"], stored["part"], stored["zjl_name"]
    stored = np.load(data / "tiny_imagenet" / "features_mobilenetv2_pca256.npy")
    unscaled = tiny_imagenet_classes(feature_scaling="none")
    for which, rows in (
        ("trainval", (part == 0) & np.isin(label, [0, 2, 3, 4])),
        ("test_seen", (part == 1) & np.isin(label, [0, 2, 3, 4])),
        ("test_unseen", (part == 1) & np.isin(label, [5, 6, 7])),
    ):
        chosen = getattr(unscaled, which)
        assert np.array_equal(unscaled.features[chosen], stored[rows].astype(np.float32))
        assert np.array_equal(unscaled.class_names[unscaled.labels[chosen]], names[label[rows]])


def test_tiny_imagenet_options(data):
    assert tiny_imagenet_classes(semantics="glove").class_embeddings.shape == (7, 5)
    assert tiny_imagenet_classes(semantics="attributes").class_embeddings.shape == (7, 4)
    assert len(tiny_imagenet_classes(max_per_class=2).trainval) == 8
    drawn = {tuple(tiny_imagenet_classes(split="random", seed=s).unseen_classes) for s in range(6)}
    assert len(drawn) > 2
    assert {len(classes) for classes in drawn} == {2}
    with pytest.raises(ValueError, match="split must be one of 'fixed', 'random'"):
        tiny_imagenet_classes(split="official")


@pytest.fixture
def small_vectors(monkeypatch):
    """Eight classes have no 300 dimensions: four are asked for instead."""

    monkeypatch.setattr(
        images,
        "synset_embeddings",
        lambda wnids, semantics: synset_embeddings(wnids, semantics=semantics, dimension=4),
    )


@pytest.mark.usefixtures("small_vectors")
def test_caltech_holds_out_a_fifth(data):
    problem = caltech101(semantics="both")
    assert problem.class_names[0] == "sea horse0"
    assert problem.class_ids.tolist() == WNIDS[7:15].tolist()
    assert problem.class_embeddings.shape == (8, 8)
    assert len(problem.trainval) == 20
    assert len(problem.test_seen) == 5
    assert problem.unseen_classes.tolist() == [5, 6, 7]
    assert len(caltech101(seen_fraction=0).test_seen) == 0
    assert caltech101(seed=1).checksum != caltech101(seed=2).checksum
    random = caltech101(split="random", seed=3, max_per_class=1)
    assert random.summary()["train_seen_samples"] == len(random.seen_classes) == 6
    with pytest.raises(ValueError, match="semantics must be one of 'hypernym', 'gloss', 'both'"):
        caltech101(semantics="glove")


@pytest.mark.parametrize("split", ["fixed", "random"])
def test_real_tiny_imagenet(real_data, split):
    real_data("visual/tiny_imagenet")
    problem = tiny_imagenet_classes(split=split, max_per_class=2)
    assert len(problem.train_classes) == (114 if split == "fixed" else 113)
    assert len(problem.unseen_classes) == 48
    assert len(problem.class_names) == 190
    assert problem.summary()["class_attributes"] == 330


def test_real_caltech(real_data, short_vectors):
    real_data("visual/caltech101", "visual/imagenet_synsets")
    problem = caltech101(semantics="gloss")
    assert len(problem.labels) == 7461
    assert [len(problem.train_classes), len(problem.val_classes)] == [51, 14]
    assert len(problem.unseen_classes) == 21
    # Definitions know which classes are alike: an electric guitar is nearer to a mandolin.
    of = dict(zip(problem.class_names.tolist(), problem.class_embeddings, strict=True))
    near, far = of["electric guitar"] @ of["mandolin"], of["electric guitar"] @ of["pizza"]
    assert near > far
