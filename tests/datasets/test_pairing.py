"""Whether captions belong to their own images, checked on the data themselves."""

import numpy as np
import pytest

from zslib.datasets import cub, flowers
from zslib.datasets.pairs.caption_lists import caption_lists


def expected(chance):
    """The share of images that is first at random, and its standard error."""
    return chance.mean(), np.sqrt((chance * (1 - chance)).sum()) / len(chance)


def shuffled_within(labels, rng):
    """A permutation of the images that leaves each in its class."""
    order = np.argsort(labels, kind="stable")
    moved = np.empty_like(order)
    moved[order] = np.lexsort((rng.random(len(labels)), labels))
    return moved


def test_the_check_finds_pairs_and_their_absence(make):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(30), 20)
    meaning = rng.standard_normal((600, 6))
    features = meaning @ rng.standard_normal((6, 8)) + 3 * labels[:, None]
    vectors = meaning @ rng.standard_normal((6, 5)) + labels[:, None]
    seen = labels < 20
    first, chance = make.own_captions_first(features, vectors, labels, seen)
    assert len(first) == 200
    assert chance == pytest.approx(np.full(200, 1 / 20))
    assert first.mean() > 0.9
    moved = shuffled_within(labels, rng)
    assert np.array_equal(labels[moved], labels)
    assert make.own_captions_first(features, vectors[moved], labels, seen)[0].mean() < 0.15


def test_real_flowers_have_their_own_captions(real_data, make):
    """Own captions fit best within the class six times as often as at random; others do not."""
    real_data("visual/flowers")
    problem = flowers()
    vectors = make.caption_vectors(make.own_captions(problem), problem.trainval)
    seen = problem.is_seen[problem.labels]
    first, chance = make.own_captions_first(problem.features, vectors, problem.labels, seen)
    mean, error = expected(chance)
    assert mean == pytest.approx(0.0173, abs=1e-4)
    assert first.mean() > 5 * mean
    moved = shuffled_within(problem.labels, np.random.default_rng(0))
    other, _ = make.own_captions_first(problem.features, vectors[moved], problem.labels, seen)
    assert abs(other.mean() - mean) < 4 * error


@pytest.mark.parametrize("features", ["resnet", "vgg"])
def test_real_cub_has_no_pairs(real_data, make, features):
    """Rows and captions of one number are of one class, and no more alike than at random."""
    folder = real_data("visual/cub", "visual/cub/captions.tsv")
    images = cub(features=features)
    texts = [" ".join(several) for several in caption_lists(folder / "captions.tsv", 11_788)]
    seen = images.labels < 100
    vectors = make.caption_vectors(texts, np.flatnonzero(seen))
    first, chance = make.own_captions_first(images.features, vectors, images.labels, seen)
    mean, error = expected(chance)
    assert abs(first.mean() - mean) < 4 * error
    assert first.mean() < 1.5 * mean
