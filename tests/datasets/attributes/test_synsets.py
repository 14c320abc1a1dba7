"""Images of synsets: which classes are seen, which ring the others are in, what is generated."""

from functools import partial

import numpy as np
import pytest

from zslib.datasets.attributes import synsets
from zslib.datasets.attributes.caltech101 import caltech101, caltech101_beyond
from zslib.datasets.attributes.synsets import synthetic_beyond, synthetic_within
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_within


@pytest.fixture(autouse=True)
def unpacked_once(embedded, monkeypatch):
    monkeypatch.setattr(synsets, "imagenet_lists", lambda source="embedded": embedded)


def parts(problem):
    return [problem.trainval, problem.test_seen, problem.test_unseen]


def check_parts(problem):
    """Every image is in one part at most, and training and test agree on the seen classes."""
    rows = np.concatenate(parts(problem))
    assert len(set(rows.tolist())) == len(rows)
    labels = [set(problem.labels[part].tolist()) for part in parts(problem)]
    assert labels[1] <= labels[0] and not labels[0] & labels[2]
    np.testing.assert_allclose(np.linalg.norm(problem.features, axis=1), 1, rtol=1e-5)


def test_synthetic_within_draws_from_the_1000(embedded):
    problem = synthetic_within(n_classes=20, images_per_class=5, seed=3)
    assert problem.setting == "within 1K" and problem.synthetic
    assert len(set(problem.class_ids.tolist()) & set(embedded.ilsvrc2012)) == 20
    assert (len(problem.seen_classes), len(problem.unseen_classes)) == (15, 5)
    assert problem.features.shape == (100, 128)
    assert np.bincount(problem.labels).tolist() == [5] * 20
    check_parts(problem)
    wnid = problem.class_ids[0]
    assert problem.class_names[0] == f"{embedded.lemmas[wnid][0]} ({wnid})"


def test_synthetic_beyond_has_a_third_of_its_unseen_classes_in_each_ring(embedded):
    problem = synthetic_beyond(n_seen=12, n_unseen=4, images_per_class=3, seed=1)
    assert problem.setting == "beyond 1K" and problem.synthetic
    wnids = np.array(problem.class_ids)
    seen = set(wnids[problem.seen_classes].tolist())
    unseen = set(wnids[problem.unseen_classes].tolist())
    near, far = set(embedded.two_hop), set(embedded.three_hop)
    assert len(seen) == 12 and seen <= set(embedded.ilsvrc2012)
    assert len(unseen) == 12 and not unseen & set(embedded.ilsvrc2012)
    assert [len(unseen & near), len(unseen & (far - near)), len(unseen - far)] == [4, 4, 4]
    assert unseen <= set(embedded.fall2011)
    check_parts(problem)


MAKERS = [
    partial(synthetic_within, n_classes=10, images_per_class=4),
    partial(synthetic_beyond, n_seen=6, n_unseen=2, images_per_class=4),
]


@pytest.mark.parametrize("make", MAKERS)
def test_images_scatter_around_their_class_by_the_noise(make):
    plain = make(seed=5)
    assert make(seed=5).checksum == plain.checksum != make(seed=6).checksum
    still = make(seed=5, noise=0)
    for label in range(len(still.class_ids)):
        rows = still.features[still.labels == label]
        np.testing.assert_array_equal(rows, np.broadcast_to(rows[0], rows.shape))

    # Images scatter around means of length 1 by about `noise` in length.
    def agreement(problem):
        return float(np.mean(np.sum(problem.features * still.features, axis=1)))

    assert agreement(make(seed=5, noise=0.1)) > 0.98 > agreement(plain) > 0.4


def test_the_meaning_of_classes_shows_in_their_features():
    problem = synthetic_within(n_classes=60, images_per_class=2, noise=0)
    means, meanings = problem.features[::2], problem.class_embeddings
    above = np.triu_indices(60, 1)
    alike = np.corrcoef((means @ means.T)[above], (meanings @ meanings.T)[above])[0, 1]
    assert 0.15 < alike < 0.5  # half of a class's mean is its own


def test_real_tiny_imagenet_is_split_by_the_seed(embedded, real_data):
    real_data("visual/tiny_imagenet")
    folds = [tiny_imagenet_within(seed=seed, max_per_class=2) for seed in range(4, 8)]
    unseen = np.concatenate([problem.unseen_classes for problem in folds])
    assert sorted(unseen.tolist()) == list(range(190))
    for problem in folds:
        assert set(problem.class_ids.tolist()) <= set(embedded.ilsvrc2012)
        assert (problem.name, problem.setting) == ("tiny_imagenet", "within 1K")
        check_parts(problem)


def test_real_caltech_sees_the_classes_of_the_1000_alone(embedded, real_data, short_vectors):
    real_data("visual/caltech101")
    problem, whole = caltech101_beyond(seed=2), caltech101()
    assert caltech101_beyond(seed=3).checksum == problem.checksum
    for name in ("features", "labels", "class_embeddings"):
        assert np.array_equal(getattr(problem, name), getattr(whole, name))
    known = np.isin(whole.class_ids, embedded.ilsvrc2012)
    assert problem.seen_classes.tolist() == np.flatnonzero(known).tolist()
    unseen = set(problem.class_ids[problem.unseen_classes].tolist())
    assert (len(problem.seen_classes), len(unseen)) == (32, 54)
    assert [len(unseen & set(hop)) for hop in (embedded.two_hop, embedded.three_hop)] == [16, 32]
    check_parts(problem)
    kept, held = len(problem.trainval), len(problem.test_seen)
    assert held / (kept + held) == pytest.approx(0.2, abs=0.01)
    assert len(problem.train) == len(problem.val) == 0
    few = caltech101_beyond(max_per_class=2)
    assert [len(part) for part in parts(few)] == [64, 64, 108]
