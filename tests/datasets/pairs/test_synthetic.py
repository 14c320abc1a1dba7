import pytest

from zslib.datasets.pairs import synthetic
from zslib.datasets.pairs.synthetic import _ASPECTS, synthetic_pairs
from zslib.datasets.words.tokens import tokenize

SMALL = {"n_seen": 8, "n_val": 3, "n_unseen": 3, "images_per_class": 5, "n_features": 12}


def test_seeded():
    first, same, other = (synthetic_pairs(**SMALL, seed=s) for s in (1, 1, 2))
    assert first.checksum == same.checksum != other.checksum
    assert not set(map(str, first.texts)) <= set(other.texts)


@pytest.mark.parametrize("variation", [0, 0.5])
def test_captions_tell_the_aspects(monkeypatch, variation):
    """Without errors and distractors they tell of a class only what its images differ in."""
    monkeypatch.setattr(synthetic, "_MENTIONS", (14, 14))
    monkeypatch.setattr(synthetic, "_VARIATION", variation)
    for name in ("_ERRORS", "_DISTRACTION"):
        monkeypatch.setattr(synthetic, name, 0)
    problem = synthetic_pairs(**SMALL, captions=(3, 3))
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
    assert all(len(values) == 1 for values in told.values()) == (variation == 0)


def test_distractors_and_synonyms(monkeypatch):
    for probability in (1, 0):
        monkeypatch.setattr(synthetic, "_DISTRACTION", probability)
        texts = synthetic_pairs(**SMALL).texts
        assert all(text.count(".") == 1 + probability for text in texts)
    words = [word for text in texts for word in tokenize(text)]
    assert words.count("red") > words.count("crimson") > 0
