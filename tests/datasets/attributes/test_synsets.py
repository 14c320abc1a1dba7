"""Images of synsets: which classes are seen, which ring the others are in, what is generated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from zslib.datasets import ZeroShotProblem, imagenet_lists
from zslib.datasets.attributes import synsets as synset_images
from zslib.datasets.attributes.synsets import (
    caltech101_beyond,
    synthetic_beyond,
    synthetic_within,
    tiny_imagenet_within,
)


@pytest.fixture(scope="module")
def lists():
    return imagenet_lists("embedded")


@pytest.fixture(autouse=True)
def unpacked_once(lists, monkeypatch):
    monkeypatch.setattr(synset_images, "imagenet_lists", lambda source="embedded": lists)


def parts(problem):
    return [problem.trainval, problem.test_seen, problem.test_unseen]


def check_parts(problem):
    """Every image is in one part at most, and training and test agree on the seen classes."""
    rows = np.concatenate(parts(problem))
    assert len(set(rows.tolist())) == len(rows)
    labels = [set(problem.labels[part].tolist()) for part in parts(problem)]
    assert labels[1] <= labels[0] and not labels[0] & labels[2]
    norms = np.linalg.norm(problem.features, axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-5)


def test_synthetic_within_draws_from_the_1000(lists):
    problem = synthetic_within(n_classes=20, images_per_class=5, n_features=12, seed=3)
    assert problem.setting == "within 1K" and problem.synthetic
    assert set(problem.class_ids.tolist()) <= set(lists.ilsvrc2012)
    assert len(set(problem.class_ids.tolist())) == 20
    assert (len(problem.seen_classes), len(problem.unseen_classes)) == (15, 5)
    assert problem.features.shape == (100, 12)
    assert np.bincount(problem.labels).tolist() == [5] * 20
    check_parts(problem)
    name, wnid = problem.class_names[0], problem.class_ids[0]
    assert name == f"{lists.lemmas[wnid][0]} ({wnid})"


def test_synthetic_beyond_has_a_third_of_its_unseen_classes_in_each_ring(lists):
    problem = synthetic_beyond(n_seen=12, n_unseen=4, images_per_class=3, seed=1)
    assert problem.setting == "beyond 1K" and problem.synthetic
    wnids = np.array(problem.class_ids)
    seen = set(wnids[problem.seen_classes].tolist())
    unseen = set(wnids[problem.unseen_classes].tolist())
    near, far = set(lists.two_hop), set(lists.three_hop)
    assert len(seen) == 12 and seen <= set(lists.ilsvrc2012)
    assert len(unseen) == 12 and not unseen & set(lists.ilsvrc2012)
    assert [len(unseen & near), len(unseen & (far - near)), len(unseen - far)] == [4, 4, 4]
    assert unseen <= set(lists.fall2011)
    check_parts(problem)


@pytest.mark.parametrize(
    "make",
    [
        lambda **o: synthetic_within(n_classes=10, images_per_class=4, n_features=9, **o),
        lambda **o: synthetic_beyond(n_seen=6, n_unseen=2, images_per_class=4, n_features=9, **o),
    ],
)
def test_synthetic_images_by_their_options(make):
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

    # What is a class's own does not show in its embedding, only in its images.
    other = make(seed=5, own=1)
    np.testing.assert_array_equal(other.class_embeddings, plain.class_embeddings)
    assert np.abs(other.features - plain.features).max() > 0.1


def test_meaning_shows_in_features_unless_all_is_a_classs_own():
    def fit(own):
        """Correlation of the classes' similarities in features and in embeddings."""
        problem = synthetic_within(n_classes=60, images_per_class=2, noise=0, own=own)
        means = problem.features[::2]
        above = np.triu_indices(60, 1)
        return np.corrcoef(
            (means @ means.T)[above],
            (problem.class_embeddings @ problem.class_embeddings.T)[above],
        )[0, 1]

    assert fit(0) > 0.5
    assert fit(0) > fit(0.5) > fit(1)
    assert abs(fit(1)) < 0.15


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (synthetic_within, {"n_classes": 7}, "n_classes must be between 8 and 1000"),
        (synthetic_within, {"images_per_class": 1}, "images_per_class must be"),
        (synthetic_within, {"noise": -1}, "noise must be"),
        (synthetic_within, {"n_features": 1}, "n_features must be"),
        (synthetic_beyond, {"n_seen": 3}, "n_seen must be between 4 and 1000"),
        (synthetic_beyond, {"n_unseen": 0}, "n_unseen must be between 1 and 1000"),
        (synthetic_beyond, {"own": 1.5}, "own must be"),
    ],
)
def test_bad_options(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


@pytest.fixture
def photographs(lists):
    """Eight classes, four of them of the 1,000, in an order that mixes them."""
    wnids = [*lists.ilsvrc2012[:4], *lists.two_hop[:2], *lists.three_hop[-2:]]
    order = np.random.default_rng(0).permutation(8)
    labels = np.repeat(np.arange(8), 10)
    rng = np.random.default_rng(1)
    features = rng.standard_normal((80, 4)).astype(np.float32)
    return ZeroShotProblem(
        name="toy",
        synthetic=False,
        description="toy images",
        features=features / np.linalg.norm(features, axis=1, keepdims=True),
        labels=labels,
        class_embeddings=np.eye(8, dtype=np.float32),
        class_names=np.array([f"class {i}" for i in range(8)]),
        class_ids=np.array(wnids)[order],
        trainval=np.arange(60),
        test_seen=np.arange(0),
        test_unseen=np.arange(60, 80),
        train=np.arange(40),
        val=np.arange(40, 60),
    )


def test_caltech_sees_the_classes_of_the_1000_alone(lists, photographs, monkeypatch):
    monkeypatch.setattr(synset_images, "caltech101", lambda semantics: photographs)
    problem = caltech101_beyond(seed=2)
    known = np.isin(photographs.class_ids, lists.ilsvrc2012)
    assert problem.seen_classes.tolist() == np.flatnonzero(known).tolist()
    assert problem.unseen_classes.tolist() == np.flatnonzero(~known).tolist()
    assert [len(part) for part in parts(problem)] == [32, 8, 40]  # a fifth is held out
    assert len(problem.train) == len(problem.val) == 0
    check_parts(problem)
    # Each image keeps its label.
    row_of = {row.tobytes(): i for i, row in enumerate(photographs.features)}
    kept = [row_of[row.tobytes()] for row in problem.features]
    assert photographs.labels[kept].tolist() == problem.labels.tolist()
    assert problem.setting == "beyond 1K" and problem.description == "Caltech-101 images"

    few = caltech101_beyond(seed=2, max_per_class=2)
    assert [len(part) for part in parts(few)] == [8, 8, 8]
    assert caltech101_beyond(seed=3).checksum == problem.checksum


def test_tiny_imagenet_is_split_by_the_seed(photographs, monkeypatch):
    asked = []

    def stand_in(**options):
        asked.append(options)
        return replace(photographs)

    monkeypatch.setattr(synset_images, "tiny_imagenet_classes", stand_in)
    problem = tiny_imagenet_within(seed=7, max_per_class=3)
    (options,) = asked
    assert (options["split"], options["seed"], options["max_per_class"]) == ("crossed", 7, 3)
    assert (problem.name, problem.setting) == ("tiny_imagenet", "within 1K")
    assert not problem.synthetic


def test_real_images(lists, real_data, short_vectors):
    real_data("visual/tiny_imagenet", "visual/caltech101")
    within = tiny_imagenet_within(seed=0, max_per_class=2)
    assert set(within.class_ids.tolist()) <= set(lists.ilsvrc2012)
    beyond = caltech101_beyond(seed=0, max_per_class=2)
    unseen = set(np.array(beyond.class_ids)[beyond.unseen_classes].tolist())
    assert len(beyond.seen_classes) == 32 and len(unseen) == 54
    assert len(unseen & set(lists.two_hop)) == 16
    assert len(unseen & set(lists.three_hop)) == 32
