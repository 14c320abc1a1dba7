"""Tiny-ImageNet and Caltech-101: classes that are WordNet synsets."""

import gzip

import numpy as np
import pytest

from zslib.datasets.attributes.caltech101 import caltech101
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_classes
from zslib.datasets.files import read_arrays, read_rows
from zslib.datasets.words.term_vectors import synset_embeddings

# A tree of 15 synsets, 1 its root, the children of i are 2 i and 2 i + 1; and one apart, 16.
WNIDS = np.array([f"n{i:08d}" for i in range(1, 17)])
GLOSS_WORDS = ("metal", "fur", "leaf", "wheel", "stone")


@pytest.fixture
def hierarchy(tmp_path, monkeypatch):
    """A data folder with that hierarchy."""
    folder = tmp_path / "visual" / "imagenet_synsets"
    folder.mkdir(parents=True)
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    rows = [
        f"{wnid}\tname {i}\ta thing of {GLOSS_WORDS[i % 5]} {GLOSS_WORDS[i % 3]}\n"
        for i, wnid in enumerate(WNIDS, start=1)
    ]
    (folder / "synsets.tsv.gz").write_bytes(gzip.compress("".join(rows).encode()))
    links = [f"n{i // 2:08d} n{i:08d}\n" for i in range(2, 16)]
    (folder / "is_a.txt.gz").write_bytes(gzip.compress("".join(links).encode()))


@pytest.mark.usefixtures("hierarchy")
def test_both_kinds_side_by_side(refused):
    some = WNIDS[[9, 3, 12]]
    parts = [synset_embeddings(some, semantics=s, dimension=4) for s in ("gloss", "hypernym")]
    both = synset_embeddings(some, semantics="gloss+hypernym", dimension=4)
    np.testing.assert_allclose(both, np.concatenate(parts, axis=1) / np.sqrt(2), rtol=1e-5)
    assert both.dtype == np.float32
    with pytest.raises(ValueError, match=r"1 synset\(s\) have no gloss vector \(n1\)"):
        synset_embeddings(["n1"], semantics="gloss", dimension=4)
    refused("semantics must be one of", synset_embeddings, some, semantics="both")


def test_real_tiny_imagenet_tests_on_its_validation_images(real_data):
    folder = real_data("visual/tiny_imagenet")
    problem = tiny_imagenet_classes(feature_scaling="none")
    stored = read_arrays(folder / "tiny_imagenet.npz")
    features = read_rows(folder / "features_mobilenetv2_pca256.npy")
    names, label = stored["zjl_name"], stored["label"]
    seen = np.concatenate([stored["train_classes"], stored["val_classes"]])
    for which, part, classes in (
        ("trainval", 0, seen),
        ("test_seen", 1, seen),
        ("test_unseen", 1, stored["test_classes"]),
    ):
        rows = (stored["part"] == part) & np.isin(label, classes)
        chosen = getattr(problem, which)
        assert np.array_equal(problem.features[chosen], features[rows])
        shown = np.char.replace(names[label[rows]], "_", " ")
        assert np.array_equal(problem.class_names[problem.labels[chosen]], shown)
    row = np.flatnonzero(names == "goldfish")[0]
    known = problem.class_names == "goldfish"
    assert problem.class_ids[known] == stored["wnid"][row]
    for semantics, kinds in (("glove", ["glove300"]), ("both", ["glove300", "attributes30"])):
        given = tiny_imagenet_classes(semantics=semantics, max_per_class=1).class_embeddings
        parts = [stored[kind][row] / np.linalg.norm(stored[kind][row]) for kind in kinds]
        wanted = np.concatenate(parts) / np.sqrt(len(parts))
        np.testing.assert_allclose(given[known][0], wanted, atol=1e-6)


@pytest.mark.parametrize("split", ["fixed", "crossed"])
def test_real_tiny_imagenet(real_data, split):
    real_data("visual/tiny_imagenet")
    problem = tiny_imagenet_classes(split=split, max_per_class=2)
    assert len(problem.train_classes) == (114 if split == "fixed" else 113)
    assert (len(problem.unseen_classes), len(problem.class_names)) == (48, 190)
    other = tiny_imagenet_classes(split=split, max_per_class=2, seed=1)
    assert np.array_equal(other.unseen_classes, problem.unseen_classes) == (split == "fixed")


def test_real_caltech(real_data, short_vectors):
    real_data("visual/caltech101", "visual/imagenet_synsets")
    problem = caltech101(semantics="gloss")
    groups = problem.train_classes, problem.val_classes, problem.unseen_classes
    assert [len(problem.labels), *map(len, groups)] == [7461, 51, 14, 21]
    # Definitions know which classes are alike: an electric guitar is nearer to a mandolin.
    of = dict(zip(problem.class_names.tolist(), problem.class_embeddings, strict=True))
    assert of["electric guitar"] @ of["mandolin"] > of["electric guitar"] @ of["pizza"]
    held = [caltech101(semantics="both", max_per_class=1, seed=seed) for seed in range(2)]
    assert held[0].checksum != held[1].checksum
    assert held[0].class_embeddings.shape == (86, 100)
