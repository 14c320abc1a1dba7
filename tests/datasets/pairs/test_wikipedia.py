from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.pairs.wikipedia import wikipedia_xmodal


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    data = {}
    for part, per_class in (("tr", 4), ("te", 2)):
        n = 10 * per_class
        data[f"label_{part}"] = np.tile(np.arange(10), per_class).astype(np.int8)
        for name, width in (("image_sift128", 5), ("text_lda10", 3), ("text_lda50", 4)):
            data[f"{name}_{part}"] = rng.dirichlet(np.ones(width), n).astype(np.float32)
    np.savez(tmp_path / "wikipedia.npz", **data)
    (tmp_path / "categories.txt").write_text("\n".join(f"topic{i}" for i in range(10)))
    return tmp_path


def test_pairs_and_split(folder):
    problem = wikipedia_xmodal(folder=folder, histograms="none", seed=1)
    with np.load(folder / "wikipedia.npz") as data:
        images = np.concatenate([data["image_sift128_tr"], data["image_sift128_te"]])
        texts = np.concatenate([data["text_lda10_tr"], data["text_lda10_te"]])
    assert np.array_equal(problem.features, images)
    assert np.array_equal(problem.text_vectors, texts)
    assert np.array_equal(problem.text_labels, problem.labels)
    classes = [
        len(c) for c in (problem.train_classes, problem.val_classes, problem.unseen_classes)
    ]
    assert classes == [5, 2, 3]
    assert (problem.trainval < 40).all()
    assert (problem.test_seen >= 40).all()
    assert len(problem.trainval) == 28
    assert len(problem.test_seen) == 14
    assert len(problem.test_unseen) == 18  # all pairs of an unseen class
    assert problem.class_names[3] == "topic3"


def test_options(folder):
    problem = wikipedia_xmodal(folder=folder, text="lda50", max_per_class=1)
    assert problem.text_vectors.shape == (7 + 7 + 3, 4)
    np.testing.assert_allclose((problem.text_vectors**2).sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose((problem.features**2).sum(axis=1), 1, rtol=1e-5)
    assert problem.feature_scaling == "square root"
    assert wikipedia_xmodal(folder=folder, feature_scaling="standard").feature_scaling == (
        "square root, then standard"
    )
    drawn = {tuple(wikipedia_xmodal(folder=folder, seed=s).unseen_classes) for s in range(4)}
    assert len(drawn) > 1
    with pytest.raises(ValueError, match="text must be one of 'lda10', 'lda50'"):
        wikipedia_xmodal(folder=folder, text="lda100")
    with pytest.raises(ValueError, match="histograms must be one of"):
        wikipedia_xmodal(folder=folder, histograms="log")


def test_real_data(real_data):
    real_data("visual/wikipedia_xmodal")
    problem = wikipedia_xmodal()
    assert problem.n_texts == 2866
    # Neighbours in topics share the category, those in shuffled topics do not.
    scores = problem.text_vectors @ problem.text_vectors.T
    np.fill_diagonal(scores, -1)
    same = problem.labels[np.argmax(scores, axis=1)] == problem.labels
    assert same.mean() > 0.5
