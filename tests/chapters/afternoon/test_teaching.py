"""What wrong digits cost, and what is noted of trainings."""

import numpy as np
import pytest

from chapters.afternoon.choices import digits_without
from chapters.afternoon.teaching import follow, hinges, named
from zslib.mapping import RidgeMap


@pytest.fixture(scope="module")
def digits():
    return digits_without(["one", "two", "six"], max_per_class=20)


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.fixture(scope="module")
def mapper(digits):
    y, S, train = digits.labels, digits.class_embeddings, digits.trainval
    return RidgeMap(1.0).fit(digits.features[train], S[y[train]])


def test_only_wrong_seen_digits_cost_and_what_the_margin_says(digits, mapper):
    rows = digits.trainval[::15]
    losses = hinges(mapper, digits, rows, 0.3)
    S = digits.class_embeddings
    for row, loss in zip(rows, losses, strict=True):
        mapped, own = mapper.transform(digits.features[[row]])[0], digits.labels[row]
        for c in range(10):
            wrong = c != own and c in digits.seen_classes
            wanted = max(0, 0.3 + cosine(mapped, S[c]) - cosine(mapped, S[own])) if wrong else 0
            assert loss[c] == pytest.approx(wanted, abs=1e-5)
    assert losses.any()


def test_named_is_the_mean_over_digits_of_those_named_right(digits, mapper):
    rows, classes = digits.test_unseen, digits.unseen_classes
    mapped, shares = mapper.transform(digits.features[rows]), []
    for c in classes:
        own = mapped[digits.labels[rows] == c]
        found = [max(classes, key=lambda k: cosine(m, digits.class_embeddings[k])) for m in own]
        shares.append(np.mean(np.array(found) == c))
    assert named(mapper, digits, rows, classes) == pytest.approx(100 * np.mean(shares))


def test_an_image_with_a_pair_that_teaches_is_found_at_least_as_often_as_the_pair(digits):
    found = follow(digits, "random", 0.1, [0, 1], 3)
    assert np.all(found["hard"] >= found["random"])
    assert np.all(found["hard"] <= 6 * found["random"])  # six wrong digits for each image
    assert not np.array_equal(found["seen"], follow(digits, "hard", 0.1, [0, 1], 3)["seen"])
