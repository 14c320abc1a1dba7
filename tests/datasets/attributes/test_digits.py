import numpy as np

from zslib.datasets.attributes.digits import digits_segments


def test_every_digit_has_its_own_segments_and_each_segment_can_be_learned():
    problem = digits_segments()
    patterns = problem.class_embeddings
    assert set(np.unique(patterns)) == {0, 1}
    assert len(np.unique(patterns, axis=0)) == 10
    assert patterns.sum(axis=1).tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    assert (np.ptp(patterns[problem.train_classes], axis=0) == 1).all()


def test_split_and_scaling():
    problem = digits_segments()
    assert problem.unseen_classes.tolist() == [1, 3, 6]
    assert problem.val_classes.tolist() == [8, 9]
    assert len(problem.labels) == 1797
    assert (problem.features.min(), problem.features.max()) == (0, 1)
    assert digits_segments().checksum == problem.checksum != digits_segments(seed=1).checksum
    other = digits_segments(unseen=[0, 9], val=[1], max_per_class=5)
    assert other.unseen_classes.tolist() == [0, 9]
    assert (len(other.trainval), len(other.test_seen)) == (40, 40)
