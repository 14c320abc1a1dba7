import re
from dataclasses import replace

import numpy as np
import pandas
import pytest

from zslib.datasets.attributes.problem import ZeroShotProblem

# Classes 0..4: 0, 1, 2 seen (2 for validation), 3 and 4 unseen; six images each, in order.
LABELS = np.repeat(np.arange(5), 6)
NAMES = np.array(["ant", "bat", "cat", "dog", "eel"])
FRAME = pandas.DataFrame(np.eye(30), index=[f"image {i}" for i in range(30)])
UNTUNED = {"train": (), "val": ()}
CLASSES = pandas.DataFrame(np.eye(5), index=NAMES)


def fields(**changes):
    rng = np.random.default_rng(0)
    seen = np.arange(18).reshape(3, 6)
    given = {
        "name": "toy",
        "synthetic": True,
        "description": "synthetic toy data",
        "features": rng.standard_normal((30, 4)).astype(np.float32),
        "labels": LABELS,
        "class_embeddings": rng.standard_normal((5, 3)).astype(np.float32),
        "class_names": NAMES,
        "trainval": seen[:, :5].ravel(),
        "test_seen": seen[:, 5],
        "test_unseen": np.arange(18, 30),
        "train": seen[:2, :5].ravel(),
        "val": seen[2, :5],
    }
    return given | changes


def test_classes_and_summary():
    problem = ZeroShotProblem(**fields())
    assert problem.seen_classes.tolist() == [0, 1, 2]
    assert problem.unseen_classes.tolist() == [3, 4]
    assert problem.train_classes.tolist() == [0, 1]
    assert problem.val_classes.tolist() == [2]
    assert problem.is_seen.tolist() == [True, True, True, False, False]
    assert problem.seen_classes.dtype == problem.labels.dtype == np.int64
    images = {"train_seen_samples": 15, "test_seen_samples": 3, "unseen_samples": 12}
    sizes = {"seen_classes": 3, "unseen_classes": 2, "class_attributes": 3, "features": 4}
    assert problem.summary() == images | sizes


HOLES = np.where(np.eye(30, 4), np.nan, np.float32(1))
REFUSALS = [
    ({"description": "toy"}, "must have the word 'synthetic'"),
    ({"synthetic": False}, "must have the word 'synthetic'"),
    ({"features": HOLES}, "features holds NaN or infinity"),
    ({"features": np.ones((30, 4), np.float32)}, "features are constant"),
    ({"features": np.ones(30, np.float32)}, "features must be a 2-d array"),
    ({"class_embeddings": HOLES[:5, :3]}, "class_embeddings holds NaN"),
    ({"image_attributes": np.ones((3, 2), "f4")}, "features has 30 rows and image_attributes"),
    ({"labels": LABELS[:-1]}, "labels has 29 entries for 30 rows"),
    ({"labels": LABELS + 1}, r"labels must lie in \[0, 5\), found 1 to 5"),
    ({"labels": LABELS - 1}, r"labels must lie in \[0, 5\)"),
    ({"labels": LABELS[:, None]}, "labels must be a 1-d array"),
    ({"class_names": np.array(["a", "b"])}, "class_names must be 5 strings"),
    ({"class_names": np.arange(5)}, "class_names must be 5 strings"),
    ({"class_names": np.array(["a", "b", "a", "c", "d"])}, "class_names has 'a' twice"),
    ({"class_ids": np.array(["n1", "n2", "n3", "n4", "n4"])}, "class_ids has 'n4' twice"),
    ({"trainval": np.array([0, 6, 30])}, r"trainval must lie in \[0, 30\)"),
    ({"trainval": np.array([0, 0, 6, 12])}, "trainval lists an image twice"),
    ({"trainval": np.arange(30) % 2}, r"zeros and ones.*trainval\.astype\(bool\)"),
    ({"trainval": np.ones(29, bool)}, r"trainval is a mask of shape \(29,\) for 30 rows"),
    ({"labels": np.array(["yak"] * 30)}, "labels has 'yak', which class_names lacks"),
    ({"class_names": None}, "class_names is missing"),
    ({"test_seen": np.array([0])}, r"1 images are in trainval and in test_seen, .* row 0"),
    ({"test_unseen": np.array([], dtype=int)}, "test_unseen is empty"),
    ({"test_unseen": np.arange(17, 30)}, r"1 class\(es\) both seen and unseen \('cat'\)"),
    ({"test_unseen": np.arange(18, 24)}, r"1 class\(es\) without images .* \('eel'\)"),
    ({"trainval": np.arange(5)} | UNTUNED, r"1 seen class\(es\) in trainval: two are needed"),
    ({"trainval": np.arange(10)} | UNTUNED, r"without a training image \('cat'\)"),
    ({"train": np.array([0, 5, 6])}, r"1 images of train are not in trainval, .* row 5"),
    ({"val": np.array([17])}, "1 images of val are not in trainval"),
    ({"train": np.array([0, 6, 12])}, r"in both train and val \('cat'\)"),
    ({"val": ()}, "give both train and val, or neither"),
    ({"features": FRAME, "labels": FRAME[0][::-1]}, "row 0 of labels is 'image 29', where"),
    ({"class_embeddings": CLASSES[::-1]}, "row 0 of class_embeddings is 'eel', where class_n"),
    ({"labels": LABELS.astype(float)}, "labels must hold integers, .* got float64"),
    ({"features": np.random.default_rng(0).random((30, 4))}, "mix float32 and float64"),
    ({"trainval": np.array([0.0, 6.0])}, "trainval must hold integers"),
]


@pytest.mark.parametrize("changes, message", REFUSALS)
def test_inconsistent_problems_are_refused(changes, message, refused):
    kind = TypeError if re.search("hold integers|mix float", message) else ValueError
    refused(message, ZeroShotProblem, **fields(**changes), error=kind)


def test_masks_names_and_data_frames(frame):
    plain = ZeroShotProblem(**fields())
    masks = {name: np.isin(np.arange(30), rows) for name, rows in plain.parts.items()}
    named = frame(plain.class_embeddings, index=plain.class_names)
    given = fields(**masks, labels=plain.class_names[plain.labels], class_embeddings=named)
    same = ZeroShotProblem(**given | {"class_names": None, "features": frame(plain.features)})
    assert same.checksum == plain.checksum
    lists = {"features": plain.features.tolist(), "class_embeddings": np.eye(5).tolist()}
    assert ZeroShotProblem(**fields(**lists)).features.dtype == np.float64
    whole = ZeroShotProblem(**fields(class_embeddings=np.arange(15).reshape(5, 3)))
    assert whole.class_embeddings.dtype == np.float32


def test_arrays_of_a_problem_are_its_own(tmp_path):
    given = fields()
    given["features"] = np.asfortranarray(given["features"])
    problem = ZeroShotProblem(**given)
    before = problem.features.copy()
    given["features"][:] = 0
    np.testing.assert_array_equal(problem.features, before)
    assert problem.features.flags.f_contiguous
    with pytest.raises(ValueError, match="read-only"):
        problem.features[0] = 1
    assert replace(problem, name="again").features is problem.features
    np.save(tmp_path / "features.npy", before)
    mapped = np.load(tmp_path / "features.npy", mmap_mode="r+")
    there = ZeroShotProblem(**fields(features=mapped)).features
    assert np.shares_memory(there, mapped)


def test_the_order_of_rows_changes_nothing():
    problem = ZeroShotProblem(**fields())
    turned = replace(problem, **{name: rows[::-1] for name, rows in problem.parts.items()})
    assert turned.checksum == problem.checksum


def test_without_seen_test_images_or_validation_classes(refused):
    given = {n: a for n, a in fields().items() if n not in ("test_seen", "train", "val")}
    problem = ZeroShotProblem(**given)
    assert problem.test_seen.dtype == np.int64
    assert problem.summary()["test_seen_samples"] == 0
    refused(r"toy has no validation classes: name .* val_classes=", problem.validation_problem)


def test_checksum_tells_problems_apart():
    problem = ZeroShotProblem(**fields())
    assert problem.checksum == ZeroShotProblem(**fields()).checksum
    others = [
        {"features": 2 * fields()["features"]},
        {"labels": np.where(np.arange(30) == 18, 4, LABELS)},
        {"class_names": np.array(["ant", "bat", "cat", "dog", "elk"])},
        {"class_ids": np.array(["1", "2", "3", "4", "5"])},
        {"test_seen": ()},
        {"train": (), "val": ()},
        {"image_attributes": np.ones((30, 1), np.float32)},
        {"feature_scaling": "unit length"},
    ]
    checksums = {replace(problem, **change).checksum for change in others}
    assert len(checksums | {problem.checksum}) == len(others) + 1


def test_scaling_of_features():
    problem = ZeroShotProblem(**fields())
    assert problem.scaled("none") is problem
    unit = problem.scaled("unit length")
    assert (unit.feature_scaling, unit.features.dtype) == ("unit length", np.float32)
    np.testing.assert_allclose(np.linalg.norm(unit.features, axis=1), 1, rtol=1e-6)
    standard = unit.scaled("standard")
    assert standard.feature_scaling == "unit length, then standard"
    known = standard.features[problem.trainval]
    np.testing.assert_allclose(known.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(known.std(axis=0), 1, rtol=1e-5)

    # A column that is constant in training is centred alone.
    features = fields()["features"]
    features[:, 0] = 2
    features[20, 0] = 5
    scaled = ZeroShotProblem(**fields(features=features)).scaled("standard").features
    assert (scaled[0, 0], scaled[20, 0]) == (0, 3)
    features[:, 0] = 0.3  # whose mean is rounded
    features[:, 1] = np.float32(1e-30) * (np.arange(30) % 2)  # whose deviation underflows
    scaled = ZeroShotProblem(**fields(features=features)).scaled("standard").features
    np.testing.assert_allclose(scaled[:, :2], 0, atol=1e-6)


def test_other_array_libraries(backend):
    problem = ZeroShotProblem(**fields())
    arrays = {name: backend.asarray(fields()[name]) for name in ("features", "class_embeddings")}
    moved = ZeroShotProblem(**fields(**arrays))
    assert moved.checksum == problem.checksum
    assert moved.summary() == problem.summary()
    for how in ("unit length", "standard"):
        expected = problem.scaled(how).features
        backend.assert_allclose(moved.scaled(how).features, expected, rtol=2e-5)
    small = moved.validation_problem()
    assert small.checksum == problem.validation_problem().checksum
    backend.check(small.features)
    assert isinstance(moved.to("cpu").features, np.ndarray)
