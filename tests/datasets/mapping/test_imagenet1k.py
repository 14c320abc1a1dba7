import gzip

import numpy as np

from zslib.datasets import gloss_vectors, imagenet1k


def test_gloss_vectors(small, own_cache):
    wnids, vectors = gloss_vectors(dimension=4)
    assert len(wnids) == len(vectors) == 12
    assert vectors.words[:2].tolist() == ["name0 (n00000000)", "name0 (n00000001)"]
    assert vectors.report == {"synsets": 13, "synsets without a usable word": 1}
    np.testing.assert_allclose(np.linalg.norm(vectors.vectors, axis=1), 1, rtol=1e-5)
    assert gloss_vectors(dimension=4)[1].vectors.tolist() == vectors.vectors.tolist()
    assert len(list((own_cache / "gloss").iterdir())) == 1


def test_small_copy(small):
    problem = imagenet1k(dimension=4, seed=1)
    assert (problem.X_train.shape, problem.X_test.shape) == ((6, 6), (2, 6))
    assert (len(problem.labels), len(problem.space("test"))) == (8, 2)
    assert problem.coverage["labels without a target vector"] == 1


def test_bad_input(small, refused):
    with gzip.open(small / "visual/imagenet_synsets" / "synsets.tsv.gz", "wt") as file:
        file.write("n1\ta\tb\nn2 c d\n")
    refused(r"line 2: expected 3 columns \(wnid, .*\), got 1", gloss_vectors)


def test_real_counts(real_data):
    real_data("visual/imagenet1k_sample", "visual/imagenet_synsets")
    problem = imagenet1k(dimension=50)
    assert (problem.X_train.shape, problem.X_test.shape) == ((750, 256), (250, 256))
    assert problem.coverage["synsets"] == 21_844
    assert len(problem.targets) == 21_844 - problem.coverage["synsets without a usable word"]
    assert [len(problem.space(w)) for w in ("labels", "test")] == [1000, 250]
