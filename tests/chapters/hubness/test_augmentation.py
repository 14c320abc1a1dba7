"""Chimeras and distractors of the chapters against their definitions."""

from dataclasses import replace

import numpy as np
import pytest

from chapters.hubness.augmentation import (
    across_languages,
    averaged_labels,
    by_size,
    with_distractors,
)
from chapters.hubness.distractors import equal_distractors
from zslib.protocols import Repeated


def test_averaged_labels_are_the_nearest_training_labels(images):
    rows = images.space("test")
    wanted = images.target_words[rows[-1]]
    found = averaged_labels(images, [wanted, "no such label"], n=2, k=3)
    assert list(found) == [wanted, images.target_words[rows[0]]]
    training = np.unique(images.train_gold)
    targets = images.targets / np.linalg.norm(images.targets, axis=1, keepdims=True)
    nearest = training[np.argsort(-targets[training] @ targets[rows[-1]])[:3]]
    assert found[wanted] == images.target_words[nearest].tolist()


def test_as_many_related_as_random_distractors(images):
    with pytest.raises(ValueError, match="n must be at least 1"):
        equal_distractors(images, 0)
    # Every word labels something: no word is left to disturb.
    everything = replace(images, labels=np.arange(images.targets.shape[0]))
    with pytest.raises(ValueError, match="no related distractors to draw"):
        equal_distractors(everything, 5)
    drawn = equal_distractors(images, 10_000, random_state=0)
    assert drawn["related"].size == drawn["random"].size > 0
    assert not np.isin(np.concatenate(list(drawn.values())), images.labels).any()


def test_both_experiments_search_what_they_say(images, languages, short_tuning):
    found = with_distractors(Repeated([images], [0], quick=True), 20 / images.labels.size)
    assert list(found) == ["related", "random"]
    for of in found.values():
        for outcomes in of.values():
            assert outcomes[0].rows.size == images.labels.size + 20
            assert np.isin(images.labels, outcomes[0].rows).all()
    translated = across_languages(Repeated([languages], [0], quick=True), 10)
    assert list(translated) == ["none", "chimera-5"]
    assert translated["none"][0].rows.size == languages.targets.shape[0]


def test_the_search_space_grows_to_the_whole_vocabulary(images, short_tuning):
    runs = Repeated([images], [0], quick=True)
    rows = list(by_size(runs, (0, 10 / images.labels.size, 1e9), k=5))
    sizes = [images.labels.size, images.labels.size + 10, images.targets.shape[0]]
    assert [row["size"] for row in rows] == [size for size in sizes for _ in range(2)]
    for row, space in ((rows[0], "labels"), (rows[-2], "full")):
        (outcome,) = runs.outcomes({"none": "max-margin"}, space)["none"]
        assert row["value"] == outcome.polluted(1).mean()
        following = rows[rows.index(row) + 1]
        assert following["metric"] == "right answer among the first 5"
        assert following["value"] == outcome.hits(5).mean()
