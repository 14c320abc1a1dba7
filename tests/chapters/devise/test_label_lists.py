"""Label sets: hop lists, random splits, images of labels."""

import dataclasses

import numpy as np
import pytest

from chapters.devise import label_lists
from zslib.datasets import imagenet_lists, label_sets


@pytest.fixture(scope="module")
def lists():
    return imagenet_lists("embedded")


def test_a_split_draws_the_asked_for_images_from_classes_of_equal_size():
    counts = label_lists.validation_sizes(30, 20, 0.25, [0, 1])
    assert counts.shape == (2, 30)
    assert (counts.sum(axis=1) == 150).all()
    labels = np.repeat(np.arange(30), 20)
    drawn = np.random.default_rng(1).permutation(600)[:150]
    assert counts[1].tolist() == [(labels[drawn] == c).sum() for c in range(30)]
    with pytest.raises(ValueError, match="empty"):
        label_lists.validation_sizes(30, 20, 0.0, [0])


def test_shares_and_law_of_class_sizes_sum_to_one():
    counts = label_lists.validation_sizes(300, 20, 0.25, range(5))
    rows = list(label_lists.class_size_shares(counts, 20))
    law = [row["value"] for row in rows if row["method"] == "hypergeometric law"]
    drawn = [row["value"].mean for row in rows if "random" in row["method"]]
    assert sum(drawn) == pytest.approx(100)
    assert sum(law) == pytest.approx(100, abs=0.5)
    assert np.abs(np.subtract(law, drawn)).max() < 5


def test_images_of_labels_are_as_a_loop_counts_them(lists):
    assert {row["value"] for row in label_lists.image_shares(lists)} == {None}
    assert list(label_lists.image_curves(lists)) == []
    names = label_sets(lists)["2-hop"].labels
    counted = dataclasses.replace(lists, image_counts={n: i % 40 for i, n in enumerate(names)})
    rows = [r for r in label_lists.image_shares(counted) if r["label_set"] == "2-hop"]
    shares = {r["metric"]: r["value"] for r in rows}
    images = sorted((i % 40 for i in range(len(names))), reverse=True)
    half = next(n for n in range(len(names) + 1) if sum(images[:n]) >= sum(images) / 2)
    assert shares["labels with half of the images, %"] == pytest.approx(100 * half / len(names))
    assert shares["images of a label, median"] == sorted(images)[len(images) // 2]
    for row in label_lists.image_curves(counted):
        if row["method"] == "2-hop":
            whole, part = divmod(row["labels"] * len(images), 100)
            largest = sum(images[:whole]) + part / 100 * sum(images[whole : whole + 1])
            assert row["value"] == pytest.approx(100 * largest / sum(images))
