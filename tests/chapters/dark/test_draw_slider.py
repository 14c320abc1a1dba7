"""The slider's points are those of the curve, from one end to the other."""

import json
import re

import numpy as np
import pytest

from chapters.dark.draw_slider import Slider, slider_points
from zslib.metrics import harmonic_mean, seen_unseen_curve


@pytest.fixture
def curve():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 30, 5))
    return seen_unseen_curve(
        scores[0], rng.integers(3, size=30), scores[1], rng.integers(3, 5, size=30),
        np.array([True, True, True, False, False]),
    )  # fmt: skip


def test_steps_go_from_one_end_of_the_curve_to_the_other(curve):
    found = slider_points(curve)
    assert found.shape == (61, 3)
    np.testing.assert_allclose(found[0, :2], [100 * curve.seen[0], 0])
    np.testing.assert_allclose(found[-1, :2], [0, 100 * curve.unseen[-1]])
    on_curve = {(s, u) for s, u in zip(100 * curve.seen, 100 * curve.unseen, strict=True)}
    assert {tuple(row[:2]) for row in found} <= on_curve
    for seen, unseen, h in found:
        assert h == pytest.approx(float(harmonic_mean(seen, unseen)))


def test_the_page_has_the_points_and_escapes_names(curve):
    page = Slider({"DARK": curve, "a < b": curve})._repr_mimebundle_()["text/markdown"]
    assert "\n" not in page  # one block of HTML for Markdown
    assert "a &lt; b" in page
    points = json.loads(re.search("data-points='([^']*)'", page)[1])
    np.testing.assert_allclose(points[0], slider_points(curve), atol=0.051)
