"""What sliders are given: points of the package's own, and answers that flip where it says."""

import json
import re

import numpy as np
import pytest

from chapters.afternoon import sliders
from zslib.calibration import CalibratedStacking
from zslib.compatibility import MapScorer
from zslib.datasets import digits_segments
from zslib.metrics import harmonic_mean, per_class_accuracy
from zslib.protocols import evaluate_zero_shot


@pytest.fixture(scope="module")
def tested():
    """Digits, the outcome on them, and scores of both kinds of test images."""
    digits = digits_segments(max_per_class=30)
    model = MapScorer()
    outcome = evaluate_zero_shot(model, digits)
    y, S, train = digits.labels, digits.class_embeddings, digits.trainval
    model.fit(digits.features[train], y[train], S)
    sides = ("test_seen", "test_unseen")
    images = {side: digits.features[getattr(digits, side)] for side in sides}
    return digits, outcome, {k: model.decision_function(X, S) for k, X in images.items()}


def numbers(slider):
    page = slider.data
    assert "\n" not in page  # one block of HTML for Markdown
    return page, json.loads(re.search("data-numbers='([^']*)'", page)[1])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dimension", [2, 5])
def test_queries_find_what_a_slow_search_finds(dimension, reverse):
    pairs = sliders.made_up_pairs(1, n_queries=12, n_pairs=9)
    X, Y, queries, targets = (points[:, :dimension] for points in pairs)
    A, B = (Y, X) if reverse else (X, Y)
    W = np.linalg.solve(A.T @ A + 7 * np.eye(dimension), A.T @ B)
    queries, targets = (queries, targets @ W) if reverse else (queries @ W, targets)
    places, found = sliders.find(pairs, dimension, 7.0, reverse=reverse)
    np.testing.assert_allclose(places, queries)
    slow = [np.argmin([np.linalg.norm(q - t) for t in targets]) for q in queries]
    assert found[:, 0].tolist() == slow


def test_the_page_has_the_very_points_of_the_package():
    pairs = sliders.made_up_pairs(n_queries=5, n_pairs=4, dimension=3)
    page, world = numbers(sliders.hub_slider(pairs))
    for points, shown in zip(pairs, world, strict=True):
        assert points.tolist() == shown
    assert 'max="3"' in page and page.startswith("<div hidden")


def test_accuracies_are_those_of_stacking(tested):
    digits, outcome, scores = tested
    points = sliders.gamma_points(outcome.curve, steps=4)
    assert points[0, 0] == 0 and points[-1, 1] < 2
    for gamma, *pair, h in points[1:-1] + np.array([1e-9, 0, 0, 0]):
        for side, found in zip(scores, pair, strict=True):
            stacked = CalibratedStacking(gamma).transform(scores[side], digits.is_seen)
            labels = digits.labels[getattr(digits, side)]
            right = 100 * per_class_accuracy(labels, stacked.argmax(axis=1))
            assert found == pytest.approx(right, abs=2)
        assert h == pytest.approx(float(harmonic_mean(*pair)), abs=1e-4)


@pytest.mark.parametrize("side", ["test_seen", "test_unseen"])
def test_an_image_changes_its_answer_where_stacking_does(tested, side):
    digits, outcome, scores = tested
    rows = [0, 3, 7]
    for row, one in zip(rows, sliders.pictures_of(digits, outcome, side, rows), strict=True):
        image = getattr(digits, side)[row]
        assert one["name"] == digits.class_names[digits.labels[image]]
        for place, gamma in enumerate((one["flip"] - 1e-4, one["flip"] + 1e-4)):
            stacked = CalibratedStacking(gamma).transform(scores[side][[row]], digits.is_seen)
            assert one["answers"][place] == digits.class_names[stacked.argmax()]


def test_the_page_has_an_image_with_a_name_for_each_answer(tested):
    digits, outcome, _ = tested
    pictures = list(sliders.pictures_of(digits, outcome, "test_seen", [1, 2]))
    page, found = numbers(sliders.gamma_slider(outcome.curve, pictures))
    assert len(found["points"]) == 51 and len(found["pictures"]) == 2
    assert re.findall('alt="a ([a-z]+)"', page) == [one["name"] for one in found["pictures"]]
    assert page.count("<output>") == 3
    assert "data:image/png;base64,iVBOR" in page
