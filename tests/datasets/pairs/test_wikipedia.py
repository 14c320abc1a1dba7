import numpy as np

from zslib.datasets.files import read_arrays
from zslib.datasets.pairs.wikipedia import wikipedia_xmodal


def test_real_pairs_and_split(real_data):
    data = read_arrays(real_data("visual/wikipedia_xmodal") / "wikipedia.npz")
    problem = wikipedia_xmodal(seed=1)
    n, labels = len(data["label_tr"]), np.concatenate([data["label_tr"], data["label_te"]])
    assert np.array_equal(problem.labels, labels)
    assert np.array_equal(problem.text_labels, labels)
    for given, name in ((problem.features, "image_sift128"), (problem.text_vectors, "text_lda10")):
        histograms = np.concatenate([data[f"{name}_{part}"] for part in ("tr", "te")])
        np.testing.assert_allclose(given**2, histograms, atol=1e-6)
    groups = problem.train_classes, problem.val_classes, problem.unseen_classes
    assert [len(classes) for classes in groups] == [5, 2, 3]
    # All pairs of an unseen category test it, and the published test pairs the others.
    unseen, published = np.isin(labels, problem.unseen_classes), np.arange(len(labels)) >= n
    assert np.array_equal(problem.trainval, np.flatnonzero(~unseen & ~published))
    assert np.array_equal(problem.test_seen, np.flatnonzero(~unseen & published))
    assert np.array_equal(problem.test_unseen, np.flatnonzero(unseen))
    other = wikipedia_xmodal(max_per_class=1, feature_scaling="standard")
    assert other.text_vectors.shape == (7 + 7 + 3, 10)
    assert other.feature_scaling == "square root, then standard"
    assert not np.array_equal(other.unseen_classes, problem.unseen_classes)
