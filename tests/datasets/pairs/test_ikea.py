import numpy as np
import pytest

from zslib.datasets.files import read_arrays, read_lines
from zslib.datasets.pairs.ikea import ikea


def test_real_photographs_have_their_own_texts(real_data):
    folder = real_data("visual/ikea")
    problem, data = ikea(feature_scaling="none"), read_arrays(folder / "ikea.npz")
    assert np.array_equal(problem.features, data["features"].astype(np.float32))
    assert np.array_equal(problem.labels, data["label"])
    assert np.array_equal(problem.text_index, np.arange(1459))
    assert np.array_equal(problem.text_offsets, np.arange(1460))
    for text, line in zip(problem.texts, read_lines(folder / "texts.tsv"), strict=True):
        assert text == ". ".join(filter(None, line.split("\t")[3:]))
    # Equal texts and equal ids are the same thing: no pair of variants is missed.
    ids = data["colour_description_id"]
    pairs = set(zip(problem.texts, ids.tolist(), problem.text_ids.tolist(), strict=True))
    assert len(pairs) == len(set(problem.texts)) == len(set(ids)) == 1119
    classes = problem.train_classes, problem.val_classes, problem.unseen_classes
    for group, name in zip(classes, ("train", "val", "test"), strict=True):
        assert np.array_equal(group, np.sort(data[f"{name}_classes"]))
    # Variants are not parted: only texts that two classes have may be on both sides.
    for p in (problem, problem.validation_problem()):
        known = {(p.labels[i], p.text_ids[i]) for i in p.trainval}
        assert not known & {(p.labels[i], p.text_ids[i]) for i in p.test_seen}
        share = len(p.test_seen) / (len(p.test_seen) + len(p.trainval))
        assert share == pytest.approx(0.2, abs=0.05)


def test_real_options(real_data):
    real_data("visual/ikea")
    small = ikea(max_per_class=2)
    assert np.bincount(small.labels[small.trainval]).max() == 2
    assert small.coverage["photographs used"] == small.n_texts == len(small.labels)
    np.testing.assert_allclose(np.linalg.norm(small.features, axis=1), 1, rtol=1e-6)
    drawn = [ikea(seed=seed) for seed in range(4)]
    assert len({tuple(p.test_seen) for p in drawn}) == 4
    for p in drawn:
        classes = p.train_classes, p.val_classes, p.unseen_classes
        assert list(map(len, classes)) == [26, 7, 11]


def test_damaged_files(real_data, tmp_path, refused):
    folder = real_data("visual/ikea")
    (tmp_path / "ikea.npz").symlink_to(folder / "ikea.npz")
    whole = "\n".join(read_lines(folder / "texts.tsv")) + "\n"
    for text, message in (
        (whole + "one field\n", "line 1460: expected 5 columns"),
        (whole.split("\n", 1)[1], r"has 1458 lines and ikea\.npz 1459 photographs"),
    ):
        (tmp_path / "texts.tsv").write_text(text)
        refused(message, ikea, folder=tmp_path)
    refused("is not a folder", ikea, folder=tmp_path / "absent", error=FileNotFoundError)
