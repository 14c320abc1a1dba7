"""Naming digits by their segments, under every choice of three that are not seen."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from chapters.afternoon.choices import digits_without, every_choice, name_unseen
from zslib.datasets.attributes.digits import SEGMENTS


def test_a_digit_is_named_as_a_slow_search_over_descriptions_names_it():
    digits = digits_without(["two", "five", "six"], max_per_class=30)
    assert digits.class_names[digits.unseen_classes].tolist() == ["two", "five", "six"]
    X, S, y = digits.features, digits.class_embeddings, digits.labels
    ridge = Ridge(2.0, fit_intercept=False).fit(X[digits.trainval], S[y[digits.trainval]])
    rows, answers = name_unseen(digits, penalty=2.0)
    assert set(y[rows]) == {2, 5, 6}
    for row, answer in zip(rows, answers, strict=True):
        mapped = ridge.predict(X[row : row + 1])[0]
        cosines = {c: mapped @ S[c] / np.linalg.norm(S[c]) for c in (2, 5, 6)}
        assert answer == max(cosines, key=cosines.get)


def test_every_choice_of_three_has_the_accuracy_of_its_own_digits(monkeypatch):
    few = tuple(SEGMENTS)[:4]
    monkeypatch.setattr("chapters.afternoon.choices.combinations", lambda *_: [few[:3], few[1:]])
    found = every_choice(max_per_class=20)
    for unseen, accuracy in found.items():
        digits = digits_without(unseen, max_per_class=20)
        rows, answers = name_unseen(digits)
        right = [np.mean(answers[digits.labels[rows] == c] == c) for c in digits.unseen_classes]
        np.testing.assert_allclose(accuracy, 100 * np.mean(right))


@pytest.mark.parametrize("unseen", [["two"], ["two", "two", "six"], list(SEGMENTS)[:4]])
def test_three_different_digits_are_unseen(unseen):
    with pytest.raises(ValueError, match="three different digits"):
        digits_without(unseen)
