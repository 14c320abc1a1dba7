"""DARK with bounded scores: what its variants leave out, and what is said of their worth."""

from __future__ import annotations

import numpy as np
import pytest

from book import Results
from chapters.together.bounded import (
    BASE,
    FIRST,
    LINEAR,
    PARTS,
    EqualWeights,
    NoImageView,
    found_at_scale,
    parts_of,
    readings_of,
    suggested,
    validation_rows,
    worth_told,
)
from zslib.compatibility import DARK
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import run_table
from zslib.protocols.intervals import Estimate


def test_equal_weights_are_one_for_every_rival():
    scores = np.array([[0.0, -9.0, 9.0], [1.0, 2.0, 3.0]])
    view = EqualWeights(gradient="objective")._assess(scores, np.array([0, 2]))
    np.testing.assert_array_equal(view.weights, [[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    assert view.rates is None


def test_without_the_image_view_images_of_a_class_count_by_their_prototype_alone():
    # With one image in each class a prototype is that image: both views see the same rows.
    rng = np.random.default_rng(0)
    X, S, y = rng.standard_normal((6, 4)), rng.standard_normal((6, 3)), np.arange(6)
    options = {"scale": 5.0, "n_iter": 3, "refresh_every": 1, "random_state": 0}
    whole = DARK(4, **options).fit(X, y, S)
    part = NoImageView(4, **options).fit(X, y, S)
    assert not np.allclose(whole.U_, part.U_)
    images = DARK(4, label_view=False, **options).fit(X, y, S)
    assert not np.allclose(images.U_, part.U_)


def test_each_part_is_left_out_by_a_variant_that_is_tuned_alike():
    methods = {m.name: m for m in parts_of(digits_segments())}
    assert set(methods) == {BASE, *PARTS.values()}
    # Alike but for where the grid begins: weights of one add up to more.
    assert {tuple(m.grid) for m in methods.values()} == {("scale", "data_weight")}
    assert len({str(m.grid) for name, m in methods.items() if name != "weights of one"}) == 1
    for name, method in methods.items():
        own = {k: v for k, v in method.fixed.items() if methods[BASE].fixed.get(k) != v}
        assert len(own) + (method.make is not DARK) == (name != BASE), name


def test_readings_run_and_show_what_validation_classes_said():
    problem = digits_segments()
    *_, short, _ = readings_of(problem, every=False)
    runs = {problem: run_table([short], problem, quick=True)}
    (row,) = validation_rows(runs)
    ((run,),) = runs[problem].values()
    assert row["value"] == run.tuned.score
    assert next(iter(readings_of(problem))).name == FIRST


def results(linear, bounded, gain):
    value = lambda low, high: Estimate((low + high) / 2, low, high, 1)  # noqa: E731
    named = {FIRST: linear, LINEAR: linear, BASE: bounded, f"{BASE} - {LINEAR}": gain}
    named |= dict.fromkeys(PARTS, gain)
    return Results(None, [
        {"dataset": "cub", "metric": "ACC", "method": name, "value": value(*ends)}
        for name, ends in named.items()
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("gain", "word", "worth"),
    [
        ((1.0, 9.0), "DARK gains", "helps: *label view"),
        ((-9.0, -1.0), "DARK loses", "harms: *label view"),
        ((-1.0, 1.0), "is not told apart", "is not told from nothing: *label view"),
    ],
)
def test_gains_are_told_by_their_intervals(gain, word, worth):
    found = results((49.0, 51.0), (54.0, 56.0), gain)
    assert word in next(found_at_scale(found))
    assert worth in next(worth_told(found))


def test_the_distance_to_print_is_told_with_the_interval():
    found = results((49.0, 51.0), (52.0, 58.0), (1.0, 9.0))
    (told,) = suggested(found, {"cub": 60.0, "sun": 1.0, "awa1": None})
    assert "closes 50% of" in told
    assert told.endswith("60 is outside the interval of 55.0 [52.0, 58.0].")
    (told,) = suggested(found, {"cub": 52.0})
    assert "goes beyond the distance" in told
    (told,) = suggested(results((49.0, 51.0), (52.0, 58.0), (-1.0, 9.0)), {"cub": 60.0})
    assert "does not measurably shorten the distance" in told
    (told,) = suggested(results((49.0, 51.0), (42.0, 48.0), (-9.0, -1.0)), {"cub": 60.0})
    assert "lengthens the distance" in told


def test_other_bounded_readings_are_told_too():
    found = results((49.0, 51.0), (52.0, 58.0), (1.0, 9.0))
    (bounded,) = found.only(method=BASE)
    others = [bounded | {"method": f"{n} cos, rivals averaged"} for n in (5, 10)]
    (told,) = suggested(found + others, {"cub": 60.0})
    assert "*5 cos, rivals averaged* 55.0 [52.0, 58.0]; *10 cos" in told
