"""Chimeras and distractors of the chapters against their definitions."""

from dataclasses import replace

import numpy as np
import pytest

from zslib.protocols import Repeated
from zslib.protocols.mapping.augmentation import (
    across_languages,
    averaged_labels,
    with_distractors,
)
from zslib.protocols.mapping.distractors import equal_distractors


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
