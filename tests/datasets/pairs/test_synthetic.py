from __future__ import annotations

import numpy as np
import pytest

from zslib.datasets.pairs.synthetic import _ASPECTS, synthetic_pairs
from zslib.datasets.words.tokens import tokenize

SMALL = {"n_seen": 8, "n_val": 3, "n_unseen": 3, "images_per_class": 5, "n_features": 12}


def test_shape():
    problem = synthetic_pairs(**SMALL, captions=(2, 3))
    assert problem.summary() | {"texts": 0, "distinct_texts": 0, "texts_per_image": 0} == {
        "seen_classes": 8,
        "train_seen_samples": 32,
        "test_seen_samples": 8,
        "unseen_classes": 3,
        "unseen_samples": 15,
        "features": 12,
        "texts": 0,
        "distinct_texts": 0,
        "texts_per_image": 0,
    }
    assert set(np.diff(problem.text_offsets).tolist()) == {2, 3}
    assert problem.level == "image"
    assert problem.features.dtype == np.float32
    assert len(problem.val_classes) == 3


def test_seeded():
    first, same, other = (synthetic_pairs(**SMALL, seed=s) for s in (1, 1, 2))
    assert first.checksum == same.checksum != other.checksum
    assert not set(map(str, first.texts)) <= set(other.texts)


def test_captions_tell_the_aspects():
    """Without variation, errors and distractors, what captions say of a class never conflicts."""
    exact = {"variation": 0, "errors": 0, "distractors": 0, "mentions": (14, 14)}
    problem = synthetic_pairs(**SMALL, **exact, captions=(3, 3))
    told = {}
    for text, label in zip(problem.texts, problem.text_labels.tolist(), strict=True):
        phrases = text.removesuffix(".").replace(" and ", ", ").split(", ")
        assert len(phrases) == 14
        for phrase in phrases:
            value, part = phrase.split()[-2:]
            for aspect, (parts, values) in enumerate(_ASPECTS):
                for number, words in enumerate(values):
                    if part in parts and value in words:
                        told.setdefault((label, aspect), set()).add(number)
    assert len(told) == 14 * 11
    assert all(len(values) == 1 for values in told.values())


def test_images_of_a_class_differ_in_what_is_told():
    problem = synthetic_pairs(**SMALL, variation=0.5, errors=0, distractors=0, noise=0)
    assert len(np.unique(problem.features, axis=0)) == len(problem.labels)


def test_distractors_and_synonyms():
    never = synthetic_pairs(**SMALL, distractors=0)
    always = synthetic_pairs(**SMALL, distractors=1)
    assert all(text.count(".") == 1 for text in never.texts)
    assert all(text.count(".") == 2 for text in always.texts)
    words = [word for text in never.texts for word in tokenize(text)]
    assert words.count("red") > words.count("crimson") > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_unseen": 0}, "n_unseen must be at least 1"),
        ({"n_val": 7}, "n_val must be between 1 and 6"),
        ({"images_per_class": 1}, "images_per_class must be at least 2"),
        ({"captions": (0, 3)}, r"captions\[0\] must be at least 1"),
        ({"captions": (3, 2)}, r"captions\[1\] must be at least 3"),
        ({"mentions": (2, 15)}, r"mentions\[1\] must be between 2 and 14"),
        ({"variation": 1.1}, "variation must be"),
        ({"errors": -1}, "errors must be"),
        ({"distractors": 2}, "distractors must be"),
        ({"noise": -1}, "noise must be"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_options(change, message):
    with pytest.raises(ValueError, match=message):
        synthetic_pairs(**{**SMALL, **change})
