import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS
from zslib.datasets.attributes.synthetic import (
    VALIDATION_CLASSES,
    attribute_features,
    synthetic_attributes,
)


@given(st.sampled_from(sorted(VALIDATION_CLASSES)), st.floats(0.05, 0.2), st.integers(0, 9))
@settings(max_examples=10)
def test_any_scale_makes_a_valid_problem(shape, scale, seed):
    problem = synthetic_attributes(shape, scale=scale, seed=seed)
    assert problem.synthetic and "synthetic" in problem.description
    parts = problem.trainval, problem.test_seen, problem.test_unseen
    _, trained, held, _, tested, n_attributes = OFFICIAL_STATISTICS[shape].values()
    assert [len(part) for part in parts] == [round(scale * n) for n in (trained, held, tested)]
    assert problem.features.shape[1] == max(64, round(2048 * scale))
    assert problem.image_attributes.shape == (len(problem.labels), n_attributes)
    assert 0 <= problem.image_attributes.min() <= problem.image_attributes.max() <= 1
    assert problem.features.min() >= 0
    sizes = np.bincount(problem.labels[problem.trainval])
    assert sizes[sizes > 0].min() >= 2
    assert np.isin(problem.seen_classes, problem.labels[problem.test_seen]).all()
    assert len(problem.validation_problem().val) == 0


def test_class_sizes_have_a_long_tail_and_images_vary_around_their_class():
    problem = synthetic_attributes("AWA2", scale=0.05, n_features=2)
    sizes = np.bincount(problem.labels[problem.trainval])
    assert sizes.max() > 3 * sizes.min()
    groups = [problem.image_attributes[problem.labels == c] for c in range(50)]
    assert np.mean([group.std(axis=0).mean() for group in groups]) > 0.02
    means = np.stack([group.mean(axis=0) for group in groups])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    assert ((means * problem.class_embeddings).sum(axis=1) > 0.9).all()


def test_features_follow_the_attributes():
    rng = np.random.default_rng(0)
    attributes = np.repeat(rng.random((20, 10)), 2, axis=0)
    labels = np.repeat([0, 1], 20)
    exact = attribute_features(attributes, labels, noise=0, class_shift=0, n_features=30)
    assert exact.dtype == np.float32
    # Without noise equal attributes give equal features, and different ones different features.
    np.testing.assert_allclose(exact[::2], exact[1::2], atol=1e-6)
    assert len(np.unique(exact[::2].round(4), axis=0)) == 20
    noisy = attribute_features(attributes, labels, noise=1, class_shift=0, n_features=30)
    assert np.abs(noisy[::2] - noisy[1::2]).max() > 0.1
    # A class's shift is one vector for all its images.
    same = np.repeat(rng.random((1, 10)), 4, axis=0)
    classes = np.array([0, 0, 1, 1, *labels])
    shifted = attribute_features(np.concatenate([same, attributes]), classes, noise=0)
    assert np.array_equal(shifted[0:4:2], shifted[1:4:2])
    assert np.abs(shifted[0] - shifted[2]).max() > 0.1


def test_blocks_do_not_show():
    attributes = np.tile(np.random.default_rng(0).random((2, 3)), (3000, 1))
    features = attribute_features(attributes, np.zeros(6000, int), noise=0, n_features=5)
    np.testing.assert_allclose(features[:2], features[-2:], atol=1e-6)


def test_original_attributes_are_in_the_unit_of_the_images():
    scaled = synthetic_attributes("APY", scale=0.05)
    problem = synthetic_attributes("APY", scale=0.05, att="original")
    assert 0 < problem.class_embeddings.min() < problem.class_embeddings.max() < 1
    lengths = np.linalg.norm(problem.class_embeddings, axis=1, keepdims=True)
    np.testing.assert_allclose(problem.class_embeddings / lengths, scaled.class_embeddings, 1e-6)
    np.testing.assert_array_equal(problem.image_attributes, scaled.image_attributes)
    means = [problem.image_attributes[problem.labels == c].mean(0) for c in range(32)]
    assert np.abs(means - problem.class_embeddings).mean() < 0.1
