import numpy as np

from zslib.datasets import tiny_imagenet

FEATURES = "visual/tiny_imagenet/features_mobilenetv2_pca256.npy"
NAMES = ["cat", "dog", "car", "bus", "tree", "rose", "fish"]


def test_small_copy(small):
    problem = tiny_imagenet(split="fixed")
    assert problem.train_words.tolist() == ["dog", "car", "bus", "rose", "fish"]
    words = problem.target_words
    assert words[problem.train_gold].tolist() == problem.train_words.tolist()
    # Of a test label all images are asked, those that come for training too.
    assert problem.test_words.tolist() == ["cat"] * 3 + ["tree"] * 3 + ["cat"] * 2 + ["tree"] * 2
    assert [words[g[0]] for g in problem.test_gold] == problem.test_words.tolist()
    assert words[problem.space("labels")].tolist() == NAMES
    assert words[problem.space("test")].tolist() == ["cat", "tree"]
    assert len(problem.space("full")) == 9
    features = np.load(small / FEATURES).astype("f4")
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    average = unit[3:6].mean(axis=0)
    np.testing.assert_allclose(problem.X_train[0], average / np.linalg.norm(average), rtol=1e-5)
    np.testing.assert_allclose(problem.X_test[9], unit[24 + 11], rtol=1e-5)
    assert problem.coverage["classes without a name"] == 1
    assert problem.coverage["training images averaged"] == 15


def test_seeds_give_splits(small):
    assert len({tuple(tiny_imagenet(seed=s).space("test")) for s in range(5)}) > 1
    whole, few = tiny_imagenet(seed=3), tiny_imagenet(seed=3, test_images=2)
    assert tiny_imagenet(seed=3).checksum == whole.checksum
    assert len(few.X_test) == 2
    np.testing.assert_array_equal(few.labels, whole.labels)


def test_each_label_is_tested_in_one_fold(small):
    folds = [tiny_imagenet(seed=3, fold=fold) for fold in range(4)]
    tested = np.concatenate([fold.space("test") for fold in folds])
    assert sorted(tested) == folds[0].labels.tolist()
    for fold in folds:
        assert not np.intersect1d(fold.space("test"), fold.train_gold).size


def test_other_semantics_count_what_they_miss(small):
    problem = tiny_imagenet(semantics="europarl")
    assert len(problem.targets) == 6
    assert problem.coverage["labels without a target vector"] == 4


def test_bad_input(small, refused):
    refused("split must be one of", tiny_imagenet, split="half")
    np.save(small / FEATURES, np.ones((3, 5)))
    refused("there are 40 image labels: one of the two", tiny_imagenet)


def test_real_counts(real_data):
    """The README's sizes: 190 labels, 142 and 48 of them, 1,326 words, 7,200 queries."""
    real_data("visual/tiny_imagenet", "visual/word_vectors")
    problem = tiny_imagenet(split="fixed")
    assert (problem.X_train.shape, problem.X_test.shape) == ((142, 256), (7200, 256))
    assert problem.targets.shape == (1326, 300)
    assert [len(problem.space(w)) for w in ("labels", "test")] == [190, 48]
    assert problem.coverage["training images averaged"] == 14_200


def test_real_europarl_semantics(real_data):
    real_data("visual/tiny_imagenet", "crosslingual")
    problem = tiny_imagenet(semantics="europarl")
    assert problem.targets.shape[0] in (12_941, 54_850)  # the repository's edition, the full one
    assert len(problem.labels) == 124
    assert problem.coverage["labels without a target vector"] == 66
