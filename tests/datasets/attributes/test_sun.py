import numpy as np

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS, read_att_splits
from zslib.datasets.attributes.sun import sun_attributes
from zslib.datasets.files import read_arrays, read_lines


def test_real_votes_have_the_published_counts_and_means(real_data):
    folder = real_data("visual/sun")
    problem, few = sun_attributes(), sun_attributes(att="original", max_per_class=3, seed=1)
    assert problem.synthetic
    assert problem.summary() == OFFICIAL_STATISTICS["SUN"] | {"features": 256}
    assert problem.image_attributes is None
    data = read_arrays(folder / "sun_instances.npz")
    labels = data["label"]
    assert set(np.unique(data["votes"])) == {0, 1, 2, 3}
    means = np.stack([data["votes"][labels == c].mean(axis=0) for c in range(717)]) / 3
    np.testing.assert_allclose(few.class_embeddings, means, atol=1e-6)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.class_embeddings, means, atol=1e-6)
    # Each image of the small problem has the votes of an image of its class.
    assert len(few.image_attributes) == len(few.labels) < len(problem.labels)
    votes = (3 * few.image_attributes).round().astype(int)
    for image in range(0, len(votes), 50):
        own = data["votes"][labels == few.labels[image]]
        assert (own == votes[image]).all(axis=1).any()


def test_real_split_and_classes_are_the_official_ones(real_data):
    folder = real_data("visual/sun")
    official = real_data("visual/xlsa17_splits") / "SUN_att_splits.mat"
    splits, names = read_att_splits(official), read_lines(folder / "classes.txt")
    assert names == list(splits.class_names)
    problem = sun_attributes()
    np.testing.assert_allclose(problem.class_embeddings, splits.att, atol=1e-6)
    # The rows of the official file are in another order: what is equal are classes and counts.
    assert set(np.bincount(problem.labels)) == {20}
    assert (len(problem.train_classes), len(problem.val_classes)) == (580, 65)
