import bz2

import numpy as np
import pytest

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS
from zslib.datasets.files import read_arrays, read_lines, read_rows
from zslib.datasets.pairs.flowers import flowers

_LABELS = np.repeat(np.arange(4), 3)


@pytest.fixture
def folder(tmp_path):
    """Four classes of three images, one unseen and one for validation, two captions each."""
    np.savez(
        tmp_path / "flowers.npz",
        label=_LABELS.astype(np.int8),
        train_loc=np.arange(6, 12)[::-1],
        val_loc=np.arange(3, 6),
        trainval_loc=[3, 4, 6, 7, 9, 10],
        test_seen_loc=[5, 8, 11],
        test_unseen_loc=np.arange(3),
    )
    features = np.random.default_rng(0).standard_normal((12, 5)).astype(np.float16)
    np.save(tmp_path / "features_mobilenetv2_pca256.npy", features)
    lines = [f"{row}\tflower {row} is {colour}\n" for row in range(12) for colour in ("red", "it")]
    lines[9] = "4\t{}\n"
    (tmp_path / "captions.tsv.bz2").write_bytes(bz2.compress("".join(lines).encode()))
    (tmp_path / "classes.txt").write_text("rose\nlily\npoppy\niris\n")
    return tmp_path


@pytest.mark.parametrize("most", [None, 1])
def test_an_image_has_its_own_captions(folder, most):
    problem = flowers(folder=folder, feature_scaling="none", max_per_class=most, seed=3)
    stored = np.load(folder / "features_mobilenetv2_pca256.npy").astype(np.float32)
    kept = len(problem.labels)
    assert kept == (12 if most is None else 7)
    for image in range(kept):
        row = np.flatnonzero((stored == problem.features[image]).all(axis=1)).item()
        assert problem.labels[image] == _LABELS[row]
        start, end = problem.text_offsets[image : image + 2]
        texts = [problem.texts[t] for t in problem.text_index[start:end]]
        wanted = [f"flower {row} is red", f"flower {row} is it"]
        assert texts == (wanted[:1] if row == 4 else wanted)
    assert (problem.level, problem.coverage["captions"]) == ("image", problem.n_texts)
    if most is None:
        assert problem.coverage["lines without a word"] == 1
        assert problem.val.tolist() == [3, 4]  # without the image that tests a seen class
        assert problem.train.tolist() == [6, 7, 9, 10]
        assert problem.class_names[problem.unseen_classes].tolist() == ["rose"]


DAMAGE = [
    ("12\tred\n", r"captions\.tsv: rows of images must lie in \[0"),
    ("-1\tred\n", r"captions\.tsv: rows of images must lie in \[0"),
    ("x\tred\n", r"captions\.tsv: invalid literal .* 'x'"),
    ("red\n", r"captions\.tsv, line 1: expected 2 columns"),
    ("", r"captions\.tsv has no caption of 12 images"),
    ("0\tred\n", r"of 11 images, the first is 1"),
]


@pytest.mark.parametrize("content, words", DAMAGE)
def test_damaged_captions_are_named(folder, content, words, refused):
    (folder / "captions.tsv.bz2").unlink()
    (folder / "captions.tsv").write_text(content)
    refused(words, flowers, folder=folder)


def test_other_features_and_a_missing_file_or_folder_are_named(folder, refused):
    stored = np.load(folder / "features_mobilenetv2_pca256.npy")
    np.save(folder / "features_mobilenetv2_pca256.npy", stored[:9])
    refused(r"has shape \(9, 5\) and there are 12 image labels", flowers, folder=folder)
    np.save(folder / "features_mobilenetv2_pca256.npy", stored)
    (folder / "captions.tsv.bz2").unlink()
    refused(r"captions\.tsv is not there", flowers, folder=folder, error=FileNotFoundError)
    refused("no data folder has 'visual/flowers'", flowers, error=FileNotFoundError)


def test_real_flowers(real_data):
    folder = real_data("visual/flowers")
    problem, data = flowers(feature_scaling="none"), read_arrays(folder / "flowers.npz")
    counts, printed = problem.summary(), OFFICIAL_STATISTICS["FLO"]
    common = counts.keys() & printed
    assert {n: counts[n] for n in common} == {n: printed[n] for n in common}
    assert [len(c) for c in (problem.train_classes, problem.val_classes)] == [62, 20]
    assert np.array_equal(problem.labels, data["label"])
    stored = read_rows(folder / "features_mobilenetv2_pca256.npy")
    np.testing.assert_array_equal(problem.features, stored)
    # The sizes of the largest classes that the photographs' authors print: names are in order.
    sizes = np.bincount(problem.labels)
    largest = {"petunia": 258, "passion flower": 251, "wallflower": 196, "water lily": 194}
    assert {problem.class_names[c]: sizes[c] for c in np.argsort(-sizes)[:4]} == largest
    assert np.diff(problem.text_offsets).max() == 10
    listed = [line.split("\t") for line in read_lines(folder / "captions.tsv")]
    worded = [(int(row), text) for row, text in listed if any(map(str.isalnum, text))]
    owners = np.repeat(np.arange(8189), np.diff(problem.text_offsets))
    assert worded == list(zip(owners.tolist(), problem.texts, strict=True))
    assert problem.coverage["lines without a word"] == len(listed) - len(worded) == 13
