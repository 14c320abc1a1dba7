from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.pairs.ikea import ikea

COLOURS = ["White", "", "Black,oak"]


@pytest.fixture
def folder(tmp_path):
    """Eight types of five products; products 0 and 1 of each type are variants."""
    label = np.tile(np.arange(8), 5).astype(np.uint8)
    ids = np.where(np.arange(40) < 16, np.arange(40) % 8, np.arange(40)).astype(np.int16)
    np.savez(
        tmp_path / "ikea.npz",
        features=np.random.default_rng(0).random((40, 6)).astype(np.float16),
        label=label,
        classes=np.array([f"type{i}" for i in range(8)]),
        colour_description_id=ids,
        train_classes=np.arange(4),
        val_classes=np.array([6, 7]),
        test_classes=np.array([4, 5]),
    )
    lines = [
        f"{row}\ttype{label[row]}\tType\t{COLOURS[ids[row] % 3]}\tStands on leg {ids[row]}."
        for row in range(40)
    ]
    (tmp_path / "texts.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_each_photograph_has_its_own_text(folder):
    problem = ikea(folder=folder, feature_scaling="none")
    with np.load(folder / "ikea.npz") as data:
        assert np.array_equal(problem.features, data["features"].astype(np.float32))
        ids = data["colour_description_id"]
    assert problem.texts[0] == "White. Stands on leg 0."
    assert problem.texts[1] == "Stands on leg 1."
    assert np.array_equal(problem.text_labels, problem.labels)
    for i in range(40):
        assert problem.text_index[problem.text_offsets[i] : problem.text_offsets[i + 1]] == i
        assert np.array_equal(problem.text_ids == problem.text_ids[i], ids == ids[i])
    assert problem.unseen_classes.tolist() == [4, 5]
    assert problem.val_classes.tolist() == [6, 7]
    assert len(problem.test_seen) == 6  # one of five of each seen type
    assert problem.coverage["distinct texts"] == 32


def test_options(folder):
    small = ikea(folder=folder, max_per_class=2)
    assert len(small.trainval) == 12
    assert small.coverage["photographs used"] == small.n_texts == 12 + 6 + 4
    np.testing.assert_allclose(np.linalg.norm(small.features, axis=1), 1, rtol=1e-6)
    drawn = [ikea(folder=folder, split="random", seed=seed) for seed in range(4)]
    assert {tuple(p.unseen_classes) for p in drawn} != {(4, 5)}
    assert {(len(p.train_classes), len(p.val_classes), len(p.unseen_classes)) for p in drawn} == {
        (4, 2, 2)
    }


def test_damaged_files(folder):
    path = folder / "texts.tsv"
    whole = path.read_text()
    path.write_text(whole + "one field\n")
    with pytest.raises(ValueError, match="line 41: expected 5 fields"):
        ikea(folder=folder)
    path.write_text(whole.split("\n", 1)[1])
    with pytest.raises(ValueError, match=r"has 39 lines and ikea\.npz 40 photographs"):
        ikea(folder=folder)
    with pytest.raises(ValueError, match="split must be one of"):
        ikea(folder=folder, split="proposed")
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        ikea(folder=folder / "absent")


def test_real_data(real_data):
    real_data("visual/ikea")
    problem = ikea()
    summary = problem.summary()
    assert (summary["texts"], summary["distinct_texts"]) == (1459, 1119)
    classes = [
        len(c) for c in (problem.train_classes, problem.val_classes, problem.unseen_classes)
    ]
    assert classes == [26, 7, 11]
    # Variants are not parted: only texts that two classes have may be on both sides.
    for p in (problem, problem.validation_problem()):
        known = {(p.labels[i], p.text_ids[i]) for i in p.trainval}
        assert not known & {(p.labels[i], p.text_ids[i]) for i in p.test_seen}
        share = len(p.test_seen) / (len(p.test_seen) + len(p.trainval))
        assert share == pytest.approx(0.2, abs=0.05)
    # Equal texts and equal ids are the same thing: no pair of variants is missed.
    assert len(set(problem.texts)) == 1119


def test_real_features_and_texts_belong_together(real_data):
    """Ridge regression onto texts finds an image's own text far more often than chance."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    real_data("visual/ikea")
    problem = ikea()
    known = [problem.texts[t] for t in problem.training_texts]
    words = TfidfVectorizer(min_df=2, sublinear_tf=True).fit(known)
    T = words.transform(problem.texts).toarray()
    X = problem.features.astype(float)
    rows, unseen = problem.trainval, problem.test_unseen
    mean_x, mean_t = X[rows].mean(axis=0), T[rows].mean(axis=0)
    K = X[rows] - mean_x
    dual = np.linalg.solve(K @ K.T + np.eye(len(K)), T[rows] - mean_t)
    Z = (X[unseen] - mean_x) @ K.T @ dual
    distinct, own = np.unique(problem.text_ids[unseen], return_inverse=True)
    targets = np.stack([T[problem.text_ids == i][0] for i in distinct]) - mean_t
    scores = Z @ (targets / np.linalg.norm(targets, axis=1, keepdims=True)).T
    rank = (scores > scores[np.arange(len(own)), own][:, None]).sum(axis=1)
    assert len(distinct) == 235
    assert 100 * np.mean(rank < 10) > 3 * 4.3  # chance is 4.3%; the data's own figure is 27.6
