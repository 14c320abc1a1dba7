from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.attributes.digits import SEGMENTS, digits_segments


def test_every_digit_has_its_own_segments_and_each_segment_can_be_learnt():
    problem = digits_segments()
    patterns = problem.class_embeddings
    assert patterns.shape == (10, 7)
    assert set(np.unique(patterns)) == {0, 1}
    assert len(np.unique(patterns, axis=0)) == 10
    assert patterns.sum(axis=1).tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    training = patterns[problem.train_classes]
    assert (training.min(axis=0) == 0).all()
    assert (training.max(axis=0) == 1).all()
    assert problem.class_names.tolist() == list(SEGMENTS)


def test_split_and_scaling():
    problem = digits_segments()
    assert problem.unseen_classes.tolist() == [1, 3, 6]
    assert problem.val_classes.tolist() == [8, 9]
    assert not problem.synthetic
    assert len(problem.labels) == 1797
    assert problem.features.min() == 0
    assert problem.features.max() == 1
    assert digits_segments().checksum == problem.checksum
    assert digits_segments(seed=1).checksum != problem.checksum


def test_options():
    problem = digits_segments(unseen=[0, 9], val=[1], max_per_class=5, seen_fraction=0.5)
    assert problem.unseen_classes.tolist() == [0, 9]
    assert problem.summary()["train_seen_samples"] == 40
    assert problem.summary()["test_seen_samples"] == 40
    with pytest.raises(ValueError, match=r"unseen must lie in \[0, 10\)"):
        digits_segments(unseen=[10])
    with pytest.raises(ValueError, match="both seen and unseen"):
        digits_segments(unseen=[8])
