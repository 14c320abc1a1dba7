"""Naming digits by their segments, under every choice of three that are not seen."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from chapters.afternoon.choices import digits_without, every_choice
from zslib.datasets.attributes.digits import SEGMENTS


def test_every_choice_has_the_accuracy_of_a_slow_search_over_its_descriptions(monkeypatch):
    few = ("two", "five", "six"), tuple(SEGMENTS)[:3]
    monkeypatch.setattr("chapters.afternoon.choices.combinations", lambda *_: few)
    found = every_choice(2.0, max_per_class=30)
    assert tuple(found) == few
    for unseen, accuracy in found.items():
        digits = digits_without(unseen, max_per_class=30)
        assert tuple(digits.class_names[digits.unseen_classes]) == unseen
        X, S, y = digits.features, digits.class_embeddings, digits.labels
        ridge = Ridge(2.0, fit_intercept=False).fit(X[digits.trainval], S[y[digits.trainval]])
        right = {c: [] for c in digits.unseen_classes}
        for row in digits.test_unseen:
            mapped = ridge.predict(X[row : row + 1])[0]
            cosines = {c: mapped @ S[c] / np.linalg.norm(S[c]) for c in right}
            right[y[row]].append(max(cosines, key=cosines.get) == y[row])
        assert accuracy == pytest.approx(100 * np.mean([np.mean(own) for own in right.values()]))


@pytest.mark.parametrize("unseen", [["two"], ["two", "two", "six"], list(SEGMENTS)[:4]])
def test_three_different_digits_are_unseen(unseen):
    with pytest.raises(ValueError, match="three different digits"):
        digits_without(unseen)
